package main

import (
	"math"
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// penalty is the ridge penalty of all fits.
const penalty = 10

// A labelledSet is a data set with the features of its answers.
type labelledSet struct {
	_ struct{}

	name      string
	licence   string
	shippable bool
	cases     []Case
	features  [][]float64
	positive  []bool
	groups    []string
}

// featurise computes what the fits and the measurements need of the cases.
func featurise(d dataset, cases []Case) (labelledSet, error) {
	set := labelledSet{name: d.name, licence: d.licence, shippable: d.shippable, cases: cases}
	var features []float64
	e, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{Name: "features", Score: func(v *rag.View) rag.Result {
		features = metric.AppendRiskFeatures(nil, v)
		return rag.Result{}
	}}}})
	if err != nil {
		return set, err
	}
	ev := new(rag.Evaluation)
	for i := range cases {
		ev.Reset()
		e.Score(&cases[i].Sample, rag.PhaseAnswer, ev)
		if len(ev.Errs) > 0 {
			return set, ev.Errs[0]
		}
		set.features = append(set.features, features)
		set.positive = append(set.positive, cases[i].Unsupported)
		set.groups = append(set.groups, cases[i].Group)
	}
	return set, nil
}

// only returns the cases of a set for which keep holds.
func (s *labelledSet) only(keep func(i int) bool) labelledSet {
	part := labelledSet{name: s.name}
	for i := range s.cases {
		if keep(i) {
			part.features = append(part.features, s.features[i])
			part.positive = append(part.positive, s.positive[i])
		}
	}
	return part
}

// fit fits the features of use (indexes of metric.RiskFeatureNames) to the sets
// and returns a model of all features, in which the others have weight 0.
//
// Each set has a level of its own, so that what tells the sets apart, such as how
// often their answers are unsupported, does not pass for a feature's effect; the
// bias is the mean level. A set counts as the root of its size. No feature may
// lower the risk: where the optimum has a negative weight, the feature measures
// something else on these data and is left out.
func fit(sets []labelledSet, use []int) (*stats.Logistic, error) {
	for {
		m, err := fitOnce(sets, use)
		if err != nil {
			return nil, err
		}
		kept := slices.DeleteFunc(slices.Clone(use), func(j int) bool { return m.Weights[j] <= 0 })
		if len(kept) == len(use) {
			return m, nil
		}
		use = kept
	}
}

func fitOnce(sets []labelledSet, use []int) (*stats.Logistic, error) {
	var rows [][]float64
	var positive []bool
	var weights []float64
	for s := range sets {
		weight := 1 / math.Sqrt(float64(len(sets[s].features)))
		for i, features := range sets[s].features {
			row := make([]float64, len(use)+len(sets)-1)
			for k, j := range use {
				row[k] = features[j]
			}
			if s > 0 {
				row[len(use)+s-1] = 1
			}
			rows = append(rows, row)
			positive = append(positive, sets[s].positive[i])
			weights = append(weights, weight)
		}
	}
	normalise(weights)
	fitted, err := stats.FitLogistic(rows, positive, stats.LogisticOptions{L2: penalty, Weights: weights})
	if err != nil {
		return nil, err
	}
	n := len(metric.RiskFeatureNames())
	m := &stats.Logistic{Bias: fitted.Bias, Weights: make([]float64, n), Mean: make([]float64, n), Scale: make([]float64, n)}
	for j := range m.Scale {
		m.Scale[j] = 1
	}
	for k, j := range use {
		m.Weights[j], m.Mean[j], m.Scale[j] = fitted.Weights[k], fitted.Mean[k], fitted.Scale[k]
	}
	for s := range len(sets) - 1 {
		k := len(use) + s
		level := 1 / float64(len(sets)) // each set's share in the mean
		m.Bias += float64(fitted.Weights[k] * (level - fitted.Mean[k]) / fitted.Scale[k])
	}
	return m, nil
}

// normalise scales weights to a mean of 1, which the penalty is measured against.
func normalise(weights []float64) {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	for i := range weights {
		weights[i] *= float64(len(weights)) / sum
	}
}

// featuresWithout returns the indexes of the features but for the named ones.
func featuresWithout(names ...string) []int {
	var use []int
	for j, name := range metric.RiskFeatureNames() {
		if !slices.Contains(names, name) {
			use = append(use, j)
		}
	}
	return use
}
