package spanhook_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/internal/otlptest"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

func TestHeldSpanArrivesDecoratedWithItsOwnEndTime(t *testing.T) {
	receiver := otlptest.Start(t)
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(receiver.Endpoint), otlptracegrpc.WithInsecure())
	require.NoError(t, err)
	hold := spanhook.NewHold(sdktrace.NewBatchSpanProcessor(exporter), spanhook.WithWait(time.Minute))
	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(hold))

	ctx, span := tp.Tracer("test").Start(t.Context(), "POST /query")
	_, child := tp.Tracer("test").Start(ctx, "retrieve")
	s := &rag.Sample{Span: refOf(span)}
	hold.Hold(s.Span)
	child.End()
	ended := time.Now()
	span.End(trace.WithTimestamp(ended))
	require.NoError(t, hold.Sink().Consume(t.Context(), s, answer(0.5)))
	require.NoError(t, tp.Shutdown(t.Context()))

	spans := receiver.Spans()
	require.Len(t, spans, 2)
	assert.Equal(t, "retrieve", spans[0].GetName())
	assert.Empty(t, spans[0].GetAttributes())
	assert.Equal(t, span.SpanContext().SpanID().String(), trace.SpanID(spans[1].GetSpanId()).String())
	assert.EqualValues(t, ended.UnixNano(), spans[1].GetEndTimeUnixNano())
	assert.Equal(t, map[string]any{"rag.evaluation.precision": 0.5, "rag.evaluation.outcome": "evaluated"},
		otlptest.Attributes(spans[1].GetAttributes()))
}

func TestShutdownSendsWhatIsHeld(t *testing.T) {
	receiver := otlptest.Start(t)
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(receiver.Endpoint), otlptracegrpc.WithInsecure())
	require.NoError(t, err)
	hold := spanhook.NewHold(sdktrace.NewBatchSpanProcessor(exporter))
	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(hold))
	_, span := tp.Tracer("test").Start(t.Context(), "POST /query")
	hold.Hold(refOf(span))
	span.End()
	require.NoError(t, tp.Shutdown(t.Context()))
	require.NoError(t, tp.Shutdown(t.Context()))
	require.Len(t, receiver.Spans(), 1)
	assert.Equal(t, map[string]any{"rag.evaluation.outcome": "late"}, otlptest.Attributes(receiver.Spans()[0].GetAttributes()))
}
