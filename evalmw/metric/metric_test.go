package metric_test

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// evaluate runs the metrics as a service would.
func evaluate(t testing.TB, s *rag.Sample, metrics ...rag.Metric) *rag.Evaluation {
	t.Helper()
	e, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
	require.NoError(t, err)
	ev := new(rag.Evaluation)
	e.Score(s, rag.PhaseAnswer, ev)
	require.Empty(t, ev.Errs)
	return ev
}

// one returns the only result of a metric.
func one(t testing.TB, s *rag.Sample, m rag.Metric) rag.Result {
	t.Helper()
	ev := evaluate(t, s, m)
	require.Len(t, ev.Results, 1)
	return ev.Results[0]
}

// show writes a result on one line, as "value label reason key=value ...".
func show(r rag.Result) string {
	var b strings.Builder
	switch {
	case r.Reason != "":
		b.WriteString(string(r.Reason))
	case r.Kind == rag.KindCategorical:
		b.WriteString(r.Category)
	default:
		fmt.Fprintf(&b, "%.4g", r.Value)
	}
	if r.Label != "" {
		b.WriteString(" " + r.Label)
	}
	for _, d := range r.Details {
		if d.Value.Kind() == slog.KindFloat64 {
			fmt.Fprintf(&b, " %s=%.4g", d.Key, d.Value.Float64())
			continue
		}
		fmt.Fprintf(&b, " %s=%v", d.Key, d.Value)
	}
	return b.String()
}

func chunks(list ...rag.Chunk) rag.Retrieval { return rag.Retrieval{Chunks: list} }

// numbered returns n chunks c1, c2, ...
func numbered(n int) []rag.Chunk {
	list := make([]rag.Chunk, n)
	for i := range list {
		list[i].ID = fmt.Sprintf("c%d", i+1)
	}
	return list
}

func TestDefaultIsTheCatalogueInItsOrder(t *testing.T) {
	var got []string
	for _, m := range metric.Default() {
		got = append(got, m.Name)
		assert.NotEmpty(t, m.Doc, m.Name)
		assert.True(t, strings.HasSuffix(m.Doc, "."), m.Name)
	}
	assert.Equal(t, []string{
		"context_relevance", "recall_warning", "context_precision", "context_recall_heuristic",
		"aggregated_confidence", "semantic_validation", "multi_source_agreement", "agreement_pattern",
	}, got)
}

func TestByName(t *testing.T) {
	names := func(metrics []rag.Metric) (list []string) {
		for _, m := range metrics {
			list = append(list, m.Name)
		}
		return list
	}
	inline, all := names(metric.Default()), names(metric.All())
	for _, c := range []struct{ in, want []string }{
		{nil, inline},
		{[]string{"inline"}, inline},
		{[]string{"context_quality"}, []string{"redundancy_ngram", "redundancy_tfidf", "unique_token_ratio"}},
		{[]string{"groundedness", "context_relevance"}, append(names(metric.Groundedness()), "context_relevance")},
		{[]string{"all"}, all},
		{[]string{"all", "inline"}, all},
		{[]string{"agreement_pattern", "context_relevance", "agreement_pattern"}, []string{"agreement_pattern", "context_relevance"}},
		{[]string{"context_precision", "inline"}, slices.Concat([]string{"context_precision"}, inline[:2], inline[3:])},
	} {
		got, err := metric.ByName(c.in)
		require.NoError(t, err)
		assert.Equal(t, c.want, names(got), "%v", c.in)
	}
	_, err := metric.ByName([]string{"context_relevance", "relevance"})
	require.EqualError(t, err, `metric "relevance": expected inline, context_quality, groundedness, all or names out of `+strings.Join(all, ", "))
}

func TestDocumentationHasEveryMetricWithItsDoc(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	lines := strings.Split(string(page), "\n")
	for _, m := range metric.All() {
		found := false
		for _, line := range lines {
			if strings.HasPrefix(line, fmt.Sprintf("| `%s` | %v | %s |", m.Name, m.Kind, m.Doc)) {
				found = true
			}
		}
		assert.True(t, found, "docs/metrics.md has no row | `%s` | %v | %s |", m.Name, m.Kind, m.Doc)
	}
}
