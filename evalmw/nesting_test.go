package evalmw_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestUnsampledInnerTurnIsNotWrittenIntoTheOuterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{sink}})
		never := newPipeline(t, rag.Config{}, evalmw.WithSampling(0))
		outer, endOuter := p.Begin(t.Context())
		evalmw.FromContext(outer).Answered("outer")
		inner, endInner := never.Begin(outer)
		evalmw.FromContext(inner).Answered("inner")
		endInner()
		never.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			evalmw.FromContext(r.Context()).Answered("inner")
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(outer))
		endOuter()
		require.NoError(t, p.Shutdown(t.Context()))
		require.NoError(t, never.Shutdown(t.Context()))
		assert.Equal(t, "outer", sink.all()[0].sample.Answer.Text)
		assertStats(t, never, map[rag.Outcome]uint64{rag.OutcomeNotSampled: 2})
	})
}

// holder notes what it is told.
type holder struct {
	mu       sync.Mutex
	held     int
	released []rag.Outcome
}

func (h *holder) Hold(rag.SpanRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held++
}

func (h *holder) Release(_ rag.SpanRef, o rag.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = append(h.released, o)
}

func TestHolderHearsOfEveryTurnThatIsNotEvaluated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(holder)
		p := newPipeline(t, rag.Config{}, evalmw.WithSpanHolder(h))
		ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled,
		}))
		outer, endOuter := p.Begin(ctx)
		inner, endInner := p.Begin(outer)
		evalmw.FromContext(inner).Answered("evaluated")
		endInner()
		endOuter()
		_, endEmpty := p.Begin(ctx)
		endEmpty()
		require.NoError(t, p.Shutdown(t.Context()))
		assert.Equal(t, 3, h.held)
		assert.Equal(t, []rag.Outcome{"", rag.OutcomeNoContent}, h.released,
			"one was no turn but stood around others, one was empty, one was evaluated")
	})
}

func TestHolderKeepsASpanThatADroppedCopyNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(holder)
		p := newPipeline(t, rag.Config{}, evalmw.WithSpanHolder(h))
		require.NoError(t, p.Shutdown(t.Context()))
		s := sampleOf(1, 1)
		s.Span = rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{1}, Flags: 1}
		p.Submit(t.Context(), s)
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeShutDown: 1})
		assert.Empty(t, h.released, "nobody asked for it to be held")
	})
}

func TestTracingOutsideSeesTheRouteFoundInside(t *testing.T) {
	p := newPipeline(t, rag.Config{})
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /query/{id}", func(http.ResponseWriter, *http.Request) {})
	r := httptest.NewRequest(http.MethodGet, "/query/7", nil)
	p.Middleware(mux).ServeHTTP(httptest.NewRecorder(), r)
	assert.Equal(t, "GET /query/{id}", r.Pattern)
}
