package stats

import (
	"math"
	"slices"
)

// Reliability compares predicted probabilities with what was observed.
type Reliability struct {
	_ struct{}

	// Bins hold the cases from the lowest probability to the highest.
	Bins []ReliabilityBin
	// ECE is the expected calibration error: the mean over the cases of the
	// difference between the predicted and the observed share of their bin
	// (Naeini, Cooper and Hauskrecht, AAAI 2015), in bins of equal size. It is
	// above 0 by chance alone, the more so the fewer cases a bin has.
	ECE float64
}

// A ReliabilityBin is a range of predicted probabilities.
type ReliabilityBin struct {
	_ struct{}

	Cases, Positives int
	// Predicted is the mean probability, Observed the share of positives.
	Predicted, Observed float64
	// Interval is the [Wilson] interval of Observed.
	Interval Interval
}

// Calibration sorts cases into bins of about the same number of cases. Equal
// probabilities share a bin, so there may be fewer bins. Without cases there are
// none and the error is NaN.
func Calibration(probabilities []float64, positive []bool, bins int) Reliability {
	sameLength("labels", len(probabilities), len(positive))
	strata := QuantileStrata(probabilities, bins)
	table := make([]ReliabilityBin, bins)
	// In ascending order, so that the sums do not depend on the order of the input.
	for _, i := range ascending(probabilities) {
		b := &table[strata[i]]
		b.Cases++
		b.Positives += int(indicator(positive[i]))
		b.Predicted += probabilities[i]
	}
	table = slices.DeleteFunc(table, func(b ReliabilityBin) bool { return b.Cases == 0 })
	var off float64
	for i := range table {
		b := &table[i]
		n := float64(b.Cases)
		b.Predicted /= n
		b.Observed = float64(b.Positives) / n
		b.Interval = Wilson(float64(b.Positives), n)
		off += float64(n * math.Abs(b.Predicted-b.Observed))
	}
	return Reliability{Bins: table, ECE: off / float64(len(probabilities))}
}

// Brier is the mean squared difference between probability and outcome (Brier,
// Monthly Weather Review 78, 1950): 0 is perfect, always saying the prevalence p
// gives p·(1−p). It is NaN without cases.
func Brier(probabilities []float64, positive []bool) float64 {
	sameLength("labels", len(probabilities), len(positive))
	var sum float64
	for _, i := range ascending(probabilities) {
		d := probabilities[i] - indicator(positive[i])
		sum += float64(d * d)
	}
	return sum / float64(len(probabilities))
}
