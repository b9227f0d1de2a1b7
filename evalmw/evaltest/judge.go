package evaltest

import (
	"context"
	"slices"
	"sync"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Judge is a [rag.Checker] that says what it is told to and remembers what
// it was asked. The zero Judge checks every turn and gives it a score of 0.
// Set its fields before use; its methods may be called concurrently.
type Judge struct {
	_ struct{}

	// Policy decides which turns are checked; nil means every one, with the
	// reason "always".
	Policy rag.Escalator
	// Metric is the name of the result; the default is "judge_score".
	Metric string
	// Score is the result's value, 0..1.
	Score float64
	// Status is how each check ends; the default is [rag.EscalationChecked]. With any
	// other there is no result.
	Status rag.EscalationStatus
	// CostUSD is what each check says it cost.
	CostUSD float64

	mu    sync.Mutex
	calls []Delivery
}

// Needs asks the policy.
func (j *Judge) Needs(s *rag.Sample, e *rag.Evaluation) []string {
	if j.Policy == nil {
		return []string{"always"}
	}
	return j.Policy.Needs(s, e)
}

// Check keeps a copy of both arguments and returns the score.
func (j *Judge) Check(_ context.Context, s *rag.Sample, e *rag.Evaluation) rag.Escalation {
	call := Delivery{Sample: s.Clone(), Evaluation: e.Clone()}
	j.mu.Lock()
	j.calls = append(j.calls, call)
	j.mu.Unlock()

	out := rag.Escalation{Status: j.Status, CostUSD: j.CostUSD}
	if out.Status == "" || out.Status == rag.EscalationChecked {
		out.Status = rag.EscalationChecked
		r := rag.Scored(j.Score)
		r.Name = j.metric()
		out.Results = []rag.Result{r}
	}
	return out
}

// Calls returns what was checked, with the evaluation as it was before.
func (j *Judge) Calls() []Delivery {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.calls)
}

func (j *Judge) metric() string {
	if j.Metric == "" {
		return "judge_score"
	}
	return j.Metric
}
