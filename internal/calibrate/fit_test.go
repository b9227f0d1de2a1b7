package calibrate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files")

// base is a model of one feature: its log-odds are that feature.
func base(t *testing.T) *metric.RiskModel {
	t.Helper()
	m := &metric.RiskModel{
		SchemaVersion: metric.RiskSchemaVersion, Version: "base",
		Features:    []metric.RiskFeature{{Name: metric.RiskFeatureNames()[0], Weight: 1, Scale: 1}},
		Calibration: metric.RiskCalibration{Method: metric.CalibrationNone},
	}
	require.NoError(t, m.Validate())
	return m
}

// draw makes cases, four to a source, whose true log-odds are slope·x0 + other·x1 + offset.
func draw(n int, seed uint64, slope, other, offset float64) []Case {
	r := rand.New(rand.NewPCG(seed, 5))
	cases := make([]Case, n)
	for i := range cases {
		x := make([]float64, len(metric.RiskFeatureNames()))
		for j := range 4 { // however many there are, so that the numbers stay
			x[j] = r.NormFloat64()
		}
		cases[i] = Case{
			Features: x, Length: 50 + float64(r.IntN(200)), Group: fmt.Sprint("source ", i/4),
			Unsupported: r.Float64() < stats.Sigmoid(slope*x[0]+other*x[1]+offset),
		}
	}
	return cases
}

func relabel(cases []Case, label func(i int) bool) []Case {
	for i := range cases {
		cases[i].Unsupported = label(i)
	}
	return cases
}

func TestFitSaysWhyItDeclines(t *testing.T) {
	oneSource := draw(60, 1, 2, 0, 0)
	for i := range oneSource {
		oneSource[i].Group = "the only one"
	}
	clustered := draw(60, 1, 2, 0, 0)
	for i := range clustered {
		clustered[i].Unsupported = i < 8
		clustered[i].Group = fmt.Sprint(i / 8)
		clustered[i].Features[0] = 10 * float64(indicator(clustered[i].Unsupported))
	}
	extreme := draw(60, 1, 2, 0, 0)
	extreme[0].Features[0], extreme[0].Unsupported = 1e6, false
	for name, c := range map[string]struct {
		cases []Case
		want  string
	}{
		"nothing":          {nil, "too few labels: expected at least 25, found 0"},
		"24 labels":        {draw(24, 1, 2, 0, 0), "too few labels: expected at least 25, found 24"},
		"all supported":    {relabel(draw(40, 1, 2, 0, 0), func(int) bool { return false }), "one class only: expected supported and unsupported answers, found 40 supported"},
		"all unsupported":  {relabel(draw(40, 1, 2, 0, 0), func(int) bool { return true }), "one class only: expected supported and unsupported answers, found 40 unsupported"},
		"four unsupported": {relabel(draw(40, 1, 2, 0, 0), func(i int) bool { return i%10 == 0 }), "too few labels of one class: expected at least 5 of each, found 4 unsupported and 36 supported"},
		"one source":       {oneSource, `too few sources: expected answers to at least 5, found 1; the key "group" names a sample's source`},
		"chance":           {draw(200, 2, 0, 0, 0), "the score says nothing about these labels: AUROC 0."},
		"few and wrong":    {draw(60, 1, -2, 0, 0), "the score points the wrong way: AUROC 0.1"},
		"the wrong way":    {draw(200, 1, -2, 0, 0), "the score points the wrong way: AUROC 0.1"},
		"an outlier":       {extreme, "a few extreme scores say the opposite of all others"},
		"one bad source":   {clustered, "nearly all labels of one class come from few sources"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Fit(c.cases, Options{Base: base(t), Budget: 0.2})
			assert.False(t, r.Decided)
			assert.Nil(t, r.Model)
			assert.Contains(t, r.Reason, c.want)
			_, err := json.Marshal(r)
			require.NoError(t, err, "what is not defined is null")
		})
	}
}

func indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFitScalesTheScoreFrom25Labels(t *testing.T) {
	cases := draw(96, 13, 2, 0, -1)
	r := Fit(cases, Options{Base: base(t), Budget: 0.2, Command: "test", Date: "2026-01-31"})
	require.True(t, r.Decided, r.Reason)
	assert.False(t, r.Refit.Tried)
	m := r.Model
	assert.True(t, m.Calibrated())
	assert.Equal(t, "base+calibrated", m.Version)
	assert.InDelta(t, 2, m.Calibration.A, 0.8)
	assert.InDelta(t, -1, m.Calibration.B, 0.8)
	assert.Equal(t, 96, m.Calibration.Labels)
	assert.Equal(t, r.Labels.Unsupported, m.Calibration.Positives)
	assert.Equal(t, "people", m.Calibration.LabelSource)
	assert.Equal(t, "2026-01-31", m.Calibration.Date)
	assert.Equal(t, base(t).Features, m.Features, "the weights are as they were")
	assert.Equal(t, r.Before.AUROC, r.After.AUROC, "scaling does not change the ranking")
	assert.Less(t, float64(r.After.ECE), float64(r.Before.ECE))
	require.Len(t, m.Accuracy, 1)
	assert.Equal(t, "cross-validated by source", m.Accuracy[0].How)

	again := Fit(cases, Options{Base: m, Budget: 0.2})
	require.True(t, again.Decided)
	assert.Equal(t, "base+calibrated", again.Model.Version)
	assert.Equal(t, m.Calibration.A, again.Model.Calibration.A, "calibrating twice is calibrating once")
	assert.False(t, base(t).Calibrated(), "the model that it started from stays as it was")

	judged := draw(25, 3, 6, 0, 0)
	judged[0].Judged = true
	r = Fit(judged, Options{Base: base(t), Budget: 0.2, Name: "mine"})
	require.True(t, r.Decided, r.Reason)
	assert.Equal(t, "judge", r.Model.Calibration.LabelSource)
	assert.Equal(t, "mine", r.Model.Version)
}

func TestFitTakesNewWeightsWhereTheyAreBetter(t *testing.T) {
	r := Fit(draw(400, 4, 1, 2, -1), Options{Base: base(t), Budget: 0.2, Command: "test", Date: "2026-01-31"})
	require.True(t, r.Decided, r.Reason)
	assert.True(t, r.Refit.Taken)
	assert.Greater(t, float64(r.Refit.Gain.Low), 0.0)
	assert.Greater(t, float64(r.After.AUROC.Value), float64(r.Before.AUROC.Value))
	m := r.Model
	assert.Equal(t, "base+refitted", m.Version)
	require.Len(t, m.Features, len(metric.RiskFeatureNames()))
	assert.Greater(t, m.Features[1].Weight, m.Features[0].Weight)
	assert.Equal(t, "test", m.Provenance.Command)
	assert.Equal(t, 400, m.Provenance.Data[0].Cases)
	assert.Equal(t, 100, m.Provenance.Data[0].Groups)

	// A score at chance is no reason to decline if new weights find something.
	r = Fit(draw(400, 5, 0, 2, -0.5), Options{Base: base(t), Budget: 0.2})
	require.True(t, r.Decided, r.Reason)
	assert.True(t, r.Refit.Taken)
}

func TestFitKeepsTheWeightsWhereNewOnesAreNoBetter(t *testing.T) {
	r := Fit(draw(400, 6, 2, 0, -1), Options{Base: base(t), Budget: 0.2})
	require.True(t, r.Decided, r.Reason)
	assert.True(t, r.Refit.Tried)
	assert.False(t, r.Refit.Taken)
	assert.Equal(t, "base+calibrated", r.Model.Version)
}

// What is reported of a refit comes from sources that it has not seen: of labels
// that no feature explains it must not claim to know anything.
func TestFitIsNotFooledByNoise(t *testing.T) {
	decided := 0
	for seed := range uint64(20) {
		cases := draw(300, 100+seed, 0, 0, 0)
		noise := rand.New(rand.NewPCG(seed, 9))
		for i := range cases {
			for j := range cases[i].Features {
				cases[i].Features[j] = noise.NormFloat64()
			}
		}
		for i := range cases { // all answers to a source have the same features and the same label
			cases[i].Features = cases[i/4*4].Features
			cases[i].Unsupported = cases[i/4*4].Unsupported
		}
		if Fit(cases, Options{Base: base(t), Budget: 0.2}).Decided {
			decided++
		}
	}
	assert.LessOrEqual(t, decided, 2)
}

func TestReport(t *testing.T) {
	r := Fit(draw(120, 7, 1.5, 0, -1), Options{Base: base(t), Budget: 0.2})
	require.True(t, r.Decided, r.Reason)
	budget := r.Thresholds[0]
	assert.Equal(t, "budget", budget.Aim)
	assert.Equal(t, 24, budget.Escalated, "a fifth of 120")
	assert.InDelta(t, float64(r.Capture[2].Risk.Value)*float64(r.Labels.Unsupported), budget.Caught, 1e-9)

	got, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	path := filepath.Join("testdata", "report.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got)+"\n")

	var svg bytes.Buffer
	require.NoError(t, r.WriteSVG(&svg))
	dec := xml.NewDecoder(&svg)
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
