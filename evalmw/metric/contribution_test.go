package metric_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestContributionsByCitations(t *testing.T) {
	retrieval := chunks(
		rag.Chunk{ID: "a", DocID: "d", Page: "1"}, rag.Chunk{ID: "b", DocID: "d", Page: "2"},
		rag.Chunk{ID: "c", DocID: "e", Page: "1"}, rag.Chunk{ID: "d", DocID: "e"},
	)
	for _, c := range []struct {
		name string
		in   []rag.Citation
		want string
	}{
		{"by chunk", []rag.Citation{{ChunkID: "a"}, {ChunkID: "c"}}, "1 avg_rank=2 contributing_chunks=2 basis=citations ignored=0"},
		{"a chunk id outranks the document", []rag.Citation{{ChunkID: "a", DocID: "e"}}, "1 avg_rank=1 contributing_chunks=1 basis=citations ignored=0"},
		{"by document", []rag.Citation{{DocID: "e"}}, "1 avg_rank=3.5 contributing_chunks=2 basis=citations ignored=0"},
		{"by page", []rag.Citation{{DocID: "d", Page: "2"}}, "1 avg_rank=2 contributing_chunks=1 basis=citations ignored=0"},
		{
			"twice by document, then by page",
			[]rag.Citation{{DocID: "d"}, {DocID: "d"}, {DocID: "d", Page: "2"}},
			"1 avg_rank=1.6 contributing_chunks=2 basis=citations ignored=0",
		},
		{
			"not retrieved",
			[]rag.Citation{{ChunkID: "z"}, {DocID: "z"}, {DocID: "d", Page: "9"}, {}, {ChunkID: "d"}},
			"1 avg_rank=4 contributing_chunks=1 basis=citations ignored=4",
		},
		{"none retrieved", []rag.Citation{{ChunkID: "z"}}, "no_contributions basis=citations ignored=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: retrieval, Answer: rag.Answer{Citations: c.in, Text: "Words."}}
			assert.Equal(t, c.want, show(one(t, &s, metric.ContextPrecision())))
		})
	}
}

func TestContributionsPreferExtractionsThenCitations(t *testing.T) {
	s := rag.Sample{
		Retrieval:   chunks(rag.Chunk{ID: "a", Text: "alpha beta"}, rag.Chunk{ID: "b"}, rag.Chunk{ID: "c"}),
		Extractions: from(3),
		Answer:      rag.Answer{Text: "Alpha beta.", Citations: []rag.Citation{{ChunkID: "b"}}},
	}
	assert.Equal(t, "1 avg_rank=3 contributing_chunks=1 basis=extractions ignored=0", show(one(t, &s, metric.ContextPrecision())))
	s.Extractions = nil
	assert.Equal(t, "1 avg_rank=2 contributing_chunks=1 basis=citations ignored=0", show(one(t, &s, metric.ContextPrecision())))
	s.Answer.Citations = nil
	assert.Equal(t, "1 avg_rank=1 contributing_chunks=1 basis=lexical ignored=0", show(one(t, &s, metric.ContextPrecision())))
}

func TestContributionsByWords(t *testing.T) {
	retrieval := chunks(
		rag.Chunk{Text: "Weather was mild in spring. Nothing else happened."},
		rag.Chunk{Text: "Total revenue reached $2,300 million in fiscal 2019, driven by cloud subscriptions."},
		rag.Chunk{Text: "Net loss narrowed to (4.5)% of sales. Revenue was discussed with analysts."},
	)
	for _, c := range []struct{ name, answer, want string }{
		{"a sentence has the chunk with most of its words", "Cloud subscriptions drove total revenue.", "1 avg_rank=2 contributing_chunks=1 basis=lexical ignored=0"},
		{"numbers compare by value", "Revenue: $2.3 billion.", "1 avg_rank=2 contributing_chunks=1 basis=lexical ignored=0"},
		{"a number alone", "2.3bn", "1 avg_rank=2 contributing_chunks=1 basis=lexical ignored=0"},
		{"sign and unit do not count", "4.5", "1 avg_rank=3 contributing_chunks=1 basis=lexical ignored=0"},
		{"another number is not there", "2.4 billion", "no_contributions basis=lexical ignored=0"},
		{"sentence by sentence", "Weather was mild. Net loss narrowed.", "1 avg_rank=2 contributing_chunks=2 basis=lexical ignored=0"},
		{"ties go to the best rank", "Revenue.", "1 avg_rank=2 contributing_chunks=1 basis=lexical ignored=0"},
		{"half is enough", "Mild bananas.", "1 avg_rank=1 contributing_chunks=1 basis=lexical ignored=0"},
		{"less than half is not", "Mild yellow bananas.", "no_contributions basis=lexical ignored=0"},
		{"function words carry nothing", "It was in the.", "no_contributions basis=lexical ignored=0"},
		{"the pronoun one is no number", "One weather.", "1 avg_rank=1 contributing_chunks=1 basis=lexical ignored=0"},
		{"no words", "…", "no_contributions basis=lexical ignored=0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: retrieval, Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.want, show(one(t, &s, metric.ContextPrecision())))
		})
	}
}

func TestContributionsByWordsNeedWordsOnBothSides(t *testing.T) {
	for _, c := range []struct{ name, chunk, answer, want string }{
		{"both", "alpha", "beta", "0 contributing_count=0 hit_limit_warning=false high_filtering_warning=false basis=lexical"},
		{"a blank answer", "alpha", " \n", "no_contributions contributing_count=0 hit_limit_warning=false high_filtering_warning=false basis=none"},
		{"chunks without text", "", "beta", "no_contributions contributing_count=0 hit_limit_warning=false high_filtering_warning=false basis=none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: chunks(rag.Chunk{ID: "a", Text: c.chunk}, rag.Chunk{ID: "b"}), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.want, show(one(t, &s, metric.ContextRecallHeuristic())))
		})
	}
}

func TestContributionsByWordsPreferTheGivenRank(t *testing.T) {
	s := rag.Sample{
		Retrieval: chunks(rag.Chunk{Rank: 2, Text: "alpha"}, rag.Chunk{Rank: 1, Text: "alpha"}),
		Answer:    rag.Answer{Text: "alpha"},
	}
	assert.Equal(t, "1 avg_rank=1 contributing_chunks=1 basis=lexical ignored=0", show(one(t, &s, metric.ContextPrecision())))
}
