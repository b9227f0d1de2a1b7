package spanhook_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

// The evaluation comes after the span has ended, and stands on it all the same.
func ExampleNewHold() {
	ctx := context.Background()
	exporter := tracetest.NewInMemoryExporter() // an application has its own
	hold := spanhook.NewHold(sdktrace.NewSimpleSpanProcessor(exporter))
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(hold))

	answered := rag.Metric{Name: "answered", Score: func(v *rag.View) rag.Result {
		if v.Sample().Answer.Empty() {
			return rag.Scored(0)
		}
		return rag.Scored(1)
	}}
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{answered}, Sinks: []rag.Sink{hold.Sink()}})
	if err != nil {
		panic(err)
	}
	pipeline := evalmw.New(evaluator, evalmw.WithSpanHolder(hold))

	request, span := provider.Tracer("example").Start(ctx, "query")
	turn, end := pipeline.Begin(request)
	evalmw.FromContext(turn).Answered("42")
	end()
	span.End()

	if err := pipeline.Shutdown(ctx); err != nil { // first: it delivers what is still queued
		panic(err)
	}
	if err := provider.ForceFlush(ctx); err != nil {
		panic(err)
	}
	for _, a := range exporter.GetSpans()[0].Attributes {
		fmt.Println(a.Key, a.Value.String())
	}
	if err := provider.Shutdown(ctx); err != nil { // then: it passes on what is still held
		panic(err)
	}
	// Output:
	// rag.evaluation.answered 1
	// rag.evaluation.outcome evaluated
}
