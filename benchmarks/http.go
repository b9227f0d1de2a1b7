package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	httptrace "github.com/DataDog/dd-trace-go/contrib/net/http/v2"
	"github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// The variants of net/http.
const (
	plain      = "plain"
	plainAgain = "plain again (A/A)"

	otelNoop    = "otelhttp, no-op providers"
	otelSDK     = "otelhttp, SDK, batches discarded"
	otelMetrics = "otelhttp, the same and SDK metrics"
	promHTTP    = "promhttp"
	datadogHTTP = "dd-trace-go net/http"

	touchstone        = "touchstone"
	touchstoneByRef   = "touchstone, without copy"
	touchstoneDropped = "touchstone, CPU budget spent"
	touchstoneUnasked = "touchstone, not sampled"
	touchstoneOn      = "touchstone, evaluating"
)

// httpGroup measures what each middleware adds to a request in process.
//
// Touchstone's row has every turn recorded, copied, queued, taken out and
// given to a metric that does nothing. Capturing is what the request's own
// thread pays, so the goals are about that. The process's time has the worker's
// bookkeeping too, which is part of evaluating and held to the CPU budget, and
// on the rivals' side their background exporters. The rows below Touchstone's
// show other ways for a turn to end.
func httpGroup() *group {
	g := &group{
		name: "http", title: "net/http in process", base: plain,
		columns: []string{ownTime, cpuTime, allocs, allocated},
	}
	for _, name := range []string{
		plain, plainAgain, otelNoop, otelSDK, otelMetrics, promHTTP, datadogHTTP,
		touchstone, touchstoneByRef, touchstoneDropped, touchstoneUnasked,
	} {
		g.variants = append(g.variants, variant{name, func(b bench) (figures, error) { return inProcessHTTP(name, b) }})
	}
	g.goals = []goal{
		{
			what: "added CPU, of otelhttp's (no-op)", got: addedTimeRatioOf(touchstone, otelNoop),
			noise: addedTimeRatioOf(plainAgain, otelNoop), limit: constant(0.15),
		},
		{
			what: "added CPU, of otelhttp's (SDK)", got: addedTimeRatioOf(touchstone, otelSDK),
			noise: addedTimeRatioOf(plainAgain, otelSDK), limit: constant(0.05),
		},
		{
			what: "added allocations", got: addedOf(touchstone, allocs),
			noise: addedOf(plainAgain, allocs), limit: constant(4), exact: true,
		},
		{
			what: "added bytes", got: addedOf(touchstone, allocated),
			noise: addedOf(plainAgain, allocated), limit: constant(1024), exact: true,
		},
	}
	return g
}

func inProcessHTTP(name string, b bench) (figures, error) {
	m, err := newMiddleware(name)
	if err != nil {
		return nil, err
	}
	defer m.stop()
	w := &discard{header: make(http.Header)}
	body := strings.NewReader(question)
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/query", io.NopCloser(body))
	op := func() {
		body.Reset(question)
		clear(w.header)
		m.handler.ServeHTTP(w, r)
	}
	load := work{op: op, settle: m.settle, alone: true}
	if m.evaluated == nil {
		return b.loop(load), nil
	}
	load.between = flushing(m.evaluated)
	return b.loop(load), allEvaluated(m.evaluated)
}

// discard is a ResponseWriter without a connection.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

const question = `{"query":"What makes the colours of natural bodies?"}`

// service is the handler under test: it reads a small body and writes 2 KiB.
type service struct {
	page []byte
	turn *rag.Sample // nil: nothing is recorded
}

func newService(turn *rag.Sample) *service {
	return &service{[]byte(english(2 << 10)), turn}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, 512)
	for {
		if _, err := r.Body.Read(body); err != nil {
			break
		}
	}
	if s.turn != nil {
		record(r.Context(), s.turn)
	}
	_, _ = w.Write(s.page)
}

// middleware is a handler in one of the variants' clothes.
type middleware struct {
	handler      http.Handler
	settle, stop func()
	evaluated    *evalmw.Pipeline // every turn must go through it
}

func newMiddleware(name string) (middleware, error) {
	m := middleware{handler: newService(nil), settle: func() {}, stop: func() {}}
	switch name {
	case plain, plainAgain:
		return m, nil
	case otelNoop:
		m.handler = otelhttp.NewHandler(m.handler, "query",
			otelhttp.WithTracerProvider(tracenoop.NewTracerProvider()), otelhttp.WithMeterProvider(metricnoop.NewMeterProvider()))
		return m, nil
	case otelSDK, otelMetrics:
		tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discardSpans{}))
		opts := []otelhttp.Option{otelhttp.WithTracerProvider(tp), otelhttp.WithMeterProvider(metricnoop.NewMeterProvider())}
		if name == otelMetrics {
			mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
			opts = append(opts, otelhttp.WithMeterProvider(mp))
		}
		m.handler = otelhttp.NewHandler(m.handler, "query", opts...)
		m.settle = func() { _ = tp.ForceFlush(context.Background()) }
		return m, nil
	case promHTTP:
		m.handler = instrumented(m.handler)
		return m, nil
	case datadogHTTP:
		m.handler = httptrace.WrapHandler(m.handler, "bench", "query")
		m.settle, m.stop = tracer.Flush, tracer.Stop
		return m, tracer.Start(datadogOptions()...)
	}
	p, err := touchstonePipeline(name)
	if err != nil {
		return m, err
	}
	m.handler = p.Middleware(newService(newTurn()))
	m.stop = func() { _ = p.Shutdown(context.Background()) }
	if name == touchstone || name == touchstoneByRef {
		m.evaluated = p
	}
	return m, nil
}

func touchstonePipeline(name string) (*evalmw.Pipeline, error) {
	cfg := rag.Config{Metrics: []rag.Metric{noMetric}}
	switch name {
	case touchstone:
		return newPipeline(cfg, evalmw.WithCPUBudget(0))
	case touchstoneByRef:
		return newPipeline(cfg, evalmw.WithCPUBudget(0), evalmw.WithoutCopy())
	case touchstoneDropped:
		return newPipeline(rag.Config{Metrics: []rag.Metric{burning}}, evalmw.WithCPUBudget(1e-6))
	case touchstoneUnasked:
		return newPipeline(cfg, evalmw.WithSampling(0))
	}
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	return newPipeline(rag.Config{Metrics: metric.Default(), Sinks: []rag.Sink{spanattach.Metrics(mp)}})
}

// instrumented is what promhttp's documentation chains.
func instrumented(h http.Handler) http.Handler {
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{Name: "in_flight"})
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"code", "method"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "duration_seconds"}, []string{"code", "method"})
	size := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "response_bytes"}, nil)
	return promhttp.InstrumentHandlerInFlight(inFlight,
		promhttp.InstrumentHandlerDuration(duration,
			promhttp.InstrumentHandlerCounter(requests,
				promhttp.InstrumentHandlerResponseSize(size, h))))
}

// discardSpans is an exporter that does not even serialise.
type discardSpans struct{}

func (discardSpans) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discardSpans) Shutdown(context.Context) error                             { return nil }
