package index

import (
	"context"
	"fmt"
	"slices"
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

func build(tb testing.TB, chunks []corpus.Chunk, cfg Config) *Index {
	tb.Helper()
	ix, err := Build(tb.Context(), chunks, cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, ix.Close()) })
	return ix
}

// small returns the first chunks of the corpus and a configuration that indexes
// them quickly, also under the race detector.
func small(tb testing.TB) ([]corpus.Chunk, Config) {
	tb.Helper()
	chunks := loadCorpus(tb).Chunks[:150]
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = searchText(c)
	}
	return chunks, Config{Embedder: TrainLSA(texts, 16)}
}

// recall is the share of answerable questions with any evidence among the
// first five hits, by method and for the fused list, over every tenth question.
func recall(t *testing.T, c *corpus.Corpus, ix *Index, filtered bool) map[string]float64 {
	t.Helper()
	sum := make(map[string]float64)
	n := 0.0
	for i, q := range c.Questions {
		if !q.Answerable || i%10 != 0 {
			continue
		}
		n++
		docID := ""
		if filtered {
			docID = q.Filters.DocID
		}
		res, err := ix.Search(t.Context(), q.Text, docID, len(c.Chunks))
		require.NoError(t, err)
		evidence := make(map[string]bool)
		for _, e := range q.Evidence {
			evidence[e.ChunkID] = true
		}
		hit := make(map[string]bool)
		for i, h := range res.Hits {
			if !evidence[h.Chunk.ID] {
				continue
			}
			hit["fused"] = hit["fused"] || i < 5
			for _, f := range h.Found {
				hit[f.Method] = hit[f.Method] || f.Rank <= 5
			}
		}
		for method, ok := range hit {
			if ok {
				sum[method]++
			}
		}
	}
	for method := range sum {
		sum[method] /= n
	}
	return sum
}

func TestEvidenceIsAmongTheFirstFive(t *testing.T) {
	c := loadCorpus(t)
	ix := build(t, c.Chunks, Config{})
	for name, tc := range map[string]struct {
		filtered bool
		floor    map[string]float64
	}{
		"within the document": {true, map[string]float64{BM25: 0.97, KNN: 0.97, "fused": 0.98}},
		"over all documents":  {false, map[string]float64{BM25: 0.70, KNN: 0.42, "fused": 0.60}},
	} {
		t.Run(name, func(t *testing.T) {
			got := recall(t, c, ix, tc.filtered)
			t.Logf("recall@5, any evidence: %v", got)
			for method, floor := range tc.floor {
				assert.GreaterOrEqual(t, got[method], floor, method)
			}
		})
	}
}

func TestResultTellsWhereItCameFrom(t *testing.T) {
	chunks, cfg := small(t)
	cfg.BM25Limit = 7
	ix := build(t, chunks, cfg)
	res, err := ix.Search(t.Context(), "What is the amount of total sales in 2019?", "", 5)
	require.NoError(t, err)

	assert.Len(t, res.Hits, 5)
	assert.Equal(t, map[string]int{BM25: 7, KNN: 20}, res.Limits)
	assert.GreaterOrEqual(t, res.Retrieved, 20)
	assert.LessOrEqual(t, res.Retrieved, 27)
	var stages []string
	for _, s := range res.Stages {
		stages = append(stages, s.Name)
	}
	assert.Equal(t, []string{BM25, "embed", KNN, "fuse"}, stages)
	for i, h := range res.Hits {
		assert.NotEmpty(t, h.Chunk.Text)
		assert.NotEmpty(t, h.Found)
		assert.Greater(t, h.Score, 0.0)
		assert.LessOrEqual(t, h.Score, 1.0)
		if i > 0 {
			assert.LessOrEqual(t, h.Score, res.Hits[i-1].Score, "best first")
		}
	}
}

func TestDocumentFilterHoldsInBothMethods(t *testing.T) {
	chunks, cfg := small(t)
	ix := build(t, chunks, cfg)
	doc := chunks[100].DocID
	want := 0
	for _, chunk := range chunks {
		if chunk.DocID == doc {
			want++
		}
	}
	res, err := ix.Search(t.Context(), "total revenue and net income in 2019", doc, 100)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(res.Hits), want)
	require.NotEmpty(t, res.Hits)
	for _, h := range res.Hits {
		assert.Equal(t, doc, h.Chunk.DocID)
	}

	res, err = ix.Search(t.Context(), "total revenue", "no such document", 5)
	require.NoError(t, err)
	assert.Empty(t, res.Hits)
}

func TestQueryWithoutAKnownWordFindsNothing(t *testing.T) {
	chunks, cfg := small(t)
	ix := build(t, chunks, cfg)
	for _, query := range []string{"", "?", "xyzzy plugh", "the of and"} {
		res, err := ix.Search(t.Context(), query, "", 5)
		require.NoError(t, err, query)
		assert.Empty(t, res.Hits, query)
		assert.Zero(t, res.Retrieved, query)
	}
}

func TestSearchIsTheSameEveryTimeAndConcurrentSafe(t *testing.T) {
	chunks, cfg := small(t)
	first, second := build(t, chunks, cfg), build(t, chunks, cfg)
	questions := loadCorpus(t).Questions[:40]
	var wg sync.WaitGroup
	for _, q := range questions {
		wg.Go(func() {
			a, err := first.Search(t.Context(), q.Text, "", 20)
			if !assert.NoError(t, err) {
				return
			}
			b, err := second.Search(t.Context(), q.Text, "", 20)
			if !assert.NoError(t, err) {
				return
			}
			assert.Equal(t, brief(a), brief(b), q.Text)
		})
	}
	wg.Wait()
}

func brief(res *Result) []string {
	var lines []string
	for _, h := range res.Hits {
		lines = append(lines, fmt.Sprint(h.Chunk.ID, h.Score, h.Found))
	}
	return lines
}

func TestBuildReportsEachStageToItsEnd(t *testing.T) {
	chunks := loadCorpus(t).Chunks[:100]
	done := make(map[string]int)
	build(t, chunks, Config{Progress: func(p Progress) {
		assert.GreaterOrEqual(t, p.Done, done[p.Stage])
		assert.Equal(t, len(chunks), p.Total)
		done[p.Stage] = p.Done
	}})
	assert.Equal(t, map[string]int{"train": 100, "bm25": 100, "vectors": 100}, done)
}

func TestBuildRefuses(t *testing.T) {
	chunks := slices.Clip(loadCorpus(t).Chunks[:10]) // appending must not write into the shared corpus
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx    context.Context
		chunks []corpus.Chunk
		want   string
	}{
		"no chunks":       {t.Context(), nil, "no chunks"},
		"the same id":     {t.Context(), append(chunks, chunks[3]), "two chunks have the id"},
		"cancelled build": {cancelled, chunks, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Build(tc.ctx, tc.chunks, Config{})
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestFusionRewardsAgreement(t *testing.T) {
	hits := fuse([]ranking{
		{BM25, []found{{"a", 9}, {"b", 8}, {"c", 7}}},
		{KNN, []found{{"b", 0.9}, {"d", 0.8}, {"a", 0.7}}},
	})
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Chunk.ID)
	}
	assert.Equal(t, []string{"b", "a", "d", "c"}, ids)
	assert.Equal(t, []Finding{{Method: BM25, Rank: 2, Score: 8}, {Method: KNN, Rank: 1, Score: 0.9}}, hits[0].Found)

	top := fuse([]ranking{{BM25, []found{{"a", 9}}}, {KNN, []found{{"a", 1}}}})
	assert.InDelta(t, 1, top[0].Score, 1e-12, "first by every method")
}

func BenchmarkBuild(b *testing.B) {
	c := loadCorpus(b)
	for b.Loop() {
		ix, err := Build(b.Context(), c.Chunks, Config{})
		require.NoError(b, err)
		require.NoError(b, ix.Close())
	}
}

func BenchmarkSearch(b *testing.B) {
	c := loadCorpus(b)
	ix := build(b, c.Chunks, Config{})
	for i := 0; b.Loop(); i++ {
		_, err := ix.Search(b.Context(), c.Questions[i%len(c.Questions)].Text, "", 10)
		require.NoError(b, err)
	}
}
