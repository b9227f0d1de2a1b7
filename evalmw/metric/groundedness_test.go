package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// grounded are the metrics of groundedness and citations.
func grounded() []rag.Metric {
	return []rag.Metric{
		metric.ClaimSupportRate(), metric.UnsupportedClaimCount(), metric.NumericFabricationCount(),
		metric.CitationValidityForm(), metric.CitationValidityContent(), metric.CitationCoverage(),
	}
}

func TestWarmGroundednessDoesNotAllocate(t *testing.T) {
	marked := bare()
	marked.Answer.Text += " Growth was 15% [1, 2]. It rose (passage 3). At 5:30 pm on 30 September 2019, 99% [c4]. Total: 7,123."
	for name, s := range map[string]*rag.Sample{"extractions": typical(), "citations": cited(), "lexical": bare(), "marked": marked} {
		t.Run(name, func(t *testing.T) {
			e, err := rag.NewEvaluator(rag.Config{Metrics: grounded()})
			require.NoError(t, err)
			ev := new(rag.Evaluation)
			score := func() {
				ev.Reset()
				e.Score(s, rag.PhaseAnswer, ev)
			}
			score()
			allocs := testing.AllocsPerRun(200, score)
			if !raceEnabled {
				assert.Zero(t, allocs)
			}
		})
	}
}

func BenchmarkGroundedness(b *testing.B) {
	for _, m := range grounded() {
		b.Run(m.Name, func(b *testing.B) { benchmark(b, bare(), m) })
	}
	b.Run("all", func(b *testing.B) { benchmark(b, bare(), grounded()...) })
}

// hostileText are samples on which careless matching is quadratic.
func hostileText(n int) map[string]*rag.Sample {
	repeated := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("Word word word. ", n/4)}}
	for range min(n, 256) {
		repeated.Retrieval.Chunks = append(repeated.Retrieval.Chunks, rag.Chunk{Text: strings.Repeat("word ", max(1, n/64))})
	}
	numbers := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("The total of 7.123 was 5. ", n/4)}}
	numbers.Retrieval.Chunks = []rag.Chunk{{Text: strings.Repeat("total 5 and 31, ", n)}, {Text: strings.Repeat("5 ", n)}}
	brackets := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("[1-32] [doc-1] (Source: x, p. 3) [[[", n/8)}}
	for range 256 {
		brackets.Retrieval.Chunks = append(brackets.Retrieval.Chunks, rag.Chunk{DocID: "doc-1", Text: "x"})
	}
	var b strings.Builder
	for i := range n {
		b.WriteString("aaaa")
		for k := i; k > 0; k /= 26 {
			b.WriteByte('a' + byte(k%26))
		}
		b.WriteByte(' ')
	}
	starts := &rag.Sample{Answer: rag.Answer{Text: b.String()}}
	starts.Retrieval.Chunks = []rag.Chunk{{Text: strings.ToUpper(b.String())}, {Text: strings.ReplaceAll(b.String(), " ", "z ")}}
	return map[string]*rag.Sample{"one word": repeated, "numbers": numbers, "brackets": brackets, "one start": starts}
}

// BenchmarkHostileText shows by ns/item whether cost grows faster than the input.
func BenchmarkHostileText(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		for name, s := range hostileText(n) {
			b.Run(name+"/"+strings.Repeat("x", n/1000), func(b *testing.B) {
				benchmark(b, s, grounded()...)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
			})
		}
	}
}
