package spanattach_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// inSpan returns the attributes of a span in which the sink consumed e.
func inSpan(t *testing.T, sink rag.Sink, e *rag.Evaluation) map[string]any {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	ctx, span := tp.Tracer("test").Start(t.Context(), "POST /query")
	counted := &countingSpan{Span: span}
	require.NoError(t, sink.Consume(trace.ContextWithSpan(ctx, counted), turn(rag.SpanRef{}), e))
	span.End()
	assert.Equal(t, 1, counted.calls, "all attributes are set in one call")
	return asMap(recorder.Ended()[0].Attributes())
}

type countingSpan struct {
	trace.Span
	calls int
}

func (s *countingSpan) SetAttributes(kv ...attribute.KeyValue) {
	s.calls++
	s.Span.SetAttributes(kv...)
}

func TestSpanAttributesAreSetOnARecordingSpan(t *testing.T) {
	assert.Equal(t, map[string]any{
		"rag.evaluation.context_relevance": 0.8,
		"rag.evaluation.recall_warning":    "HIT_RETRIEVAL_LIMIT",
		"rag.evaluation.outcome":           "evaluated",
	}, inSpan(t, spanattach.SpanAttributes(), answered(score("context_relevance", 0.8), category("recall_warning", "HIT_RETRIEVAL_LIMIT"))))
}

func TestSpanAttributesOfARetrievalHaveNoOutcome(t *testing.T) {
	e := answered(score("context_relevance", 0.8))
	e.Phase = rag.PhaseRetrieval
	assert.Equal(t, map[string]any{"rag.evaluation.context_relevance": 0.8}, inSpan(t, spanattach.SpanAttributes(), e))
}

func TestOpenInferenceIsSetOnARecordingSpan(t *testing.T) {
	assert.Equal(t, map[string]any{
		"evaluations.0.evaluation.name":           "context_relevance",
		"evaluations.0.evaluation.score":          0.8,
		"evaluations.0.evaluation.annotator_kind": "CODE",
	}, inSpan(t, spanattach.OpenInference(), answered(score("context_relevance", 0.8))))
}

func TestSpanAttributesCostNothingWithoutARecordingSpan(t *testing.T) {
	sample, e := turn(rag.SpanRef{}), nine()
	for name, sink := range map[string]rag.Sink{"attributes": spanattach.SpanAttributes(), "openinference": spanattach.OpenInference()} {
		t.Run(name, func(t *testing.T) {
			assert.Zero(t, testing.AllocsPerRun(100, func() { _ = sink.Consume(context.Background(), sample, e) }))
		})
	}
}

func TestLinkedSpanPointsAtTheEvaluatedSpan(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	sink := spanattach.LinkedSpans(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	target := endedSpan(t)
	e := answered(score("context_relevance", 0.8), score("context_recall_llm", 0.4))
	e.Phase, e.Delivered = rag.PhaseCheck, 1
	e.Escalation.Results = e.Results[1:]
	require.NoError(t, sink.Consume(t.Context(), turn(refOf(target)), e))
	require.Len(t, recorder.Ended(), 1)
	span := recorder.Ended()[0]
	assert.Equal(t, target.TraceID(), span.SpanContext().TraceID())
	require.Len(t, span.Links(), 1)
	assert.Equal(t, target.SpanID(), span.Links()[0].SpanContext.SpanID())
	assert.Equal(t, map[string]any{
		"rag.evaluation.context_recall_llm":       0.4,
		"evaluations.1.evaluation.name":           "context_recall_llm",
		"evaluations.1.evaluation.score":          0.4,
		"evaluations.1.evaluation.annotator_kind": "LLM",
		"openinference.span.kind":                 "EVALUATOR",
	}, asMap(span.Attributes()))
}

func TestLinkedSpanNeedsASampledSpanAndAValue(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	sink := spanattach.LinkedSpans(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	require.NoError(t, sink.Consume(t.Context(), turn(rag.SpanRef{}), nine()))
	unsampled := refOf(endedSpan(t))
	unsampled.Flags = 0
	require.NoError(t, sink.Consume(t.Context(), turn(unsampled), nine()))
	require.NoError(t, sink.Consume(t.Context(), turn(refOf(endedSpan(t))), answered(without("m", rag.ReasonNoQuery))))
	assert.Empty(t, recorder.Started())
}

func TestSinksHaveNoLifecycle(t *testing.T) {
	for _, sink := range append(spanattach.New(), spanattach.OpenInference(), spanattach.LinkedSpans(nil), spanattach.Slog(nil)) {
		for _, has := range []bool{
			is[interface{ Shutdown(context.Context) error }](sink),
			is[interface{ ForceFlush(context.Context) error }](sink),
			is[interface{ Close() error }](sink),
		} {
			assert.False(t, has, "%T: closing a sink must not close the application's providers", sink)
		}
	}
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}
