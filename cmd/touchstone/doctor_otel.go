package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

// probeProviders are the exporters that the environment names, each watched.
type probeProviders struct {
	timeout time.Duration
	hold    *spanhook.Hold
	tracer  trace.Tracer

	traces  *sdktrace.TracerProvider
	logs    *sdklog.LoggerProvider
	metrics *sdkmetric.MeterProvider
	spans   *watchedSpans
	events  *watchedEvents
}

func newProbeProviders(ctx context.Context, timeout time.Duration) (*probeProviders, error) {
	spans, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("the trace exporter: %w", err)
	}
	logs, err := autoexport.NewLogExporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("the log exporter: %w", err)
	}
	reader, err := autoexport.NewMetricReader(ctx)
	if err != nil {
		return nil, fmt.Errorf("the metric exporter: %w", err)
	}
	p := &probeProviders{
		timeout: timeout, spans: &watchedSpans{SpanExporter: spans}, events: &watchedEvents{Exporter: logs},
	}
	p.hold = spanhook.NewHold(sdktrace.NewBatchSpanProcessor(p.spans))
	p.traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p.hold), sdktrace.WithSampler(sdktrace.AlwaysSample()))
	p.logs = sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(p.events)))
	p.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	p.tracer = p.traces.Tracer("github.com/touchstone-rag/touchstone/cmd/touchstone")
	return p, nil
}

func (p *probeProviders) sinks() []rag.Sink {
	return append(spanattach.New(
		spanattach.WithLoggerProvider(p.logs), spanattach.WithMeterProvider(p.metrics),
	), p.hold.Sink())
}

// report flushes each signal and says what became of it.
func (p *probeProviders) report(ctx context.Context, d *doctor) {
	p.signal(ctx, d, "traces", p.traces.ForceFlush, func() (int, string, error) {
		return p.spans.attributes, "evaluation attributes on the held span", p.spans.err
	})
	p.signal(ctx, d, "logs", p.logs.ForceFlush, func() (int, string, error) {
		return p.events.count, "gen_ai.evaluation.result events", p.events.err
	})
	var err error
	p.signal(ctx, d, "metrics", func(ctx context.Context) error {
		err = p.metrics.ForceFlush(ctx)
		return err
	}, func() (int, string, error) { return 1, "collection of the instruments", err })
}

func (p *probeProviders) shutdown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout)
	defer cancel()
	_ = errors.Join(p.traces.Shutdown(ctx), p.logs.Shutdown(ctx), p.metrics.Shutdown(ctx)) // the report has said it
}

func (p *probeProviders) signal(ctx context.Context, d *doctor, name string, flush func(context.Context) error, seen func() (int, string, error)) {
	where, hint := destination(name)
	if where == "" {
		d.off(name, "not exported: OTEL_%s_EXPORTER=none", strings.ToUpper(name))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	flushErr := flush(ctx)
	n, what, err := seen()
	if err == nil {
		err = flushErr
	}
	switch {
	case err != nil:
		d.bad(name, hint, "did not reach %s: %s", where, oneLine(err.Error(), 200))
	case n == 0:
		d.bad(name, "", "no %s reached the exporter", what)
	default:
		d.ok(name, "%d %s delivered to %s", n, what, where)
	}
}

// destination says where a signal goes, as the exporters read it from the
// environment; "" is nowhere.
func destination(signal string) (where, hint string) {
	upper := strings.ToUpper(signal)
	first := func(names ...string) string {
		for _, n := range names {
			if v := os.Getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	switch exporter := first("OTEL_" + upper + "_EXPORTER"); exporter {
	case "none":
		return "", ""
	case "", "otlp":
	default:
		return "the exporter " + exporter, ""
	}
	protocol := first("OTEL_EXPORTER_OTLP_"+upper+"_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	if protocol == "" {
		protocol = "http/protobuf"
	}
	without := fmt.Sprintf("or OTEL_%s_EXPORTER=none to go without", upper)
	endpoint := first("OTEL_EXPORTER_OTLP_"+upper+"_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint != "" {
		return fmt.Sprintf("%s (%s)", endpoint, protocol),
			"is a collector listening there? set OTEL_EXPORTER_OTLP_ENDPOINT, " + without
	}
	// The conventions' default is http; Go's exporters speak TLS unless an endpoint says otherwise.
	port := "4318"
	if protocol == "grpc" {
		port = "4317"
	}
	return fmt.Sprintf("the default https://localhost:%s (%s)", port, protocol),
		fmt.Sprintf("for a collector on this machine set OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:%s, %s", port, without)
}

// watchedSpans notes what happens to the spans it exports.
type watchedSpans struct {
	sdktrace.SpanExporter
	mu         sync.Mutex
	attributes int
	err        error
}

// ExportSpans exports and notes.
func (w *watchedSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, err)
	for _, s := range spans {
		for _, a := range s.Attributes() {
			if strings.HasPrefix(string(a.Key), spanattach.AttrPrefix) {
				w.attributes++
			}
		}
	}
	return err
}

// watchedEvents notes what happens to the events it exports.
type watchedEvents struct {
	sdklog.Exporter
	mu    sync.Mutex
	count int
	err   error
}

// Export exports and notes.
func (w *watchedEvents) Export(ctx context.Context, records []sdklog.Record) error {
	err := w.Exporter.Export(ctx, records)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, err)
	for i := range records {
		if records[i].EventName() == spanattach.EventEvaluationResult {
			w.count++
		}
	}
	return err
}
