package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/calibrate"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// drawn makes a report of made-up cases, three to a source.
func drawn(t *testing.T, n int, second float64) *calibrate.Report {
	t.Helper()
	return drawnOf(t, n, second, 3)
}

// drawnOf makes a report of made-up cases, so many to a source, whose log-odds
// are the first feature and the second.
func drawnOf(t *testing.T, n int, second float64, perSource int) *calibrate.Report {
	t.Helper()
	names := metric.RiskFeatureNames()
	base := &metric.RiskModel{
		SchemaVersion: metric.RiskSchemaVersion, Version: "base",
		Features:    []metric.RiskFeature{{Name: names[0], Weight: 1, Scale: 1}},
		Calibration: metric.RiskCalibration{Method: metric.CalibrationNone},
	}
	require.NoError(t, base.Validate())
	r := rand.New(rand.NewPCG(1, 2))
	cases := make([]calibrate.Case, n)
	for i := range cases {
		x := make([]float64, len(names))
		x[0], x[1] = r.NormFloat64(), r.NormFloat64()
		cases[i] = calibrate.Case{
			Features: x, Length: 80 + 40*x[0] + 60*r.NormFloat64(), Group: fmt.Sprint(i / perSource),
			Unsupported: r.Float64() < stats.Sigmoid(1.5*x[0]+second*x[1]-1), Judged: second != 0,
		}
	}
	report := calibrate.Fit(cases, calibrate.Options{Base: base, Budget: 0.2})
	report.Input = calibrate.Input{Samples: n + 3, Unlabelled: 1}
	return report
}

func TestCalibrationReport(t *testing.T) {
	for name, c := range map[string]struct {
		report  *calibrate.Report
		unicode bool
	}{
		"scaled.txt":    {drawn(t, 80, 0), false},
		"kept.txt":      {drawn(t, 150, 0), false},
		"refitted.txt":  {drawn(t, 400, 1.5), true},
		"undecided.txt": {drawn(t, 20, 0), false},
		"onesource.txt": {drawnOf(t, 40, 0, 40), false},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, (&calibrationText{report: c.report, unicode: c.unicode}).print(&b))
			path := filepath.Join("testdata", "calibrate", name)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), b.String())
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 79, "a line fits a terminal: %q", line)
			}
		})
	}
}

func TestCalibrateExitCodes(t *testing.T) {
	const sample = `{"id":"a","retrieval":{"chunks":[{"id":"c","text":"It opened in 1994."}]},"answer":{"text":"It opened in 1994."},"supported":true}`
	for name, c := range map[string]struct {
		stdin string
		args  []string
		want  int
	}{
		"too few labels": {sample, nil, exitUndecided},
		"no samples":     {"", nil, exitInput},
		"no label":       {`{"id":"a"}`, nil, exitInput},
		"a bad line":     {sample + "\n{", nil, exitInput},
		"a wrong flag":   {sample, []string{"--budget", "2"}, exitUsage},
		"no such file":   {"", []string{"nosuchfile"}, exitInput},
		"no such model":  {sample, []string{"--model", "nosuchfile"}, exitUsage},
		"no such place":  {sample, []string{"--out", "nosuchdir/model.json"}, exitUsage},
		"a directory":    {sample, []string{"--out", "testdata"}, exitUsage},
		"one file twice": {sample, []string{"--out", "both.out", "--svg", "./both.out"}, exitUsage},
		"a late flag":    {"", []string{"testdata/calibrate/kept.txt", "--json"}, exitInput},
		"help":           {"", []string{"-h"}, exitOK},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := runIn(t, c.stdin, append([]string{"calibrate"}, c.args...)...)
			assert.Equal(t, c.want, code, stderr)
		})
	}
}
