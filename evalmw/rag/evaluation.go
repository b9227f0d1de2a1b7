package rag

import (
	"log/slog"
	"slices"
)

// Phase tells which part of a turn an [Evaluation] speaks of.
type Phase uint8

// The phases, in the order in which a live turn goes through them.
const (
	PhaseRetrieval Phase = iota + 1 // the retrieval is recorded, the answer is not there yet
	PhaseAnswer                     // the turn is complete
	PhaseCheck                      // an escalated check has come back
)

// String returns the phase's name.
func (p Phase) String() string {
	switch p {
	case PhaseRetrieval:
		return "retrieval"
	case PhaseAnswer:
		return "answer"
	case PhaseCheck:
		return "check"
	}
	return "none"
}

// An Evaluation is what was found about one turn: a result per metric (and
// field), and whether that leaves doubt.
//
// Evaluations that a [Sink] receives are borrowed, like samples.
type Evaluation struct {
	_ struct{}

	// Phase is the part of the turn that was evaluated.
	Phase Phase
	// Results in the evaluator's order: the metrics of the retrieval first,
	// then the others as configured; a PerField metric has one for each field
	// in the order in which the fields appear.
	Results []Result
	// Delivered is how many of Results, from the front, were delivered
	// earlier in this turn. See [Evaluation.Fresh].
	Delivered int
	// Escalation is what the escalator made of the results.
	Escalation Escalation
	// Errs are the metrics that failed; their results carry the reason.
	Errs []*MetricError

	details []slog.Attr // storage that the results' Details point into
}

// Fresh returns the results that were not delivered earlier in the turn: all
// of them, except in a live turn whose retrieval was delivered on its own.
func (e *Evaluation) Fresh() []Result { return e.Results[min(e.Delivered, len(e.Results)):] }

// Find returns the first result of the named metric.
func (e *Evaluation) Find(metric string) (Result, bool) {
	for i := range e.Results {
		if e.Results[i].Name == metric {
			return e.Results[i], true
		}
	}
	return Result{}, false
}

// Reset empties e and keeps its memory for the next evaluation.
func (e *Evaluation) Reset() {
	clear(e.Results)
	clear(e.details)
	*e = Evaluation{Results: e.Results[:0], details: e.details[:0], Errs: e.Errs[:0]}
}

// Clone returns a deep copy that shares nothing with e. Clone of nil is nil.
func (e *Evaluation) Clone() *Evaluation {
	if e == nil {
		return nil
	}
	var c cloner
	out := *e
	out.details = nil
	out.Results = c.results(e.Results)
	out.Escalation.Reasons = c.list(e.Escalation.Reasons)
	out.Escalation.Results = c.results(e.Escalation.Results)
	out.Errs = slices.Clone(e.Errs)
	return &out
}

// keep copies details into the evaluation's own storage.
func (e *Evaluation) keep(details []slog.Attr) []slog.Attr {
	from := len(e.details)
	e.details = append(e.details, details...)
	return e.details[from:len(e.details):len(e.details)]
}

// An Escalation is a second look at a turn by something slower and dearer.
type Escalation struct {
	_ struct{}

	// Needed says that the cheap metrics leave doubt, and Reasons why.
	Needed  bool
	Reasons []string
	// Status is what became of it; empty until a [Checker] was asked.
	Status EscalationStatus
	// Results are the check's own, such as context_recall_llm.
	Results []Result
	// CostUSD is what the check cost.
	CostUSD float64
}

// EscalationStatus is the end of an escalation. Each one that was needed and
// that a [Checker] was there for ends in exactly one.
type EscalationStatus string

// The ends of an escalation.
const (
	EscalationChecked    EscalationStatus = "checked"     // the check has given its verdict
	EscalationFailed     EscalationStatus = "failed"      // it returned none, or panicked
	EscalationShed       EscalationStatus = "shed"        // the pool of checks was full
	EscalationOverBudget EscalationStatus = "over_budget" // the checker's budget was spent
)
