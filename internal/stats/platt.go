package stats

import "errors"

// Platt turns a score into a probability: Sigmoid(A·score + B).
type Platt struct{ A, B float64 }

// Probability returns the probability of a score.
func (p Platt) Probability(score float64) float64 {
	return Sigmoid(float64(p.A*score) + p.B)
}

// FitPlatt fits the two numbers to labelled scores (Platt, Probabilistic Outputs
// for Support Vector Machines, 1999). Labels are smoothed as Platt does: the
// target is (N₊+1)/(N₊+2) for a positive and 1/(N₋+2) for a negative, so that few
// labels, or separable ones, give no certainty. A is positive where a higher
// score means a more likely positive.
//
// It returns an error for scores that are not finite, a single class, scores
// that are all the same, and [ErrNotConverged].
func FitPlatt(scores []float64, positive []bool) (Platt, error) {
	rows := make([][]float64, len(scores))
	for i, s := range scores {
		rows[i] = []float64{s}
	}
	weights, err := caseWeights(rows, positive, LogisticOptions{})
	if err != nil {
		return Platt{}, err
	}
	var class [2]float64
	for _, p := range positive {
		class[int(indicator(p))]++
	}
	m := standardise(rows, weights)
	x, y := make([][]float64, len(rows)), make([]float64, len(rows))
	varies := false
	for i, s := range scores {
		varies = varies || s != scores[0]
		x[i] = []float64{1, (s - m.Mean[0]) / m.Scale[0]}
		y[i] = 1 / (class[0] + 2)
		if positive[i] {
			y[i] = (class[1] + 1) / (class[1] + 2)
		}
	}
	if !varies {
		return Platt{}, errors.New("expected scores that differ, found the same score for every case")
	}
	beta, err := newton(x, y, weights, 0)
	if err != nil {
		return Platt{}, err
	}
	a := beta[1] / m.Scale[0]
	return Platt{A: a, B: beta[0] - float64(a*m.Mean[0])}, nil
}
