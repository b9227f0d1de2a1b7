package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// drawer draws samples with everything that services do wrong.
type drawer struct{ *rand.Rand }

func (d drawer) pick(from ...string) string { return from[d.IntN(len(from))] }

func (d drawer) text() string {
	words := make([]string, d.IntN(30))
	for i := range words {
		words[i] = d.pick("revenue", "$2.3 billion", "the", "15%", "Q3 2019", "(4.5)", "in millions", "one", ".", "\n",
			"1,452.4", "\xff", "收入", "é", "2019-09-30", "rose", "-", "\u200b", "€5", "5")
	}
	return strings.Join(words, " ")
}

func (d drawer) float() rag.Opt[float64] {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1, .5, d.Float64(), 17, math.MaxFloat64, -math.MaxFloat64, 5e-324}
	return rag.Opt[float64]{V: values[d.IntN(len(values))], Valid: d.IntN(4) > 0}
}

func (d drawer) sample() *rag.Sample {
	s := &rag.Sample{Query: d.text()}
	methods := []string{"bm25", "knn", "", "x"}
	s.Retrieval.Chunks = make([]rag.Chunk, d.IntN(14))
	for i := range s.Retrieval.Chunks {
		s.Retrieval.Chunks[i] = rag.Chunk{
			ID: d.pick("", "a", "b", "c", "d", "e"), DocID: d.pick("", "d1", "d2"), Page: d.pick("", "1", "2", "3"),
			Rank: d.IntN(20) - 3, Text: d.text(), Score: d.float(), Methods: methods[:d.IntN(5)],
		}
	}
	if d.IntN(2) == 0 {
		s.Retrieval.Limits = rag.Limits{"bm25": d.IntN(9) - 1, "knn": d.IntN(9), "": 1}
	}
	s.Retrieval.BeforeFilter = d.IntN(40) - 5
	if d.IntN(3) > 0 {
		s.Extractions = make([]rag.Extraction, d.IntN(8))
	}
	for i := range s.Extractions {
		s.Extractions[i] = rag.Extraction{
			Field: d.pick("", "f", "g", "h"), Value: d.pick("", " ", d.text(), "$5", "5", "Q3 2019", "1e308"), Evidence: d.text(),
			ChunkNumber: d.IntN(20) - 3, Confidence: d.float(),
			Format: d.pick("", "number", "percent", "currency", "date", "enum:a|b", "enum:", "regexp:", "regexp:(", "x:"),
		}
	}
	s.Answer = rag.Answer{Text: d.text(), Confidence: d.float()}
	for range d.IntN(4) {
		s.Answer.Citations = append(s.Answer.Citations, rag.Citation{
			ChunkID: d.pick("", "a", "b", "zz"), DocID: d.pick("", "d1", "d9"), Page: d.pick("", "1", "9"),
		})
	}
	return s
}

func requireSound(t *testing.T, ev *rag.Evaluation) {
	t.Helper()
	require.Empty(t, ev.Errs)
	for _, r := range ev.Results {
		switch {
		case r.Reason != "":
		case r.Kind == rag.KindScore:
			require.True(t, r.Value >= 0 && r.Value <= 1, "%s is %v", r.Name, r.Value)
		default:
			require.NotEmpty(t, r.Category, r.Name)
		}
		for _, d := range r.Details {
			if f, ok := d.Value.Any().(float64); ok {
				require.False(t, math.IsNaN(f) || math.IsInf(f, 0), "%s: %s is %v", r.Name, d.Key, f)
			}
		}
	}
}

func showAll(ev *rag.Evaluation, fields func(string) bool) []string {
	var all []string
	for _, r := range ev.Results {
		if fields(r.Field) {
			all = append(all, fmt.Sprintf("%s[%s] %v %s", r.Name, r.Field, r.Value, show(r)))
		}
	}
	return all
}

func anyField(string) bool { return true }

func TestResultsAreSoundOnAnySample(t *testing.T) {
	for name, metrics := range map[string][]rag.Metric{"default": metric.Default(), "literal": metric.Default(metric.Literal())} {
		t.Run(name, func(t *testing.T) {
			warm, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
			require.NoError(t, err)
			d := drawer{rand.New(rand.NewPCG(3, 4))}
			ev := new(rag.Evaluation)
			for range 3000 {
				s := d.sample()
				ev.Reset()
				warm.Score(s, rag.PhaseAnswer, ev)
				requireSound(t, ev)
				require.Equal(t, showAll(evaluate(t, s, metrics...), anyField), showAll(ev, anyField),
					"memory of earlier samples shows")
			}
		})
	}
}

func TestUnrelatedFieldsDoNotMatter(t *testing.T) {
	d := drawer{rand.New(rand.NewPCG(5, 6))}
	perField := []rag.Metric{
		metric.AggregatedConfidence(), metric.SemanticValidation(), metric.MultiSourceAgreement(), metric.AgreementPattern(),
	}
	isF := func(field string) bool { return field == "f" }
	for range 1000 {
		s := d.sample()
		want := showAll(evaluate(t, s, perField...), isF)
		var reordered []rag.Extraction
		for _, x := range s.Extractions {
			if x.Field == "g" {
				x.Field = "other"
			}
			if x.Field != "f" {
				reordered = append(reordered, x)
			}
		}
		for _, x := range s.Extractions {
			if x.Field == "f" {
				reordered = append(reordered, x)
			}
		}
		s.Extractions = reordered
		require.Equal(t, want, showAll(evaluate(t, s, perField...), isF))
	}
}

func FuzzInlineMetrics(f *testing.F) {
	f.Add(uint64(1), "Revenue was $2.3 billion.", "5%", "regexp:^a", "in millions 5")
	f.Add(uint64(2), "\xff\u200b", "2019-09-30", "enum:a|b", "Sept. 30, 2019")
	e, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default()})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, seed uint64, answer, value, format, evidence string) {
		s := drawer{rand.New(rand.NewPCG(seed, 0))}.sample()
		s.Answer.Text = answer
		s.Extractions = append(s.Extractions, rag.Extraction{Field: "f", Value: value, Format: format, Evidence: evidence})
		if seed%2 == 0 {
			s.Extractions, s.Answer.Citations = nil, nil
			s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{Text: evidence})
		}
		ev := new(rag.Evaluation)
		e.Score(s, rag.PhaseAnswer, ev)
		requireSound(t, ev)
	})
}
