package stats

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWilsonByHand(t *testing.T) {
	// Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
	for _, c := range []struct{ positives, cases, low, high float64 }{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		got := Wilson(c.positives, c.cases)
		assert.InDelta(t, c.low, got.Low, 5e-5)
		assert.InDelta(t, c.high, got.High, 5e-5)
		mirrored := Wilson(c.cases-c.positives, c.cases)
		assert.InDelta(t, 1-got.High, mirrored.Low, 1e-12)
	}
	assert.False(t, Wilson(0, 0).Known())
	assert.True(t, Wilson(0, 0).Contains(0.5), "an unknown interval excludes nothing")
}

// A mean of 0 and 1 has the standard error of the binomial, inflated where all
// cases of a group are the same.
func TestBootstrapFollowsTheGroups(t *testing.T) {
	var scores []float64
	var alone, pairs []string
	for i := range 400 {
		scores = append(scores, float64(i/4%2))
		alone = append(alone, strconv.Itoa(i))
		pairs = append(pairs, strconv.Itoa(i/4))
	}
	mean := func(weights []float64) float64 {
		var sum, n float64
		for i, s := range scores {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			sum += w * s
			n += w
		}
		return sum / n
	}
	width := func(i Interval) float64 { return i.High - i.Low }
	single := Bootstrap{}.Interval(alone, mean)
	clustered := Bootstrap{}.Interval(pairs, mean)
	assert.InDelta(t, 2*1.96*0.5/20, width(single), 0.008)
	assert.InDelta(t, 2*1.96*0.5/10, width(clustered), 0.016)
	assert.True(t, single.Contains(0.5))

	assert.Equal(t, single, Bootstrap{}.Interval(alone, mean), "the same seed gives the same digits")
	assert.NotEqual(t, single, Bootstrap{Seed: 1}.Interval(alone, mean))
	assert.Less(t, width(Bootstrap{Level: 0.5}.Interval(alone, mean)), width(single))
}

func TestStudentQuantilesAreThoseOfTheTables(t *testing.T) {
	for f, want := range map[float64]float64{4: 2.7764, 7: 2.3646, 10: 2.2281, 30: 2.0423, 100: 1.9840} {
		assert.InDelta(t, want, student(1.959964, f), 0.002, "%v degrees of freedom", f)
	}
}

// Of eight groups the plain percentiles hold the true value 85 times in 100.
func TestIntervalsOfFewGroupsHoldTheTruth(t *testing.T) {
	const runs, groups, perGroup, shift, spread = 300, 8, 8, 1.2, 0.7
	truth := (1 + math.Erf(shift/(2*math.Sqrt(1+spread*spread)))) / 2 // of two normal distributions
	held := 0
	for run := range uint64(runs) {
		r := rand.New(rand.NewPCG(run, 7))
		var scores []float64
		var positive []bool
		var names []string
		for g := range groups {
			level := spread * r.NormFloat64()
			for range perGroup {
				is := r.Float64() < 0.4
				scores = append(scores, level+r.NormFloat64()+shift*indicator(is))
				positive, names = append(positive, is), append(names, string(rune('a'+g)))
			}
		}
		interval := Bootstrap{Resamples: 400}.Interval(names, Rank(scores, positive).AUROC)
		held += int(indicator(interval.Contains(truth)))
	}
	assert.InDelta(t, 0.95, float64(held)/runs, 0.03)
}

func TestBootstrapSaysWhenItCannotTell(t *testing.T) {
	assert.False(t, Bootstrap{}.Interval([]string{"a", "a"}, func([]float64) float64 { return 1 }).Known())
	assert.False(t, Bootstrap{}.Interval([]string{"a", "b"}, func([]float64) float64 { return math.NaN() }).Known())
}

func TestDifferenceOfAScoreToItselfIsNothing(t *testing.T) {
	scores, positive := cases(source(6), 50, 20)
	groups := make([]string, len(scores))
	for i := range groups {
		groups[i] = strconv.Itoa(i % 17)
	}
	r := Rank(scores, positive)
	d, i := Bootstrap{Resamples: 100}.Difference(groups, r.AUROC, r.AUROC)
	assert.Zero(t, d)
	assert.Equal(t, Interval{}, i)

	better := make([]float64, len(scores))
	for i := range scores {
		better[i] = scores[i] + 12*indicator(positive[i])
	}
	d, i = Bootstrap{Resamples: 200}.Difference(groups, Rank(better, positive).CaptureAt(0.3), r.CaptureAt(0.3))
	assert.Greater(t, d, 0.2)
	assert.Greater(t, i.Low, 0.0)
}
