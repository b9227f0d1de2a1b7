package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// An Interval is a confidence interval. Both ends are NaN where it could not be
// told.
type Interval struct{ Low, High float64 }

// Known reports whether the interval could be told.
func (i Interval) Known() bool { return !math.IsNaN(i.Low) && !math.IsNaN(i.High) }

// Contains reports whether x lies in the interval; an unknown interval contains
// everything.
func (i Interval) Contains(x float64) bool { return !i.Known() || i.Low <= x && x <= i.High }

var unknown = Interval{math.NaN(), math.NaN()}

// A Statistic is computed from weighted cases; nil weighs every case 1.
// [Ranking.AUROC] is one. It returns NaN where it is not defined.
type Statistic func(weights []float64) float64

// A Bootstrap tells how far a statistic would vary had other groups of cases
// been drawn. The zero value takes the defaults.
type Bootstrap struct {
	_ struct{}

	// Resamples is how often to draw; 0 means 2,000.
	Resamples int
	// Level is the confidence level; 0 means 0.95.
	Level float64
	// Seed makes another draw of the same kind.
	Seed uint64
}

// Interval returns the percentile interval of the cluster bootstrap (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; Field and
// Welsh, JRSS B 69, 2007): groups are drawn with replacement, as many as there
// are, and all cases of a group count as often as it was drawn. Few groups vary
// less among themselves than among all that might have been, so the percentiles
// are expanded as Student's distribution asks (Hesterberg, The American
// Statistician 69, 2015). Resamples in which the statistic is not defined are left
// out; the interval is unknown where those are more than half, or where there are
// fewer than two groups.
//
// The groups name the group of each case. The same cases in the same order give
// the same interval.
func (b Bootstrap) Interval(groups []string, statistic Statistic) Interval {
	group, n := number(groups)
	if n < 2 {
		return unknown
	}
	resamples, level := b.Resamples, b.Level
	if resamples == 0 {
		resamples = 2000
	}
	if level == 0 {
		level = 0.95
	}
	draw := rand.New(rand.NewPCG(b.Seed, 0x746f756368)) //nolint:gosec // repeatable, not secret
	values := make([]float64, 0, resamples)
	times := make([]float64, n)
	weights := make([]float64, len(groups))
	for range resamples {
		clear(times)
		for range n {
			times[draw.IntN(n)]++
		}
		for i, g := range group {
			weights[i] = times[g]
		}
		if v := statistic(weights); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) <= resamples/2 {
		return unknown
	}
	slices.Sort(values)
	level = expanded(level, n)
	return Interval{quantile(values, (1-level)/2), quantile(values, (1+level)/2)}
}

// expanded is the level of the percentiles that hold, of n groups, what a level
// says.
func expanded(level float64, n int) float64 {
	z := math.Sqrt2 * math.Erfinv(level)
	return math.Erf(math.Sqrt(float64(n)/float64(n-1)) * student(z, float64(n-1)) / math.Sqrt2)
}

// student is the quantile of Student's distribution with f degrees of freedom at
// which the normal distribution has z (Abramowitz and Stegun, Handbook of
// Mathematical Functions, 1964, 26.7.5).
func student(z, f float64) float64 {
	zz := float64(z * z)
	return z * (1 +
		polynomial(zz, 1, 1)/(4*f) +
		polynomial(zz, 5, 16, 3)/(96*f*f) +
		polynomial(zz, 3, 19, 17, -15)/(384*f*f*f) +
		polynomial(zz, 79, 776, 1482, -1920, -945)/(92160*f*f*f*f))
}

// polynomial is the value at x, by Horner's rule and with the same digits on every
// platform; the coefficient of the highest power comes first.
func polynomial(x float64, coefficients ...float64) (y float64) {
	for _, c := range coefficients {
		y = float64(y*x) + c
	}
	return y
}

// Difference returns x − y of the same cases and the interval of that. Both see
// the same resamples, so what they share cancels out.
func (b Bootstrap) Difference(groups []string, x, y Statistic) (float64, Interval) {
	difference := func(weights []float64) float64 { return x(weights) - y(weights) }
	return difference(nil), b.Interval(groups, difference)
}

// number numbers groups in order of appearance.
func number(groups []string) (numbers []int, n int) {
	known := make(map[string]int, len(groups))
	numbers = make([]int, len(groups))
	for i, g := range groups {
		at, seen := known[g]
		if !seen {
			at = len(known)
			known[g] = at
		}
		numbers[i] = at
	}
	return numbers, len(known)
}

// quantile interpolates between the two sorted values around the place of p
// (Hyndman and Fan, The American Statistician 50, 1996, type 7).
func quantile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + float64((at-float64(low))*(sorted[low+1]-sorted[low]))
}

// Wilson returns the 95% score interval of a share (Wilson, JASA 22, 1927),
// which holds for few cases and for shares near 0 and 1 too. It is unknown
// without cases.
func Wilson(positives, cases float64) Interval {
	if cases <= 0 {
		return unknown
	}
	const z = 1.959963984540054 // the 97.5% quantile of the normal distribution
	const zz = z * z
	p := positives / cases
	centre := p + zz/(2*cases)
	half := float64(z * math.Sqrt(float64(p*(1-p))/cases+zz/(4*cases*cases)))
	scale := 1 + zz/cases
	return Interval{max(0, (centre-half)/scale), min(1, (centre+half)/scale)}
}
