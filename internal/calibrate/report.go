package calibrate

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// SchemaVersion is the schema_version of the report as JSON.
const SchemaVersion = 1

// A Report says how good the model is on the labels. What stands under After,
// Reliability and Capture was measured on sources that were left out of the fit.
type Report struct {
	_ struct{}

	SchemaVersion int    `json:"schema_version"`
	Decided       bool   `json:"decided"`
	Reason        string `json:"reason,omitempty"` // why not
	Input         Input  `json:"input"`
	Labels        Labels `json:"labels"`
	// Version is that of the new model.
	Version     string      `json:"version,omitempty"`
	Before      *Quality    `json:"before,omitempty"`
	After       *Quality    `json:"after,omitempty"`
	Refit       Refit       `json:"refit"`
	Capture     []Capture   `json:"capture,omitempty"`
	Budget      float64     `json:"budget"`
	Thresholds  []Threshold `json:"thresholds,omitempty"`
	Reliability []Bin       `json:"reliability,omitempty"`

	// Model is the fitted model; nil unless decided.
	Model *metric.RiskModel `json:"-"`

	curves curves
}

// Labels counts the labels that were used.
type Labels struct {
	_ struct{}

	Total       int    `json:"total"`
	Unsupported int    `json:"unsupported"`
	Groups      int    `json:"groups"`
	Judged      int    `json:"judged"` // from a judge's score
	Source      string `json:"source"` // people or judge
}

// Quality is how well a risk tells unsupported answers from supported ones.
type Quality struct {
	_ struct{}

	AUROC            Measure `json:"auroc"`
	BalancedAccuracy Measure `json:"balanced_accuracy"`
	ECE              Number  `json:"ece"`
	Brier            Number  `json:"brier"`
}

// Refit says what became of fitting the weights anew.
type Refit struct {
	_ struct{}

	Tried   bool     `json:"tried"`
	Taken   bool     `json:"taken"`
	Failure string   `json:"failure,omitempty"` // why the fit failed
	Gain    *Measure `json:"auroc_gain,omitempty"`
}

// Capture is the share of the unsupported answers that a budget catches.
type Capture struct {
	_ struct{}

	Budget  float64 `json:"budget"` // and what a random choice catches
	Risk    Measure `json:"risk"`
	Longest Measure `json:"longest"` // by choosing the longest answers
	Gain    Measure `json:"gain"`    // risk − longest
}

// Threshold is a proposed threshold, and what it would have done to the labels.
type Threshold struct {
	_ struct{}

	Aim       string `json:"aim"` // budget or balanced_accuracy
	Risk      Number `json:"risk"`
	Escalated int    `json:"escalated"`
	Caught    int    `json:"caught"`
}

// Bin is a line of the reliability table.
type Bin struct {
	_ struct{}

	Cases     int     `json:"cases"`
	Predicted Number  `json:"predicted"`
	Observed  Measure `json:"observed"`
}

// curves are what plots show.
type curves struct {
	roc, capture, longestROC, longestCapture []stats.Point
}

// Number is a float64 that is null in JSON where it is not defined.
type Number float64

// MarshalJSON writes four decimals.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(math.Round(float64(n)*1e4) / 1e4)
}

func (n Number) float() float64 { return float64(n) }

// Measure is a value with its 95% interval.
type Measure struct {
	_ struct{}

	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// Interval returns the interval.
func (m Measure) Interval() stats.Interval {
	return stats.Interval{Low: float64(m.Low), High: float64(m.High)}
}

func measureOf(value float64, i stats.Interval) Measure {
	return Measure{Value: Number(value), Low: Number(i.Low), High: Number(i.High)}
}

func (f *fitter) measure(s stats.Statistic) Measure {
	return measureOf(s(nil), f.bootstrap.Interval(f.groups, s))
}

// quality measures scores and the probabilities made of them. An answer counts
// as unsupported where decided says so; nil decides at 0.5.
func (f *fitter) quality(scores, probabilities []float64, decided []bool) *Quality {
	verdicts := make([]float64, len(scores))
	for i := range verdicts {
		if decided != nil && decided[i] || decided == nil && probabilities[i] >= 0.5 {
			verdicts[i] = 1
		}
	}
	return &Quality{
		AUROC: f.measure(stats.Rank(scores, f.unsupported).AUROC),
		// The area under the ROC curve of a verdict is its balanced accuracy.
		BalancedAccuracy: f.measure(stats.Rank(verdicts, f.unsupported).AUROC),
		ECE:              Number(stats.Calibration(probabilities, f.unsupported, bins(len(scores))).ECE),
		Brier:            Number(stats.Brier(probabilities, f.unsupported)),
	}
}

// bins is how many bins a reliability table of n cases can fill.
func bins(n int) int { return min(10, max(3, n/20)) }

func reliability(p []float64, unsupported []bool) []Bin {
	var out []Bin
	for _, b := range stats.Calibration(p, unsupported, bins(len(p))).Bins {
		out = append(out, Bin{Cases: b.Cases, Predicted: Number(b.Predicted), Observed: measureOf(b.Observed, b.Interval)})
	}
	return out
}

func (f *fitter) capture(r *Report, scores []float64) {
	risk, longest := stats.Rank(scores, f.unsupported), stats.Rank(f.lengths, f.unsupported)
	for _, budget := range []float64{0.05, 0.1, 0.2, 0.3} {
		gain, interval := f.bootstrap.Difference(f.groups, risk.CaptureAt(budget), longest.CaptureAt(budget))
		r.Capture = append(r.Capture, Capture{
			Budget: budget, Risk: f.measure(risk.CaptureAt(budget)), Longest: f.measure(longest.CaptureAt(budget)),
			Gain: measureOf(gain, interval),
		})
	}
}

func (f *fitter) thresholds(r *Report, risks []float64) {
	at := func(aim string, threshold float64) {
		t := Threshold{Aim: aim, Risk: Number(threshold)}
		for i, risk := range risks {
			if risk >= threshold {
				t.Escalated++
				if f.unsupported[i] {
					t.Caught++
				}
			}
		}
		r.Thresholds = append(r.Thresholds, t)
	}
	at("budget", stats.Rank(risks, f.unsupported).ThresholdAt(f.options.Budget))
	at("balanced_accuracy", share(f.unsupported))
}

func (f *fitter) drawn(scores []float64) curves {
	risk, longest := stats.Rank(scores, f.unsupported), stats.Rank(f.lengths, f.unsupported)
	return curves{roc: risk.ROC(), capture: risk.CaptureCurve(), longestROC: longest.ROC(), longestCapture: longest.CaptureCurve()}
}

func two(n Number) string { return fmt.Sprintf("%.2f", float64(n)) }

func bracket(says string, m Measure) string {
	if !m.Interval().Known() {
		return "its interval is not known"
	}
	return fmt.Sprintf("%s %s to %s", says, two(m.Low), two(m.High))
}
