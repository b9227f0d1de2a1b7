package evalmw

import (
	"io"
	"net/http"
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
	if req.Body != nil && req.Body != http.NoBody {
		// The request is the caller's: a copy carries the body that is read.
		body := req.Body
		req = req.Clone(req.Context())
		req.Body = &teeBody{ReadCloser: body, rec: rec, kind: modelRequest, call: call}
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Body == nil {
		return resp, err
	}
	rec.record(func(t *turn) {
		b := t.rawBody(modelReply, call, t.captureMax())
		b.contentType, b.encoding = resp.Header.Get("Content-Type"), resp.Header.Get("Content-Encoding")
	})
	if _, upgraded := resp.Body.(io.Writer); !upgraded {
		resp.Body = &teeBody{ReadCloser: resp.Body, rec: rec, kind: modelReply, call: call}
	}
	return resp, nil
}

func isModelCall(req *http.Request) bool {
	path := strings.TrimSuffix(req.URL.Path, "/")
	return req.Method == http.MethodPost &&
		(strings.HasSuffix(path, "/completions") || strings.HasSuffix(path, "/responses"))
}
