package spanattach

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// LinkedSpans returns a sink that reports each evaluation as a span of its
// own, for backends that ingest only traces: that is how an escalated check
// reaches them, which takes longer than a span can be held. The span is named
// rag.evaluation, belongs to the trace of the sample's span as its child, and
// has one link to it, as OpenInference asks of an EVALUATOR span. It has the
// attributes of [AppendAttributes] and [AppendOpenInference] for the fresh
// results.
//
// A sample without a sampled span, and an evaluation without a fresh result
// that has a value, is no span. A nil provider stands for the global one.
func LinkedSpans(tp trace.TracerProvider) rag.Sink {
	if tp == nil {
		tp = otel.GetTracerProvider()
	}
	return &linkedSink{tp.Tracer(scopeName)}
}

type linkedSink struct{ tracer trace.Tracer }

func (k *linkedSink) Consume(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
	if !s.Span.IsValid() || !s.Span.IsSampled() {
		return nil
	}
	attrs := AppendAttributes(nil, e.Fresh())
	if len(attrs) == 0 {
		return nil
	}
	attrs = append(AppendOpenInference(attrs, e), attribute.String(AttrSpanKind, "EVALUATOR"))
	target := refContext(s.Span)
	_, span := k.tracer.Start(trace.ContextWithSpanContext(context.Background(), target), "rag.evaluation",
		trace.WithLinks(trace.Link{SpanContext: target}), trace.WithAttributes(attrs...))
	span.End()
	return nil
}
