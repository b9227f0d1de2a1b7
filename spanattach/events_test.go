package spanattach_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
	"github.com/touchstone-rag/touchstone/spanattach/internal/otlptest"
)

func refOf(sc trace.SpanContext) rag.SpanRef {
	return rag.SpanRef{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
}

// endedSpan returns the context of a span that is over.
func endedSpan(t *testing.T) trace.SpanContext {
	_, span := sdktrace.NewTracerProvider().Tracer("test").Start(t.Context(), "POST /query")
	span.End()
	return span.SpanContext()
}

// sent returns the events that arrive over a socket.
func sent(t *testing.T, s *rag.Sample, evaluations ...*rag.Evaluation) []*logspb.LogRecord {
	t.Helper()
	receiver := otlptest.Start(t)
	exporter, err := otlploggrpc.New(t.Context(), otlploggrpc.WithEndpoint(receiver.Endpoint), otlploggrpc.WithInsecure())
	require.NoError(t, err)
	lp := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)))
	sink := spanattach.Events(lp)
	for _, e := range evaluations {
		require.NoError(t, sink.Consume(t.Context(), s, e))
	}
	require.NoError(t, lp.Shutdown(t.Context()))
	return receiver.Logs()
}

func TestEventAfterSpanEndCarriesItsIDs(t *testing.T) {
	sc := endedSpan(t)
	events := sent(t, turn(refOf(sc)), answered(score("context_relevance", 0.82).WithLabel("good")))
	require.Len(t, events, 1)
	got := events[0]
	assert.Equal(t, "gen_ai.evaluation.result", got.GetEventName())
	assert.Equal(t, sc.TraceID().String(), trace.TraceID(got.GetTraceId()).String())
	assert.Equal(t, sc.SpanID().String(), trace.SpanID(got.GetSpanId()).String())
	assert.EqualValues(t, 1, got.GetFlags())
	assert.Equal(t, logspb.SeverityNumber_SEVERITY_NUMBER_INFO, got.GetSeverityNumber())
	assert.NotZero(t, got.GetTimeUnixNano())
	assert.Equal(t, map[string]any{
		"gen_ai.evaluation.name":        "context_relevance",
		"gen_ai.evaluation.score.value": 0.82,
		"gen_ai.evaluation.score.label": "good",
	}, otlptest.Attributes(got.GetAttributes()))
}

func TestBytesThatAreNoTextDoNotLoseTheBatch(t *testing.T) {
	events := sent(t, turn(rag.SpanRef{}), answered(
		ofField("a\xff", score("one", 1).WithLabel("b\xff")), category("two", "c\xff"), without("three", rag.ReasonPanicked)))
	require.Len(t, events, 3)
	got := otlptest.Attributes(events[0].GetAttributes())
	assert.Equal(t, "a\uFFFD", got["rag.evaluation.field"])
	assert.Equal(t, "b\uFFFD", got["gen_ai.evaluation.score.label"])
}

func TestEventsTellCategoriesFieldsAndFailuresApart(t *testing.T) {
	events := sent(t, turn(rag.SpanRef{}), answered(
		ofField("revenue", category("semantic_validation", "pass")),
		without("context_precision", rag.ReasonNoContributions),
		without("mine", rag.ReasonPanicked),
		without("yours", rag.ReasonMetricError),
	))
	require.Len(t, events, 3, "a result that is only not measurable is no event")
	assert.Equal(t, map[string]any{
		"gen_ai.evaluation.name":        "semantic_validation",
		"gen_ai.evaluation.score.label": "pass",
		"rag.evaluation.field":          "revenue",
	}, otlptest.Attributes(events[0].GetAttributes()))
	for i, want := range []map[string]any{
		{"gen_ai.evaluation.name": "mine", "error.type": "panicked"},
		{"gen_ai.evaluation.name": "yours", "error.type": "metric_error"},
	} {
		assert.Equal(t, want, otlptest.Attributes(events[i+1].GetAttributes()))
		assert.Equal(t, logspb.SeverityNumber_SEVERITY_NUMBER_WARN, events[i+1].GetSeverityNumber())
	}
}

func TestEventsAreEmittedOncePerResult(t *testing.T) {
	first := answered(score("context_relevance", 0.8))
	first.Phase = rag.PhaseRetrieval
	whole := answered(score("context_relevance", 0.8), score("context_precision", 0.5))
	whole.Delivered = 1
	checked := answered(append(whole.Results, score("context_recall_llm", 0.4))...)
	checked.Phase, checked.Delivered = rag.PhaseCheck, 2
	var names []any
	for _, e := range sent(t, turn(rag.SpanRef{}), first, whole, checked) {
		names = append(names, otlptest.Attributes(e.GetAttributes())["gen_ai.evaluation.name"])
	}
	assert.Equal(t, []any{"context_relevance", "context_precision", "context_recall_llm"}, names)
}

func TestExplanationHoldsNoUserText(t *testing.T) {
	events := sent(t, turn(rag.SpanRef{}), answered(
		score("a", 0.5, slog.String("factors", "intersection,score"), slog.Int("contributing", 3), slog.Bool("hit_limit_warning", true),
			slog.String("claim", secret), slog.Any("claims", []string{secret}), slog.Float64("avg_rank", 2.5), slog.String("basis", "citations")),
		score("b", 0.5, slog.String("claim", secret)),
		score("c", 0.5, slog.Int("n", 7), slog.String("factors", strings.Repeat("x", 300))),
	))
	require.Len(t, events, 3)
	explanation := func(i int) any {
		return otlptest.Attributes(events[i].GetAttributes())["gen_ai.evaluation.explanation"]
	}
	assert.Equal(t, "factors=intersection,score contributing=3 hit_limit_warning=true basis=citations", explanation(0))
	assert.Nil(t, explanation(1))
	assert.Equal(t, "n=7", explanation(2), "what would make it too long is left out")
	for _, e := range events {
		assert.NotContains(t, e.String(), "Ada")
	}
}
