package metric_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestContextRelevance(t *testing.T) {
	found := func(id, page string, score float64, methods ...string) rag.Chunk {
		return rag.Chunk{ID: id, DocID: "d", Page: page, Score: rag.Some(score), Methods: methods}
	}
	both := []string{"bm25", "knn"}
	for _, c := range []struct {
		name string
		in   rag.Retrieval
		want string
	}{
		{"no retrieval", rag.Retrieval{}, "no_chunks"},
		{"nothing found", rag.Retrieval{Chunks: []rag.Chunk{}, Limits: rag.Limits{"bm25": 5, "knn": 5}}, "no_chunks"},
		{
			"all factors", chunks(found("a", "1", .8, both...), found("b", "2", .6, "bm25")),
			"0.59 acceptable factors=intersection,score,diversity intersection=0.5 score=0.7 diversity=0.4",
		},
		{
			"a perfect retrieval is 1", chunks(found("a", "1", 1, both...), found("b", "2", 1, both...), found("c", "3", 1, both...),
				found("d", "4", 1, both...), found("e", "5", 1, both...), found("f", "6", 1, both...)),
			"1 good factors=intersection,score,diversity intersection=1 score=1 diversity=1",
		},
		{
			"one method drops intersection", chunks(found("a", "1", .8, "knn"), found("b", "1", .6, "knn")),
			"0.6167 acceptable factors=score,diversity score=0.7 diversity=0.2",
		},
		{
			"two configured, one found nothing",
			rag.Retrieval{Chunks: []rag.Chunk{found("a", "", .8, "knn")}, Limits: rag.Limits{"bm25": 0, "knn": 20}},
			"0.4444 acceptable factors=intersection,score intersection=0 score=0.8",
		},
		{
			"two configured, none stated on chunks",
			rag.Retrieval{Chunks: []rag.Chunk{found("a", "", .8)}, Limits: rag.Limits{"bm25": 20, "knn": 20}},
			"0.8 good factors=score score=0.8",
		},
		{
			"chunks of unknown method stay out of the intersection", chunks(found("a", "", .5, both...), found("b", "", .5)),
			"0.7222 good factors=intersection,score intersection=1 score=0.5",
		},
		{
			"three methods, two are enough", chunks(found("a", "", 0, "x", "y"), found("b", "", 0, "y"), found("c", "", 0, "z")),
			"0.1481 investigate factors=intersection,score intersection=0.3333 score=0",
		},
		{
			"duplicates merge: methods unite, the best score counts, one page", chunks(found("a", "1", .2, "bm25"), found("a", "1", .9, "knn")),
			"0.87 good factors=intersection,score,diversity intersection=1 score=0.9 diversity=0.2",
		},
		{
			"unnormalised scores cannot push it past 1", chunks(found("a", "", 17, "knn"), found("b", "", 23, "knn")),
			"1 good factors=score score=1",
		},
		{
			"NaN and infinity are ignored and counted", chunks(found("a", "1", math.NaN()), found("b", "1", math.Inf(1)), found("c", "1", .5)),
			"0.45 acceptable factors=score,diversity score=0.5 diversity=0.2 ignored_scores=2",
		},
		{
			"nothing to go by", chunks(rag.Chunk{ID: "a"}, rag.Chunk{ID: "b", Score: rag.Some(math.NaN())}),
			"no_basis factors=none ignored_scores=1",
		},
		{"pages alone", chunks(rag.Chunk{Page: "1"}, rag.Chunk{Page: "2"}), "0.4 acceptable factors=diversity diversity=0.4"},
		{
			"the same page of two documents", chunks(rag.Chunk{DocID: "a", Page: "1"}, rag.Chunk{DocID: "b", Page: "1"}, rag.Chunk{DocID: "b", Page: "1"}),
			"0.4 acceptable factors=diversity diversity=0.4",
		},
		{".7 is acceptable", chunks(found("a", "", .7)), "0.7 acceptable factors=score score=0.7"},
		{".4 is acceptable", chunks(found("a", "", .4)), "0.4 acceptable factors=score score=0.4"},
		{"below .4", chunks(found("a", "", .39)), "0.39 investigate factors=score score=0.39"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, show(one(t, &rag.Sample{Retrieval: c.in}, metric.ContextRelevance())))
		})
	}
}

func TestContextRelevanceUsesTheEvaluatorsNormalizers(t *testing.T) {
	e, err := rag.NewEvaluator(rag.Config{
		Metrics:   []rag.Metric{metric.ContextRelevance()},
		Normalize: map[string]rag.Normalizer{"bm25": rag.ByMax},
	})
	require.NoError(t, err)
	ev := new(rag.Evaluation)
	e.Score(&rag.Sample{Retrieval: chunks(
		rag.Chunk{ID: "a", Score: rag.Some(20.0), Methods: []string{"bm25"}},
		rag.Chunk{ID: "b", Score: rag.Some(10.0), Methods: []string{"bm25"}},
	)}, rag.PhaseRetrieval, ev)
	assert.Equal(t, "0.75 good factors=score score=0.75", show(ev.Results[0]))
}
