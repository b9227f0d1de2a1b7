package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"
	"github.com/DataDog/dd-trace-go/v2/llmobs"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// The variants of publishing.
const (
	datadogSubmit  = "nine SubmitEvaluationFromSpan"
	datadogAgain   = "nine SubmitEvaluationFromSpan (A/A)"
	publishEvents  = "spanattach.Events"
	publishMetrics = "spanattach.Metrics"
	publishSpan    = "spanattach.SpanAttributes, span included"
	spanAlone      = "a span alone"
)

// publishGroup measures publishing nine results. The Datadog agent is in
// another process, OpenTelemetry's exporters discard.
func publishGroup() *group {
	g := &group{name: "publish", title: "publishing nine results", base: datadogSubmit, columns: []string{cpuTime, allocs, allocated}}
	g.variants = []variant{
		{datadogSubmit, submitToDatadog},
		{datadogAgain, submitToDatadog},
		{publishEvents, eventsToDiscard},
		{publishMetrics, metricsToReader},
		{publishSpan, attributesToSpan},
		{spanAlone, nothingToSpan},
	}
	// A span is there anyway, on both sides.
	attributes := func(r results) float64 {
		return r.over(func(round map[string]figures) float64 {
			return (round[publishSpan][cpuTime] - round[spanAlone][cpuTime]) / round[datadogSubmit][cpuTime]
		})
	}
	noise := ratioOf(datadogAgain, datadogSubmit, cpuTime)
	g.goals = []goal{
		{what: "span attributes, of Datadog's", got: attributes, noise: noise, limit: constant(0.15)},
		{what: "metrics, of Datadog's", got: ratioOf(publishMetrics, datadogSubmit, cpuTime), noise: noise, limit: constant(0.15)},
		{what: "events, of Datadog's", got: ratioOf(publishEvents, datadogSubmit, cpuTime), noise: noise, limit: constant(0.15)},
		{what: "allocations of metrics", got: valueOf(publishMetrics, allocs), limit: constant(0.01), exact: true},
	}
	return g
}

func submitToDatadog(b bench) (figures, error) {
	if err := tracer.Start(datadogOptions(tracer.WithLLMObsEnabled(true), tracer.WithLLMObsMLApp("bench"))...); err != nil {
		return nil, err
	}
	defer tracer.Stop()
	span, _ := llmobs.StartWorkflowSpan(context.Background(), "turn")
	if span.TraceID() == "" {
		return nil, errors.New("expected a span of LLM Observability, found none: the agent was not reached")
	}
	span.Finish() // later evaluations join by its ids
	results := nineResults().Results
	op := func() {
		for i := range results {
			if r := &results[i]; r.Kind == rag.KindCategorical {
				llmobs.SubmitEvaluationFromSpan(r.Name, r.Category, span)
			} else {
				llmobs.SubmitEvaluationFromSpan(r.Name, r.Value, span)
			}
		}
	}
	settle := func() {
		tracer.Flush()
		<-time.After(300 * time.Millisecond) // Flush does not wait for evaluations
	}
	return b.loop(work{op: op, settle: settle}), nil
}

// nineResults are seven scores and two categories, as the default metrics have
// them.
func nineResults() *rag.Evaluation {
	ev := &rag.Evaluation{Phase: rag.PhaseAnswer}
	for i := range 9 {
		r := rag.Scored(0.1*float64(i), slog.Int("chunks", 10), slog.Int("measured", i)).WithLabel("good")
		if i >= 7 {
			r = rag.Category("majority", slog.Int("sources", i))
		}
		r.Name = "metric_" + strconv.Itoa(i)
		ev.Results = append(ev.Results, r)
	}
	return ev
}

// publishing is a loop over a sink.
func publishing(b bench, sink rag.Sink, settle func()) (f figures, err error) {
	s, ev, ctx := newTurn(), nineResults(), context.Background()
	s.Span = rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1}
	op := func() {
		if failure := sink.Consume(ctx, s, ev); failure != nil {
			err = failure
		}
	}
	f = b.loop(work{op: op, settle: settle})
	return f, err
}

func eventsToDiscard(b bench) (figures, error) {
	lp := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(discardLogs{})))
	return publishing(b, spanattach.Events(lp), func() { _ = lp.ForceFlush(context.Background()) })
}

func metricsToReader(b bench) (figures, error) {
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	return publishing(b, spanattach.Metrics(mp), nil)
}

func attributesToSpan(b bench) (figures, error) { return spanWith(b, spanattach.SpanAttributes()) }

func nothingToSpan(b bench) (figures, error) { return spanWith(b, rag.SinkFunc(nil)) }

func spanWith(b bench, sink rag.Sink) (f figures, err error) {
	tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discardSpans{}))
	tr := tp.Tracer("bench")
	s, ev := newTurn(), nineResults()
	op := func() {
		ctx, span := tr.Start(context.Background(), "turn")
		if failure := sink.Consume(ctx, s, ev); failure != nil {
			err = failure
		}
		span.End()
	}
	f = b.loop(work{op: op, settle: func() { _ = tp.ForceFlush(context.Background()) }})
	return f, err
}
