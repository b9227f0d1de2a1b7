package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func library() rag.Retrieval {
	return chunks(
		rag.Chunk{ID: "c-1", DocID: "reports/Q3.pdf", Page: "4", Text: "Revenue rose to 2.3 billion dollars in the third quarter."},
		rag.Chunk{ID: "c-2", DocID: "reports/Q3.pdf", Page: "5", Text: "Costs fell because fewer people travelled. See [12]."},
		rag.Chunk{ID: "c-3", DocID: "handbook", Text: "Employees accrue fifteen days of vacation every year."},
	)
}

func TestCitationsInTheText(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"a position", "It rose [1].", "1 citations=1 valid=1 in_text=1"},
		{"behind the stop", "It rose. [1] It fell. [2]", "1 citations=2 valid=2 in_text=2"},
		{"a list", "It rose [1, 2].", "1 citations=2 valid=2 in_text=2"},
		{"a range", "It rose [1-3].", "1 citations=3 valid=3 in_text=3"},
		{"an en dash", "It rose [1–2].", "1 citations=2 valid=2 in_text=2"},
		{"one after the other", "It rose [1][2].", "1 citations=2 valid=2 in_text=2"},
		{"a footnote", "It rose [^1].", "1 citations=1 valid=1 in_text=1"},
		{"beyond the list", "It rose [1][4].", "0.5 citations=2 valid=1 in_text=2"},
		{"a marker that a chunk has was copied", "See [12].", "no_citations"},
		{"lenticular brackets", "It rose【2†source】.", "1 citations=1 valid=1 in_text=1"},
		{"counted from zero with a message", "It rose【4:0†report.pdf】.", "1 citations=1 valid=1 in_text=1"},
		{"a chunk's id", "It rose [c-2].", "1 citations=1 valid=1 in_text=1"},
		{"in another case", "It rose [C-2].", "1 citations=1 valid=1 in_text=1"},
		{"a document's id", "They accrue [Handbook].", "1 citations=1 valid=1 in_text=1"},
		{"a file's name", "It rose [Q3.pdf].", "1 citations=1 valid=1 in_text=1"},
		{"without its extension", "It rose [q3].", "1 citations=1 valid=1 in_text=1"},
		{"with a page", "It rose [Q3.pdf, p. 5].", "1 citations=1 valid=1 in_text=1"},
		{"an id in round brackets", "It rose (c-1).", "1 citations=1 valid=1 in_text=1"},
		{"a source in round brackets", "They accrue (Source: handbook, p. 5).", "1 citations=1 valid=1 in_text=1"},
		{"a source in square brackets", "They accrue [Source: handbook].", "1 citations=1 valid=1 in_text=1"},
		{"an unknown source", "They accrue (Source: atlas).", "0 citations=1 valid=0 in_text=1"},
		{"a passage", "It rose (passage 1).", "1 citations=1 valid=1 in_text=1"},
		{"passages", "It rose (Passages 1 & 2).", "1 citations=2 valid=2 in_text=2"},
		{"a passage with its step", "Rinse (Passage 1, steps 1-3).", "1 citations=1 valid=1 in_text=1"},
		{"passages with a comma", "Rinse (Passage 1, Passage 3).", "1 citations=2 valid=2 in_text=2"},
		{"passages with and", "Rinse (passages 1 and 3).", "1 citations=2 valid=2 in_text=2"},
		{"an id like those retrieved", "It rose [c-99].", "0 citations=1 valid=0 in_text=1"},
		{"superscripts", "Revenue rose.¹ Costs fell².", "1 citations=2 valid=2 in_text=2"},
		{"a link named by number", "It rose [1](https://example.org/a).", "1 citations=1 valid=1 in_text=1"},
		{"a link", "It rose [here](https://example.org/a).", "no_citations"},
		{"an image", "![1](a.png) It rose.", "no_citations"},
		{"sic", "It rose [sic] there [...] and [and so on].", "no_citations"},
		{"a number in round brackets", "It rose (1) and fell (2).", "no_citations"},
		{"round brackets", "It rose (sharply) by a lot (see Table 3; reference range 1-5).", "no_citations"},
		{"a year", "It rose [2019].", "no_citations"},
		{"an index from zero", "It rose [0].", "no_citations"},
		{"code", "Use `a[1]` or\n```\nb[2]\n```\n", "no_citations"},
		{"exponents", "It has 10³ rooms of 5 m².", "no_citations"},
		{"a long range", "It rose [1-9999].", "no_citations"},
		{"never closed", "It rose [1", "no_citations"},
		{"nothing inside", "It rose [] () 【】.", "no_citations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.want, show(one(t, &s, metric.CitationValidityForm())))
		})
	}
}

func TestCitationFormOfRecordedCitations(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []rag.Citation
		want string
	}{
		{"a chunk", []rag.Citation{{ChunkID: "c-1"}}, "1 citations=1 valid=1 in_text=0"},
		{"a document", []rag.Citation{{DocID: "handbook"}}, "1 citations=1 valid=1 in_text=0"},
		{"not retrieved", []rag.Citation{{DocID: "handbook"}, {ChunkID: "x"}, {}}, "0.3333 citations=3 valid=1 in_text=0"},
		{"none", nil, "no_citations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: "It rose.", Citations: c.in}}
			assert.Equal(t, c.want, show(one(t, &s, metric.CitationValidityForm())))
		})
	}
	s := rag.Sample{Answer: rag.Answer{Text: "It rose [1]."}}
	assert.Equal(t, "no_chunks", show(one(t, &s, metric.CitationValidityForm())))
	s.Retrieval.Chunks = []rag.Chunk{}
	assert.Equal(t, "0 citations=1 valid=0 in_text=1", show(one(t, &s, metric.CitationValidityForm())), "nothing was found, and yet it is cited")
}

func TestCitationContent(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		recorded     []rag.Citation
		want         string
	}{
		{"the claim stands there", "Revenue rose to $2.3 billion [1].", nil, "1 checked=1 valid=1 basis=text"},
		{"it stands elsewhere", "Revenue rose to $2.3 billion [3].", nil, "0 checked=1 valid=0 basis=text"},
		{"behind the stop it is the claim before", "Revenue rose to $2.3 billion. [1] Employees accrue fifteen days of vacation. [3]", nil, "1 checked=2 valid=2 basis=text"},
		{"sources add up", "Revenue rose and costs fell because fewer people travelled [1, 2].", nil, "1 checked=1 valid=1 basis=text"},
		{"a fabricated number", "Revenue rose to $2.9 billion in the third quarter [1].", nil, "0 checked=1 valid=0 basis=text"},
		{"a page", "Revenue rose to $2.3 billion [Q3.pdf, p. 4].", nil, "1 checked=1 valid=1 basis=text"},
		{"the wrong page", "Revenue rose to $2.3 billion [Q3.pdf, p. 5].", nil, "0 checked=1 valid=0 basis=text"},
		{"claims without a citation do not count", "Revenue rose to $2.3 billion [1]. The moon is made of cheese.", nil, "1 checked=1 valid=1 basis=text"},
		{"a list of sources at the end", "Revenue rose to $2.3 billion.\n\nSources: [1], [3]", nil, "0.5 checked=2 valid=1 basis=text"},
		{"nor citations of what was not retrieved", "Revenue rose to $2.3 billion [9].", nil, "not_applicable"},
		{"recorded", "Revenue rose to $2.3 billion.", []rag.Citation{{ChunkID: "c-1"}, {ChunkID: "c-3"}}, "0.5 checked=2 valid=1 basis=recorded"},
		{"no citations", "Revenue rose to $2.3 billion.", nil, "no_citations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: c.answer, Citations: c.recorded}}
			assert.Equal(t, c.want, show(one(t, &s, metric.CitationValidityContent())))
		})
	}
}

func TestCitationCoverage(t *testing.T) {
	for _, c := range []struct {
		name string
		in   rag.Answer
		want string
	}{
		{"one of two claims", rag.Answer{Text: "Revenue rose [1]. Costs fell."}, "1 citations=1 claims=2 claims_cited=1"},
		{"recorded", rag.Answer{Text: "Revenue rose.", Citations: []rag.Citation{{DocID: "x"}}}, "1 citations=1 claims=1 claims_cited=0"},
		{"none", rag.Answer{Text: "Revenue rose."}, "0 citations=0 claims=1 claims_cited=0"},
		{"abstained", rag.Answer{Text: "Who knows why revenue rose.", Abstained: rag.Some(true)}, "not_applicable"},
		{"nothing claimed", rag.Answer{Text: "The documents do not mention this."}, "not_applicable"},
		{"no answer", rag.Answer{}, "no_answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: library(), Answer: c.in}
			assert.Equal(t, c.want, show(one(t, &s, metric.CitationCoverage())))
		})
	}
}

func TestContributionsByCitationsInTheText(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"positions", "It rose [3]. It fell [2].", "1 avg_rank=2.5 contributing_chunks=2 basis=citations ignored=0"},
		{"a document", "It rose [Q3].", "1 avg_rank=1.5 contributing_chunks=2 basis=citations ignored=0"},
		{"a page", "It rose [Q3, p. 5].", "1 avg_rank=2 contributing_chunks=1 basis=citations ignored=0"},
		{"a page that was not retrieved", "It rose [Q3, p. 9].", "1 avg_rank=1.5 contributing_chunks=2 basis=citations ignored=0"},
		{"what was not retrieved", "It rose [3][9].", "1 avg_rank=3 contributing_chunks=1 basis=citations ignored=1"},
		{"nothing retrieved is no basis", "Revenue rose to 2.3 billion dollars [9].", "1 avg_rank=1 contributing_chunks=1 basis=lexical ignored=0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.want, show(one(t, &s, metric.ContextPrecision())))
		})
	}
}

func TestMarkersCountForNothingElse(t *testing.T) {
	s := rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: "Revenue rose to 2.3 billion (Source: reports/Q3.pdf, p. 77)."}}
	assert.Equal(t, "1 claims=1", strings.Join(strings.Fields(show(one(t, &s, metric.ClaimSupportRate())))[:2], " "))
	assert.Equal(t, "0 numbers=1 held=1 misplaced=0 derived=0 fabricated=[]", show(one(t, &s, metric.NumericFabricationCount())))
}
