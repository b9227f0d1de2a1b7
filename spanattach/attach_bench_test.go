package spanattach_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"go.opentelemetry.io/otel/log/noop"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// BenchmarkNineResults is what publishing the nine results of a turn costs.
func BenchmarkNineResults(b *testing.B) {
	_, mp := manual()
	lp := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(discardLogs{})))
	b.Cleanup(func() { _ = lp.Shutdown(context.Background()) })
	for name, sink := range map[string]rag.Sink{
		"metrics":        spanattach.Metrics(mp),
		"metrics tagged": spanattach.Metrics(mp, spanattach.WithTags(10, "tenant")),
		"events":         spanattach.Events(lp),
		"events, no-op":  spanattach.Events(noop.NewLoggerProvider()),
		"slog":           spanattach.Slog(slog.New(slog.NewJSONHandler(io.Discard, nil))),
		"span, no span":  spanattach.SpanAttributes(),
	} {
		b.Run(name, func(b *testing.B) {
			sample, e := turn(rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{1}, Flags: 1}), nine()
			b.ReportAllocs()
			for b.Loop() {
				_ = sink.Consume(b.Context(), sample, e)
			}
		})
	}
	tracer := sdktrace.NewTracerProvider().Tracer("bench")
	for name, sink := range map[string]rag.Sink{"span start and end alone": rag.SinkFunc(nil), "span attributes": spanattach.SpanAttributes()} {
		b.Run(name, func(b *testing.B) {
			sample, e := turn(rag.SpanRef{}), nine()
			b.ReportAllocs()
			for b.Loop() {
				ctx, span := tracer.Start(b.Context(), "POST /query")
				_ = sink.Consume(ctx, sample, e)
				span.End()
			}
		})
	}
}

type discardLogs struct{}

func (discardLogs) Export(context.Context, []sdklog.Record) error { return nil }
func (discardLogs) Shutdown(context.Context) error                { return nil }
func (discardLogs) ForceFlush(context.Context) error              { return nil }
