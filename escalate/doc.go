// Package escalate decides which turns deserve a second look, dearer than the
// cheap metrics.
//
// A policy is a [rag.Escalator]: a pure function of a turn's results. Put one
// into [rag.Config] and the pipeline counts what would escalate, and why,
// before there is any judge to pay for.
package escalate
