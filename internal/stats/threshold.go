package stats

import "math"

// BalancedAccuracy is the mean of the share of positives that score at or above
// the threshold and the share of negatives that score below it. It is NaN unless
// there are both classes. A NaN score is below every threshold.
func BalancedAccuracy(scores []float64, positive []bool, threshold float64) float64 {
	sameLength("labels", len(scores), len(positive))
	var right, all [2]float64
	for i, s := range scores {
		class := int(indicator(positive[i]))
		all[class]++
		right[class] += indicator((s >= threshold) == positive[i])
	}
	return (right[0]/all[0] + right[1]/all[1]) / 2
}

// BestThreshold returns the threshold of the highest balanced accuracy, which it
// returns too; of several the highest. A threshold lies halfway between two
// neighbouring scores. It is optimistic about the cases that it was chosen on:
// choose on training folds, measure on the other. Both are NaN unless there are
// both classes.
func (r *Ranking) BestThreshold() (threshold, accuracy float64) {
	positives := float64(r.Positives())
	negatives := float64(r.Len()) - positives
	if positives == 0 || negatives == 0 {
		return math.NaN(), math.NaN()
	}
	var x, y float64
	best, accuracy := -1, math.Inf(-1)
	block := 0
	for negative, positive := range r.blocks(nil) {
		x += negative
		y += positive
		if a := (y/positives + 1 - x/negatives) / 2; a > accuracy {
			best, accuracy = block, a
		}
		block++
	}
	return r.between(best), accuracy
}

// ThresholdAt returns the score at or above which about the given share of the
// cases lies: the most cases that do not exceed it, but at least those of the
// highest score. It is NaN without cases.
func (r *Ranking) ThresholdAt(share float64) float64 {
	if r.Len() == 0 {
		return math.NaN()
	}
	budget := share * float64(r.Len())
	last := 0
	for block, end := range r.ties {
		if float64(end) <= budget {
			last = block
		}
	}
	return r.between(last)
}

// between returns the middle between a run of equal scores and the next.
func (r *Ranking) between(block int) float64 {
	here := r.scores[r.order[r.ties[block]-1]]
	if block+1 == len(r.ties) {
		return here
	}
	middle := here - float64((here-r.scores[r.order[r.ties[block]]])/2)
	if math.IsNaN(middle) || middle <= r.scores[r.order[r.ties[block]]] {
		return here // the next is a NaN, or the two are neighbours
	}
	return middle
}
