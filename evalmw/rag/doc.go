// Package rag is Touchstone's vocabulary and its synchronous engine.
//
// One turn of a RAG service, the [Sample], is what was asked, what was
// retrieved and what was answered. A [Metric] turns a [View] of it into a
// [Result]; an [Evaluator] runs the metrics, asks the [Escalator] whether they
// leave doubt, and delivers the [Evaluation] to every [Sink]. The same three
// steps run behind the live middleware, in the command and in replay; only the
// live pipeline puts a queue in front.
//
// Three rules hold everywhere. What cannot be measured has a [Reason] and no
// number. Metrics are pure: the same sample gives the same results on every
// platform. And nothing here panics into its caller: a metric or a sink that
// panics is contained and reported as an error.
//
// The package imports the standard library alone.
package rag
