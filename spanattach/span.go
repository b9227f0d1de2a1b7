package spanattach

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// SpanAttributes returns a sink that sets the results and
// rag.evaluation.outcome on the span of the context, in one call; see
// [AppendAttributes] for their form. It does nothing where that span is not
// recording, and so only serves turns that are evaluated inline, before the
// span ends.
func SpanAttributes() rag.Sink { return spanSink{} }

// OpenInference returns a sink that sets the results on the span of the
// context as [AppendOpenInference] describes. Like [SpanAttributes] it serves
// turns that are evaluated inline. Of several turns on one span the last one
// stays.
func OpenInference() rag.Sink { return openInferenceSink{} }

type spanSink struct{}

func (spanSink) Consume(ctx context.Context, _ *rag.Sample, e *rag.Evaluation) error {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return nil
	}
	fresh := e.Fresh()
	attrs := AppendAttributes(make([]attribute.KeyValue, 0, len(fresh)+1), fresh)
	if e.Phase != rag.PhaseRetrieval {
		attrs = append(attrs, attribute.String(AttrOutcome, string(OutcomeOf(e))))
	}
	span.SetAttributes(attrs...)
	return nil
}

type openInferenceSink struct{}

func (openInferenceSink) Consume(ctx context.Context, _ *rag.Sample, e *rag.Evaluation) error {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(AppendOpenInference(nil, e)...)
	}
	return nil
}

// spanContext returns the span that the sample was recorded in, or that of the
// context where the sample has none.
func spanContext(ctx context.Context, s *rag.Sample) trace.SpanContext {
	if !s.Span.IsValid() {
		return trace.SpanContextFromContext(ctx)
	}
	return refContext(s.Span)
}

func refContext(ref rag.SpanRef) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: ref.TraceID, SpanID: ref.SpanID, TraceFlags: trace.TraceFlags(ref.Flags),
	})
}
