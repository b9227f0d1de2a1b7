package evalmw

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// Transport wraps base so that calls to an OpenAI-compatible model, made with
// the context of a turn, tell the turn what the model was asked and answered:
// the last user message is the query, the reply (streamed or not) the answer,
// and model and usage are noted. Of several calls in one turn the last counts.
// What the handler records itself wins. Embeddings and other endpoints pass.
//
// Bodies are copied as they pass and parsed by the worker. A nil base is
// [http.DefaultTransport]; on a nil Pipeline, Transport returns base.
func (p *Pipeline) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	if p == nil {
		return base
	}
	return &transport{base: base}
}

type transport struct {
	base  http.RoundTripper
	calls atomic.Int64
}

// RoundTrip sends the request and copies both bodies as they are read.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	rec := FromContext(req.Context())
	if !isModelCall(req) || !rec.Recording() {
		return t.base.RoundTrip(req)
	}
	call := int(t.calls.Add(1))
	resp, err := t.base.RoundTrip(teeRequest(req, rec, call))
	if err != nil || resp.StatusCode != http.StatusOK || resp.Body == nil {
		rec.record(func(t *turn) { t.forgetCalls(func(c int) bool { return c == call }) })
		return resp, err
	}
	rec.record(func(t *turn) { t.openReply(call, resp.Header) })
	resp.Body = &teeBody{ReadCloser: resp.Body, rec: rec, kind: modelReply, call: call}
	return resp, nil
}

// teeRequest returns a copy of the caller's request whose body is copied as
// it is read, also when the connection fails and the body is sent again.
func teeRequest(req *http.Request, rec *Recorder, call int) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	tee := func(body io.ReadCloser) io.ReadCloser {
		rec.open(modelRequest, call, req.Header)
		return &teeBody{ReadCloser: body, rec: rec, kind: modelRequest, call: call}
	}
	out := req.WithContext(req.Context())
	out.Body = tee(req.Body)
	if again := req.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return tee(body), nil
		}
	}
	return out
}

// openReply makes room for a reply and lets go of the calls before it, so
// that a turn of a hundred calls holds the bodies of one.
func (t *turn) openReply(call int, h http.Header) {
	last := call
	for i := range t.raw {
		if t.raw[i].kind == modelReply {
			last = max(last, t.raw[i].call)
		}
	}
	t.forgetCalls(func(c int) bool { return c < last })
	if call == last {
		t.openRaw(modelReply, call, h)
	}
}

// forgetCalls lets go of the bodies of some model calls; what is still read
// of them is not kept.
func (t *turn) forgetCalls(which func(call int) bool) {
	t.raw = slices.DeleteFunc(t.raw, func(b rawBody) bool {
		return (b.kind == modelRequest || b.kind == modelReply) && which(b.call)
	})
}

func isModelCall(req *http.Request) bool {
	path := strings.TrimSuffix(req.URL.Path, "/")
	return req.Method == http.MethodPost &&
		(strings.HasSuffix(path, "/completions") || strings.HasSuffix(path, "/responses"))
}
