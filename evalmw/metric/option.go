package metric

import "github.com/touchstone-rag/touchstone/evalmw/rag"

// An Option changes how metrics compute.
type Option interface{ apply(config) config }

type config struct {
	literal   bool
	riskModel *RiskModel
}

// Literal makes metrics compute to the letter what the framework that they come
// from computes, for comparing numbers with a service that still runs it. It
// differs from the default as follows.
//
//   - Everywhere: chunks are not merged, so a chunk found twice counts twice.
//     Only the methods "bm25" and "knn" are known; a chunk that names both counts
//     as found by each. Absent input is 0 (or 1, or "skipped") where the default
//     gives a reason.
//   - context_relevance: all three factors always count, an absent one as 0.
//     Scores are taken as they are, without normalising; a score of 0 is left out
//     of the mean. Pages are distinct by page alone.
//   - recall_warning, context_recall_heuristic: the number before filtering
//     counts as 1 where it is not known.
//   - context_precision, context_recall_heuristic: only extractions contribute,
//     their chunk number is the rank, and one beyond the list counts too.
//     Results are rounded to 3 decimals, the average rank to 1.
//   - aggregated_confidence: a confidence of 0 counts as not stated, and one of
//     the whole answer other than .90, .75 and .50 (HIGH, MEDIUM, LOW) as .70.
//     Formats are not checked.
//   - semantic_validation: a field without extractions is "skipped".
//   - multi_source_agreement, agreement_pattern: values are compared byte by
//     byte; no value at all is agreement 1, "unanimous". The agreement is rounded
//     to 3 decimals, after the pattern was taken from it.
//
// Two things hold all the same: a NaN or infinite score is left out, and a
// result beyond 0..1, such as a mean of unnormalised scores, is clamped and shows
// the source's own number in the detail "unclamped". Sums are plain, where Python
// from 3.12 on compensates them: they may differ in the last bit.
func Literal() Option { return literal{} }

type literal struct{}

func (literal) apply(c config) config {
	c.literal = true
	return c
}

// choose returns the Score function that the options ask for.
func choose(opts []Option, standard, literal func(*rag.View) rag.Result) func(*rag.View) rag.Result {
	var c config
	for _, o := range opts {
		c = o.apply(c)
	}
	if c.literal {
		return literal
	}
	return standard
}
