package main

import (
	"math"
	"math/rand/v2"

	"github.com/touchstone-rag/touchstone/internal/calibrate"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// labelCounts are the numbers of labels whose worth is simulated.
var labelCounts = [...]int{25, 50, 100}

// labelDraws is how often each number of labels is drawn.
const labelDraws = 200

// fewLabels is what a calibration on few labels gives, on the answers that were
// not labelled.
type fewLabels struct {
	_ struct{}

	labels   int     // 0 means the weights as they are
	declined float64 // share of the draws that had too few of a class
	balanced float64 // mean balanced accuracy of the others
	ece      float64 // and their mean expected calibration error
}

// simulateFewLabels draws answers to label, fits the two numbers of Platt scaling
// to their zero-shot scores, and measures the probabilities of the answers left.
func (s *setSurvey) simulateFewLabels() []fewLabels {
	if s.zeroShot == nil {
		return nil
	}
	var scores []float64
	var positive []bool
	for i, score := range s.zeroShot.scores {
		if s.states[i] {
			scores, positive = append(scores, score), append(positive, s.positive[i])
		}
	}
	uncalibrated := make([]float64, len(scores))
	for i, score := range scores {
		uncalibrated[i] = stats.Sigmoid(score)
	}
	lines := []fewLabels{{balanced: s.zeroShot.balanced.value, ece: stats.Calibration(uncalibrated, positive, reliabilityBins).ECE}}
	for _, n := range labelCounts {
		line := fewLabels{labels: n, balanced: math.NaN(), ece: math.NaN()}
		draw := rand.New(rand.NewPCG(uint64(n), 0x6c6162656c)) //nolint:gosec // repeatable, not secret
		var fitted, balanced, ece float64
		for range labelDraws {
			b, e, ok := calibrated(scores, positive, draw.Perm(len(scores)), n)
			if !ok {
				continue
			}
			fitted++
			balanced += b
			ece += e
		}
		line.declined = 1 - fitted/labelDraws
		if fitted > 0 {
			line.balanced, line.ece = balanced/fitted, ece/fitted
		}
		lines = append(lines, line)
	}
	return lines
}

const reliabilityBins = 10

// calibrated labels the first n answers of order and measures the rest.
func calibrated(scores []float64, positive []bool, order []int, n int) (balanced, ece float64, ok bool) {
	pick := func(from []int) (s []float64, labels []bool) {
		for _, i := range from {
			s, labels = append(s, scores[i]), append(labels, positive[i])
		}
		return s, labels
	}
	if n >= len(order) {
		return 0, 0, false
	}
	s, labels := pick(order[:n])
	unsupported := count(labels)
	if min(unsupported, n-unsupported) < calibrate.MinClass {
		return 0, 0, false
	}
	platt, err := stats.FitPlatt(s, labels)
	if err != nil || platt.A <= 0 {
		return 0, 0, false
	}
	rest, truth := pick(order[n:])
	for i := range rest {
		rest[i] = platt.Probability(rest[i])
	}
	// Of a probability, the share of positives is the threshold of the best balanced accuracy.
	balanced = stats.BalancedAccuracy(rest, truth, float64(unsupported)/float64(n))
	return balanced, stats.Calibration(rest, truth, reliabilityBins).ECE, !math.IsNaN(balanced)
}
