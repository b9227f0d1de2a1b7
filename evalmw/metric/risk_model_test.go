package metric

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallRiskModel is a model of two features, and a place for its features.
func smallRiskModel(t *testing.T) (*RiskModel, []float64) {
	t.Helper()
	names := RiskFeatureNames()
	require.GreaterOrEqual(t, len(names), 2)
	m := &RiskModel{
		SchemaVersion: RiskSchemaVersion, Version: "test", Bias: -1,
		Features: []RiskFeature{
			{Name: names[1], Weight: 2, Mean: 0.5, Scale: 0.25},
			{Name: names[0], Weight: -1, Mean: 3, Scale: 2},
		},
		Provenance:  RiskProvenance{Command: "go test", Date: "2026-01-31", Data: []RiskData{{Name: "a", Licence: "MIT", Cases: 9, Positives: 3, Groups: 5}}},
		Accuracy:    []RiskAccuracy{{Data: "a", How: "cross-validated by source", Cases: 9, Positives: 3, AUROC: 0.8, AUROCLow: 0.7, AUROCHigh: 0.9, BalancedAccuracy: 0.7}},
		Calibration: RiskCalibration{Method: CalibrationNone},
	}
	require.NoError(t, m.Validate())
	return m, make([]float64, len(names))
}

func TestRiskIsTheLogisticOfTheStandardisedFeatures(t *testing.T) {
	m, x := smallRiskModel(t)
	x[0], x[1] = 5, 1
	assert.InDelta(t, -1+2*2-1*1, m.LogOdds(x), 1e-12)
	assert.InDelta(t, 1/(1+math.Exp(-2)), m.Risk(x), 1e-12)

	x[1] = math.NaN()
	assert.InDelta(t, -1-1*1, m.LogOdds(x), 1e-12, "a feature that is not finite counts as its mean")
	x[1] = math.Inf(1)
	assert.InDelta(t, -1-1*1, m.LogOdds(x), 1e-12)
	x[0], x[1] = -math.MaxFloat64, math.MaxFloat64
	risk := m.Risk(x)
	assert.True(t, risk >= 0 && risk <= 1, "found %v", risk)
}

func TestRiskIsCalibratedFrom25Labels(t *testing.T) {
	m, x := smallRiskModel(t)
	x[0], x[1] = 5, 1
	assert.False(t, m.Calibrated())
	m.Calibration = RiskCalibration{Method: CalibrationPlatt, A: 0.5, B: -3, Labels: 24}
	require.NoError(t, m.Validate())
	assert.False(t, m.Calibrated())
	m.Calibration.Labels = 25
	assert.True(t, m.Calibrated())
	assert.InDelta(t, 1/(1+math.Exp(2)), m.Risk(x), 1e-12)
	assert.InDelta(t, 2, m.LogOdds(x), 1e-12, "the log-odds stay those before calibration")
}

func TestReasonsLeaveOutWhatTheLogOddsLeaveOut(t *testing.T) {
	m, x := smallRiskModel(t)
	m.Features[0].Weight, m.Features[0].Scale = math.MaxFloat64, 1e-300
	require.NoError(t, m.Validate())
	x[0], x[1] = -1, 1
	assert.InDelta(t, -1+1*2, m.LogOdds(x), 1e-12)
	assert.Equal(t, [3]riskReason{{m.Features[1].Name, 2}}, m.reasons(x))
}

func TestRiskAllocatesNothing(t *testing.T) {
	m, x := smallRiskModel(t)
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Risk(x) }))
}

func TestRiskOfAModelThatWasNotValidatedPanics(t *testing.T) {
	_, x := smallRiskModel(t)
	assert.PanicsWithValue(t, "metric.RiskModel: expected a validated model (found false) and 0 features, found "+strconv.Itoa(len(x)),
		func() { new(RiskModel).Risk(x) })
	m, _ := smallRiskModel(t)
	assert.Panics(t, func() { m.Risk(x[1:]) })
}

func TestDefaultRiskModelIsNotCalibrated(t *testing.T) {
	m := DefaultRiskModel()
	assert.Equal(t, RiskSchemaVersion, m.SchemaVersion)
	assert.False(t, m.Calibrated(), "what ships knows nobody's traffic")
	risk := m.Risk(make([]float64, len(RiskFeatureNames())))
	assert.True(t, risk >= 0 && risk <= 1, "found %v", risk)
}

func TestModelFilesComeBackAsTheyWere(t *testing.T) {
	m, x := smallRiskModel(t)
	m.Calibration = RiskCalibration{Method: CalibrationPlatt, A: 1.25, B: -0.1, Labels: 60, Positives: 12, LabelSource: "people", Date: "2026-01-31", ECE: 0.04}
	var first, second bytes.Buffer
	n, err := m.WriteTo(&first)
	require.NoError(t, err)
	assert.Equal(t, int64(first.Len()), n)
	assert.True(t, json.Valid(first.Bytes()))
	assert.Equal(t, 1, strings.Count(first.String(), "\n  {\"name\":\""+m.Features[0].Name), "a feature has a line of its own")

	back, err := ReadRiskModel(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, m.Risk(x), back.Risk(x))
	_, err = back.WriteTo(&second)
	require.NoError(t, err)
	assert.Equal(t, first.String(), second.String())
}

func TestModelFilesThatCannotBeUsedSayWhy(t *testing.T) {
	m, _ := smallRiskModel(t)
	var b bytes.Buffer
	_, err := m.WriteTo(&b)
	require.NoError(t, err)
	good := b.String()
	name := m.Features[0].Name
	replace := func(old, with string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, with, 1)
	}
	for what, c := range map[string]struct{ file, want string }{
		"nothing":          {"", "risk model: expected a JSON object, found a syntax error at byte 0"},
		"not an object":    {"[]", "risk model: expected a JSON object, found a JSON array"},
		"cut off":          {good[:len(good)/2], "expected a JSON object, found a syntax error at byte"},
		"two files":        {good + good, "syntax error"},
		"another schema":   {replace(`"schema_version": 1`, `"schema_version": 2`), "schema_version: expected 1, found 2; it was written by another version"},
		"no schema":        {`{}`, "schema_version: expected 1, found 0"},
		"no name":          {replace(`"version": "test"`, `"version": ""`), "version: expected a name for the model, found none"},
		"no bias":          {replace(`"bias": -1`, `"unbiased": -1`), "bias: expected a number, found none"},
		"null bias":        {replace(`"bias": -1`, `"bias": null`), "bias: expected a number, found none"},
		"NaN":              {replace(`"bias": -1`, `"bias": NaN`), "syntax error"},
		"out of range":     {replace(`"bias": -1`, `"bias": 1e999`), "bias: expected a float64, found a JSON number 1e999"},
		"weight a string":  {replace(`"weight":2`, `"weight":"2"`), "features.weight: expected a float64, found a JSON string"},
		"no weight":        {replace(`"weight":2,`, ``), `features[0] "` + name + `": expected a weight, a mean and a scale, found not all of them`},
		"no scale":         {replace(`,"scale":0.25`, ``), "expected a weight, a mean and a scale"},
		"scale 0":          {replace(`"scale":0.25`, `"scale":0`), `features[0] "` + name + `": expected a scale above 0, found 0`},
		"unknown feature":  {replace(`"`+name+`"`, `"nonesuch"`), `features[0] "nonesuch": expected a feature that this version computes, found an unknown name`},
		"a feature twice":  {replace(`"`+m.Features[1].Name+`"`, `"`+name+`"`), `features[1] "` + name + `": expected each feature once, found it twice`},
		"no features":      {`{"schema_version":1,"version":"a","bias":0,"calibration":{"method":"none"}}`, "features: expected at least one, found none"},
		"unknown method":   {replace(`"method":"none"`, `"method":"isotonic"`), `calibration.method: expected "none" or "platt", found "isotonic"`},
		"wrong way":        {replace(`"method":"none"`, `"method":"platt","a":-1,"b":0,"labels":30`), "calibration.a: expected a number above 0, found -1"},
		"no labels":        {replace(`"method":"none"`, `"method":"platt","a":1,"b":0`), "calibration.labels: expected the number of labels, found 0"},
		"far too long":     {strings.Repeat(" ", maxRiskModel+1), "expected at most 1048576 bytes, found more"},
		"calibration gone": {replace(`"method":"none"`, ``), `calibration.method: expected "none" or "platt", found ""`},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := ReadRiskModel(strings.NewReader(c.file))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err = ReadRiskModel(strings.NewReader(replace(`"bias"`, `"later_key": {"x":1}, "bias"`)))
	require.NoError(t, err, "unknown keys are ignored")
}

func FuzzReadRiskModel(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"version":"a","bias":0,"calibration":{"method":"platt","a":1,"b":2,"labels":25},"features":[{"name":"` +
		RiskFeatureNames()[0] + `","weight":1,"mean":0,"scale":1}]}`))
	f.Add([]byte(`{"schema_version":1,"features":[{}]}`))
	f.Add(defaultRiskModel)
	x := make([]float64, len(RiskFeatureNames()))
	for i := range x {
		x[i] = float64(i) / 3
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadRiskModel(bytes.NewReader(data))
		if err != nil {
			return
		}
		// A NaN would break the metric's contract.
		if risk := m.Risk(x); !(risk >= 0 && risk <= 1) {
			t.Fatalf("expected a probability, found %v", risk)
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRiskModel(&b); err != nil {
			t.Fatalf("written and not read: %v", err)
		}
	})
}
