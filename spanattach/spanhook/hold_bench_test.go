package spanhook_test

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

// BenchmarkHold is what holding a turn's span and decorating it with nine
// results costs, beside spans that pass through and a provider without a Hold.
func BenchmarkHold(b *testing.B) {
	nine := new(rag.Evaluation)
	nine.Phase = rag.PhaseAnswer
	for _, name := range []string{
		"context_relevance", "context_precision", "context_recall_heuristic", "aggregated_confidence",
		"multi_source_agreement", "support_risk", "redundancy_ngram", "unique_token_ratio", "claim_support_rate",
	} {
		r := rag.Scored(0.5)
		r.Name = name
		nine.Results = append(nine.Results, r)
	}
	hold := spanhook.NewHold(nil)
	sink := hold.Sink()
	plain := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(new(discard))).Tracer("bench")
	held := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(hold)).Tracer("bench")
	b.Run("span alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, span := plain.Start(b.Context(), "POST /query")
			span.End()
		}
	})
	b.Run("span of no turn", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, span := held.Start(b.Context(), "POST /query")
			span.End()
		}
	})
	b.Run("evaluated after its end", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, span := held.Start(b.Context(), "POST /query")
			s := rag.Sample{Span: refOf(span)}
			hold.Hold(s.Span)
			span.End()
			_ = sink.Consume(b.Context(), &s, nine)
		}
	})
}

type discard struct{}

func (*discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (*discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (*discard) Shutdown(context.Context) error                  { return nil }
func (*discard) ForceFlush(context.Context) error                { return nil }
