package metric_test

import (
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// source is the framework that the metrics come from, line by line: maps for its
// sets, no merging, no scratch memory.
type source struct{ s *rag.Sample }

func (p source) contextRelevance() float64 {
	bm25, knn, pages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	sum, n := 0.0, 0
	for _, c := range p.s.Retrieval.Chunks {
		for _, m := range c.Methods {
			switch m {
			case "bm25":
				bm25[c.ID] = true
			case "knn":
				knn[c.ID] = true
			}
		}
		if c.Score.Valid && c.Score.V != 0 {
			sum, n = sum+c.Score.V, n+1
		}
		if c.Page != "" {
			pages[c.Page] = true
		}
	}
	both, union := 0, len(knn)
	for id := range bm25 {
		if knn[id] {
			both++
		} else {
			union++
		}
	}
	intersection := float64(both) / float64(max(union, 1))
	average := sum / float64(max(n, 1))
	diversity := min(float64(len(pages))/5, 1.0)
	return float64(intersection*0.4) + float64(average*0.5) + float64(diversity*0.1)
}

func (p source) contributing() (distinct map[int]bool, ranks []int) {
	distinct = map[int]bool{}
	for _, e := range p.s.Extractions {
		if e.ChunkNumber != 0 {
			distinct[e.ChunkNumber] = true
			ranks = append(ranks, e.ChunkNumber)
		}
	}
	return distinct, ranks
}

func (p source) contextPrecision() (precision, averageRank float64, contributing int) {
	distinct, ranks := p.contributing()
	top, sum := 0, 0
	for c := range distinct {
		if c <= 10 {
			top++
		}
	}
	for _, r := range ranks {
		sum += r
	}
	if len(distinct) > 0 {
		precision = float64(top) / float64(min(10, len(distinct)))
		averageRank = float64(sum) / float64(len(ranks))
	}
	return pythonRound(precision, 3), pythonRound(averageRank, 1), len(distinct)
}

func (p source) contextRecall() (recall float64, hitLimit, highFiltering bool) {
	distinct, _ := p.contributing()
	r := p.s.Retrieval
	found := map[string]int{}
	for _, c := range r.Chunks {
		for _, m := range c.Methods {
			found[m]++
		}
	}
	available := float64(len(r.Chunks))
	recall = float64(len(distinct)) / max(available, 1)
	hitLimit = found["bm25"] >= r.Limits["bm25"] || found["knn"] >= r.Limits["knn"]
	highFiltering = available/max(float64(r.BeforeFilter), 1) < 0.5
	if hitLimit {
		recall *= 0.7
	} else if highFiltering {
		recall *= 0.85
	}
	return pythonRound(recall, 3), hitLimit, highFiltering
}

func (p source) agreement() (score float64, pattern string, unique int) {
	counts, n, most := map[string]int{}, 0, 0
	for _, e := range p.s.Extractions {
		if e.Value != "" {
			n++
			counts[e.Value]++
			most = max(most, counts[e.Value])
		}
	}
	if n <= 1 {
		return 1, "unanimous", len(counts)
	}
	score = float64(most) / float64(n)
	switch {
	case score > 0.95:
		pattern = "unanimous"
	case score > 0.7:
		pattern = "majority"
	case score > 0.4:
		pattern = "mixed"
	default:
		pattern = "conflicting"
	}
	return pythonRound(score, 3), pattern, len(counts)
}

func (p source) aggregatedConfidence() float64 {
	confidence := 0.70
	if c := p.s.Answer.Confidence; c.Valid && (c.V == 0.90 || c.V == 0.75 || c.V == 0.50) {
		confidence = c.V
	}
	if e := p.s.Extractions; len(e) == 1 && e[0].Confidence.Valid && e[0].Confidence.V != 0 {
		confidence = e[0].Confidence.V
	}
	return confidence
}

// pythonRound rounds the exact binary value in rational arithmetic.
func pythonRound(x float64, decimals int) float64 {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	scaled := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), scale)
	half := big.NewRat(1, 2)
	floor := new(big.Int).Div(new(big.Rat).Add(scaled, half).Num(), new(big.Rat).Add(scaled, half).Denom())
	if new(big.Rat).Sub(new(big.Rat).SetInt(floor), scaled).Cmp(half) == 0 && floor.Bit(0) == 1 {
		floor.Sub(floor, big.NewInt(1))
	}
	f, _ := new(big.Rat).Quo(new(big.Rat).SetInt(floor), scale).Float64()
	return f
}

func detail(t *testing.T, r rag.Result, key string) slog.Value {
	t.Helper()
	for _, d := range r.Details {
		if d.Key == key {
			return d.Value
		}
	}
	require.Fail(t, "no detail "+key, "%s has %v", r.Name, r.Details)
	return slog.Value{}
}

func inRange(x float64) float64 { return min(max(x, 0), 1) }

func TestLiteralEqualsTheSource(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	methods := [][]string{nil, {"bm25"}, {"knn"}, {"bm25", "knn"}, {"other"}}
	for range 5000 {
		var s rag.Sample
		s.Retrieval.Chunks = make([]rag.Chunk, rng.IntN(25))
		for i := range s.Retrieval.Chunks {
			c := &s.Retrieval.Chunks[i]
			c.ID = fmt.Sprint("c", rng.IntN(15))
			c.Methods = methods[rng.IntN(len(methods))]
			c.Page = []string{"", "1", "2", "3", "4", "5", "6"}[rng.IntN(7)]
			if rng.IntN(3) > 0 {
				c.Score = rag.Some(rng.Float64() * []float64{0, 1, 1, 3}[rng.IntN(4)])
			}
		}
		s.Retrieval.Limits = rag.Limits{"bm25": 1 + rng.IntN(12), "knn": 1 + rng.IntN(12)}
		s.Retrieval.BeforeFilter = rng.IntN(60)
		s.Extractions = make([]rag.Extraction, rng.IntN(15))
		for i := range s.Extractions {
			x := &s.Extractions[i]
			x.ChunkNumber = rng.IntN(30) - 2
			x.Value = []string{"", " ", "a", "A", "b", "1", "1.0"}[rng.IntN(7)]
			if rng.IntN(3) > 0 {
				x.Confidence = rag.Some([]float64{0, .5, .9, rng.Float64()}[rng.IntN(4)])
			}
		}
		if rng.IntN(2) == 0 {
			s.Answer.Confidence = rag.Some([]float64{.9, .75, .5, .6}[rng.IntN(4)])
		}

		ev := evaluate(t, &s, metric.Default(metric.Literal())...)
		find := func(name string) rag.Result {
			r, ok := ev.Find(name)
			require.True(t, ok, name)
			return r
		}
		p := source{&s}
		require.Equal(t, inRange(p.contextRelevance()), find("context_relevance").Value)

		precision, averageRank, contributing := p.contextPrecision()
		r := find("context_precision")
		require.Equal(t, inRange(precision), r.Value)
		require.Equal(t, averageRank, detail(t, r, "avg_rank").Float64())
		require.Equal(t, int64(contributing), detail(t, r, "contributing_chunks").Int64())

		recall, hitLimit, highFiltering := p.contextRecall()
		r = find("context_recall_heuristic")
		require.Equal(t, inRange(recall), r.Value)
		if recall > 1 {
			require.Equal(t, recall, detail(t, r, "unclamped").Float64())
		}
		require.Equal(t, hitLimit, detail(t, r, "hit_limit_warning").Bool())
		require.Equal(t, highFiltering, detail(t, r, "high_filtering_warning").Bool())
		warning, _ := ev.Find("recall_warning")
		want := map[[2]bool]string{{false, true}: "HIGH_THRESHOLD_FILTERING", {true, false}: "HIT_RETRIEVAL_LIMIT", {true, true}: "HIT_RETRIEVAL_LIMIT"}
		require.Equal(t, want[[2]bool{hitLimit, highFiltering}], warning.Category)

		score, pattern, unique := p.agreement()
		r = find("multi_source_agreement")
		require.Equal(t, score, r.Value)
		require.Equal(t, int64(unique), detail(t, r, "unique_values").Int64())
		require.Equal(t, pattern, find("agreement_pattern").Category)

		require.Equal(t, p.aggregatedConfidence(), find("aggregated_confidence").Value)
	}
}

func TestLiteralOfAnEmptySample(t *testing.T) {
	var got []string
	for _, r := range evaluate(t, &rag.Sample{}, metric.Default(metric.Literal())...).Results {
		got = append(got, r.Name+" "+show(r))
	}
	assert.Equal(t, []string{
		"context_relevance 0 investigate factors=intersection,score,diversity intersection=0 score=0 diversity=0",
		"recall_warning HIGH_THRESHOLD_FILTERING hit_limit_warning=false high_filtering_warning=true",
		"context_precision 0 avg_rank=0 contributing_chunks=0",
		"context_recall_heuristic 0 contributing_count=0 hit_limit_warning=false high_filtering_warning=true",
		"aggregated_confidence 0.7 sources=0 from=default",
		"semantic_validation skipped passed=0 failed=0 skipped=0",
		"multi_source_agreement 1 values=0 unique_values=0",
		"agreement_pattern unanimous values=0 unique_values=0",
	}, got)
}

func TestLiteralKeepsNumbersInRange(t *testing.T) {
	s := rag.Sample{Retrieval: chunks(
		rag.Chunk{Score: rag.Some(math.MaxFloat64)}, rag.Chunk{Score: rag.Some(math.MaxFloat64)}, rag.Chunk{Score: rag.Some(math.NaN())},
	)}
	r := one(t, &s, metric.ContextRelevance(metric.Literal()))
	assert.Equal(t, 1.0, r.Value)
	assert.False(t, math.IsInf(detail(t, r, "unclamped").Float64(), 0))
	assert.Equal(t, int64(1), detail(t, r, "ignored_scores").Int64())

	s = rag.Sample{Retrieval: chunks(rag.Chunk{Score: rag.Some(12.0)})}
	assert.Equal(t, "1 good factors=intersection,score,diversity intersection=0 score=12 diversity=0 unclamped=6",
		show(one(t, &s, metric.ContextRelevance(metric.Literal()))))
}
