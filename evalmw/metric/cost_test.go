package metric_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// typical is a turn of ten chunks of 1,500 characters with five extractions.
func typical() *rag.Sample {
	rng := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields(`revenue of the company rose 15% to $2.3 billion in fiscal 2019 while operating expenses
		decreased and net income attributable to shareholders was 1,452.4 million compared with the prior year period`)
	prose := func(length int) string {
		var b strings.Builder
		for n := 0; b.Len() < length; n++ {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteString([]string{" ", " ", " ", " ", " ", " ", " ", ", ", ". "}[rng.IntN(9)])
		}
		return b.String()[:length]
	}
	s := &rag.Sample{Query: prose(60), Retrieval: rag.Retrieval{Limits: rag.Limits{"bm25": 20, "knn": 20}, BeforeFilter: 30}}
	for i := range 10 {
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{
			ID: fmt.Sprint("c", i), DocID: "d", Page: strconv.Itoa(i), Text: prose(1500),
			Score: rag.Some(rng.Float64()), Methods: []string{"bm25", "knn"}[i%2 : 1+i%2],
		})
	}
	for i := range 5 {
		s.Extractions = append(s.Extractions, rag.Extraction{
			Field: []string{"revenue", "income"}[i%2], Value: "$2.3 billion", ChunkNumber: 1 + i, Confidence: rag.Some(.8),
			Evidence: prose(200), Format: []string{"currency", "regexp:^.*billion$"}[i%2],
		})
	}
	s.Answer = rag.Answer{Text: "Revenue rose 15% to 2,300 million. " + prose(400), Confidence: rag.Some(.7)}
	return s
}

// cited and bare are typical with the other bases of contribution.
func cited() *rag.Sample {
	s := typical()
	s.Extractions, s.Answer.Citations = nil, []rag.Citation{{ChunkID: "c1"}, {DocID: "d", Page: "3"}, {DocID: "d"}}
	return s
}

func bare() *rag.Sample {
	s := typical()
	s.Extractions = nil
	return s
}

func TestWarmMetricsDoNotAllocate(t *testing.T) {
	for name, s := range map[string]*rag.Sample{"extractions": typical(), "citations": cited(), "lexical": bare()} {
		for mode, metrics := range map[string][]rag.Metric{"default": metric.Default(), "literal": metric.Default(metric.Literal())} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				e, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
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
}

// hostile samples have n of everything, all distinct or all the same.
func hostile(n int) map[string]*rag.Sample {
	distinct, same, bareWords, bareSentences := new(rag.Sample), new(rag.Sample), new(rag.Sample), new(rag.Sample)
	for i := range n {
		distinct.Retrieval.Chunks = append(distinct.Retrieval.Chunks, rag.Chunk{
			ID: strconv.Itoa(i), DocID: strconv.Itoa(i), Page: strconv.Itoa(i), Methods: []string{strconv.Itoa(i)}, Text: "word",
		})
		distinct.Extractions = append(distinct.Extractions, rag.Extraction{
			Field: strconv.Itoa(i), Value: strconv.Itoa(i), ChunkNumber: i, Evidence: strconv.Itoa(i), Format: fmt.Sprintf("regexp:%d", i%100),
		})
		same.Retrieval.Chunks = append(same.Retrieval.Chunks, rag.Chunk{ID: strconv.Itoa(i), DocID: "d", Page: "1", Methods: []string{"m"}, Text: "word"})
		same.Answer.Citations = append(same.Answer.Citations, rag.Citation{DocID: "d", Page: []string{"", "1"}[i%2]})
	}
	distinct.Retrieval.Limits = rag.Limits{}
	for i := range n {
		distinct.Retrieval.Limits[strconv.Itoa(i)] = 2
	}
	bareSentences.Retrieval, bareWords.Retrieval = same.Retrieval, distinct.Retrieval
	bareSentences.Answer.Text = strings.Repeat("Word. ", n)
	bareWords.Answer.Text = strings.Repeat("word 5 ", n)
	oneField := &rag.Sample{Retrieval: distinct.Retrieval}
	for _, x := range distinct.Extractions {
		x.Field = "f"
		oneField.Extractions = append(oneField.Extractions, x)
	}
	return map[string]*rag.Sample{
		"all distinct": distinct, "one field": oneField, "all the same, cited": same,
		"many sentences": bareSentences, "one long sentence": bareWords,
	}
}

func TestHostileSizesAreSound(t *testing.T) {
	for name, s := range hostile(10_000) {
		t.Run(name, func(t *testing.T) { requireSound(t, evaluate(t, s, metric.Default()...)) })
	}
}

func BenchmarkInline(b *testing.B) {
	samples := map[string]*rag.Sample{"extractions": typical(), "citations": cited(), "lexical": bare()}
	for name, s := range samples {
		b.Run(name, func(b *testing.B) { benchmark(b, s, metric.Default()...) })
	}
	for _, m := range metric.Default() {
		b.Run("extractions/"+m.Name, func(b *testing.B) { benchmark(b, typical(), m) })
	}
}

// BenchmarkHostile shows by ns/item whether cost grows faster than the input.
func BenchmarkHostile(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		for name, s := range hostile(n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				benchmark(b, s, metric.Default()...)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
			})
		}
	}
}

func benchmark(b *testing.B, s *rag.Sample, metrics ...rag.Metric) {
	e, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
	require.NoError(b, err)
	ev := new(rag.Evaluation)
	b.ReportAllocs()
	for b.Loop() {
		ev.Reset()
		e.Score(s, rag.PhaseAnswer, ev)
	}
}
