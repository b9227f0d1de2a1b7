package metric

import (
	"log/slog"
	"math"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	unstatedConfidence = 0.70 // of an answer that says nothing about it
	misformattedAtMost = 0.50
)

// AggregatedConfidence returns the metric aggregated_confidence, one per field:
// how sure the service is of the value, as far as it says so.
//
// With one extraction it is that extraction's own confidence; with several, or
// where it states none, that of the answer, or 0.70 if the answer states none
// either. A value that is not in the format that its extraction names lowers it
// to 0.50 at most. Without extractions it is the answer's own, if stated.
func AggregatedConfidence(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:     "aggregated_confidence",
		Doc:      "How sure the service is of a field's value: its own confidence, at most 0.50 where the value is not in the expected format.",
		Kind:     rag.KindScore,
		PerField: true,
		Score:    choose(opts, aggregatedConfidence, literalAggregatedConfidence),
	}
}

func aggregatedConfidence(v *rag.View) rag.Result {
	extractions, answer := v.Extractions(), &v.Sample().Answer
	stated := finite(answer.Confidence)
	if len(extractions) == 0 && !stated.Valid {
		if answer.Empty() {
			return rag.Unmeasured(rag.ReasonNoAnswer)
		}
		return rag.Unmeasured(rag.ReasonNoConfidence)
	}
	confidence, from := unstatedConfidence, "default"
	if stated.Valid {
		confidence, from = stated.V, "aggregation"
	}
	if len(extractions) == 1 {
		if own := finite(extractions[0].Confidence); own.Valid {
			confidence, from = own.V, "own"
		}
	}
	confidence = min(max(confidence, 0), 1)
	failed, badPattern := checkFormats(v)
	if failed {
		confidence = min(confidence, misformattedAtMost)
	}
	details := append(make([]slog.Attr, 0, 4),
		slog.Int("sources", len(extractions)),
		slog.String("from", from),
		slog.Bool("format_failed", failed))
	if badPattern {
		details = append(details, slog.Bool("bad_pattern", true))
	}
	return rag.Scored(confidence, v.Details(details...)...)
}

// checkFormats reports whether any value of the field is not in its format, and
// whether any format is a pattern that cannot be used.
func checkFormats(v *rag.View) (failed, badPattern bool) {
	extractions := v.Extractions()
	for i := range extractions {
		x := &extractions[i]
		value := strings.TrimSpace(x.Value)
		if x.Format == "" || value == "" {
			continue
		}
		switch formats.Of(v).check(value, x.Format) {
		case misformatted:
			failed = true
		case unusable:
			badPattern = true
		}
	}
	return failed, badPattern
}

// finite returns o, or nothing where it is a NaN or an infinity.
func finite(o rag.Opt[float64]) rag.Opt[float64] {
	if math.IsNaN(o.V) || math.IsInf(o.V, 0) {
		return rag.Opt[float64]{}
	}
	return o
}
