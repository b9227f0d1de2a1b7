package spanattach_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

func TestAppendAttributesGivesEachMetricOneAttribute(t *testing.T) {
	for name, c := range map[string]struct {
		results []rag.Result
		want    map[string]any
	}{
		"a score is a double and a category a string": {
			[]rag.Result{score("context_relevance", 0), category("recall_warning", "HIT_RETRIEVAL_LIMIT")},
			map[string]any{"rag.evaluation.context_relevance": 0.0, "rag.evaluation.recall_warning": "HIT_RETRIEVAL_LIMIT"},
		},
		"what is not measured is absent": {
			[]rag.Result{without("context_precision", rag.ReasonNoContributions)},
			map[string]any{},
		},
		"fields fold into the lowest score": {
			[]rag.Result{
				ofField("revenue", score("agreement", 0.9)),
				ofField("margin", without("agreement", rag.ReasonNoValues)),
				ofField("eps", score("agreement", 0.4)),
				ofField("tax", score("agreement", 0.5)),
			},
			map[string]any{"rag.evaluation.agreement": 0.4},
		},
		"fields fold into the sorted set of categories": {
			[]rag.Result{
				ofField("a", category("validation", "pass")),
				ofField("b", category("validation", "fail")),
				ofField("c", category("validation", "pass")),
			},
			map[string]any{"rag.evaluation.validation": "fail,pass"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			attrs := spanattach.AppendAttributes(nil, c.results)
			assert.Equal(t, c.want, asMap(attrs))
			assert.Len(t, attrs, len(c.want), "a key must not appear twice")
		})
	}
}

func TestAppendAttributesKeepsForeignAttributes(t *testing.T) {
	dst := []attribute.KeyValue{attribute.String("http.route", "/query"), attribute.Float64("rag.evaluation.x", 0.3)}
	assert.Equal(t, map[string]any{"http.route": "/query", "rag.evaluation.x": 0.2},
		asMap(spanattach.AppendAttributes(dst, []rag.Result{score("x", 0.2)})))
}

func TestAppendOpenInferenceNumbersResultsAcrossPhases(t *testing.T) {
	e := answered(score("context_relevance", 0.8).WithLabel("good"), without("context_precision", rag.ReasonNoContributions),
		category("recall_warning", "HIT_RETRIEVAL_LIMIT"), score("context_recall_llm", 0.5))
	e.Phase, e.Delivered = rag.PhaseCheck, 1
	e.Escalation.Results = e.Results[3:]
	assert.Equal(t, map[string]any{
		"evaluations.2.evaluation.name":           "recall_warning",
		"evaluations.2.evaluation.label":          "HIT_RETRIEVAL_LIMIT",
		"evaluations.2.evaluation.annotator_kind": "CODE",
		"evaluations.3.evaluation.name":           "context_recall_llm",
		"evaluations.3.evaluation.score":          0.5,
		"evaluations.3.evaluation.annotator_kind": "LLM",
	}, asMap(spanattach.AppendOpenInference(nil, e)))
	e.Delivered = 0
	assert.Equal(t, "good", asMap(spanattach.AppendOpenInference(nil, e))["evaluations.0.evaluation.label"])
}

func TestOutcomeOfNamesPanics(t *testing.T) {
	assert.Equal(t, rag.OutcomeEvaluated, spanattach.OutcomeOf(answered()))
	assert.Equal(t, rag.OutcomeEvaluated, spanattach.OutcomeOf(&rag.Evaluation{Errs: []*rag.MetricError{{Reason: rag.ReasonMetricError}}}))
	assert.Equal(t, rag.OutcomePanicked, spanattach.OutcomeOf(&rag.Evaluation{Errs: []*rag.MetricError{{Reason: rag.ReasonPanicked}}}))
}

func TestAttributesAreValidText(t *testing.T) {
	bad := []rag.Result{category("tone", "a\xff"), category("tone", "b\xff")}
	for _, a := range append(spanattach.AppendAttributes(nil, bad), spanattach.AppendOpenInference(nil, answered(bad...))...) {
		assert.True(t, utf8.ValidString(a.Value.String()), "%s: %q", a.Key, a.Value.String())
	}
}
