package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	limitPenalty     = 0.7
	filteringPenalty = 0.85
	highFiltering    = 0.5 // share kept, below which filtering counts as high
)

// ContextRecallHeuristic returns the metric context_recall_heuristic: a guess,
// at no cost, at whether the retrieval found all that there is.
//
// It is the share of the chunks that contributed, times 0.7 if any method
// returned as many chunks as its limit allows, else times 0.85 if fewer than half
// of the chunks retrieved were kept. It is low where much was retrieved and
// little used, which may mean that the right chunk is missing.
func ContextRecallHeuristic(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:  "context_recall_heuristic",
		Doc:   "The share of the chunks that contributed, lowered where a limit or a filter may have cut chunks off.",
		Kind:  rag.KindScore,
		Score: choose(opts, contextRecallHeuristic, literalContextRecall),
	}
}

func contextRecallHeuristic(v *rag.View) rag.Result {
	n := len(v.Chunks())
	if n == 0 {
		return rag.Unmeasured(rag.ReasonNoChunks)
	}
	c, w := contributions.Of(v), warnings.Of(v)
	details := v.Details(
		slog.Int("contributing_count", c.chunks),
		slog.Bool("hit_limit_warning", w.hitLimit),
		slog.Bool("high_filtering_warning", w.highFiltering),
		slog.String("basis", c.basis),
	)
	if c.basis == noBasis {
		return rag.Unmeasured(rag.ReasonNoContributions, details...)
	}
	return rag.Scored(w.penalise(float64(c.chunks)/float64(n)), details...)
}

// RecallWarning returns the metric recall_warning: HIT_RETRIEVAL_LIMIT where a
// method returned as many chunks as its limit allows, else
// HIGH_THRESHOLD_FILTERING where fewer than half of the chunks retrieved were
// kept, which it also says where none was. It says nothing where neither holds.
func RecallWarning(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:        "recall_warning",
		Doc:         "A flag that the retrieval may have cut chunks off, at a limit or by a filter; silent where it has not.",
		Kind:        rag.KindCategorical,
		AtRetrieval: true,
		Score:       choose(opts, recallWarning, literalRecallWarning),
	}
}

func recallWarning(v *rag.View) rag.Result { return warnings.Of(v).result(v) }

// cutOff says whether chunks may be missing, and keeps what counting took.
type cutOff struct {
	hitLimit, highFiltering bool

	found map[string]int // by method
}

var warnings = rag.NewShared(func(v *rag.View, w *cutOff) {
	r := &v.Sample().Retrieval
	w.highFiltering = r.Chunks != nil && r.BeforeFilter > 0 && float64(len(v.Chunks()))/float64(r.BeforeFilter) < highFiltering
	w.hitLimit = false
	if len(r.Limits) == 0 {
		return
	}
	if w.found == nil {
		w.found = make(map[string]int)
	}
	for i := range v.Chunks() {
		for _, method := range v.Chunks()[i].Methods {
			limit := r.Limits[method]
			if limit < 1 {
				continue
			}
			n := w.found[method] + 1
			w.found[method] = n
			w.hitLimit = w.hitLimit || n >= limit
		}
	}
	clear(w.found) // its keys belong to the sample
})

func (w *cutOff) penalise(recall float64) float64 {
	switch {
	case w.hitLimit:
		return recall * limitPenalty
	case w.highFiltering:
		return recall * filteringPenalty
	}
	return recall
}

func (w *cutOff) result(v *rag.View) rag.Result {
	var category string
	switch {
	case w.hitLimit:
		category = "HIT_RETRIEVAL_LIMIT"
	case w.highFiltering:
		category = "HIGH_THRESHOLD_FILTERING"
	default:
		return rag.Result{}
	}
	return rag.Category(category, v.Details(
		slog.Bool("hit_limit_warning", w.hitLimit),
		slog.Bool("high_filtering_warning", w.highFiltering),
	)...)
}
