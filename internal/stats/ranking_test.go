package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cases draws labelled scores with ties.
func cases(r *rand.Rand, n, distinct int) (scores []float64, positive []bool) {
	for range n {
		scores = append(scores, float64(r.IntN(distinct))-float64(distinct)/2)
		positive = append(positive, r.IntN(3) == 0)
	}
	return scores, positive
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// bruteAUROC compares every pair.
func bruteAUROC(scores []float64, positive []bool, weights []float64, same func(i, j int) bool) float64 {
	var wins, pairs float64
	for i := range scores {
		for j := range scores {
			if !positive[i] || positive[j] || !same(i, j) {
				continue
			}
			w := weights[i] * weights[j]
			pairs += w
			switch {
			case scores[i] > scores[j]:
				wins += w
			case scores[i] == scores[j]:
				wins += w / 2
			}
		}
	}
	return wins / pairs
}

func equal(t *testing.T, want, got float64, msg ...any) {
	t.Helper()
	if math.IsNaN(want) {
		assert.True(t, math.IsNaN(got), msg...)
		return
	}
	assert.InDelta(t, want, got, 1e-12, msg...)
}

func TestAUROCByHand(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		scores   []float64
		positive []bool
		want     float64
	}{
		"perfect":               {[]float64{1, 2, 3, 4}, []bool{no, no, yes, yes}, 1},
		"reversed":              {[]float64{1, 2, 3, 4}, []bool{yes, yes, no, no}, 0},
		"one of four pairs off": {[]float64{1, 2, 3, 4}, []bool{no, yes, no, yes}, 0.75},
		"all tied":              {[]float64{5, 5, 5}, []bool{no, yes, no}, 0.5},
		"a tie counts half":     {[]float64{1, 2, 2}, []bool{no, no, yes}, 0.75},
		"infinities":            {[]float64{math.Inf(-1), 0, math.Inf(1)}, []bool{no, no, yes}, 1},
		"a NaN ranks last":      {[]float64{math.NaN(), -1}, []bool{no, yes}, 1},
		"one class":             {[]float64{1, 2}, []bool{yes, yes}, math.NaN()},
		"nothing":               {nil, nil, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) { equal(t, c.want, AUROC(c.scores, c.positive)) })
	}
}

func TestAUROCIsThatOfAllPairs(t *testing.T) {
	r := source(1)
	for range 300 {
		scores, positive := cases(r, 1+r.IntN(40), 1+r.IntN(12))
		weights, strata := make([]float64, len(scores)), make([]int, len(scores))
		for i := range weights {
			weights[i], strata[i] = float64(r.IntN(4)), r.IntN(3)
		}
		anyone := func(int, int) bool { return true }
		stratum := func(i, j int) bool { return strata[i] == strata[j] }
		equal(t, bruteAUROC(scores, positive, weights, anyone), Rank(scores, positive).AUROC(weights))
		equal(t, bruteAUROC(scores, positive, weights, stratum), StratifiedAUROC(scores, positive, strata)(weights))
	}
}

func TestRankStatisticsSeeOnlyTheOrder(t *testing.T) {
	r := source(2)
	for range 100 {
		scores, positive := cases(r, 2+r.IntN(60), 20)
		mapped := make([]float64, len(scores))
		for i, s := range scores {
			mapped[i] = math.Exp(s/3) - 7 // monotone
		}
		a, b := Rank(scores, positive), Rank(mapped, positive)
		equal(t, a.AUROC(nil), b.AUROC(nil))
		equal(t, a.Capture(0.2, nil), b.Capture(0.2, nil))
		assert.Equal(t, a.ROC(), b.ROC())

		for i := range mapped {
			mapped[i] = -scores[i]
		}
		equal(t, 1-a.AUROC(nil), Rank(mapped, positive).AUROC(nil))
	}
}

func TestStatisticsDoNotDependOnTheOrderOfTheCases(t *testing.T) {
	r := source(3)
	for range 100 {
		scores, positive := cases(r, 2+r.IntN(60), 8)
		shuffledScores, shuffledPositive := slices.Clone(scores), slices.Clone(positive)
		r.Shuffle(len(scores), func(i, j int) {
			shuffledScores[i], shuffledScores[j] = shuffledScores[j], shuffledScores[i]
			shuffledPositive[i], shuffledPositive[j] = shuffledPositive[j], shuffledPositive[i]
		})
		a, b := Rank(scores, positive), Rank(shuffledScores, shuffledPositive)
		equal(t, a.AUROC(nil), b.AUROC(nil))
		assert.Equal(t, a.CaptureCurve(), b.CaptureCurve())
		for _, budget := range []float64{0, 0.05, 0.1, 0.2, 0.3, 0.77, 1} {
			equal(t, a.Capture(budget, nil), b.Capture(budget, nil), budget)
		}
		if n := a.Positives(); n == 0 || n == a.Len() {
			continue
		}
		threshold, accuracy := a.BestThreshold()
		other, _ := b.BestThreshold()
		equal(t, threshold, other)
		equal(t, accuracy, BalancedAccuracy(scores, positive, threshold))
		p := make([]float64, len(scores))
		q := make([]float64, len(scores))
		for i := range p {
			p[i], q[i] = Sigmoid(scores[i]), Sigmoid(shuffledScores[i])
		}
		assert.Equal(t, Calibration(p, positive, 5), Calibration(q, shuffledPositive, 5))
	}
}

func TestCaptureByHand(t *testing.T) {
	// Ten cases, positives at ranks 1, 3 and 10.
	scores := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	positive := []bool{0: true, 2: true, 9: true}
	r := Rank(scores, positive)
	for budget, want := range map[float64]float64{0: 0, 0.1: 1. / 3, 0.2: 1. / 3, 0.25: 0.5, 0.3: 2. / 3, 0.9: 2. / 3, 1: 1, 7: 1, -1: 0} {
		equal(t, want, r.Capture(budget, nil), "budget %v", budget)
	}
	tied := Rank([]float64{1, 1, 1, 1}, []bool{true, false, false, true})
	equal(t, 0.25, tied.Capture(0.25, nil), "a score that says nothing captures the budget")
	equal(t, math.NaN(), Rank([]float64{1}, []bool{false}).Capture(0.5, nil))
	// A case of weight 2 is that case twice.
	doubled := Rank([]float64{3, 3, 2, 1}, []bool{true, true, false, true})
	weighted := Rank([]float64{3, 2, 1}, []bool{true, false, true})
	for _, budget := range []float64{0.1, 0.25, 0.5, 0.8} {
		equal(t, doubled.Capture(budget, nil), weighted.Capture(budget, []float64{2, 1, 1}), budget)
	}
}

func TestCurvesAgreeWithTheStatistics(t *testing.T) {
	r := source(4)
	for range 100 {
		scores, positive := cases(r, 3+r.IntN(60), 10)
		ranking := Rank(scores, positive)
		if n := ranking.Positives(); n == 0 || n == ranking.Len() {
			continue
		}
		roc := ranking.ROC()
		var area float64
		for i, p := range roc[1:] {
			area += (p.X - roc[i].X) * (p.Y + roc[i].Y) / 2
		}
		equal(t, ranking.AUROC(nil), area)
		for _, p := range ranking.CaptureCurve() {
			equal(t, p.Y, ranking.Capture(p.X, nil))
		}
		require.Equal(t, Point{1, 1}, roc[len(roc)-1])
	}
	assert.Nil(t, Rank([]float64{1}, []bool{true}).ROC())
	assert.Nil(t, Rank([]float64{1}, []bool{false}).CaptureCurve())
}

func TestQuantileStrata(t *testing.T) {
	assert.Equal(t, []int{0, 0, 1, 1}, QuantileStrata([]float64{1, 2, 3, 4}, 2))
	assert.Equal(t, []int{1, 1, 0, 0}, QuantileStrata([]float64{4, 3, 2, 1}, 2))
	assert.Equal(t, []int{0, 0, 0, 1}, QuantileStrata([]float64{7, 7, 7, 9}, 2), "equal values share a stratum")
	assert.Empty(t, QuantileStrata(nil, 4))
}

func TestThresholds(t *testing.T) {
	scores := []float64{0.1, 0.2, 0.6, 0.8}
	positive := []bool{false, false, true, true}
	threshold, accuracy := Rank(scores, positive).BestThreshold()
	equal(t, 0.4, threshold)
	equal(t, 1, accuracy)
	equal(t, 0.75, BalancedAccuracy(scores, positive, 0.15))
	equal(t, 0.5, BalancedAccuracy(scores, positive, 0.9))
	equal(t, math.NaN(), BalancedAccuracy(scores, []bool{true, true, true, true}, 0.5))
	threshold, _ = Rank(scores, []bool{true, true, true, true}).BestThreshold()
	equal(t, math.NaN(), threshold)

	r := Rank(scores, positive)
	equal(t, 0.7, r.ThresholdAt(0.25))
	equal(t, 0.4, r.ThresholdAt(0.5))
	equal(t, 0.1, r.ThresholdAt(1))
	equal(t, 0.7, r.ThresholdAt(0), "at least the highest score")
	equal(t, math.NaN(), Rank(nil, nil).ThresholdAt(0.2))

	// Between neighbouring numbers there is no middle.
	a, b := 1.0, math.Nextafter(1, 2)
	threshold, accuracy = Rank([]float64{a, b}, []bool{false, true}).BestThreshold()
	assert.Equal(t, b, threshold)
	equal(t, 1, accuracy)
}

func TestBestThresholdIsTheBestOfAll(t *testing.T) {
	r := source(5)
	for range 200 {
		scores, positive := cases(r, 2+r.IntN(30), 10)
		threshold, accuracy := Rank(scores, positive).BestThreshold()
		for _, s := range scores {
			if math.IsNaN(accuracy) {
				continue
			}
			assert.LessOrEqual(t, BalancedAccuracy(scores, positive, s), accuracy+1e-12)
			equal(t, accuracy, BalancedAccuracy(scores, positive, threshold))
		}
	}
}

func TestMismatchedSlicesPanic(t *testing.T) {
	assert.PanicsWithValue(t, "stats: expected as many labels as cases (2), found 1", func() { Rank([]float64{1, 2}, []bool{true}) })
}
