package spanattach_test

import (
	"log/slog"
	"testing"
	"unsafe"

	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/goleak"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "the patient's name is Ada"

// turn returns a sample full of text that must not leave.
func turn(span rag.SpanRef) *rag.Sample {
	return &rag.Sample{
		ID: "r1", Query: secret, Span: span,
		Retrieval:   rag.Retrieval{Chunks: []rag.Chunk{{ID: "c1", Text: secret}}},
		Extractions: []rag.Extraction{{Field: "revenue", Value: secret, Evidence: secret}},
		Answer:      rag.Answer{Text: secret},
		Tags:        map[string]string{"tenant": "a"},
	}
}

func answered(results ...rag.Result) *rag.Evaluation {
	return &rag.Evaluation{Phase: rag.PhaseAnswer, Results: results}
}

func score(name string, v float64, details ...slog.Attr) rag.Result {
	r := rag.Scored(v, details...)
	r.Name = name
	return r
}

func category(name, c string) rag.Result {
	r := rag.Category(c)
	r.Name = name
	return r
}

func without(name string, why rag.Reason) rag.Result {
	r := rag.Unmeasured(why)
	r.Name, r.Kind = name, rag.KindScore
	return r
}

func ofField(field string, r rag.Result) rag.Result {
	r.Field = field
	return r
}

func asMap(attrs []attribute.KeyValue) map[string]any {
	out := make(map[string]any, len(attrs))
	for _, a := range attrs {
		out[string(a.Key)] = a.Value.AsInterface()
	}
	return out
}

// nine is what the default metrics find in a turn with one extracted field.
func nine() *rag.Evaluation {
	return answered(
		score("context_relevance", 0.82, slog.String("factors", "intersection,score,diversity")).WithLabel("good"),
		score("context_precision", 1, slog.Float64("avg_rank", 2), slog.Int("contributing_chunks", 3)),
		score("context_recall_heuristic", 0.6, slog.String("basis", "extractions")),
		category("recall_warning", "HIT_RETRIEVAL_LIMIT"),
		ofField("revenue", score("aggregated_confidence", 0.9)),
		ofField("revenue", category("semantic_validation", "pass")),
		ofField("revenue", score("multi_source_agreement", 1)),
		ofField("revenue", category("agreement_pattern", "unanimous")),
		score("support_risk", 0.12),
	)
}

// unsafeString returns a string that changes with b, as those of a pooled
// sample do.
func unsafeString(b []byte) string { return unsafe.String(&b[0], len(b)) }
