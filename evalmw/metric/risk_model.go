package metric

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// RiskSchemaVersion is the schema_version of the model files that this package
// writes, and the only one that it reads.
const RiskSchemaVersion = 1

// RiskLabelsNeeded is the number of labels from which on a calibration counts.
const RiskLabelsNeeded = 25

// A RiskModel turns the features of a turn into support_risk: a logistic
// regression, and a calibration on labels of one's own traffic once there are
// any. It comes from [DefaultRiskModel] or [ReadRiskModel]; one that is put
// together must pass [RiskModel.Validate] before use; the zero value does not. It
// must not be changed afterwards and is then safe for concurrent use.
type RiskModel struct {
	_ struct{}

	// SchemaVersion is [RiskSchemaVersion].
	SchemaVersion int `json:"schema_version"`
	// Version names this model, so that results can be told apart.
	Version string `json:"version"`
	// Provenance says what the weights were fitted on.
	Provenance RiskProvenance `json:"provenance"`
	// Accuracy is what was measured on people's labels.
	Accuracy []RiskAccuracy `json:"accuracy"`
	// Calibration makes the risk a probability on one's own traffic.
	Calibration RiskCalibration `json:"calibration"`
	// Bias is the log-odds of a turn whose features are all at their means.
	Bias float64 `json:"bias"`
	// Features are the features with weight; those of [RiskFeatureNames] that
	// are not among them have none. They are summed in this order.
	Features []RiskFeature `json:"features"`

	index  []int // of each feature in RiskFeatureNames
	inputs int   // the length of RiskFeatureNames
}

// A RiskFeature adds Weight·(x−Mean)/Scale to the log-odds.
type RiskFeature struct {
	_ struct{}

	Name   string  `json:"name"` // one of RiskFeatureNames
	Weight float64 `json:"weight"`
	Mean   float64 `json:"mean"`
	Scale  float64 `json:"scale"` // above 0
}

// RiskProvenance says where weights come from.
type RiskProvenance struct {
	_ struct{}

	Command string     `json:"command"` // the command that fitted them
	Date    string     `json:"date"`    // the day of the fit, as YYYY-MM-DD
	Data    []RiskData `json:"data"`
}

// RiskData is a data set that weights were fitted on.
type RiskData struct {
	_ struct{}

	Name      string `json:"name"`
	Licence   string `json:"licence"`
	Cases     int    `json:"cases"`
	Positives int    `json:"positives"` // unsupported answers
	Groups    int    `json:"groups"`    // sources
}

// RiskAccuracy is how well the model ranked a data set.
type RiskAccuracy struct {
	_ struct{}

	Data      string `json:"data"`
	How       string `json:"how"` // such as "cross-validated by source"
	Cases     int    `json:"cases"`
	Positives int    `json:"positives"`
	// AUROC stands in the 95% interval of the cluster bootstrap over sources.
	AUROC     float64 `json:"auroc"`
	AUROCLow  float64 `json:"auroc_low"`
	AUROCHigh float64 `json:"auroc_high"`
	// BalancedAccuracy is at a threshold chosen on other cases.
	BalancedAccuracy float64 `json:"balanced_accuracy"`
}

// The methods of a calibration.
const (
	CalibrationNone  = "none"  // the probability is the fit's own, on its data
	CalibrationPlatt = "platt" // Platt scaling: 1/(1+e^−(A·log-odds+B))
)

// RiskCalibration maps log-odds to probabilities.
type RiskCalibration struct {
	_ struct{}

	Method string `json:"method"` // CalibrationNone or CalibrationPlatt
	// A and B are the slope and the offset; A is above 0.
	A float64 `json:"a,omitempty"`
	B float64 `json:"b,omitempty"`
	// Labels is the number of labels that it stands on, Positives how many of
	// them said that the answer is not supported.
	Labels    int `json:"labels,omitempty"`
	Positives int `json:"positives,omitempty"`
	// LabelSource says who labelled: "people" or "judge".
	LabelSource string `json:"label_source,omitempty"`
	// Date is the day of the calibration, as YYYY-MM-DD, if it was told.
	Date string `json:"date,omitempty"`
	// ECE is the expected calibration error, cross-validated by source.
	ECE float64 `json:"ece,omitempty"`
}

//go:embed risk_model.json
var defaultRiskModel []byte

var readDefaultRiskModel = sync.OnceValue(func() *RiskModel {
	m, err := ReadRiskModel(bytes.NewReader(defaultRiskModel))
	if err != nil {
		panic(err) // a test reads it
	}
	return m
})

// DefaultRiskModel returns the model that comes with the package, fitted on
// public data sets and not calibrated. It is shared and must not be changed.
func DefaultRiskModel() *RiskModel { return readDefaultRiskModel() }

// WithRiskModel makes support_risk use a model of one's own, such as
// "touchstone calibrate" writes it and [ReadRiskModel] reads it. Nil means
// [DefaultRiskModel]. With a model that did not pass [RiskModel.Validate]
// support_risk panics, and the evaluation says so in place of a value.
func WithRiskModel(m *RiskModel) Option { return riskModel{m} }

type riskModel struct{ model *RiskModel }

func (o riskModel) apply(c config) config {
	c.riskModel = o.model
	return c
}

// LogOdds returns the score of a turn before calibration. The features stand in
// the order of [RiskFeatureNames]; one that is not finite counts as its mean. It
// panics for a model that was not validated and for another number of features.
func (m *RiskModel) LogOdds(features []float64) float64 {
	if m.inputs == 0 || len(features) != m.inputs {
		panic(fmt.Sprintf("metric.RiskModel: expected a validated model (found %t) and %d features, found %d", m.inputs > 0, m.inputs, len(features)))
	}
	sum := m.Bias
	for i := range m.Features {
		f := &m.Features[i]
		// The conversion rounds, so that no platform fuses the product with the sum.
		if term := float64(f.Weight * ((features[m.index[i]] - f.Mean) / f.Scale)); isFinite(term) {
			sum += term
		}
	}
	return sum
}

// Risk returns the probability, 0..1, that the answer is not supported by the
// chunks. Until the model is calibrated it is the one that the fit gives on its
// own data, and good for ranking only. It gives the same digits on every
// platform; for the features see [RiskModel.LogOdds].
func (m *RiskModel) Risk(features []float64) float64 {
	z := m.LogOdds(features)
	if m.Calibration.Method == CalibrationPlatt {
		z = float64(m.Calibration.A*z) + m.Calibration.B
	}
	return stats.Sigmoid(z)
}

// Calibrated reports whether the risk is a probability on one's own traffic:
// whether it was calibrated on at least [RiskLabelsNeeded] labels.
func (m *RiskModel) Calibrated() bool {
	return m.Calibration.Method == CalibrationPlatt && m.Calibration.Labels >= RiskLabelsNeeded
}

// Validate checks that the model can be used and prepares it for that. The error
// names the first thing that is wrong.
func (m *RiskModel) Validate() error {
	switch {
	case m.SchemaVersion != RiskSchemaVersion:
		return fmt.Errorf("schema_version: expected %d, found %d; it was written by another version of touchstone: fit or calibrate it again",
			RiskSchemaVersion, m.SchemaVersion)
	case m.Version == "":
		return errors.New("version: expected a name for the model, found none")
	case !isFinite(m.Bias):
		return fmt.Errorf("bias: expected a finite number, found %v", m.Bias)
	case len(m.Features) == 0:
		return errors.New("features: expected at least one, found none")
	}
	if err := m.Calibration.validate(); err != nil {
		return err
	}
	names := RiskFeatureNames()
	index, err := validateFeatures(m.Features, names)
	if err != nil {
		return err
	}
	m.index, m.inputs = index, len(names)
	return nil
}

func validateFeatures(features []RiskFeature, names []string) ([]int, error) {
	index := make([]int, len(features))
	for i := range features {
		f := &features[i]
		at := fmt.Sprintf("features[%d] %q", i, f.Name)
		index[i] = slices.Index(names, f.Name)
		switch {
		case index[i] < 0:
			return nil, fmt.Errorf("%s: expected a feature that this version computes, found an unknown name; fit or calibrate the model again with this version", at)
		case slices.Contains(index[:i], index[i]):
			return nil, fmt.Errorf("%s: expected each feature once, found it twice", at)
		case !isFinite(f.Weight) || !isFinite(f.Mean):
			return nil, fmt.Errorf("%s: expected a finite weight and mean, found %v and %v", at, f.Weight, f.Mean)
		case !isFinite(f.Scale) || f.Scale <= 0:
			return nil, fmt.Errorf("%s: expected a scale above 0, found %v", at, f.Scale)
		}
	}
	return index, nil
}

func (c *RiskCalibration) validate() error {
	switch {
	case c.Method == CalibrationNone:
		return nil
	case c.Method != CalibrationPlatt:
		return fmt.Errorf("calibration.method: expected %q or %q, found %q", CalibrationNone, CalibrationPlatt, c.Method)
	case !isFinite(c.A) || c.A <= 0:
		return fmt.Errorf("calibration.a: expected a number above 0, found %v; the score would point the wrong way", c.A)
	case !isFinite(c.B):
		return fmt.Errorf("calibration.b: expected a finite number, found %v", c.B)
	case c.Labels < 1:
		return fmt.Errorf("calibration.labels: expected the number of labels, found %d", c.Labels)
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
