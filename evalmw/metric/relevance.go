package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The weights and bands of context_relevance.
const (
	intersectionWeight = 0.4
	scoreWeight        = 0.5
	diversityWeight    = 0.1
	fullDiversity      = 5 // distinct pages

	goodAbove       = 0.7
	acceptableAbove = 0.4
)

// ContextRelevance returns the metric context_relevance: do the signals of the
// retrieval say that the chunks are relevant to the query?
//
// It is the weighted mean of the factors that have a basis. Intersection (0.4)
// is the share of the chunks found by two methods or more among those whose
// method is known; it needs two methods, named by the limits or by the chunks, so
// it is 0 where two were asked and one found nothing. Score (0.5) is the mean of
// the scores, normalised to 0..1. Diversity (0.1) is the number of distinct pages
// over five, at most 1. Above 0.7 is good, from 0.4 acceptable, below that
// something to investigate.
func ContextRelevance(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:        "context_relevance",
		Doc:         "Whether the signals of the retrieval (agreement of its methods, scores, spread over pages) say that the chunks are relevant.",
		Kind:        rag.KindScore,
		AtRetrieval: true,
		Score:       choose(opts, contextRelevance, literalContextRelevance),
	}
}

func contextRelevance(v *rag.View) rag.Result {
	if len(v.Chunks()) == 0 {
		return rag.Unmeasured(rag.ReasonNoChunks)
	}
	intersection, mean, pages := methodIntersection(v), meanScore(v.Chunks()), pageDiversity(v.Chunks())
	details := make([]slog.Attr, 1, 5)
	var sum, weights float64
	add := func(name string, weight float64, factor rag.Opt[float64]) {
		if !factor.Valid {
			return
		}
		// The conversion keeps the compiler from fusing multiplication and
		// addition, which would differ between platforms.
		sum += float64(weight * factor.V)
		weights += weight
		details = append(details, slog.Float64(name, factor.V))
	}
	add("intersection", intersectionWeight, intersection)
	add("score", scoreWeight, mean)
	add("diversity", diversityWeight, pages)
	details[0] = slog.String("factors", factorNames(intersection.Valid, mean.Valid, pages.Valid))
	if n := v.IgnoredScores(); n > 0 {
		details = append(details, slog.Int("ignored_scores", n))
	}
	if weights == 0 {
		return rag.Unmeasured(rag.ReasonNoBasis, v.Details(details...)...)
	}
	score := sum / weights
	return rag.Scored(score, v.Details(details...)...).WithLabel(relevanceBand(score))
}

func relevanceBand(score float64) string {
	switch {
	case score > goodAbove:
		return "good"
	case score >= acceptableAbove:
		return "acceptable"
	}
	return "investigate"
}

// methodIntersection is the share of chunks found by several methods.
func methodIntersection(v *rag.View) rag.Opt[float64] {
	var found, foundBySeveral int
	var one string // a method that found something
	several := false
	for i := range v.Chunks() {
		methods := v.Chunks()[i].Methods
		if len(methods) == 0 {
			continue
		}
		found++
		if len(methods) > 1 {
			foundBySeveral++
		}
		if one == "" {
			one = methods[0]
		}
		several = several || len(methods) > 1 || methods[0] != one
	}
	if found == 0 || !several && !asksAnother(v.Sample().Retrieval.Limits, one) {
		return rag.Opt[float64]{}
	}
	return rag.Some(float64(foundBySeveral) / float64(found))
}

// asksAnother reports whether a method other than the given one was configured.
func asksAnother(limits rag.Limits, method string) bool {
	for m := range limits {
		if m != method && m != "" {
			return true
		}
	}
	return false
}

func meanScore(chunks []rag.MergedChunk) rag.Opt[float64] {
	sum, n := 0.0, 0
	for i := range chunks {
		if s := chunks[i].Score; s.Valid {
			sum += s.V
			n++
		}
	}
	if n == 0 {
		return rag.Opt[float64]{}
	}
	return rag.Some(sum / float64(n))
}

// pageDiversity counts distinct pages only as far as they matter.
func pageDiversity(chunks []rag.MergedChunk) rag.Opt[float64] {
	type page struct{ doc, page string }
	var seen [fullDiversity]page
	n := 0
next:
	for i := range chunks {
		p := page{chunks[i].DocID, chunks[i].Page}
		if p.page == "" {
			continue
		}
		for _, s := range seen[:n] {
			if s == p {
				continue next
			}
		}
		seen[n] = p
		if n++; n == fullDiversity {
			break
		}
	}
	if n == 0 {
		return rag.Opt[float64]{}
	}
	return rag.Some(float64(n) / fullDiversity)
}

// factorNames is the list of the factors used.
func factorNames(intersection, score, diversity bool) string {
	switch {
	case intersection && score && diversity:
		return "intersection,score,diversity"
	case intersection && score:
		return "intersection,score"
	case intersection && diversity:
		return "intersection,diversity"
	case score && diversity:
		return "score,diversity"
	case intersection:
		return "intersection"
	case score:
		return "score"
	case diversity:
		return "diversity"
	}
	return "none"
}
