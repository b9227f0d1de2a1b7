package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// What it takes to fit, and to fit the weights too. A class with fewer labels
// than MinClass has no AUROC worth an interval, and fewer sources make no folds.
// From RefitLabels on, new weights did no harm on any public set, since they are
// taken only where they rank better, and much good on some (simulation_test.go).
const (
	MinClass    = 5
	MinGroups   = 5
	RefitLabels = 100
	RefitClass  = 20
)

// folds is the number of parts in cross-validation; ridge the penalty of a refit.
const (
	folds = 5
	ridge = 30
)

// Options are what a fit needs to know.
type Options struct {
	_ struct{}

	Base *metric.RiskModel // the model to start from
	// Budget is the share of the traffic that may be escalated, 0..1.
	Budget float64
	// Name, Command and Date go into the model's version and provenance. Without
	// a name it is derived from the base model's.
	Name, Command, Date string

	resamples int // of the intervals; 0 means as many as tell them
}

// Fit calibrates the base model on the cases. The report says what was measured;
// its Model is nil where nothing could be decided, and its Reason says why.
func Fit(cases []Case, o Options) *Report {
	f := &fitter{cases: cases, options: o}
	f.base = f.scores(o.Base)
	for i := range cases {
		f.unsupported = append(f.unsupported, cases[i].Unsupported)
		f.groups = append(f.groups, cases[i].Group)
		f.lengths = append(f.lengths, cases[i].Length)
	}
	f.fold = stats.Folds(f.groups, folds)
	// Of many labels the interval is narrow, and fewer resamples tell it.
	f.bootstrap.Resamples = min(2000, max(200, 20_000_000/max(1, len(cases))))
	if o.resamples > 0 {
		f.bootstrap.Resamples = o.resamples
	}
	r := &Report{SchemaVersion: SchemaVersion, Budget: o.Budget, Labels: f.labels()}
	r.Reason = f.fit(r)
	r.Decided = r.Reason == ""
	return r
}

// fitter holds the cases in columns.
type fitter struct {
	cases       []Case
	options     Options
	base        []float64 // the base model's log-odds
	unsupported []bool
	groups      []string
	lengths     []float64
	fold        []int

	bootstrap stats.Bootstrap
}

func (f *fitter) scores(m *metric.RiskModel) []float64 {
	scores := make([]float64, len(f.cases))
	for i := range f.cases {
		scores[i] = m.LogOdds(f.cases[i].Features)
	}
	return scores
}

func (f *fitter) labels() Labels {
	l := Labels{Total: len(f.cases), Source: "people"}
	groups := map[string]bool{}
	for i := range f.cases {
		if f.cases[i].Unsupported {
			l.Unsupported++
		}
		if f.cases[i].Judged {
			l.Judged++
		}
		groups[f.cases[i].Group] = true
	}
	l.Groups = len(groups)
	if l.Judged > 0 {
		l.Source = "judge" // a judge's bias is in the result
	}
	return l
}

// tooFew says which labels are missing, or nothing.
func (l *Labels) tooFew() string {
	supported := l.Total - l.Unsupported
	switch {
	case l.Total < metric.RiskLabelsNeeded:
		return fmt.Sprintf("too few labels: expected at least %d, found %d", metric.RiskLabelsNeeded, l.Total)
	case l.Unsupported == 0:
		return fmt.Sprintf("one class only: expected supported and unsupported answers, found %d supported", supported)
	case supported == 0:
		return fmt.Sprintf("one class only: expected supported and unsupported answers, found %d unsupported", l.Unsupported)
	case min(l.Unsupported, supported) < MinClass:
		return fmt.Sprintf("too few labels of one class: expected at least %d of each, found %d unsupported and %d supported", MinClass, l.Unsupported, supported)
	case l.Groups < MinGroups:
		return fmt.Sprintf("too few sources: expected answers to at least %d, found %d; the key %q names a sample's source", MinGroups, l.Groups, keyGroup)
	}
	return ""
}

// fit fills the report and sets its model, or returns why not.
func (f *fitter) fit(r *Report) string {
	if l := &r.Labels; l.Unsupported > 0 && l.Unsupported < l.Total {
		r.Before = f.quality(f.base, f.risks(f.options.Base), nil)
	}
	if reason := r.Labels.tooFew(); reason != "" {
		return reason
	}
	if r.Before.AUROC.High < 0.5 { // new weights would only learn to turn the verdicts round
		return wrongWay(r.Before.AUROC)
	}
	scores, refitted := f.base, false
	if r.Labels.Total >= RefitLabels && min(r.Labels.Unsupported, r.Labels.Total-r.Labels.Unsupported) >= RefitClass {
		scores, refitted = f.refit(r)
	}
	auroc := f.measure(stats.Rank(scores, f.unsupported).AUROC)
	if auroc.Interval().Contains(0.5) {
		return atChance(auroc)
	}
	held, decided, ok := f.heldOut(scores)
	all, err := stats.FitPlatt(scores, f.unsupported)
	if err == nil && ok && all.A <= 0 {
		return "a few extreme scores say the opposite of all others: no probability can be made of the score; look at the answers of the highest risk"
	}
	if err != nil || !ok {
		return "nearly all labels of one class come from few sources: no fold can be left out; label answers to other sources"
	}
	r.After = f.quality(scores, held, decided)
	r.Reliability = reliability(held, f.unsupported)
	risks := make([]float64, len(scores))
	for i, s := range scores {
		risks[i] = all.Probability(s)
	}
	f.capture(r, scores)
	f.thresholds(r, risks)
	r.Model, err = f.model(r, all, refitted)
	if err != nil {
		return err.Error()
	}
	r.Version = r.Model.Version
	r.curves = f.drawn(scores)
	return ""
}

func wrongWay(auroc Measure) string {
	return fmt.Sprintf("the score points the wrong way: AUROC %s, and %s. Check that true means supported by the chunks, and not the reverse",
		two(auroc.Value), bracket("its 95% interval is", auroc))
}

func atChance(auroc Measure) string {
	return fmt.Sprintf("the score says nothing about these labels: AUROC %s, and %s; chance is 0.50. Check that the labels mean support by the chunks, or label more",
		two(auroc.Value), bracket("its 95% interval is", auroc))
}

// refit returns the cross-validated log-odds of newly fitted weights where they
// rank better than the base model, or else the base model's.
func (f *fitter) refit(r *Report) (scores []float64, taken bool) {
	r.Refit.Tried = true
	scores = make([]float64, len(f.cases))
	for k := range folds {
		m, err := f.weights(func(i int) bool { return f.fold[i] != k })
		if err != nil {
			r.Refit.Failure = err.Error()
			return f.base, false
		}
		for i := range f.cases {
			if f.fold[i] == k {
				scores[i] = m.Score(f.cases[i].Features)
			}
		}
	}
	after, before := stats.Rank(scores, f.unsupported), stats.Rank(f.base, f.unsupported)
	gain, interval := f.bootstrap.Difference(f.groups, after.AUROC, before.AUROC)
	measured := measureOf(gain, interval)
	r.Refit.Gain = &measured
	// Nine resamples in ten must agree that it is better.
	_, narrow := stats.Bootstrap{Level: 0.8, Resamples: f.bootstrap.Resamples}.Difference(f.groups, after.AUROC, before.AUROC)
	if r.Refit.Taken = narrow.Known() && narrow.Low > 0; r.Refit.Taken {
		return scores, true
	}
	return f.base, false
}

// weights fits the weights of all features to the cases that are wanted.
func (f *fitter) weights(want func(int) bool) (*stats.Logistic, error) {
	var rows [][]float64
	var labels []bool
	for i := range f.cases {
		if want(i) {
			rows, labels = append(rows, f.cases[i].Features), append(labels, f.cases[i].Unsupported)
		}
	}
	return stats.FitLogistic(rows, labels, stats.LogisticOptions{L2: ridge})
}

// heldOut returns for each case the probability that a calibration on the other
// folds gives it, and whether that is above the share of unsupported answers in
// them: of a calibrated probability that is the threshold of the best balanced
// accuracy, and for few labels it is steadier than the best threshold found.
//
// The scores of a refit come from weights that have not seen their own fold but
// have seen others, so the calibration left out has seen a fold through the
// weights of its neighbours; two numbers cannot make much of that.
func (f *fitter) heldOut(scores []float64) (p []float64, above []bool, ok bool) {
	p, above = make([]float64, len(scores)), make([]bool, len(scores))
	for k := range folds {
		var s []float64
		var labels []bool
		for i := range scores {
			if f.fold[i] != k {
				s, labels = append(s, scores[i]), append(labels, f.unsupported[i])
			}
		}
		platt, err := stats.FitPlatt(s, labels)
		if err != nil {
			return nil, nil, false
		}
		threshold := share(labels)
		for i := range scores {
			if f.fold[i] == k {
				p[i] = platt.Probability(scores[i])
				above[i] = p[i] >= threshold
			}
		}
	}
	return p, above, true
}

func share(labels []bool) float64 {
	n := 0
	for _, l := range labels {
		if l {
			n++
		}
	}
	return float64(n) / float64(len(labels))
}

func (f *fitter) risks(m *metric.RiskModel) []float64 {
	risks := make([]float64, len(f.cases))
	for i := range f.cases {
		risks[i] = m.Risk(f.cases[i].Features)
	}
	return risks
}

// model makes the model file.
func (f *fitter) model(r *Report, platt stats.Platt, refitted bool) (*metric.RiskModel, error) {
	m := *f.options.Base
	how := "+calibrated"
	data := metric.RiskData{
		Name: "local labels", Cases: r.Labels.Total, Positives: r.Labels.Unsupported, Groups: r.Labels.Groups,
	}
	if refitted {
		how = "+refitted"
		if err := f.replaceWeights(&m); err != nil {
			return nil, err
		}
		m.Provenance = metric.RiskProvenance{Data: []metric.RiskData{data}, Command: f.options.Command, Date: f.options.Date}
		m.Accuracy = nil
	}
	m.Version = f.options.Name
	if m.Version == "" {
		m.Version = strings.TrimSuffix(strings.TrimSuffix(f.options.Base.Version, "+calibrated"), "+refitted") + how
	}
	m.Calibration = metric.RiskCalibration{
		Method: metric.CalibrationPlatt, A: short(platt.A), B: short(platt.B),
		Labels: r.Labels.Total, Positives: r.Labels.Unsupported, LabelSource: r.Labels.Source, Date: f.options.Date, ECE: short(r.After.ECE.float()),
	}
	m.Accuracy = append(slices.Clone(m.Accuracy), metric.RiskAccuracy{
		Data: data.Name, How: "cross-validated by source", Cases: data.Cases, Positives: data.Positives,
		AUROC: short(r.After.AUROC.Value.float()), AUROCLow: short(r.After.AUROC.Low.float()), AUROCHigh: short(r.After.AUROC.High.float()),
		BalancedAccuracy: short(r.After.BalancedAccuracy.Value.float()),
	})
	return &m, m.Validate()
}

func (f *fitter) replaceWeights(m *metric.RiskModel) error {
	fit, err := f.weights(func(int) bool { return true })
	if err != nil {
		return err
	}
	m.Bias, m.Features = short(fit.Bias), nil
	for i, name := range metric.RiskFeatureNames() {
		m.Features = append(m.Features, metric.RiskFeature{
			Name: name, Weight: short(fit.Weights[i]), Mean: short(fit.Mean[i]), Scale: short(fit.Scale[i]),
		})
	}
	return nil
}

// short keeps six digits: more say nothing, and the last ones differ between
// platforms.
func short(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	s, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return s
}
