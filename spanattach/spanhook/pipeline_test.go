package spanhook_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

func TestEveryRequestSpanSaysWhatBecameOfItsTurn(t *testing.T) {
	const requests = 300
	a := start(spanhook.WithWait(time.Minute))
	half := rag.Metric{Name: "precision", Score: func(*rag.View) rag.Result { return rag.Scored(0.5) }}
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{half}, Sinks: []rag.Sink{a.Sink()}})
	require.NoError(t, err)
	p := evalmw.New(ev, evalmw.WithSpanHolder(a.Hold))
	answers := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rec := evalmw.FromContext(r.Context())
		rec.SetQuery("how much?")
		rec.Answered("42")
	})
	handler := otelhttp.NewHandler(p.Middleware(answers), "query", otelhttp.WithTracerProvider(a.tp))

	var wg sync.WaitGroup
	for range requests {
		wg.Go(func() {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/query", nil))
		})
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, a.tp.Shutdown(t.Context()))

	turns := make(map[rag.Outcome]uint64)
	for _, attrs := range a.next.passed() {
		o, _ := attrs["rag.evaluation.outcome"].(string)
		turns[rag.Outcome(o)]++
		assert.Equal(t, o == string(rag.OutcomeEvaluated), attrs["rag.evaluation.precision"] != nil, "outcome %q", o)
	}
	assert.Equal(t, p.Stats().Turns, turns, "the spans tell the pipeline's own story")
	assert.Len(t, a.next.passed(), requests)
}
