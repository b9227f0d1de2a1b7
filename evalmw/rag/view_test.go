package rag_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// view runs look on the view of a sample.
func view(t *testing.T, s *rag.Sample, cfg rag.Config, look func(*rag.View)) {
	t.Helper()
	called := false
	cfg.Metrics = []rag.Metric{{Name: "look", Score: func(v *rag.View) rag.Result {
		called = true
		look(v)
		return rag.Result{}
	}}}
	ev, err := rag.NewEvaluator(cfg)
	require.NoError(t, err)
	var out rag.Evaluation
	ev.Score(s, rag.PhaseAnswer, &out)
	require.True(t, called)
	assert.Empty(t, out.Results, "the zero Result says nothing")
}

func TestChunksAreMergedByID(t *testing.T) {
	s := &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
		{ID: "a", Score: rag.Some(.2), Methods: []string{"bm25"}},
		{Text: "nameless"},
		{ID: "b", Rank: 9},
		{ID: "a", Rank: 3, Score: rag.Some(.7), Methods: []string{"knn", "bm25", ""}},
		{Text: "nameless too", Score: rag.Some(math.NaN())},
		{ID: "a", Rank: 1, Score: rag.Some(math.Inf(1))},
	}}}
	view(t, s, rag.Config{}, func(v *rag.View) {
		chunks := v.Chunks()
		require.Len(t, chunks, 4)
		assert.Equal(t, "a", chunks[0].ID)
		assert.Equal(t, 1, chunks[0].Rank, "best rank")
		assert.Equal(t, rag.Some(.7), chunks[0].Score, "highest score")
		assert.Equal(t, []string{"bm25", "knn"}, chunks[0].Methods, "union of methods")
		assert.Equal(t, 2, chunks[1].Rank, "the position where no rank is given")
		assert.Equal(t, 9, chunks[2].Rank)
		assert.Equal(t, 2, v.IgnoredScores())
		for number, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 0, 5: 3, 6: 0} {
			got, ok := v.ChunkNumber(number)
			assert.True(t, ok)
			assert.Equal(t, want, got, "chunk number %d", number)
		}
		for _, outside := range []int{0, -1, 7, math.MaxInt} {
			_, ok := v.ChunkNumber(outside)
			assert.False(t, ok)
		}
		_, ok := v.ChunkID("")
		assert.False(t, ok, "the empty id names no chunk")
	})
}

func TestMergedChunkHasTheTextThatOneOfThemHas(t *testing.T) {
	s := &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
		{ID: "a", Methods: []string{"bm25"}}, {ID: "a", Text: "text", Methods: []string{"knn"}}, {ID: "a", Text: "later"},
	}}}
	view(t, s, rag.Config{}, func(v *rag.View) {
		require.Len(t, v.Chunks(), 1)
		assert.Equal(t, "text", v.Chunks()[0].Text)
		assert.Equal(t, []string{"bm25", "knn"}, v.Chunks()[0].Methods)
	})
}

func TestManyMethodsMergeInLinearTime(t *testing.T) {
	var methods []string
	for i := range 200_000 {
		methods = append(methods, fmt.Sprint(i%150_000))
	}
	s := &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
		{ID: "a", Methods: methods}, {ID: "b", Methods: []string{"7", "8", "7"}}, {ID: "a", Methods: []string{"7", "new"}},
	}}}
	view(t, s, rag.Config{}, func(v *rag.View) {
		assert.Len(t, v.Chunks()[0].Methods, 150_001)
		assert.Equal(t, []string{"7", "8"}, v.Chunks()[1].Methods)
		sorted := slices.Sorted(slices.Values(v.Chunks()[0].Methods))
		assert.Len(t, slices.Compact(sorted), 150_001, "each once")
	})
}

func TestNormalizers(t *testing.T) {
	chunk := func(id string, score float64, method string) rag.Chunk {
		return rag.Chunk{ID: id, Score: rag.Some(score), Methods: []string{method}}
	}
	s := &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
		chunk("a", 12, "bm25"), chunk("b", 3, "bm25"), chunk("c", .5, "knn"), chunk("d", -.5, "knn"), chunk("e", 7, "other"),
	}}}
	for name, c := range map[string]struct {
		by   map[string]rag.Normalizer
		want []float64
	}{
		"as they are, clamped": {nil, []float64{1, 1, .5, 0, 1}},
		"by max":               {map[string]rag.Normalizer{"bm25": rag.ByMax}, []float64{1, .25, .5, 0, 1}},
		"min-max":              {map[string]rag.Normalizer{"bm25": rag.MinMax, "knn": rag.MinMax, "other": rag.MinMax}, []float64{1, 0, 1, 0, 1}},
		"logistic":             {map[string]rag.Normalizer{"knn": rag.Logistic}, []float64{1, 1, 1 / (1 + math.Exp(-.5)), 1 / (1 + math.Exp(.5)), 1}},
	} {
		t.Run(name, func(t *testing.T) {
			view(t, s, rag.Config{Normalize: c.by}, func(v *rag.View) {
				for i, want := range c.want {
					assert.InDelta(t, want, v.Chunks()[i].Score.V, 1e-12)
				}
			})
		})
	}
}

func TestFieldsKeepTheirOrder(t *testing.T) {
	s := &rag.Sample{Extractions: []rag.Extraction{
		{Field: "b", Value: "1"}, {Field: "a", Value: "2"}, {Field: "b", Value: "3"}, {Value: "4"},
	}}
	var fields []string
	var values [][]string
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{
		{Name: "per_field", PerField: true, Score: func(v *rag.View) rag.Result {
			fields = append(fields, v.Field())
			var vs []string
			for _, x := range v.Extractions() {
				vs = append(vs, x.Value)
			}
			values = append(values, vs)
			return rag.Scored(1)
		}},
		{Name: "all", Score: func(v *rag.View) rag.Result {
			assert.Len(t, v.Extractions(), 4)
			return rag.Scored(1)
		}},
	}})
	require.NoError(t, err)
	var out rag.Evaluation
	ev.Score(s, rag.PhaseAnswer, &out)
	assert.Equal(t, []string{"b", "a", ""}, fields)
	assert.Equal(t, [][]string{{"1", "3"}, {"2"}, {"4"}}, values)
	require.Len(t, out.Results, 4)
	assert.Equal(t, "a", out.Results[1].Field)
	assert.Empty(t, out.Results[3].Field)
}
