package service

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 10

// Handler returns the HTTP routes. Put tracing around it, so that evaluations
// are attached to the request's span:
//
//	otelhttp.NewHandler(svc.Handler(), "ragserver")
//
// Touchstone's middleware stands around the route and not around the mux: a
// middleware between the two, which must make a copy of the request, would hide
// the route's pattern from the tracing outside. Routes that answer nothing are
// not counted either.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /query", s.cfg.Pipeline.Middleware(http.HandlerFunc(s.serveQuery)))
	mux.HandleFunc("POST /extract", s.serveExtract) // begins a turn for each field
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	return mux
}

func (s *Service) serveQuery(w http.ResponseWriter, r *http.Request) {
	var req Request
	if err := readJSON(w, r, &req); err != nil {
		writeError(w, r, err)
		return
	}
	req.ID = requestID(r)
	if req.Stream || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		s.streamQuery(w, r, req)
		return
	}
	sample, err := s.Query(r.Context(), req, nil)
	if err != nil {
		writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, sample)
}

// streamQuery sends the events "chunks", "delta" for each piece of the answer,
// and "done" with all that is not in the chunks; or "error" as the last.
func (s *Service) streamQuery(w http.ResponseWriter, r *http.Request, req Request) {
	out := &eventStream{w: w, flusher: http.NewResponseController(w)}
	sample, err := s.Query(r.Context(), req, &Stream{
		Retrieved: func(found rag.Retrieval) error { return out.send("chunks", &rag.Sample{Retrieval: found}) },
		Deltas:    out,
	})
	switch {
	case err != nil && !out.started:
		writeError(w, r, err)
	case err != nil:
		_ = out.send("error", errorBody(r, err)) // if that fails, nobody listens
	default:
		sample.Retrieval = rag.Retrieval{}
		_ = out.send("done", sample)
	}
}

func (s *Service) serveExtract(w http.ResponseWriter, r *http.Request) {
	var req ExtractRequest
	if err := readJSON(w, r, &req); err != nil {
		writeError(w, r, err)
		return
	}
	req.ID = requestID(r)
	samples, err := s.Extract(r.Context(), req)
	if err != nil {
		writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"samples": samples})
}

// eventStream writes server-sent events. As a writer, it sends each piece that
// it is given as a delta at once.
type eventStream struct {
	w       http.ResponseWriter
	flusher *http.ResponseController
	started bool
}

func (e *eventStream) send(event string, data any) error {
	body, err := json.Marshal(data) // has no line breaks, which would end the data
	if err != nil {
		return err
	}
	if !e.started {
		e.started = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-store")
	}
	if _, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", event, body); err != nil {
		return err
	}
	return e.flusher.Flush()
}

// Write implements [io.Writer].
func (e *eventStream) Write(p []byte) (int, error) {
	if err := e.send("delta", map[string]string{"text": string(p)}); err != nil {
		return 0, err
	}
	return len(p), nil
}

// requestID is the caller's, so that its logs, our response and the evaluation
// name the same turn.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		return id
	}
	return rand.Text()
}

func readJSON(w http.ResponseWriter, r *http.Request, to any) error {
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	in.DisallowUnknownFields()
	err := in.Decode(to)
	if err == nil && in.More() {
		err = errors.New("more follows")
	}
	if err != nil {
		return &Error{Class: BadRequest, Message: "body: expected one JSON object: " + err.Error(), cause: err}
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller may be gone
}

var httpStatus = map[string]int{
	BadRequest: http.StatusBadRequest,
	NotFound:   http.StatusNotFound,
	ModelError: http.StatusBadGateway,
	Canceled:   499, // as nginx says; nobody is there to read it
	Internal:   http.StatusInternalServerError,
}

func writeError(w http.ResponseWriter, r *http.Request, err error) {
	failure := errorBody(r, err)
	status := httpStatus[failure["error"]]
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	writeJSON(w, status, failure)
}

// errorBody is what the caller gets to know; what broke goes to the log.
func errorBody(r *http.Request, err error) map[string]string {
	failure := asError(err, Internal)
	failure.log(r.Context())
	return map[string]string{"error": failure.Class, "message": failure.Message}
}
