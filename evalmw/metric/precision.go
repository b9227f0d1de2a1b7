package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// topRanks is the cut-off of context_precision.
const topRanks = 10

// ContextPrecision returns the metric context_precision: are the chunks that
// were used ranked at the top?
//
// It is the number of contributing chunks ranked in the top ten over the number
// that could be, min(10, contributing chunks). Extractions say which chunks
// contributed; without any the citations do, and without those the words of the
// answer. It needs one contributing chunk.
func ContextPrecision(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:  "context_precision",
		Doc:   "Whether the chunks that contributed to the answer are ranked in the top ten.",
		Kind:  rag.KindScore,
		Score: choose(opts, contextPrecision, literalContextPrecision),
	}
}

func contextPrecision(v *rag.View) rag.Result {
	c := contributions.Of(v)
	if c.chunks == 0 {
		return rag.Unmeasured(rag.ReasonNoContributions, v.Details(
			slog.String("basis", c.basis), slog.Int("ignored", c.ignored))...)
	}
	possible := min(topRanks, c.chunks)
	return rag.Scored(float64(min(c.inTop, possible))/float64(possible), v.Details(
		slog.Float64("avg_rank", c.rankSum/float64(c.mentions)),
		slog.Int("contributing_chunks", c.chunks),
		slog.String("basis", c.basis),
		slog.Int("ignored", c.ignored),
	)...)
}
