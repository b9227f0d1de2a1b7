package evalmw_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// silent says nothing, so that what is left is the way to it and back.
var silent = rag.Metric{Name: "silent", Score: func(*rag.View) rag.Result { return rag.Result{} }}

// throughput runs op for each turn, with a flush, not counted, behind every 64:
// a loop hands turns over faster than any server, and would measure drops.
func throughput(b *testing.B, p *evalmw.Pipeline, op func()) {
	b.Helper()
	ctx := context.Background()
	b.ReportAllocs()
	for n := 1; b.Loop(); n++ {
		op()
		if n%64 == 0 {
			b.StopTimer()
			require.NoError(b, p.Flush(ctx))
			b.StartTimer()
		}
	}
	require.NoError(b, p.Shutdown(ctx))
	s := p.Stats()
	require.Equal(b, s.Submitted, s.Turns[rag.OutcomeEvaluated])
}

func BenchmarkSubmit(b *testing.B) {
	for name, opts := range map[string][]evalmw.Option{"copy": nil, "reference": {evalmw.WithoutCopy()}} {
		b.Run(name, func(b *testing.B) {
			p := newPipeline(b, rag.Config{Metrics: []rag.Metric{silent}}, opts...)
			s := sampleOf(10, 1500)
			throughput(b, p, func() { p.Submit(context.Background(), s) })
		})
	}
}

func BenchmarkSubmitToFullQueue(b *testing.B) {
	p, release := blocked(b, evalmw.WithQueue(1, 1<<40))
	defer release()
	s := sampleOf(10, 1500)
	p.Submit(context.Background(), s)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p.Submit(context.Background(), s)
		}
	})
}

func BenchmarkMiddleware(b *testing.B) {
	s := sampleOf(10, 1500)
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rec := evalmw.FromContext(r.Context())
		rec.SetQuery(s.Query)
		rec.Retrieved(s.Retrieval.Chunks, s.Retrieval.Limits, 30)
		rec.Answered(s.Answer.Text)
	})
	request := httptest.NewRequest(http.MethodPost, "/query", nil)
	serve := func(p *evalmw.Pipeline) func() {
		h := p.Middleware(handler)
		return func() { h.ServeHTTP(nil, request) }
	}
	b.Run("recorded", func(b *testing.B) {
		p := newPipeline(b, rag.Config{Metrics: []rag.Metric{silent}})
		throughput(b, p, serve(p))
	})
	b.Run("not sampled", func(b *testing.B) {
		p := newPipeline(b, rag.Config{Metrics: []rag.Metric{silent}}, evalmw.WithSampling(0))
		op := serve(p)
		b.ReportAllocs()
		for b.Loop() {
			op()
		}
		require.NoError(b, p.Shutdown(context.Background()))
	})
}
