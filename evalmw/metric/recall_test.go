package metric_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func from(numbers ...int) []rag.Extraction {
	list := make([]rag.Extraction, len(numbers))
	for i, n := range numbers {
		list[i].ChunkNumber = n
	}
	return list
}

func TestContextPrecision(t *testing.T) {
	twenty := rag.Retrieval{Chunks: numbered(20)}
	reranked := rag.Retrieval{Chunks: []rag.Chunk{{ID: "a", Rank: 12}, {ID: "b", Rank: 1}}}
	allFirst := rag.Retrieval{Chunks: numbered(20)}
	for i := range allFirst.Chunks {
		allFirst.Chunks[i].Rank = 1
	}
	for _, c := range []struct {
		name string
		in   rag.Sample
		want string
	}{
		{"nothing", rag.Sample{}, "no_contributions basis=none ignored=0"},
		{"no basis", rag.Sample{Retrieval: twenty}, "no_contributions basis=none ignored=0"},
		{"extractions that name no chunk", rag.Sample{Retrieval: twenty, Extractions: from(0, 0)}, "no_contributions basis=extractions ignored=0"},
		{
			"chunk numbers outside the list",
			rag.Sample{Retrieval: twenty, Extractions: from(21, -1, 3)},
			"1 avg_rank=3 contributing_chunks=1 basis=extractions ignored=2",
		},
		{
			"all in the top ten",
			rag.Sample{Retrieval: twenty, Extractions: from(1, 2, 2)},
			"1 avg_rank=1.667 contributing_chunks=2 basis=extractions ignored=0",
		},
		{
			"half in the top ten",
			rag.Sample{Retrieval: twenty, Extractions: from(10, 11)},
			"0.5 avg_rank=10.5 contributing_chunks=2 basis=extractions ignored=0",
		},
		{
			"more than ten contribute",
			rag.Sample{Retrieval: twenty, Extractions: from(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13)},
			"0.9 avg_rank=6.75 contributing_chunks=12 basis=extractions ignored=0",
		},
		{
			"given ranks count, not positions",
			rag.Sample{Retrieval: reranked, Extractions: from(1, 2)},
			"0.5 avg_rank=6.5 contributing_chunks=2 basis=extractions ignored=0",
		},
		{
			"equal ranks cannot push it past 1",
			rag.Sample{Retrieval: allFirst, Extractions: from(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
			"1 avg_rank=1 contributing_chunks=12 basis=extractions ignored=0",
		},
		{
			"duplicates are one chunk with its best rank",
			rag.Sample{Retrieval: chunks(rag.Chunk{ID: "a", Rank: 11}, rag.Chunk{ID: "a", Rank: 2}), Extractions: from(1, 2)},
			"1 avg_rank=2 contributing_chunks=1 basis=extractions ignored=0",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, show(one(t, &c.in, metric.ContextPrecision())))
		})
	}
}

func TestContextRecallHeuristic(t *testing.T) {
	four := numbered(4)
	for i := range four {
		four[i].Methods = []string{"bm25"}
	}
	for _, c := range []struct {
		name string
		in   rag.Sample
		want string
	}{
		{"nothing retrieved", rag.Sample{Extractions: from(1)}, "no_chunks"},
		{
			"no basis",
			rag.Sample{Retrieval: chunks(four...)},
			"no_contributions contributing_count=0 hit_limit_warning=false high_filtering_warning=false basis=none",
		},
		{
			"a basis that names none is 0",
			rag.Sample{Retrieval: chunks(four...), Extractions: from(0)},
			"0 contributing_count=0 hit_limit_warning=false high_filtering_warning=false basis=extractions",
		},
		{
			"half",
			rag.Sample{Retrieval: chunks(four...), Extractions: from(1, 3, 3)},
			"0.5 contributing_count=2 hit_limit_warning=false high_filtering_warning=false basis=extractions",
		},
		{
			"limit hit",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, Limits: rag.Limits{"bm25": 4, "knn": 1}}, Extractions: from(1, 2)},
			"0.35 contributing_count=2 hit_limit_warning=true high_filtering_warning=false basis=extractions",
		},
		{
			"limit not hit",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, Limits: rag.Limits{"bm25": 5}}, Extractions: from(1, 2)},
			"0.5 contributing_count=2 hit_limit_warning=false high_filtering_warning=false basis=extractions",
		},
		{
			"a limit below 1 is none",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, Limits: rag.Limits{"bm25": 0, "knn": -1}}, Extractions: from(1, 2)},
			"0.5 contributing_count=2 hit_limit_warning=false high_filtering_warning=false basis=extractions",
		},
		{
			"filtered",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, BeforeFilter: 9}, Extractions: from(1, 2)},
			"0.425 contributing_count=2 hit_limit_warning=false high_filtering_warning=true basis=extractions",
		},
		{
			"exactly half kept is not filtered",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, BeforeFilter: 8}, Extractions: from(1, 2)},
			"0.5 contributing_count=2 hit_limit_warning=false high_filtering_warning=false basis=extractions",
		},
		{
			"the limit outranks the filter, both show",
			rag.Sample{Retrieval: rag.Retrieval{Chunks: four, BeforeFilter: 9, Limits: rag.Limits{"bm25": 4}}, Extractions: from(1, 2)},
			"0.35 contributing_count=2 hit_limit_warning=true high_filtering_warning=true basis=extractions",
		},
		{"duplicates are one chunk, which does not hit the limit", rag.Sample{Retrieval: rag.Retrieval{
			Chunks: []rag.Chunk{{ID: "a", Methods: []string{"knn"}}, {ID: "a", Methods: []string{"knn"}}}, Limits: rag.Limits{"knn": 2},
		}, Extractions: from(1, 2)}, "1 contributing_count=1 hit_limit_warning=false high_filtering_warning=false basis=extractions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, show(one(t, &c.in, metric.ContextRecallHeuristic())))
		})
	}
}

func TestRecallWarning(t *testing.T) {
	two := []rag.Chunk{{ID: "a", Methods: []string{"x"}}, {ID: "b", Methods: []string{"x", "y"}}}
	for _, c := range []struct {
		name string
		in   rag.Retrieval
		want []string
	}{
		{"nothing retrieved", rag.Retrieval{Limits: rag.Limits{"x": 3}}, nil},
		{
			"nothing kept",
			rag.Retrieval{Chunks: []rag.Chunk{}, BeforeFilter: 10},
			[]string{"HIGH_THRESHOLD_FILTERING hit_limit_warning=false high_filtering_warning=true"},
		},
		{"silent", rag.Retrieval{Chunks: two, Limits: rag.Limits{"x": 3}, BeforeFilter: 4}, nil},
		{"silent without counts", rag.Retrieval{Chunks: two}, nil},
		{
			"limit",
			rag.Retrieval{Chunks: two, Limits: rag.Limits{"x": 9, "y": 1}},
			[]string{"HIT_RETRIEVAL_LIMIT hit_limit_warning=true high_filtering_warning=false"},
		},
		{
			"filter",
			rag.Retrieval{Chunks: two, BeforeFilter: 5},
			[]string{"HIGH_THRESHOLD_FILTERING hit_limit_warning=false high_filtering_warning=true"},
		},
		{
			"both",
			rag.Retrieval{Chunks: two, Limits: rag.Limits{"x": 2}, BeforeFilter: 5},
			[]string{"HIT_RETRIEVAL_LIMIT hit_limit_warning=true high_filtering_warning=true"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range evaluate(t, &rag.Sample{Retrieval: c.in}, metric.RecallWarning()).Results {
				got = append(got, show(r))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// A retrieval that was not recorded kept nothing as far as anybody knows, which
// is not the same as having filtered everything.
func TestUnrecordedChunksAreNotFilteredOnes(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metric.RecallWarning()}})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		chunks []rag.Chunk
		want   int
	}{"not recorded": {nil, 0}, "recorded, none kept": {[]rag.Chunk{}, 1}} {
		t.Run(name, func(t *testing.T) {
			out, err := ev.Evaluate(t.Context(), &rag.Sample{Retrieval: rag.Retrieval{Chunks: c.chunks, BeforeFilter: 57}})
			require.NoError(t, err)
			assert.Len(t, out.Results, c.want)
		})
	}
}
