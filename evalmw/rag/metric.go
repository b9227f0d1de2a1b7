package rag

import (
	"fmt"
	"log/slog"
	"math"
)

// A Metric scores a sample. It is a value: declare one, put it in
// [Config.Metrics], and it runs live, in the command and in replay.
type Metric struct {
	_ struct{}

	// Name is snake_case and unique in its evaluator.
	Name string
	// Doc says in a sentence what the metric measures.
	Doc string
	// Kind is what Score returns; the zero Kind means KindScore.
	Kind Kind
	// Range is the values that a score can take; the zero Range is 0 to 1.
	Range Range
	// AtRetrieval marks a metric that needs only query and retrieval. A live
	// pipeline delivers it before the answer is there.
	AtRetrieval bool
	// PerField marks a metric of one extracted field. It is called once for
	// each field of the sample, with [View.Field] set, or once with no field
	// where the sample has no extractions.
	PerField bool
	// Score computes the result. It must be pure and safe for concurrent use,
	// and must not keep the View. It returns [Scored], [Category] or
	// [Unmeasured]; the zero Result says nothing and is left out.
	Score func(*View) Result
}

// Kind tells scores from categories.
type Kind uint8

// The kinds of results.
const (
	KindScore       Kind = iota + 1 // a number within the metric's Range
	KindCategorical                 // one of a few words
)

// String returns the wire form: "score" or "categorical".
func (k Kind) String() string {
	switch k {
	case KindScore:
		return "score"
	case KindCategorical:
		return "categorical"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Range is the values that a score can take.
type Range uint8

// The ranges of scores.
const (
	Unit  Range = iota // from 0 to 1
	Count              // how many: 0, 1, 2 and so on
)

// String says the range in words.
func (r Range) String() string {
	switch r {
	case Unit:
		return "a score from 0 to 1"
	case Count:
		return "a whole number from 0"
	}
	return fmt.Sprintf("Range(%d)", uint8(r))
}

// holds reports whether v is in the range; a NaN is in none.
func (r Range) holds(v float64) bool {
	if r == Count {
		return v >= 0 && v <= 1<<53 && v == math.Trunc(v)
	}
	return v >= 0 && v <= 1
}

// A Reason says why a metric has no value. Metrics may use reasons of their
// own; these are the common ones.
type Reason string

// The common reasons.
const (
	ReasonNoQuery          Reason = "no_query"
	ReasonNoChunks         Reason = "no_chunks"
	ReasonNoAnswer         Reason = "no_answer"
	ReasonNoContributions  Reason = "no_contributions" // nothing says which chunks were used
	ReasonNoBasis          Reason = "no_basis"         // none of the factors has an input
	ReasonNoValues         Reason = "no_values"        // a field without a single value
	ReasonNoConfidence     Reason = "no_confidence"    // nobody stated one
	ReasonNotApplicable    Reason = "not_applicable"   // the sample is of another kind
	ReasonJudgeUnavailable Reason = "judge_unavailable"
	ReasonPanicked         Reason = "panicked"     // the metric panicked
	ReasonMetricError      Reason = "metric_error" // the metric broke its contract, for example by a NaN
)

// A Result is one metric's verdict on one sample, or on one field of it.
type Result struct {
	_ struct{}

	// Name is the metric's; the evaluator fills it in, as it does Field and
	// Range.
	Name string
	// Field is the extracted field that a PerField metric speaks of.
	Field string
	// Kind tells which of Value and Category holds.
	Kind Kind
	// Range is the values that Value can take.
	Range Range
	// Value is the score, within Range, never a NaN.
	Value float64
	// Category is the categorical value.
	Category string
	// Label is the band a score falls into, such as "good"; it may be empty.
	Label string
	// Reason is set where there is no value.
	Reason Reason
	// Details explain the result: counts, factors, warnings. Their keys and
	// order are fixed for a metric.
	Details []slog.Attr
}

// Scored returns a result with a score, which must be within the metric's
// Range: from 0 to 1 unless it says otherwise.
func Scored(v float64, details ...slog.Attr) Result {
	return Result{Kind: KindScore, Value: v, Details: details}
}

// Category returns a result with a categorical value, which must not be empty.
func Category(c string, details ...slog.Attr) Result {
	return Result{Kind: KindCategorical, Category: c, Details: details}
}

// Unmeasured returns a result without a value.
func Unmeasured(why Reason, details ...slog.Attr) Result {
	return Result{Reason: why, Details: details}
}

// WithLabel returns r with its band set.
func (r Result) WithLabel(label string) Result {
	r.Label = label
	return r
}

// Measured reports whether r has a value.
func (r Result) Measured() bool { return r.Kind != 0 && r.Reason == "" }

// says reports whether r is anything but the zero Result.
func (r Result) says() bool { return r.Kind != 0 || r.Reason != "" }

// A MetricError reports a metric that panicked or broke its contract. It
// names types and never values: those may hold a user's text.
type MetricError struct {
	_ struct{}

	Metric string // the metric's name
	Reason Reason // ReasonPanicked or ReasonMetricError
	Detail string // what was expected and what was found
}

// Error names the metric and what it did.
func (e *MetricError) Error() string {
	return fmt.Sprintf("metric %s: %s", e.Metric, e.Detail)
}
