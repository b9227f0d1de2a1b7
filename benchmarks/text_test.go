package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// varied is the turn with other texts and values of the same kind.
func varied(rng *rand.Rand) *rag.Sample {
	s := newTurn()
	all := english(1 << 17)
	pick := func(n int) string {
		from := rng.IntN(len(all) - n)
		return all[from : from+n]
	}
	s.Retrieval.Chunks = s.Retrieval.Chunks[:2+rng.IntN(9)]
	for i := range s.Retrieval.Chunks {
		c := &s.Retrieval.Chunks[i]
		c.Text, c.Page = pick(300+rng.IntN(chunkLength)), fmt.Sprint(rng.IntN(9))
		c.Methods = [][]string{{"bm25"}, {"knn"}, {"bm25", "knn"}}[rng.IntN(3)]
		c.Score = rag.Some(rng.Float64())
	}
	s.Retrieval.Limits["bm25"], s.Retrieval.BeforeFilter = 3+rng.IntN(20), 5+rng.IntN(40)
	s.Answer.Text = pick(answerLength)
	s.Answer.Confidence = rag.Some(rng.Float64())
	for i := range s.Extractions {
		x := &s.Extractions[i]
		x.Evidence = pick(80) + " " + []string{"2,300 million", "15%", "$4.5 billion", "1672"}[rng.IntN(4)] + " " + pick(20)
		x.Value = []string{"$2.3 billion", "15 percent", "4,500 million", "1672", "1673", "refraction", "", "the Sun's Light"}[rng.IntN(8)]
		for x.Value == "" || plainText(x.Value) == "" {
			words := strings.Fields(pick(60))
			x.Value = strings.Join(words[1:4], " ")
			x.Evidence += " " + x.Value
		}
		x.ChunkNumber = 1 + rng.IntN(len(s.Retrieval.Chunks)+min(i, 2)) // the first one exists
	}
	return s
}

func TestRivalsFindTheSame(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: sameMetrics()})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 350 {
		s := varied(rng)
		if i == 0 {
			s = newTurn()
		}
		var e rag.Evaluation
		ev.Score(s, rag.PhaseAnswer, &e)
		require.Empty(t, e.Errs)
		want := newScores()
		for _, r := range e.Results {
			if r.Kind == rag.KindCategorical {
				want.categories[r.Name] = r.Category
			} else {
				require.True(t, r.Measured(), r.Name)
				want.numbers[r.Name] = r.Value
			}
		}
		byNaive, byShared := naiveAll(s), sharedAll(s)
		assert.Empty(t, want.differing(byNaive), "turn %d: what the naive metrics find differently", i)
		assert.Empty(t, byNaive.differing(byShared), "turn %d: what the rivals find differently", i)
		if t.Failed() {
			t.Fatalf("%v\n%v\n%v", want, byNaive, byShared)
		}
	}
}

func TestAlphabetsKeepTheWords(t *testing.T) {
	for _, a := range alphabets {
		if a.letters != han {
			assert.Equal(t, 26, utf8.RuneCountInString(a.letters), a.name)
		}
		s := a.turn()
		assert.True(t, utf8.ValidString(s.Answer.Text), a.name)
		assert.Len(t, s.Retrieval.Chunks, turnChunks)
	}
}
