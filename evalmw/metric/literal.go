package metric

import (
	"log/slog"
	"math"
	"slices"
	"strconv"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// This file is the arithmetic of [Literal].

// The methods that the source knows.
const (
	bm25 = "bm25"
	knn  = "knn"
)

// distinct counts things that must not count twice; its storage is reused.
type distinct struct {
	methods map[string]foundBy // by chunk id
	pages   map[string]struct{}
	numbers text.Table
}

type foundBy struct{ bm25, knn bool }

var distincts = rag.NewShared(func(_ *rag.View, s *distinct) {
	if s.methods == nil {
		s.methods, s.pages = make(map[string]foundBy), make(map[string]struct{})
	}
})

func literalContextRelevance(v *rag.View) rag.Result {
	s := distincts.Of(v)
	var sum float64
	scores, both, ignored := 0, 0, 0
	chunks := v.Sample().Retrieval.Chunks
	for i := range chunks {
		c := &chunks[i]
		by := s.methods[c.ID]
		before := by
		by.bm25 = by.bm25 || slices.Contains(c.Methods, bm25)
		by.knn = by.knn || slices.Contains(c.Methods, knn)
		if by != before {
			s.methods[c.ID] = by
			if by.bm25 && by.knn {
				both++
			}
		}
		if score := finite(c.Score); score.Valid && score.V != 0 {
			sum += score.V
			scores++
		} else if c.Score.Valid && !score.Valid {
			ignored++
		}
		if c.Page != "" {
			s.pages[c.Page] = struct{}{}
		}
	}
	intersection := float64(both) / float64(max(len(s.methods), 1))
	sum = min(max(sum, -math.MaxFloat64), math.MaxFloat64)
	mean := sum / float64(max(scores, 1))
	diversity := min(float64(len(s.pages))/fullDiversity, 1)
	clear(s.methods)
	clear(s.pages)
	score := float64(intersection*intersectionWeight) + float64(mean*scoreWeight) + float64(diversity*diversityWeight)
	details := append(make([]slog.Attr, 0, 6),
		slog.String("factors", factorNames(true, true, true)),
		slog.Float64("intersection", intersection),
		slog.Float64("score", mean),
		slog.Float64("diversity", diversity))
	if ignored > 0 {
		details = append(details, slog.Int("ignored_scores", ignored))
	}
	return clamped(v, score, details).WithLabel(relevanceBand(score))
}

// literalContributions counts the extractions that name a chunk.
func literalContributions(v *rag.View) (chunks, inTop, named int, sum float64) {
	t := &distincts.Of(v).numbers
	t.Reset()
	extractions := v.Sample().Extractions
	for i := range extractions {
		n := extractions[i].ChunkNumber
		if n == 0 {
			continue
		}
		named++
		sum += float64(n)
		if _, fresh := t.At(uint64(n)); fresh && n <= topRanks {
			inTop++
		}
	}
	return t.Len(), inTop, named, sum
}

func literalContextPrecision(v *rag.View) rag.Result {
	chunks, inTop, named, sum := literalContributions(v)
	precision, average := 0.0, 0.0
	if chunks > 0 {
		precision = float64(inTop) / float64(min(topRanks, chunks))
		average = sum / float64(named)
	}
	return clamped(v, round(precision, 3), append(make([]slog.Attr, 0, 3),
		slog.Float64("avg_rank", round(average, 1)),
		slog.Int("contributing_chunks", chunks)))
}

// literalCutOff counts chunks as given.
func literalCutOff(v *rag.View) cutOff {
	r := &v.Sample().Retrieval
	var byBM25, byKNN int
	for i := range r.Chunks {
		if slices.Contains(r.Chunks[i].Methods, bm25) {
			byBM25++
		}
		if slices.Contains(r.Chunks[i].Methods, knn) {
			byKNN++
		}
	}
	hit := func(found, limit int) bool { return limit > 0 && found >= limit }
	return cutOff{
		hitLimit:      hit(byBM25, r.Limits[bm25]) || hit(byKNN, r.Limits[knn]),
		highFiltering: float64(len(r.Chunks))/float64(max(r.BeforeFilter, 1)) < highFiltering,
	}
}

func literalContextRecall(v *rag.View) rag.Result {
	chunks, _, _, _ := literalContributions(v)
	w := literalCutOff(v)
	recall := float64(chunks) / float64(max(len(v.Sample().Retrieval.Chunks), 1))
	return clamped(v, round(w.penalise(recall), 3), append(make([]slog.Attr, 0, 4),
		slog.Int("contributing_count", chunks),
		slog.Bool("hit_limit_warning", w.hitLimit),
		slog.Bool("high_filtering_warning", w.highFiltering)))
}

func literalRecallWarning(v *rag.View) rag.Result {
	w := literalCutOff(v)
	return w.result(v)
}

func literalAggregatedConfidence(v *rag.View) rag.Result {
	confidence, from := unstatedConfidence, "default"
	if stated := v.Sample().Answer.Confidence; stated.Valid && (stated.V == .90 || stated.V == .75 || stated.V == .50) {
		confidence, from = stated.V, "aggregation"
	}
	extractions := v.Extractions()
	if len(extractions) == 1 {
		if own := finite(extractions[0].Confidence); own.Valid && own.V != 0 {
			confidence, from = own.V, "own"
		}
	}
	return clamped(v, confidence, append(make([]slog.Attr, 0, 3),
		slog.Int("sources", len(extractions)), slog.String("from", from)))
}

func literalSemanticValidation(v *rag.View) rag.Result { return validate(v) }

func literalAgreement(v *rag.View) agreement {
	k := &turnAgreements.Of(v).keys
	k.reset()
	extractions := v.Extractions()
	for i := range extractions {
		if extractions[i].Value != "" {
			k.bytes = append(k.bytes, extractions[i].Value...)
			k.end()
		}
	}
	return k.count()
}

func literalMultiSourceAgreement(v *rag.View) rag.Result {
	a := literalAgreement(v)
	share := 1.0
	if a.values > 1 {
		share = round(a.share(), 3)
	}
	return rag.Scored(share, a.details(v)...)
}

func literalAgreementPattern(v *rag.View) rag.Result {
	a := literalAgreement(v)
	if a.values <= 1 {
		return rag.Category("unanimous", a.details(v)...)
	}
	return rag.Category(a.pattern(), a.details(v)...)
}

// clamped keeps the contract of 0..1 and shows where the source would not have.
func clamped(v *rag.View, score float64, details []slog.Attr) rag.Result {
	in := min(max(score, 0), 1)
	if in != score {
		details = append(details, slog.Float64("unclamped", score))
	}
	return rag.Scored(in, v.Details(details...)...)
}

// round is Python's: to the nearest decimal of the exact binary value, halves to
// even.
func round(x float64, decimals int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	var buf [400]byte
	rounded, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], x, 'f', decimals, 64)), 64)
	if err != nil {
		return x
	}
	return rounded
}
