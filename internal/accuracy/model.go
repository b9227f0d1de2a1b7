package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// modelVersion names the fitted model; a change of features, data or fit is
// another version.
const modelVersion = "1"

// fitModel fits the model that ships to the sets that ship.
func fitModel(sets []labelledSet, date string) (*metric.RiskModel, error) {
	train := slices.DeleteFunc(slices.Clone(sets), func(s labelledSet) bool { return !s.shippable })
	fitted, err := fit(train, featuresWithout())
	if err != nil {
		return nil, err
	}
	m := modelOf(fitted)
	m.Provenance.Command, m.Provenance.Date = "go run ./internal/accuracy fit", date
	for i := range train {
		set := &train[i]
		m.Provenance.Data = append(m.Provenance.Data, metric.RiskData{
			Name: set.name, Licence: set.licence,
			Cases: len(set.cases), Positives: count(set.positive), Groups: len(distinct(set.groups)),
		})
	}
	return m, m.Validate()
}

// accuracyOf is what the model file says of a set.
func accuracyOf(r *report) []metric.RiskAccuracy {
	var out []metric.RiskAccuracy
	for i := range r.Rankings {
		k := &r.Rankings[i]
		if k.Name != rankedMixed && k.Name != rankedZeroShot {
			continue
		}
		out = append(out, metric.RiskAccuracy{
			Data: r.Set, How: k.Name, Cases: r.Cases, Positives: r.Positives,
			AUROC: round(k.AUROC), AUROCLow: round(k.Interval.Low), AUROCHigh: round(k.Interval.High), BalancedAccuracy: round(k.Balanced),
		})
	}
	return out
}

func modelOf(fitted *stats.Logistic) *metric.RiskModel {
	m := &metric.RiskModel{
		SchemaVersion: metric.RiskSchemaVersion, Version: modelVersion, Bias: fitted.Bias,
		Calibration: metric.RiskCalibration{Method: metric.CalibrationNone},
	}
	for j, name := range metric.RiskFeatureNames() {
		if fitted.Weights[j] != 0 {
			m.Features = append(m.Features, metric.RiskFeature{Name: name, Weight: fitted.Weights[j], Mean: fitted.Mean[j], Scale: fitted.Scale[j]})
		}
	}
	return m
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func writeModel(path, date string, out io.Writer) error {
	sets, err := readSets(shippedData())
	if err != nil {
		return err
	}
	m, err := fitModel(sets, date)
	if err != nil {
		return err
	}
	for i := range sets {
		r, err := measure(&sets[i], otherSets(sets, i), false)
		if err != nil {
			return fmt.Errorf("%s: %w", sets[i].name, err)
		}
		m.Accuracy = append(m.Accuracy, accuracyOf(&r)...)
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d features from %d sets\n", path, len(m.Features), len(m.Provenance.Data))
	return err
}
