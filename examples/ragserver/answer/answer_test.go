package answer

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

var loadOnce = sync.OnceValues(corpus.Load) // read-only, and slow under the race detector

func loadCorpus(tb testing.TB) *corpus.Corpus {
	tb.Helper()
	c, err := loadOnce()
	require.NoError(tb, err)
	return c
}

func chunksOf(c *corpus.Corpus, docID string) []corpus.Chunk {
	var chunks []corpus.Chunk
	for _, chunk := range c.Chunks {
		if chunk.DocID == docID {
			chunks = append(chunks, chunk)
		}
	}
	return chunks
}

const salesDoc = "tq-3ffd9053"

func salesRequest(tb testing.TB, question string) Request {
	tb.Helper()
	return Request{Question: question, DocID: salesDoc, Chunks: chunksOf(loadCorpus(tb), salesDoc)}
}

func TestExtractiveQuotes(t *testing.T) {
	for name, tc := range map[string]struct{ question, text, value, chunk string }{
		"a cell by row and year": {
			"What is the amount of total sales in 2019?",
			"Total sales, 2019: $1,496.5.", "$1,496.5", "#table",
		},
		"the cells of two years": {
			"What were fixed price sales in 2018 and 2017?",
			"Fixed Price, Years Ended September 30, 2018: $ 1,146.2; Years Ended September 30, 2017: $ 1,036.9.", "$ 1,146.2; $ 1,036.9", "#table",
		},
		"a sentence": {
			"What kind of contracts are substantially all of our contracts?",
			"Sales by Contract Type: Substantially all of our contracts are fixed-price type contracts.",
			"Sales by Contract Type: Substantially all of our contracts are fixed-price type contracts.", "#p1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Extractive{}.Answer(t.Context(), salesRequest(t, tc.question), nil)
			require.NoError(t, err)
			assert.Equal(t, tc.text, got.Text)
			assert.Equal(t, tc.value, got.Value)
			assert.Equal(t, []string{salesDoc + tc.chunk}, got.Citations)
			assert.False(t, got.Abstained)
		})
	}
}

func TestExtractiveAbstainsWhenNothingFits(t *testing.T) {
	for _, question := range []string{"How long is Leigh Fox's tenure with the company?", "", "In 2019?"} {
		got, err := Extractive{}.Answer(t.Context(), salesRequest(t, question), nil)
		require.NoError(t, err, question)
		assert.Equal(t, Answer{Abstained: true, Model: "extractive"}, got, question)
	}
	got, err := Extractive{}.Answer(t.Context(), Request{Question: "What is the amount of total sales?"}, nil)
	require.NoError(t, err)
	assert.True(t, got.Abstained, "no chunks")
}

// The whole documents stand in for what a search retrieves: nine of ten hold no
// more than ten chunks.
func TestExtractiveIsRightOftenAndAbstainsFromOthersQuestions(t *testing.T) {
	c := loadCorpus(t)
	var lookups, right, controls, abstained, answerable, withheld float64
	for i, q := range c.Questions {
		if q.Category != "negative-control" && i%8 != 0 {
			continue
		}
		got, err := Extractive{}.Answer(t.Context(), Request{Question: q.Text, Chunks: chunksOf(c, q.Filters.DocID)}, nil)
		require.NoError(t, err)
		switch {
		case !q.Answerable:
			controls++
			if got.Abstained {
				abstained++
			}
		case got.Abstained:
			answerable++
			withheld++
		default:
			answerable++
			if q.Category == "numeric-lookup" {
				lookups++
				if strings.Contains(got.Text, q.Gold[0]) {
					right++
				}
			}
		}
	}
	t.Logf("lookups right %.3f, abstained from controls %.3f, from answerable %.3f", right/lookups, abstained/controls, withheld/answerable)
	assert.Greater(t, right/lookups, 0.55)
	assert.Greater(t, abstained/controls, 0.9)
	assert.Less(t, withheld/answerable, 0.25)
}

func TestRecordedRepeatsWrongAnswersToo(t *testing.T) {
	req := salesRequest(t, "What are the contract types?")
	got, err := Recorded{Corpus: loadCorpus(t), System: "codex-program"}.Answer(t.Context(), req, nil)
	require.NoError(t, err)
	assert.Equal(t, "Fixed Price; Other", got.Text, "wrong, and left so")
	assert.Equal(t, "Fixed Price; Other", got.Value)
	assert.Equal(t, "codex-program", got.Model)
	assert.NotEmpty(t, got.Citations)
}

func TestRecordedCitesWhereTheAnswerStands(t *testing.T) {
	c := loadCorpus(t)
	for name, tc := range map[string]struct {
		question, system string
		want             []string
	}{
		"quoted":   {"What is the amount of total sales in 2019?", "tagop", []string{salesDoc + "#table"}},
		"computed": {"What is the percentage change in Other in 2019 from 2018?", "tagop", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Recorded{Corpus: c, System: tc.system}.Answer(t.Context(), salesRequest(t, tc.question), nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got.Citations, got.Text)
		})
	}
}

func TestRecordedKnowsOnlyTheCorpus(t *testing.T) {
	c := loadCorpus(t)
	_, err := Recorded{Corpus: c, System: "tagop"}.Answer(t.Context(), salesRequest(t, "Who are you?"), nil)
	require.ErrorIs(t, err, ErrNotRecorded)
	assert.NotContains(t, err.Error(), "Who are you?", "user text stays out of errors")

	_, err = Recorded{Corpus: c, System: "oracle"}.Answer(t.Context(), salesRequest(t, "What are the contract types?"), nil)
	require.ErrorIs(t, err, ErrNotRecorded)
	assert.ErrorContains(t, err, "tagop", "names the systems that there are")
}

func TestTextIsStreamedWhole(t *testing.T) {
	c := loadCorpus(t)
	req := salesRequest(t, "What is the amount of total sales in 2019?")
	for name, a := range map[string]Answerer{"extractive": Extractive{}, "recorded": Recorded{Corpus: c, System: "gpt3-cot"}} {
		t.Run(name, func(t *testing.T) {
			var deltas []string
			got, err := a.Answer(t.Context(), req, func(delta string) error {
				deltas = append(deltas, delta)
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, got.Text, strings.Join(deltas, ""))
			assert.Greater(t, len(deltas), 3)

			gone := errors.New("client is gone")
			_, err = a.Answer(t.Context(), req, func(string) error { return gone })
			require.ErrorIs(t, err, gone)

			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = a.Answer(cancelled, req, nil)
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

func BenchmarkExtractive(b *testing.B) {
	c := loadCorpus(b)
	for i := 0; b.Loop(); i++ {
		q := c.Questions[i%len(c.Questions)]
		_, err := Extractive{}.Answer(b.Context(), Request{Question: q.Text, Chunks: chunksOf(c, q.Filters.DocID)}, nil)
		require.NoError(b, err)
	}
}
