package escalate

import (
	"fmt"
	"log/slog"
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The reasons of [Threshold].
const (
	ReasonBelowThreshold = "heuristic_below_threshold"
	ReasonLimitHit       = "retrieval_limit_hit"
)

// DefaultThreshold is the value of context_recall_heuristic below which the
// source escalates.
const DefaultThreshold = 0.7

// The metrics that Threshold reads, and what it looks for.
const (
	recallHeuristic = "context_recall_heuristic"
	recallWarning   = "recall_warning"
	limitWarning    = "HIT_RETRIEVAL_LIMIT"
	limitDetail     = "hit_limit_warning"
)

// Threshold is the policy of the inline framework that Touchstone descends
// from: escalate when context_recall_heuristic is below the threshold, or when
// a retrieval method returned as many chunks as it was allowed to. The second
// alone is enough, also where the heuristic has no value.
//
// It reads results only, so context_recall_heuristic must be among the
// evaluator's metrics, which [rag.NewEvaluator] checks. It returns an error for a
// threshold outside 0..1. The policy is safe for concurrent use.
func Threshold(below float64) (rag.Requirer, error) {
	if math.IsNaN(below) || below < 0 || below > 1 {
		return nil, fmt.Errorf("escalate.Threshold: expected a threshold from 0 to 1, found %v", below)
	}
	return threshold{below}, nil
}

type threshold struct{ below float64 }

// Requires is the metric without which nothing would ever escalate.
func (threshold) Requires() []string { return []string{recallHeuristic} }

// What Needs returns, made once.
var (
	low  = []string{ReasonBelowThreshold}
	hit  = []string{ReasonLimitHit}
	both = []string{ReasonBelowThreshold, ReasonLimitHit}
)

func (t threshold) Needs(_ *rag.Sample, e *rag.Evaluation) []string {
	r, found := e.Find(recallHeuristic)
	isLow := found && r.Measured() && r.Value < t.below
	switch isHit := limitHit(e, r); {
	case isLow && isHit:
		return both
	case isLow:
		return low
	case isHit:
		return hit
	}
	return nil
}

func limitHit(e *rag.Evaluation, heuristic rag.Result) bool {
	if w, ok := e.Find(recallWarning); ok && w.Category == limitWarning {
		return true
	}
	for _, d := range heuristic.Details {
		if d.Key == limitDetail {
			return d.Value.Kind() == slog.KindBool && d.Value.Bool()
		}
	}
	return false
}
