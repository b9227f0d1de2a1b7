package evalmw

import (
	"io"
	"net/http"
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
	// event of a text/event-stream, whose pieces are joined. For a response of
	// another type, "*" takes the whole body.
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
// handler does record wins over what is captured.
//
// It wraps the ResponseWriter by httpsnoop, which keeps Flusher, Hijacker,
// ReaderFrom and the others as they are. On a nil Pipeline the middleware
// returns its argument.
func (p *Pipeline) Capture(c Capture, opts ...MiddlewareOption) func(http.Handler) http.Handler {
	m := newCaptureMap(c)
	return func(next http.Handler) http.Handler {
		return p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := FromContext(r.Context())
			if !rec.Recording() {
				next.ServeHTTP(w, r)
				return
			}
			rec.captureInto(m)
			rec.captureURL(r)
			if r.Body != nil && r.Body != http.NoBody {
				r.Body = &teeBody{ReadCloser: r.Body, rec: rec, kind: requestBody}
			}
			next.ServeHTTP(rec.teeResponse(w), r)
		}), opts...)
	}
}

func (r *Recorder) captureInto(m *captureMap) {
	r.record(func(t *turn) { t.capture = m })
}

// captureURL takes the query of the URL, which is known at once.
func (r *Recorder) captureURL(req *http.Request) {
	r.record(func(t *turn) {
		if name, ok := strings.CutPrefix(t.capture.Query, "?"); ok && t.sample.Query == "" {
			if q := req.URL.Query().Get(name); q != "" {
				t.sample.Query, t.content = t.str(q), true
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

// raw returns the turn's body of that kind, making it if need be.
func (t *turn) rawBody(kind bodyKind, call, limit int) *rawBody {
	for i := range t.raw {
		if t.raw[i].kind == kind && t.raw[i].call == call {
			return &t.raw[i]
		}
	}
	t.raw = append(t.raw, rawBody{kind: kind, call: call, max: limit})
	return &t.raw[len(t.raw)-1]
}

func (b *rawBody) write(p []byte) {
	if left := b.max - len(b.body); len(p) > left {
		p, b.cut = p[:left], true
	}
	b.body = append(b.body, p...)
}

func (r *Recorder) captured(kind bodyKind, call int, p []byte) {
	r.record(func(t *turn) { t.rawBody(kind, call, t.captureMax()).write(p) })
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
			b := t.rawBody(responseBody, 0, t.captureMax())
			if b.contentType == "" {
				b.contentType = w.Header().Get("Content-Type")
				b.encoding = w.Header().Get("Content-Encoding")
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
					r.SetError(http.StatusText(code))
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
