// Package metric holds the metrics that need neither gold answers nor a model:
// what can be told about a turn from its chunks, its extractions and its answer
// alone, in microseconds, on every request.
//
// Each metric is a value of type [rag.Metric], made by a function of its name.
// [Default] lists the inline metrics in the order of the catalogue; their
// formulas and edge cases stand in docs/metrics.md. They are pure, safe for
// concurrent use, linear in the size of the sample, and allocate nothing once
// an evaluator is warm. A metric without input has a [rag.Reason], never a 0.
package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Default returns the inline metrics, those that cost next to nothing and run
// on every request, in the order of the catalogue.
func Default(opts ...Option) []rag.Metric {
	return []rag.Metric{
		ContextRelevance(opts...),
		RecallWarning(opts...),
		ContextPrecision(opts...),
		ContextRecallHeuristic(opts...),
		AggregatedConfidence(opts...),
		SemanticValidation(opts...),
		MultiSourceAgreement(opts...),
		AgreementPattern(opts...),
	}
}

// ByName returns the metrics with these names, in the order in which they are
// first named. The name "inline" stands for [Default], "all" for every metric of
// this package; no name at all is "inline". An unknown name is an error that
// lists the known ones.
func ByName(names []string, opts ...Option) ([]rag.Metric, error) {
	all := Default(opts...)
	if len(names) == 0 {
		return all, nil
	}
	var picked []rag.Metric
	for _, name := range names {
		found := false
		for _, m := range all {
			if name != m.Name && name != "inline" && name != "all" {
				continue
			}
			found = true
			if !contains(picked, m.Name) {
				picked = append(picked, m)
			}
		}
		if !found {
			return nil, fmt.Errorf("metric %q: expected inline, all or names out of %s", name, list(all))
		}
	}
	return picked, nil
}

func contains(metrics []rag.Metric, name string) bool {
	return slices.ContainsFunc(metrics, func(m rag.Metric) bool { return m.Name == name })
}

func list(metrics []rag.Metric) string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = m.Name
	}
	return strings.Join(names, ", ")
}
