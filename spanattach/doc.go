// Package spanattach takes evaluations to OpenTelemetry: events on the span
// that was evaluated, attributes on it, metrics, and a log line.
//
// A span that has ended is immutable, and an evaluation usually comes after.
// There are several ways around that, and they go together:
//
//   - [Events] emits a log event per result that carries the span's ids. It is
//     right at any time, for backends that ingest logs.
//   - [SpanAttributes] sets attributes on the span while it is recording: for
//     turns that are evaluated inline.
//   - Package spanhook holds an ended span back for a moment and adds the
//     attributes to it: for turns that are evaluated behind the request, and
//     backends that ingest only traces.
//
// [LinkedSpans] reports what is too late for all of them, such as a judge's
// verdict, to such a backend as a span of its own.
//
// [Metrics] records the scores as a histogram, [Observe] a pipeline's counters
// and queue, and [Slog] writes a line per evaluation. [New] combines what an
// application usually wants:
//
//	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Sinks: spanattach.New()})
//
// # Names
//
// Events follow the GenAI semantic conventions, event gen_ai.evaluation.result.
// Whatever the conventions do not name stands under rag.evaluation; all names
// are constants of this package.
//
// # What is never sent
//
// No query, chunk, answer, extracted value or evidence leaves through this
// package. What leaves besides scores is what names them: metrics, bands,
// categories and reasons, the names of extracted fields, the turn's ID in
// log lines, and the values of the tags that [WithTags] lists.
//
// All sinks are safe for concurrent use, keep nothing of what they are given,
// and have nothing to shut down: the providers belong to the application and
// are shut down after the pipeline. The package uses the OpenTelemetry API
// alone.
package spanattach
