package evalmw

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/felixge/httpsnoop"
)

// A Capture says where query, chunks and answer stand in the bodies of a
// service that cannot be edited.
//
// Paths are keys and indexes separated by dots, as in
// "messages.-1.content": a negative index counts from the end, "*" takes every
// element of an array. An empty path reads nothing. A key that itself has a
// dot cannot be named.
type Capture struct {
	_ struct{}

	// Query is the path of the question in the JSON of the request. If it
	// starts with "?", it names a parameter of the URL.
	Query string
	// Answer is the path of the answer in the JSON of the response, or in each
	// event of a text/event-stream or line of NDJSON, whose pieces are joined.
	// "*" takes the whole body of a response that is not JSON, or the events that are not.
	Answer string
	// Chunks is the path of the list of retrieved chunks in the response, or
	// in one of its events. Items are strings or objects.
	Chunks string
	// ChunkID, ChunkDoc, ChunkText and ChunkScore are paths within an item.
	// The defaults are the usual names: id, chunk_id; doc_id, source, url;
	// text, content, page_content, snippet; score, relevance_score.
	ChunkID, ChunkDoc, ChunkText, ChunkScore string
	// Citations is the path of a list of cited chunk ids in the response.
	Citations string
	// MaxBytes bounds what is kept of each body; the rest passes unread and
	// the sample is marked as truncated. The default is 1 MiB.
	MaxBytes int
}

// Capture returns middleware that reads the turn out of the bodies that pass,
// for a handler that cannot be edited. Bodies are copied as they pass, not
// held back; they are parsed by the worker, within its CPU budget. What the
// handler does record wins over what is captured. A status of 500 or more is
// the turn's error.
//
// It wraps the ResponseWriter by httpsnoop, which keeps Flusher, Hijacker,
// ReaderFrom and the others as they are. On a nil Pipeline the middleware
// returns its argument.
func (p *Pipeline) Capture(c Capture, opts ...MiddlewareOption) func(http.Handler) http.Handler {
	m := newCaptureMap(c)
	prepare := func(rec *Recorder, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		rec.captureInto(m)
		rec.captureURL(r)
		if r.Body != nil && r.Body != http.NoBody {
			rec.open(requestBody, 0, r.Header)
			r.Body = &teeBody{ReadCloser: r.Body, rec: rec, kind: requestBody}
		}
		return rec.teeResponse(w)
	}
	return func(next http.Handler) http.Handler { return p.wrap(next, opts, prepare) }
}

func (r *Recorder) captureInto(m *captureMap) {
	r.record(func(t *turn) { t.capture = m })
}

// captureURL takes the query of the URL, which is known at once. Alone it
// makes no content: every request has a URL.
func (r *Recorder) captureURL(req *http.Request) {
	r.record(func(t *turn) {
		if name, ok := strings.CutPrefix(t.capture.Query, "?"); ok && t.sample.Query == "" {
			if q := req.URL.Query().Get(name); q != "" {
				t.sample.Query = t.str(q)
			}
		}
	})
}

// bodyKind tells whose body it is.
type bodyKind uint8

const (
	requestBody  bodyKind = iota + 1 // what the service was asked
	responseBody                     // what the service replied
	modelRequest                     // what the service asked a model
	modelReply                       // what the model replied
)

// rawBody is a captured body that the worker will read.
type rawBody struct {
	kind        bodyKind
	call        int // which of several model calls
	contentType string
	encoding    string
	body        []byte
	max         int
	cut         bool
}

// open makes room for a body, in the place of one of the same kind and call.
func (r *Recorder) open(kind bodyKind, call int, h http.Header) {
	r.record(func(t *turn) { t.openRaw(kind, call, h) })
}

func (t *turn) openRaw(kind bodyKind, call int, h http.Header) {
	b := t.rawBody(kind, call)
	if b == nil {
		t.raw = append(t.raw, rawBody{})
		b = &t.raw[len(t.raw)-1]
	}
	*b = rawBody{
		kind: kind, call: call, max: t.captureMax(),
		contentType: h.Get("Content-Type"), encoding: h.Get("Content-Encoding"),
	}
}

// rawBody returns the turn's body of that kind, or nil.
func (t *turn) rawBody(kind bodyKind, call int) *rawBody {
	for i := range t.raw {
		if t.raw[i].kind == kind && t.raw[i].call == call {
			return &t.raw[i]
		}
	}
	return nil
}

func (b *rawBody) write(p []byte) {
	if left := b.max - len(b.body); len(p) > left {
		p, b.cut = p[:left], true
	}
	b.body = append(b.body, p...)
}

// captured adds to a body that is open.
func (r *Recorder) captured(kind bodyKind, call int, p []byte) {
	r.record(func(t *turn) {
		if b := t.rawBody(kind, call); b != nil {
			b.write(p)
		}
	})
}

func (t *turn) captureMax() int {
	if t.capture != nil {
		return t.capture.MaxBytes
	}
	return defaultCaptureBytes
}

// teeBody copies what is read of a body.
type teeBody struct {
	io.ReadCloser
	rec  *Recorder
	kind bodyKind
	call int
}

// Read reads from the body and keeps a copy.
func (b *teeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.rec.captured(b.kind, b.call, p[:n])
	}
	return n, err
}

// teeResponse copies what is written. All four ways to write are hooked: a
// hook of Write alone sees nothing of what io.Copy sends through ReadFrom.
func (r *Recorder) teeResponse(w http.ResponseWriter) http.ResponseWriter {
	header := func() {
		r.record(func(t *turn) {
			if t.rawBody(responseBody, 0) == nil {
				t.openRaw(responseBody, 0, w.Header())
			}
		})
	}
	return httpsnoop.Wrap(w, httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(code int) {
				if code >= http.StatusOK { // 1xx are announcements
					header()
				}
				if code >= http.StatusInternalServerError {
					r.failed(strconv.Itoa(code))
				}
				next(code)
			}
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(p []byte) (int, error) {
				header()
				n, err := next(p)
				r.captured(responseBody, 0, p[:max(n, 0)])
				return n, err
			}
		},
		WriteString: func(next httpsnoop.WriteStringFunc) httpsnoop.WriteStringFunc {
			return func(s string) (int, error) {
				header()
				n, err := next(s)
				r.captured(responseBody, 0, []byte(s[:max(n, 0)]))
				return n, err
			}
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(src io.Reader) (int64, error) {
				header()
				return next(&teeBody{ReadCloser: io.NopCloser(src), rec: r, kind: responseBody})
			}
		},
	})
}
