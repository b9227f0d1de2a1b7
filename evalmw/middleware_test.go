package evalmw_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// answering records a turn and replies with its answer.
func answering(w http.ResponseWriter, r *http.Request) {
	rec := evalmw.FromContext(r.Context())
	rec.SetQuery(r.FormValue("q"))
	rec.Retrieved([]rag.Chunk{{ID: "c1", Text: "Paris is in France."}}, rag.Limits{"bm25": 5}, 9)
	rec.Answered("Paris", rag.Citation{ChunkID: "c1"})
	_, _ = io.WriteString(w, "Paris")
}

func TestMiddlewareDeliversWhatTheHandlerRecords(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Middleware(http.HandlerFunc(answering)))

	body := fetch(t, s.Client(), request(t, "GET", s.URL+"/?q=capital", http.NoBody))

	assert.Equal(t, "Paris", body)
	got := oneTurn(t, sink)
	assert.Equal(t, "capital", got.Query)
	assert.Equal(t, []rag.Chunk{{ID: "c1", Text: "Paris is in France."}}, got.Retrieval.Chunks)
	assert.Equal(t, rag.Limits{"bm25": 5}, got.Retrieval.Limits)
	assert.Equal(t, 9, got.Retrieval.BeforeFilter)
	assert.Equal(t, []rag.Citation{{ChunkID: "c1"}}, got.Answer.Citations)
	assert.Empty(t, got.Error)
}

func TestMiddlewareLooksOnlyAtItsRoute(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	query := evalmw.WithFilter(func(r *http.Request) bool { return r.URL.Path == "/query" })
	s := serve(t, p.Middleware(http.HandlerFunc(answering), query, nil))

	for _, path := range []string{"/health", "/query?q=seen", "/metrics"} {
		assert.Equal(t, "Paris", fetch(t, s.Client(), request(t, "GET", s.URL+path, http.NoBody)))
	}
	assert.Equal(t, "seen", oneTurn(t, sink).Query)
	assert.EqualValues(t, 1, p.Stats().Submitted, "other routes are not even counted")
}

func TestMiddlewareKeepsTheRequestsIdentity(t *testing.T) {
	const traceparent = "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01"
	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Middleware(http.HandlerFunc(answering)))

	req := request(t, "GET", s.URL, http.NoBody)
	req.Header.Set("X-Request-Id", "r-17")
	req.Header.Set("Traceparent", traceparent)
	fetch(t, s.Client(), req)

	got := oneTurn(t, sink)
	assert.Equal(t, "r-17", got.ID)
	assert.Equal(t, "0102030405060708090a0b0c0d0e0f10", got.Span.Trace())
	assert.Equal(t, [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, got.Span.SpanID)
	assert.True(t, got.Span.IsSampled())
}

func TestSpanOfTheContextWinsOverTraceparent(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{7}, SpanID: trace.SpanID{8}})
	req := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	req.Header.Set("Traceparent", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	req = req.WithContext(trace.ContextWithSpanContext(req.Context(), span))
	p.Middleware(http.HandlerFunc(answering)).ServeHTTP(httptest.NewRecorder(), req)

	got := oneTurn(t, sink)
	assert.EqualValues(t, span.TraceID(), got.Span.TraceID)
	assert.EqualValues(t, span.SpanID(), got.Span.SpanID)
}

func TestHandlersPanicPassesUnchanged(t *testing.T) {
	for name, wrap := range map[string]func(*evalmw.Pipeline, http.Handler) http.Handler{
		"Middleware": func(p *evalmw.Pipeline, h http.Handler) http.Handler { return p.Middleware(h) },
		"Capture": func(p *evalmw.Pipeline, h http.Handler) http.Handler {
			return p.Capture(evalmw.Capture{Answer: "answer"})(h)
		},
	} {
		for _, value := range []error{http.ErrAbortHandler, errors.New("some fault")} {
			t.Run(name+"/"+value.Error(), func(t *testing.T) {
				p, sink := evaltest.NewPipeline(t)
				h := wrap(p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					evalmw.FromContext(r.Context()).SetQuery("q")
					panic(value)
				}))
				func() {
					defer func() { assert.Same(t, value, recover()) }()
					h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
				}()
				assert.Equal(t, "panic", oneTurn(t, sink).Error)
			})
		}
	}
}

func TestAbortedHandlerBreaksTheConnectionAsBefore(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		evalmw.FromContext(r.Context()).SetQuery("q")
		panic(http.ErrAbortHandler)
	})))
	resp, err := s.Client().Do(request(t, "GET", s.URL, http.NoBody))
	if err == nil {
		resp.Body.Close()
	}
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "panic", oneTurn(t, sink).Error)
}

func TestHandlersOwnErrorStays(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	h := p.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rec := evalmw.FromContext(r.Context())
		rec.SetQuery("q")
		rec.SetError("model_timeout")
		panic(http.ErrAbortHandler)
	}))
	assert.Panics(t, func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	})
	assert.Equal(t, "model_timeout", oneTurn(t, sink).Error)
}

func TestTurnOfAClientThatLeavesMidStreamIsKept(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := io.MultiWriter(w, evalmw.FromContext(r.Context()))
		_, _ = io.WriteString(out, "first words")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})))

	ctx, leave := context.WithCancel(t.Context())
	req := request(t, "GET", s.URL, http.NoBody).WithContext(ctx)
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = io.ReadFull(resp.Body, make([]byte, len("first words")))
	require.NoError(t, err)
	leave()

	got := oneTurn(t, sink)
	assert.Equal(t, "first words", got.Answer.Text)
	assert.Equal(t, "canceled", got.Error)
}

func TestStreamIsTeed(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := evalmw.FromContext(r.Context())
		out := io.MultiWriter(w, rec)
		for _, word := range []string{"Gr", "\xc3", "\xbc", "n ist", " es"} {
			_, _ = io.WriteString(out, word)
		}
		rec.Answered("", rag.Citation{ChunkID: "c1"})
	})))
	assert.Equal(t, "Grün ist es", fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
	got := oneTurn(t, sink)
	assert.Equal(t, "Grün ist es", got.Answer.Text)
	assert.Len(t, got.Answer.Citations, 1)
}

func TestNilPipelineReturnsTheHandlerItself(t *testing.T) {
	var p *evalmw.Pipeline
	h := new(strictHandler)
	assert.Same(t, h, p.Middleware(h))
	assert.Same(t, h, p.Capture(evalmw.Capture{Answer: "answer"})(h))
	assert.Same(t, http.DefaultTransport, p.Transport(nil))

	ctx, end := p.BeginRequest(t.Context(), "id")
	assert.Equal(t, t.Context(), ctx)
	end("panic")
}

type strictHandler struct{ http.Handler }

func TestKillSwitchMidTurnDropsTheTurn(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	begun, off := make(chan struct{}), make(chan struct{})
	s := serve(t, p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-off
		answering(w, r)
	})))
	go func() {
		<-begun
		p.SetEnabled(false)
		close(off)
	}()
	assert.Equal(t, "Paris", fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeDisabled: 1}, ended(t, p, 1))
	assert.Empty(t, sink.Turns())
}

func TestRequestsPassWhileDisabled(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	p.SetEnabled(false)
	s := serve(t, p.Capture(evalmw.Capture{Answer: "*"})(http.HandlerFunc(answering)))
	assert.Equal(t, "Paris", fetch(t, s.Client(), request(t, "POST", s.URL, strings.NewReader("{}"))))
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeDisabled: 1}, ended(t, p, 1))
	assert.Empty(t, sink.All())
}

func TestBeginRequestNamesTheTurnAndItsFailure(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	ctx, end := p.BeginRequest(t.Context(), "r1")
	evalmw.FromContext(ctx).SetQuery("q")
	end("UNAVAILABLE")
	end("again")

	got := oneTurn(t, sink)
	assert.Equal(t, "r1", got.ID)
	assert.Equal(t, "UNAVAILABLE", got.Error)
}

func TestSamplingByRequestID(t *testing.T) {
	half := func() *evalmw.Pipeline {
		p, _ := evaltest.StartPipeline(t, rag.Config{}, evalmw.WithSampling(0.5))
		return p
	}
	a, b, taken := half(), half(), 0
	for i := range 100 {
		id := strings.Repeat("r", i+1)
		inA, endA := a.BeginRequest(t.Context(), id)
		inB, endB := b.BeginRequest(t.Context(), id)
		assert.Equal(t, evalmw.FromContext(inA).Recording(), evalmw.FromContext(inB).Recording(), id)
		if evalmw.FromContext(inA).Recording() {
			taken++
		}
		endA("")
		endB("")
	}
	assert.InDelta(t, 50, taken, 25)
}
