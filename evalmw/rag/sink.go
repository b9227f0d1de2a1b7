package rag

import "context"

// A Sink takes evaluations to where people look: spans, metrics, logs.
//
// Consume is called from the pipeline's worker and, for turns evaluated
// inline, from request goroutines, so it must be safe for concurrent use. It
// must be quick, honour ctx, and keep neither s nor e after it returns (see
// [Sample.Clone]). An error is counted; it stops no other sink.
//
// Whoever makes a sink shuts it down, after the pipeline.
type Sink interface {
	Consume(ctx context.Context, s *Sample, e *Evaluation) error
}

// SinkFunc is a function as a [Sink]. A nil SinkFunc does nothing.
type SinkFunc func(ctx context.Context, s *Sample, e *Evaluation) error

// Consume calls f.
func (f SinkFunc) Consume(ctx context.Context, s *Sample, e *Evaluation) error {
	if f == nil {
		return nil
	}
	return f(ctx, s, e)
}

// An Escalator decides which turns deserve a second look. Needs returns the
// reasons, or none. It is pure, quick and safe for concurrent use, and keeps
// neither argument.
//
// An escalator that is also a [Checker] takes that look; one that is not
// shows what would escalate.
type Escalator interface {
	Needs(s *Sample, e *Evaluation) []string
}

// A Checker is an [Escalator] with a judge. Check may take seconds and money;
// it runs in a bounded pool of its own, never on a request and never in front
// of a cheap evaluation. It must honour ctx and keep neither argument.
type Checker interface {
	Escalator
	Check(ctx context.Context, s *Sample, e *Evaluation) Escalation
}

// A Requirer is an [Escalator] that decides by metrics and names them, so that
// [NewEvaluator] can refuse a configuration in which it would never escalate.
type Requirer interface {
	Escalator
	Requires() []string
}

// EscalatorFunc is a function as an [Escalator]. A nil EscalatorFunc needs
// nothing.
type EscalatorFunc func(s *Sample, e *Evaluation) []string

// Needs calls f.
func (f EscalatorFunc) Needs(s *Sample, e *Evaluation) []string {
	if f == nil {
		return nil
	}
	return f(s, e)
}
