package evaltest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// NewPipeline returns a pipeline that runs the metrics on every turn, and the
// sink that it delivers to. When the test ends, the pipeline is shut down;
// until then, its Flush delivers all turns that have ended.
//
// Without metrics it runs one named "recorded", which scores 1: enough for a
// test that looks at samples alone.
func NewPipeline(t testing.TB, metrics ...rag.Metric) (*evalmw.Pipeline, *Sink) {
	t.Helper()
	return StartPipeline(t, rag.Config{Metrics: metrics})
}

// StartPipeline is NewPipeline for a whole configuration, such as one with a
// [Judge]. The sink comes behind those of cfg. No CPU budget applies unless
// opts say otherwise.
func StartPipeline(t testing.TB, cfg rag.Config, opts ...evalmw.Option) (*evalmw.Pipeline, *Sink) {
	t.Helper()
	if len(cfg.Metrics) == 0 {
		cfg.Metrics = []rag.Metric{recorded()}
	}
	sink := NewSink()
	cfg.Sinks = append(slices.Clip(cfg.Sinks), sink)
	ev, err := rag.NewEvaluator(cfg)
	if err != nil {
		t.Fatalf("evaltest: expected a configuration that rag.NewEvaluator takes, found: %v", err)
	}
	p := evalmw.New(ev, append([]evalmw.Option{evalmw.WithCPUBudget(0)}, opts...)...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownWait)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			t.Errorf("evaltest: expected the pipeline to shut down within %v, found: %v", shutdownWait, err)
		}
	})
	return p, sink
}

const shutdownWait = 10 * time.Second

func recorded() rag.Metric {
	return rag.Metric{
		Name: "recorded", Doc: "1 for every turn that was recorded.",
		Score: func(*rag.View) rag.Result { return rag.Scored(1) },
	}
}
