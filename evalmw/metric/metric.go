// Package metric holds the metrics that need neither gold answers nor a model:
// what can be told about a turn from its chunks, its extractions and its answer
// alone, in microseconds, on every request.
//
// Each metric is a value of type [rag.Metric], made by a function of its name.
// They come in families: [Default], the inline metrics, which look at how the
// retrieval went and cost next to nothing; [ContextQuality], how much the chunks
// repeat each other; [Groundedness], whether the answer stands on them, with
// [SupportRisk] as the one number to route by. [All] is all of them. Those that
// read the texts read them once, together: the first one pays for it. Formulas and
// edge cases stand in docs/metrics.md, how good they are in docs/accuracy.md.
//
// The metrics are pure, safe for concurrent use, linear in the size of the sample,
// and allocate nothing once an evaluator is warm. A metric without input has a
// [rag.Reason], never a 0.
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

// ContextQuality returns the metrics of how much the retrieved chunks repeat each
// other.
func ContextQuality(opts ...Option) []rag.Metric {
	return []rag.Metric{
		RedundancyNgram(opts...),
		RedundancyTFIDF(opts...),
		UniqueTokenRatio(opts...),
	}
}

// Groundedness returns the metrics of whether the answer stands on its chunks, and
// of what it cites.
func Groundedness(opts ...Option) []rag.Metric {
	return []rag.Metric{
		ClaimSupportRate(opts...),
		UnsupportedClaimCount(opts...),
		NumericFabricationCount(opts...),
		CitationValidityForm(opts...),
		CitationValidityContent(opts...),
		CitationCoverage(opts...),
		SupportRisk(opts...),
	}
}

// All returns every metric of this package, in the order of the catalogue.
func All(opts ...Option) []rag.Metric {
	return slices.Concat(Default(opts...), ContextQuality(opts...), Groundedness(opts...))
}

// ByName returns the metrics with these names, in the order in which they are
// first named. Some names stand for several: "inline" for [Default],
// "context_quality" for [ContextQuality], "groundedness" for [Groundedness], "all"
// for [All]. No name at all is "inline". An unknown name is an error that lists
// the known ones.
func ByName(names []string, opts ...Option) ([]rag.Metric, error) {
	if len(names) == 0 {
		return Default(opts...), nil
	}
	var picked []rag.Metric
	for _, name := range names {
		named := byName(name, opts)
		if named == nil {
			return nil, fmt.Errorf("metric %q: expected inline, context_quality, groundedness, all or names out of %s", name, list(All(opts...)))
		}
		for _, m := range named {
			if !contains(picked, m.Name) {
				picked = append(picked, m)
			}
		}
	}
	return picked, nil
}

func byName(name string, opts []Option) []rag.Metric {
	switch name {
	case "inline":
		return Default(opts...)
	case "context_quality":
		return ContextQuality(opts...)
	case "groundedness":
		return Groundedness(opts...)
	case "all":
		return All(opts...)
	}
	for _, m := range All(opts...) {
		if m.Name == name {
			return []rag.Metric{m}
		}
	}
	return nil
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
