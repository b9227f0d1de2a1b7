package spanattach

import (
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// AppendAttributes adds results to dst as span attributes, one for each metric
// that has a value, and returns the longer slice: rag.evaluation.<metric>, a
// double for a score and a string for a category. Results without a value add
// nothing.
//
// A metric with a result for each extracted field, and one that dst holds
// already, is folded into its one attribute, so that the number and the types
// of the attributes do not depend on the data: the lowest of the scores; the
// different categories, sorted and joined by commas. [Events] tell the fields
// apart.
//
// The attributes share no memory with results. dst is changed in place.
func AppendAttributes(dst []attribute.KeyValue, results []rag.Result) []attribute.KeyValue {
	dst = slices.Grow(dst, len(results))
	for i := range results {
		r := &results[i]
		if !r.Measured() {
			continue
		}
		if at := find(dst, r.Name); at >= 0 {
			dst[at].Value = fold(dst[at].Value, r)
		} else {
			dst = append(dst, attribute.KeyValue{Key: attribute.Key(AttrPrefix + r.Name), Value: valueOf(r)})
		}
	}
	return dst
}

// find returns the index of the metric's attribute, or -1.
func find(attrs []attribute.KeyValue, metric string) int {
	for i := range attrs {
		key := string(attrs[i].Key)
		if len(key) == len(AttrPrefix)+len(metric) && key[len(AttrPrefix):] == metric && key[:len(AttrPrefix)] == AttrPrefix {
			return i
		}
	}
	return -1
}

// own returns a copy of s that is fit for an attribute: OTLP exporters refuse
// the whole batch, everybody else's telemetry included, for a string that is
// not valid UTF-8.
func own(s string) string { return strings.ToValidUTF8(strings.Clone(s), "\uFFFD") }

func valueOf(r *rag.Result) attribute.Value {
	if r.Kind == rag.KindCategorical {
		return attribute.StringValue(own(r.Category))
	}
	return attribute.Float64Value(r.Value)
}

func fold(have attribute.Value, r *rag.Result) attribute.Value {
	switch {
	case r.Kind != rag.KindCategorical:
		return attribute.Float64Value(min(have.AsFloat64(), r.Value))
	case have.AsString() == r.Category:
		return have
	}
	categories := append(strings.Split(have.AsString(), ","), own(r.Category))
	slices.Sort(categories)
	return attribute.StringValue(strings.Join(slices.Compact(categories), ","))
}

// OutcomeOf returns the outcome of a turn whose evaluation reached a sink:
// rag.OutcomeEvaluated, or rag.OutcomePanicked if a metric or the escalator panicked.
func OutcomeOf(e *rag.Evaluation) rag.Outcome {
	for _, err := range e.Errs {
		if err.Reason == rag.ReasonPanicked {
			return rag.OutcomePanicked
		}
	}
	return rag.OutcomeEvaluated
}

// AppendOpenInference adds the fresh results of e to dst in the form of the
// OpenInference specification for inline evaluations, and returns the longer
// slice: evaluations.N.evaluation.{name,score,label,annotator_kind}, N being
// the result's position in e. The label is the band of a score, or the
// category; the annotator is LLM for the results of an escalated check and
// CODE for all others. Results without a value add nothing.
//
// The attributes share no memory with e.
func AppendOpenInference(dst []attribute.KeyValue, e *rag.Evaluation) []attribute.KeyValue {
	first := len(e.Results) - len(e.Fresh())
	judged := len(e.Results) - len(e.Escalation.Results)
	for n := first; n < len(e.Results); n++ {
		r := &e.Results[n]
		if !r.Measured() {
			continue
		}
		at := "evaluations." + strconv.Itoa(n) + ".evaluation."
		dst = append(dst, attribute.String(at+"name", r.Name))
		label := r.Label
		if r.Kind == rag.KindCategorical {
			label = r.Category
		} else {
			dst = append(dst, attribute.Float64(at+"score", r.Value))
		}
		if label != "" {
			dst = append(dst, attribute.String(at+"label", own(label)))
		}
		annotator := "CODE"
		if n >= judged {
			annotator = "LLM"
		}
		dst = append(dst, attribute.String(at+"annotator_kind", annotator))
	}
	return dst
}
