package stats

import (
	"errors"
	"fmt"
	"math"
)

// Logistic is a logistic regression of standardised features:
// the log-odds of a case are Bias + Σ Weights[j]·(x[j]−Mean[j])/Scale[j].
type Logistic struct {
	_ struct{}

	Bias float64
	// Weights, Mean and Scale hold one number per feature. Scale is positive; a
	// feature that was constant has weight 0 and scale 1.
	Weights, Mean, Scale []float64
}

// LogisticOptions are what a fit may vary. The zero value is a fit without
// penalty in which every case counts 1.
type LogisticOptions struct {
	_ struct{}

	// L2 is the ridge penalty λ: the fit minimises the summed log-loss plus
	// λ/2·Σ w². It does not touch the bias. At 0 a fit of separable classes
	// does not converge.
	L2 float64
	// Balanced lets both classes count alike, whatever their numbers.
	Balanced bool
	// Weights weigh the cases; nil weighs each 1.
	Weights []float64
}

// ErrNotConverged says that a fit found no optimum: the classes are separable
// and no penalty holds the weights, or the features depend on each other.
var ErrNotConverged = errors.New("the logistic regression did not converge: expected an optimum within 100 steps; raise the L2 penalty")

// FitLogistic fits a logistic regression by Newton's method with halved steps
// (iteratively reweighted least squares; Hastie, Tibshirani and Friedman, The
// Elements of Statistical Learning, 2009, section 4.4.1; ridge: le Cessie and
// van Houwelingen, Applied Statistics 41, 1992) on features standardised to mean
// 0 and deviation 1. Every row holds the features of a case.
//
// It returns an error for features that are not finite, for a single class, and
// [ErrNotConverged].
func FitLogistic(rows [][]float64, positive []bool, opts LogisticOptions) (*Logistic, error) {
	weights, err := caseWeights(rows, positive, opts)
	if err != nil {
		return nil, err
	}
	m := standardise(rows, weights)
	x := make([][]float64, len(rows))
	y := make([]float64, len(rows))
	for i, row := range rows {
		x[i] = make([]float64, len(row)+1)
		x[i][0] = 1
		for j := range row {
			x[i][j+1] = (row[j] - m.Mean[j]) / m.Scale[j]
		}
		y[i] = indicator(positive[i])
	}
	beta, err := newton(x, y, weights, opts.L2)
	if err != nil {
		return nil, err
	}
	m.Bias, m.Weights = beta[0], beta[1:]
	return m, nil
}

// Score returns the log-odds of a case. A feature that is not finite counts as
// its mean. It panics unless there are as many features as weights.
func (m *Logistic) Score(features []float64) float64 {
	sameLength("features", len(m.Weights), len(features))
	sum := m.Bias
	for j, x := range features {
		if d := (x - m.Mean[j]) / m.Scale[j]; !math.IsNaN(d) && !math.IsInf(d, 0) {
			sum += float64(m.Weights[j] * d) // rounded here, so that no platform fuses the two
		}
	}
	return sum
}

// caseWeights checks the cases and returns what each counts.
func caseWeights(rows [][]float64, positive []bool, opts LogisticOptions) ([]float64, error) {
	sameLength("labels", len(rows), len(positive))
	if opts.Weights != nil {
		sameLength("weights", len(rows), len(opts.Weights))
	}
	weights := make([]float64, len(rows))
	var class [2]float64
	for i, row := range rows {
		sameLength("features", len(rows[0]), len(row))
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("case %d: feature %d: expected a finite number, found %v", i, j, v)
			}
		}
		weights[i] = 1
		if opts.Weights != nil {
			weights[i] = opts.Weights[i]
		}
		class[int(indicator(positive[i]))] += weights[i]
	}
	if class[0] <= 0 || class[1] <= 0 {
		return nil, fmt.Errorf("expected cases of both classes, found a weight of %v negative and %v positive", class[0], class[1])
	}
	if opts.Balanced {
		for i := range weights {
			weights[i] *= (class[0] + class[1]) / (2 * class[int(indicator(positive[i]))])
		}
	}
	return weights, nil
}

// standardise returns the mean and the deviation of each feature.
func standardise(rows [][]float64, weights []float64) *Logistic {
	n := len(rows[0])
	m := &Logistic{Mean: make([]float64, n), Scale: make([]float64, n)}
	var total float64
	for _, w := range weights {
		total += w
	}
	for j := range n {
		var sum, squares, largest float64
		for i, row := range rows {
			sum += float64(weights[i] * row[j])
			largest = max(largest, math.Abs(row[j]))
		}
		m.Mean[j] = sum / total
		for i, row := range rows {
			d := row[j] - m.Mean[j]
			squares += float64(weights[i] * float64(d*d))
		}
		m.Scale[j] = math.Sqrt(squares / total)
		if m.Scale[j] <= 1e-12*largest || m.Scale[j] == 0 { // constant but for rounding
			m.Scale[j] = 1
		}
	}
	return m
}

// newton minimises the weighted log-loss of x·β against targets y in 0..1, plus
// λ/2·Σ β² over all but the first coefficient, which is the bias.
func newton(x [][]float64, y, weights []float64, lambda float64) ([]float64, error) {
	k := len(x[0])
	beta, next := make([]float64, k), make([]float64, k)
	loss := penalisedLoss(x, y, weights, beta, lambda)
	for range 100 {
		gradient, hessian := derivatives(x, y, weights, beta, lambda)
		step, ok := solve(hessian, gradient)
		if !ok {
			return nil, ErrNotConverged
		}
		var decrement float64 // twice what the loss can still fall, to second order
		for j := range step {
			decrement += float64(gradient[j] * step[j])
		}
		// Relative to the loss: that of separable classes falls to 0, and never this slowly.
		converged := decrement <= 1e-12*loss
		for size := 1.0; ; size /= 2 {
			if size < 1e-10 {
				return nil, ErrNotConverged
			}
			for j := range beta {
				next[j] = beta[j] - float64(size*step[j])
			}
			if l := penalisedLoss(x, y, weights, next, lambda); l <= loss*(1+1e-12) { // but for rounding
				loss = l
				break
			}
		}
		beta, next = next, beta
		if converged {
			return beta, nil
		}
	}
	return nil, ErrNotConverged
}

func penalisedLoss(x [][]float64, y, weights, beta []float64, lambda float64) float64 {
	var loss float64
	for i := range x {
		z := dot(x[i], beta)
		// −log p(y) = log(1+eᶻ) − y·z, written so that no e to a large number occurs.
		loss += float64(weights[i] * (math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(y[i]*z)))
	}
	for _, b := range beta[1:] {
		loss += float64(lambda / 2 * float64(b*b))
	}
	return loss
}

func derivatives(x [][]float64, y, weights, beta []float64, lambda float64) (gradient []float64, hessian [][]float64) {
	k := len(beta)
	gradient, hessian = make([]float64, k), make([][]float64, k)
	for j := range hessian {
		hessian[j] = make([]float64, k)
		if j > 0 { // the bias is free
			gradient[j] = lambda * beta[j]
			hessian[j][j] = lambda
		}
	}
	for i := range x {
		p := Sigmoid(dot(x[i], beta))
		residual := weights[i] * (p - y[i])
		curvature := weights[i] * p * (1 - p)
		for j, xj := range x[i] {
			gradient[j] += float64(residual * xj)
			for l := range j + 1 {
				hessian[j][l] += float64(curvature * xj * x[i][l])
			}
		}
	}
	return gradient, hessian
}

// solve returns the x of a·x = b by the factorisation of Cholesky. It reads the
// lower triangle of a, overwrites it, and reports false unless a is positive
// definite. A constant feature without a penalty leaves a row of zeros; its x is 0.
func solve(a [][]float64, b []float64) ([]float64, bool) {
	k := len(b)
	for j := range k {
		if j > 0 && a[j][j] == 0 {
			a[j][j] = 1
		}
		pivot := a[j][j]
		for l := range j {
			a[j][j] -= float64(a[j][l] * a[j][l])
		}
		if !(a[j][j] > 1e-13*pivot) {
			return nil, false
		}
		a[j][j] = math.Sqrt(a[j][j])
		for i := j + 1; i < k; i++ {
			for l := range j {
				a[i][j] -= float64(a[i][l] * a[j][l])
			}
			a[i][j] /= a[j][j]
		}
	}
	x := make([]float64, k)
	for i := range k {
		x[i] = b[i]
		for l := range i {
			x[i] -= float64(a[i][l] * x[l])
		}
		x[i] /= a[i][i]
	}
	for i := k - 1; i >= 0; i-- {
		for l := i + 1; l < k; l++ {
			x[i] -= float64(a[l][i] * x[l])
		}
		x[i] /= a[i][i]
	}
	return x, true
}

func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
