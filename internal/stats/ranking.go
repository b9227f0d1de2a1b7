package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Ranking is labelled cases in descending order of their score, sorted once
// for many statistics. It is immutable.
//
// Its methods take weights, one per case in the order given to [Rank], such as
// the number of times that a case stands in a resample; nil weighs every case 1.
// Weights must be finite and not negative.
type Ranking struct {
	scores   []float64
	positive []bool
	order    []int // cases by descending score
	ties     []int // the end of each run of equal scores in order
}

// Rank sorts cases by score. A NaN ranks last. It keeps both slices.
func Rank(scores []float64, positive []bool) *Ranking {
	sameLength("labels", len(scores), len(positive))
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	return rankOf(scores, positive, order)
}

// rankOf ranks the cases in order, which it sorts.
func rankOf(scores []float64, positive []bool, order []int) *Ranking {
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	r := &Ranking{scores: scores, positive: positive, order: order}
	for at := range order {
		if at+1 == len(order) || cmp.Compare(scores[order[at]], scores[order[at+1]]) != 0 {
			r.ties = append(r.ties, at+1)
		}
	}
	return r
}

// Len is the number of cases.
func (r *Ranking) Len() int { return len(r.order) }

// Positives is the number of positive cases.
func (r *Ranking) Positives() int {
	n := 0
	for _, i := range r.order {
		if r.positive[i] {
			n++
		}
	}
	return n
}

// blocks yields the weight of the negatives and of the positives of each run of
// equal scores, from the highest score down. The order within a run, and so the
// order of the input, cannot matter to what is made of them.
func (r *Ranking) blocks(weights []float64) func(func(negative, positive float64) bool) {
	if weights != nil {
		sameLength("weights", len(r.scores), len(weights))
	}
	return func(yield func(negative, positive float64) bool) {
		start := 0
		for _, end := range r.ties {
			var sum [2]float64
			for _, i := range r.order[start:end] {
				class := 0
				if r.positive[i] {
					class = 1
				}
				if weights == nil {
					sum[class]++
				} else {
					sum[class] += weights[i]
				}
			}
			if !yield(sum[0], sum[1]) {
				return
			}
			start = end
		}
	}
}

// AUROC is the probability that a positive case scores higher than a negative
// one, where a tie counts half: the area under the ROC curve, which is the
// statistic of Mann and Whitney divided by the number of pairs (Hanley and
// McNeil, Radiology 143, 1982). It is NaN unless both classes have weight.
func (r *Ranking) AUROC(weights []float64) float64 {
	wins, pairs := r.pairs(weights)
	return wins / pairs
}

// pairs counts the pairs of a positive and a negative, and those in which the
// positive scores higher.
func (r *Ranking) pairs(weights []float64) (wins, pairs float64) {
	var above, negatives float64 // positives that score higher than the block at hand
	for negative, positive := range r.blocks(weights) {
		wins += float64(negative * (above + float64(positive/2)))
		above += positive
		negatives += negative
	}
	return wins, negatives * above
}

// AUROC is [Ranking.AUROC] of cases that count alike.
func AUROC(scores []float64, positive []bool) float64 { return Rank(scores, positive).AUROC(nil) }

// StratifiedAUROC returns the AUROC over the pairs within a stratum only: what a
// score tells beyond what the strata tell. With strata of similar length it is
// the AUROC matched for length. It is NaN where no stratum holds both classes.
func StratifiedAUROC(scores []float64, positive []bool, strata []int) Statistic {
	sameLength("labels", len(scores), len(positive))
	sameLength("strata", len(scores), len(strata))
	members := map[int][]int{}
	for i, s := range strata {
		members[s] = append(members[s], i)
	}
	rankings := make([]*Ranking, 0, len(members))
	for _, s := range slices.Sorted(maps.Keys(members)) {
		rankings = append(rankings, rankOf(scores, positive, members[s]))
	}
	return func(weights []float64) float64 {
		var wins, pairs float64
		for _, r := range rankings {
			w, p := r.pairs(weights)
			wins += w
			pairs += p
		}
		return wins / pairs
	}
}

// QuantileStrata numbers cases from 0 by the quantile of a covariate that they
// fall into, k of them of about the same size. Equal values share a stratum, so
// there may be fewer.
func QuantileStrata(covariate []float64, k int) []int {
	order := ascending(covariate)
	strata := make([]int, len(covariate))
	for start := 0; start < len(order); {
		end := runEnd(covariate, order, start)
		stratum := (start + end) / 2 * k / len(order) // where the middle of the run stands
		for _, i := range order[start:end] {
			strata[i] = stratum
		}
		start = end
	}
	return strata
}

// ascending returns the indices of values in ascending order of the values.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order
}

// runEnd returns where the run of values equal to that at start ends.
func runEnd(values []float64, order []int, start int) int {
	end := start + 1
	for end < len(order) && cmp.Compare(values[order[start]], values[order[end]]) == 0 {
		end++
	}
	return end
}

// A Point is a point of a curve.
type Point struct{ X, Y float64 }

// ROC returns the receiver operating characteristic: the share of the negatives
// (X) and of the positives (Y) that score at or above a threshold, for every
// threshold from the highest down, between (0, 0) and (1, 1). Between two points
// the curve is a straight line. It is nil unless there are both classes.
func (r *Ranking) ROC() []Point {
	positives := float64(r.Positives())
	negatives := float64(r.Len()) - positives
	if positives == 0 || negatives == 0 {
		return nil
	}
	curve := []Point{{}}
	var x, y float64
	for negative, positive := range r.blocks(nil) {
		x += negative
		y += positive
		curve = append(curve, Point{x / negatives, y / positives})
	}
	return curve
}

// Capture is the share of the positives among the cases of the highest scores,
// as many as the budget, a share of all cases, allows. Cases that tie at the end
// of the budget share what is left of it, so that their order cannot matter. It
// is NaN without positives.
func (r *Ranking) Capture(budget float64, weights []float64) float64 {
	var total, positives float64
	for negative, positive := range r.blocks(weights) {
		total += negative + positive
		positives += positive
	}
	left := math.Max(0, math.Min(budget, 1)) * total
	var captured float64
	for negative, positive := range r.blocks(weights) {
		size := negative + positive
		if size > left {
			captured += float64(positive / size * left)
			break
		}
		captured += positive
		left -= size
	}
	return captured / positives
}

// CaptureAt returns [Ranking.Capture] at a budget as a statistic.
func (r *Ranking) CaptureAt(budget float64) Statistic {
	return func(weights []float64) float64 { return r.Capture(budget, weights) }
}

// CaptureCurve returns the share of the positives (Y) that every budget (X)
// captures, between (0, 0) and (1, 1). Between two points the curve is a straight
// line. It is nil without positives.
func (r *Ranking) CaptureCurve() []Point {
	positives := float64(r.Positives())
	if positives == 0 {
		return nil
	}
	curve := []Point{{}}
	var x, y float64
	for negative, positive := range r.blocks(nil) {
		x += negative + positive
		y += positive
		curve = append(curve, Point{x / float64(r.Len()), y / positives})
	}
	return curve
}
