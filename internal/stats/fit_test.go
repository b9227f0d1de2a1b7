package stats

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLogisticOfOneIndicatorIsTheLogOdds(t *testing.T) {
	// 2 of 8 positive without the feature, 6 of 10 with it.
	var rows [][]float64
	var positive []bool
	add := func(feature float64, yes, no int) {
		for range yes {
			rows, positive = append(rows, []float64{feature}), append(positive, true)
		}
		for range no {
			rows, positive = append(rows, []float64{feature}), append(positive, false)
		}
	}
	add(0, 2, 6)
	add(1, 6, 4)
	m, err := FitLogistic(rows, positive, LogisticOptions{})
	require.NoError(t, err)
	assert.InDelta(t, math.Log(2.0/6), m.Score([]float64{0}), 1e-6)
	assert.InDelta(t, math.Log(6.0/4), m.Score([]float64{1}), 1e-6)

	// Both classes alike: the odds of the two classes are scaled by 10/8.
	m, err = FitLogistic(rows, positive, LogisticOptions{Balanced: true})
	require.NoError(t, err)
	assert.InDelta(t, math.Log(2.0/6*10/8), m.Score([]float64{0}), 1e-6)

	// A case of weight 2 is that case twice.
	weights := make([]float64, len(rows))
	for i := range weights {
		weights[i] = 1 + float64(i%2)
	}
	var doubled [][]float64
	var labels []bool
	for i := range rows {
		for range int(weights[i]) {
			doubled, labels = append(doubled, rows[i]), append(labels, positive[i])
		}
	}
	a, err := FitLogistic(rows, positive, LogisticOptions{Weights: weights, L2: 1})
	require.NoError(t, err)
	b, err := FitLogistic(doubled, labels, LogisticOptions{L2: 1})
	require.NoError(t, err)
	assert.InDelta(t, b.Weights[0], a.Weights[0], 1e-9)
	assert.InDelta(t, b.Bias, a.Bias, 1e-9)
}

// At the optimum the gradient of the penalised loss is 0.
func TestLogisticFindsTheOptimum(t *testing.T) {
	r := source(7)
	for trial := range 30 {
		n, k := 60+r.IntN(100), 1+r.IntN(6)
		rows, positive := make([][]float64, n), make([]bool, n)
		for i := range rows {
			rows[i] = make([]float64, k)
			var z float64
			for j := range rows[i] {
				rows[i][j] = 1000*float64(j) + r.NormFloat64()*math.Pow(10, float64(j-2))
				z += (rows[i][j] - 1000*float64(j)) / math.Pow(10, float64(j-2))
			}
			positive[i] = r.Float64() < Sigmoid(z)
		}
		lambda := float64(trial%3) + 0.01
		m, err := FitLogistic(rows, positive, LogisticOptions{L2: lambda})
		require.NoError(t, err)
		var bias float64
		gradient := make([]float64, k)
		for i, row := range rows {
			residual := Sigmoid(m.Score(row)) - indicator(positive[i])
			bias += residual
			for j := range gradient {
				gradient[j] += residual * (row[j] - m.Mean[j]) / m.Scale[j]
			}
		}
		assert.InDelta(t, 0, bias, 1e-4)
		for j := range gradient {
			assert.InDelta(t, 0, gradient[j]+lambda*m.Weights[j], 1e-4)
		}
	}
}

func TestLogisticConvergesOrSaysNot(t *testing.T) {
	separable := [][]float64{{1}, {2}, {3}, {4}}
	labels := []bool{false, false, true, true}
	_, err := FitLogistic(separable, labels, LogisticOptions{})
	require.ErrorIs(t, err, ErrNotConverged)
	m, err := FitLogistic(separable, labels, LogisticOptions{L2: 0.1})
	require.NoError(t, err)
	assert.Greater(t, m.Weights[0], 0.0)

	twice := [][]float64{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}
	_, err = FitLogistic(twice, []bool{false, true, false, true, true}, LogisticOptions{})
	require.ErrorIs(t, err, ErrNotConverged, "two features that are the same")

	constant := [][]float64{{1, 0.1}, {2, 0.1}, {3, 0.1}, {4, 0.1}, {5, 0.1}}
	m, err = FitLogistic(constant, []bool{false, true, false, true, true}, LogisticOptions{})
	require.NoError(t, err)
	assert.InDelta(t, 0, m.Weights[1], 1e-6, "a constant feature has no weight")
	assert.InDelta(t, 1, m.Scale[1], 0)

	_, err = FitLogistic(separable, []bool{true, true, true, true}, LogisticOptions{})
	require.ErrorContains(t, err, "expected cases of both classes, found a weight of 0 negative and 4 positive")
	_, err = FitLogistic([][]float64{{math.NaN()}}, []bool{true}, LogisticOptions{})
	require.ErrorContains(t, err, "case 0: feature 0: expected a finite number, found NaN")
	_, err = FitLogistic(nil, nil, LogisticOptions{})
	require.ErrorContains(t, err, "both classes")
}

func TestScoreTakesTheMeanForWhatIsNotFinite(t *testing.T) {
	m := &Logistic{Bias: 1, Weights: []float64{2, 3}, Mean: []float64{4, 5}, Scale: []float64{1, 2}}
	assert.InDelta(t, 1+2*1+3*1, m.Score([]float64{5, 7}), 0)
	assert.InDelta(t, 1+3*1, m.Score([]float64{math.NaN(), 7}), 0)
	assert.InDelta(t, 1+2*1, m.Score([]float64{5, math.Inf(1)}), 0)
}

func TestSigmoidIsThatOfTheMathPackage(t *testing.T) {
	for z := -700.0; z < 760; z += 0.37 {
		require.InEpsilon(t, 1/(1+math.Exp(-z)), Sigmoid(z), 1e-15, "%v", z)
	}
	assert.InDelta(t, 0, Sigmoid(-744), 1e-320)
	assert.InDelta(t, 0.5, Sigmoid(0), 0)
	assert.InDelta(t, 1, Sigmoid(math.Inf(1)), 0)
	assert.InDelta(t, 0, Sigmoid(math.Inf(-1)), 0)
	assert.True(t, math.IsNaN(Sigmoid(math.NaN())))
}

func TestPlattSmoothsItsTargets(t *testing.T) {
	// Two distinct scores: the fit can meet the mean target at each of them.
	// Targets are 3/4 for the two positives and 1/5 for the three negatives.
	p, err := FitPlatt([]float64{-1, -1, -1, 2, 2}, []bool{false, false, false, true, true})
	require.NoError(t, err, "separable scores are fine")
	assert.InDelta(t, 1.0/5, p.Probability(-1), 1e-6)
	assert.InDelta(t, 3.0/4, p.Probability(2), 1e-6)
	assert.Greater(t, p.A, 0.0)

	p, err = FitPlatt([]float64{2, 2, 2, -1, -1}, []bool{false, false, false, true, true})
	require.NoError(t, err)
	assert.Less(t, p.A, 0.0, "a score that points the wrong way")

	_, err = FitPlatt([]float64{1, 1}, []bool{true, false})
	require.ErrorContains(t, err, "expected scores that differ")
	_, err = FitPlatt([]float64{1, 2}, []bool{true, true})
	require.ErrorContains(t, err, "both classes")
	_, err = FitPlatt([]float64{1, math.Inf(1)}, []bool{true, false})
	require.ErrorContains(t, err, "finite")
}

func TestPlattCalibrates(t *testing.T) {
	r := source(8)
	var scores, truth []float64
	var positive []bool
	for range 5000 {
		s := r.NormFloat64() * 2
		p := Sigmoid(0.7*s - 1)
		scores, truth, positive = append(scores, s), append(truth, p), append(positive, r.Float64() < p)
	}
	p, err := FitPlatt(scores, positive)
	require.NoError(t, err)
	assert.InDelta(t, 0.7, p.A, 0.06)
	assert.InDelta(t, -1, p.B, 0.1)
	fitted := make([]float64, len(scores))
	for i, s := range scores {
		fitted[i] = p.Probability(s)
	}
	assert.Less(t, Calibration(fitted, positive, 10).ECE, 0.03)
	assert.InDelta(t, Brier(truth, positive), Brier(fitted, positive), 0.002)
}

func TestFoldsNeverSplitAGroup(t *testing.T) {
	r := source(9)
	for range 50 {
		n, k := 1+r.IntN(300), 2+r.IntN(6)
		groups := make([]string, n)
		for i := range groups {
			groups[i] = strconv.Itoa(r.IntN(60))
		}
		folds := Folds(groups, k)
		where, size := map[string]int{}, make([]int, k)
		largest := map[string]int{}
		for i, g := range groups {
			if f, seen := where[g]; seen {
				require.Equal(t, f, folds[i])
			}
			where[g] = folds[i]
			size[folds[i]]++
			largest[g]++
		}
		most := 0
		for _, s := range largest {
			most = max(most, s)
		}
		for _, s := range size {
			for _, other := range size {
				assert.LessOrEqual(t, s-other, most, "the folds differ by a group at most")
			}
		}
	}
}

func TestFoldsDependOnTheNamesAlone(t *testing.T) {
	groups := []string{"a", "b", "c", "d", "e", "f", "a"}
	folds := Folds(groups, 3)
	reversed := []string{"a", "f", "e", "d", "c", "b", "a"}
	again := Folds(reversed, 3)
	for i := range groups {
		assert.Equal(t, folds[i], again[len(again)-1-i])
	}
	assert.Panics(t, func() { Folds(groups, 1) })
}

func TestReliabilityByHand(t *testing.T) {
	p := []float64{0.1, 0.1, 0.2, 0.2, 0.9, 0.8}
	positive := []bool{false, false, false, true, true, true}
	got := Calibration(p, positive, 3)
	require.Len(t, got.Bins, 3)
	assert.Equal(t, []int{2, 2, 2}, []int{got.Bins[0].Cases, got.Bins[1].Cases, got.Bins[2].Cases})
	equal(t, 0.1, got.Bins[0].Predicted)
	equal(t, 0.5, got.Bins[1].Observed)
	assert.Equal(t, Wilson(2, 2), got.Bins[2].Interval)
	equal(t, (2*0.1+2*0.3+2*0.15)/6, got.ECE)
	equal(t, (0.01+0.01+0.04+0.64+0.01+0.04)/6, Brier(p, positive))

	same := Calibration([]float64{0.3, 0.3, 0.3}, []bool{true, false, false}, 10)
	require.Len(t, same.Bins, 1, "equal probabilities share a bin")
	equal(t, 1.0/3-0.3, same.ECE)
	assert.True(t, math.IsNaN(Calibration(nil, nil, 10).ECE))
	assert.True(t, math.IsNaN(Brier(nil, nil)))
}
