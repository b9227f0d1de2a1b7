// Package spanhook hooks into the OpenTelemetry SDK's path of ended spans. It
// is the only package that needs the SDK.
//
// [Hold] puts the evaluation of a turn onto the turn's own span although the
// evaluation comes after the request, so that backends which ingest only
// traces can be searched by score:
//
//	hold := spanhook.NewHold(sdktrace.NewBatchSpanProcessor(exporter))
//	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(hold))
//	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Sinks: []rag.Sink{hold.Sink()}})
//	p := evalmw.New(ev, evalmw.WithSpanHolder(hold))
//	...
//	p.Shutdown(ctx)  // first: it delivers what is still queued
//	tp.Shutdown(ctx) // then: it passes on what is still held
package spanhook
