package main

import (
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A single is a metric or feature as a score of its own.
type single struct {
	_ struct{}

	name     string
	coverage float64  // the share of the answers for which it has a value
	auroc    estimate // among those
	capture  float64  // at 20%, among those
}

// more and less tell which end of a metric means risk.
const (
	more = 1.0
	less = -1.0
)

// A direction is a metric and the end of it that means risk.
type direction struct {
	rag.Metric
	risk float64
}

func singleMetrics() []direction {
	return []direction{
		{metric.ClaimSupportRate(), less},
		{metric.UnsupportedClaimCount(), more},
		{metric.NumericFabricationCount(), more},
		{metric.CitationValidityForm(), less},
		{metric.CitationValidityContent(), less},
		{metric.CitationCoverage(), less},
		{metric.ContextRecallHeuristic(), less},
		{metric.ContextPrecision(), less},
		{metric.RedundancyNgram(), more},
		{metric.RedundancyTFIDF(), more},
		{metric.UniqueTokenRatio(), less},
	}
}

// singleMetrics measures each metric and feature by itself, and the rule that
// stands on one.
func (s *setSurvey) singleMetrics() ([]single, rule, error) {
	values, err := metricValues(s.cases, singleMetrics())
	if err != nil {
		return nil, rule{}, err
	}
	var singles []single
	var recall []float64
	for k, m := range singleMetrics() {
		if m.Name == "context_recall_heuristic" {
			recall = values[k]
		}
		scores := make([]float64, len(values[k]))
		for i, v := range values[k] {
			scores[i] = m.risk * v
		}
		singles = append(singles, s.single(m.Name, scores))
	}
	for j, name := range metric.RiskFeatureNames() {
		scores := make([]float64, len(s.features))
		for i := range s.features {
			scores[i] = s.features[i][j]
		}
		singles = append(singles, s.single(name, scores))
	}
	return singles, s.literalRule(recall), nil
}

// metricValues returns the value of each metric for each case, NaN where it has none.
func metricValues(cases []Case, metrics []direction) ([][]float64, error) {
	config := rag.Config{}
	values := make([][]float64, len(metrics))
	for k := range metrics {
		config.Metrics = append(config.Metrics, metrics[k].Metric)
		values[k] = make([]float64, len(cases))
	}
	e, err := rag.NewEvaluator(config)
	if err != nil {
		return nil, err
	}
	ev := new(rag.Evaluation)
	for i := range cases {
		ev.Reset()
		e.Score(&cases[i].Sample, rag.PhaseAnswer, ev)
		if len(ev.Errs) > 0 {
			return nil, ev.Errs[0]
		}
		for k := range metrics {
			values[k][i] = math.NaN()
			if r, ok := ev.Find(metrics[k].Name); ok && r.Measured() {
				values[k][i] = r.Value
			}
		}
	}
	return values, nil
}

// single measures scores among the cases that have one.
func (s *setSurvey) single(name string, scores []float64) single {
	part := setSurvey{labelledSet: new(labelledSet), bootstrap: s.bootstrap}
	var kept []float64
	for i, score := range scores {
		if !math.IsNaN(score) {
			kept = append(kept, score)
			part.positive = append(part.positive, s.positive[i])
			part.groups = append(part.groups, s.groups[i])
		}
	}
	line := single{name: name, coverage: float64(len(kept)) / float64(len(scores)), auroc: noEstimate(), capture: math.NaN()}
	if positives := count(part.positive); positives < minClass || len(kept)-positives < minClass {
		return line
	}
	ranked := stats.Rank(kept, part.positive)
	line.auroc, line.capture = part.estimate(ranked.AUROC), part.captureAt(ranked, fifth)(nil)
	return line
}

// minClass is the number of answers of a class below which nothing is told.
const minClass = 10

// ruleThreshold is where the literal rule escalates: context_recall_heuristic below it.
const ruleThreshold = 0.7

// A rule is what "context_recall_heuristic < 0.7" does.
type rule struct {
	_ struct{}

	escalated float64 // share of the answers, at the prevalence of the page
	caught    float64 // share of the unsupported answers
	// What the others catch when they escalate as many.
	own, zeroShot, length float64
}

func (s *setSurvey) literalRule(recall []float64) rule {
	var escalated, all [2]float64
	for i, v := range recall {
		class := index(s.positive[i])
		all[class]++
		if v < ruleThreshold { // a NaN is not
			escalated[class]++
		}
	}
	r := rule{caught: escalated[1] / all[1], zeroShot: math.NaN()}
	r.escalated = prevalence*r.caught + (1-prevalence)*escalated[0]/all[0]
	caughtBy := func(w *way) float64 {
		return s.captureAt(stats.Rank(w.scores, s.positive), r.escalated)(nil)
	}
	r.own, r.length = caughtBy(s.own), caughtBy(s.length)
	if s.zeroShot != nil {
		r.zeroShot = caughtBy(s.zeroShot)
	}
	return r
}
