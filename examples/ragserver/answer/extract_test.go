package answer

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEverySourceGivesItsOwnValue(t *testing.T) {
	c := loadCorpus(t)
	chunks := chunksOf(c, salesDoc)
	fields := []Field{
		{Name: "sales", Question: "What is the amount of total sales in 2019?"},
		{Name: "other_change", Question: "What is the percentage change in Other in 2019 from 2018?"},
		{Name: "unknown", Question: "How long is Leigh Fox's tenure with the company?"},
	}
	got, err := Extractor{Corpus: c}.Extract(t.Context(), salesDoc, fields, chunks)
	require.NoError(t, err)

	by := make(map[string]map[string]Extraction)
	for _, e := range got {
		if by[e.Field] == nil {
			by[e.Field] = make(map[string]Extraction)
		}
		by[e.Field][e.Source] = e
	}
	assert.Len(t, by["sales"], 6, "five systems and the extractive source")
	assert.Equal(t, Extraction{
		Field: "sales", Source: "tagop", Value: "$1,496.5 million", ChunkNumber: 1, Format: FormatCurrency,
		Confidence: by["sales"]["tagop"].Confidence, Evidence: "Total sales | $1,496.5 | $1,202.9 | $1,107.7",
	}, by["sales"]["tagop"])
	assert.Greater(t, by["sales"]["tagop"].Confidence, withoutEvidence)
	assert.Equal(t, "$1,496.5", by["sales"]["extractive"].Value)

	computed := by["other_change"]["tagop"]
	assert.Equal(t, FormatPercent, computed.Format)
	assert.Zero(t, computed.ChunkNumber, "a computed value stands nowhere")
	assert.Empty(t, computed.Evidence)
	assert.InDelta(t, withoutEvidence, computed.Confidence, 1e-12)

	assert.Empty(t, by["unknown"], "nobody was asked, and nothing fits")
}

func TestEvidenceIsAlwaysVerbatim(t *testing.T) {
	c := loadCorpus(t)
	x := Extractor{Corpus: c}
	found, all := 0, 0
	for i := 0; i < len(c.Questions); i += 10 {
		q := c.Questions[i]
		chunks := chunksOf(c, q.Filters.DocID)
		got, err := x.Extract(t.Context(), q.Filters.DocID, []Field{{Name: "f", Question: q.Text}}, chunks)
		require.NoError(t, err)
		for _, e := range got {
			all++
			assert.NotEmpty(t, e.Value)
			assert.NotEmpty(t, e.Format)
			assert.True(t, e.Confidence >= 0 && e.Confidence <= 1, "confidence %v", e.Confidence)
			if e.ChunkNumber == 0 {
				assert.Empty(t, e.Evidence)
				continue
			}
			found++
			require.LessOrEqual(t, e.ChunkNumber, len(chunks))
			assert.Contains(t, chunks[e.ChunkNumber-1].Text, e.Evidence, q.ID)
			assert.GreaterOrEqual(t, overlap(tokensOf(e.Value), tokensOf(e.Evidence)), 0.5, "value stands in its evidence")
		}
	}
	t.Logf("%d extractions, %d with evidence", all, found)
	assert.Greater(t, found, all/3)
}

func TestExtractionIsTheSameEveryTime(t *testing.T) {
	c := loadCorpus(t)
	chunks := chunksOf(c, salesDoc)
	var fields []Field
	for _, q := range c.Asked(salesDoc) {
		fields = append(fields, Field{Name: q.ID, Question: q.Text})
	}
	require.NotEmpty(t, fields)
	first, err := Extractor{Corpus: c}.Extract(t.Context(), salesDoc, fields, chunks)
	require.NoError(t, err)
	for range 5 {
		again, err := Extractor{Corpus: c}.Extract(t.Context(), salesDoc, fields, chunks)
		require.NoError(t, err)
		assert.Equal(t, first, again)
	}
}

func TestExtractionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Extractor{Corpus: loadCorpus(t)}.Extract(ctx, salesDoc, []Field{{Name: "f"}}, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestFormat(t *testing.T) {
	for value, want := range map[string]string{
		"-22.22 percent": FormatPercent, "19.16%": FormatPercent, "(3.2)%": FormatPercent,
		"$1,496.5 million": FormatCurrency, "-$566 million": FormatCurrency, "€3.2bn": FormatCurrency, "$(2,129)": FormatCurrency, "12 cents": FormatCurrency,
		"2019": FormatDate, "January 1, 2018": FormatDate, "fiscal 2018": FormatDate, "March 2020": FormatDate, "31 December 2019": FormatDate,
		"62444 thousand": FormatNumber, "(472.7)": FormatNumber, "-94": FormatNumber, "0.8731": FormatNumber,
		"2017; 2018": FormatText, "South Korean Won": FormatText, "May it please": FormatText, "": FormatText,
	} {
		assert.Equal(t, want, Format(value), "%q", value)
	}
}

func TestSentencesKeepEveryWord(t *testing.T) {
	got := sentences(`Sales rose 3.5% in the U.S. market. In 2019 they fell. "Why?" 12 reasons.`)
	assert.Equal(t, []string{`Sales rose 3.5% in the U.S. market.`, `In 2019 they fell.`, `"Why?" 12 reasons.`}, got)
}

func TestNumbersHaveOneSpelling(t *testing.T) {
	assert.Equal(t, []string{"1496.5", "2129", "0.8", "22.22", "7"}, numbersIn("$1,496.50 (2,129) 0.80 22.220000000000002 7,"))
}

func FuzzEvidenceIsPartOfTheText(f *testing.F) {
	f.Add("Sales rose. They fell in 2019.", "2019", "When did they fall?")
	f.Add("a | b | 1\nTotal | 2 | 3", "3", "total")
	f.Fuzz(func(t *testing.T, text, claim, question string) {
		c := loadCorpus(t).Chunks[0]
		c.Text = strings.ToValidUTF8(text, "?")
		req := Request{Question: question, Chunks: append(chunksOf(loadCorpus(t), salesDoc), c)}
		if at, ok := locate(claim, tokensOf(question), unitsOf(req.Chunks)); ok {
			if !strings.Contains(req.Chunks[at.unit.chunk].Text, at.unit.text) {
				t.Fatalf("%q is not part of its chunk", at.unit.text)
			}
		}
		if _, err := (Extractive{}).Answer(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	})
}
