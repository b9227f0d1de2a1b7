package metric_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A table says its scale once, in its heading, which a quoted row leaves out.
func TestScaleOfTheChunkHoldsForTheRowQuotedFromIt(t *testing.T) {
	table := rag.Chunk{Text: "Sales (in millions)\nTotal sales | $1,496.5 | $1,202.9"}
	bare := rag.Chunk{Text: "Total sales | $1,496.5 | $1,202.9"}
	row := "Total sales | $1,496.5 | $1,202.9"
	for name, c := range map[string]struct {
		chunk  rag.Chunk
		number int
		value  string
		want   string
	}{
		"stated by the chunk":             {table, 1, "$1,496.5 million", "pass"},
		"another scale than the chunk's":  {table, 1, "$1,496.5 billion", "fail"},
		"stated nowhere":                  {bare, 1, "$1,496.5 million", "fail"},
		"the extraction names no chunk":   {table, 0, "$1,496.5 million", "fail"},
		"the extraction names a stranger": {table, 2, "$1,496.5 million", "fail"},
		"bare on both sides":              {table, 1, "1,202.9", "pass"},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metric.SemanticValidation()}})
			require.NoError(t, err)
			out, err := ev.Evaluate(t.Context(), &rag.Sample{
				Retrieval:   rag.Retrieval{Chunks: []rag.Chunk{c.chunk}},
				Extractions: []rag.Extraction{{Field: "sales", Value: c.value, ChunkNumber: c.number, Evidence: row}},
			})
			require.NoError(t, err)
			assert.Equal(t, c.want, out.Results[0].Category)
		})
	}
}

func TestListsStandValueByValue(t *testing.T) {
	for value, want := range map[string]string{
		"2019; 2018; 2017":     "pass",
		"2017;2019":            "pass",
		"$1.2 million; 7":      "pass",
		"2019; 2016":           "fail",
		"; ;":                  "fail",
		"north; South America": "pass",
	} {
		t.Run(value, func(t *testing.T) {
			ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metric.SemanticValidation()}})
			require.NoError(t, err)
			out, err := ev.Evaluate(t.Context(), &rag.Sample{Extractions: []rag.Extraction{{
				Value: value, Evidence: "In fiscal 2019, 2018 and 2017 we spent 1,200,000 on 7 sites in South America and the North.",
			}}})
			require.NoError(t, err)
			assert.Equal(t, want, out.Results[0].Category)
		})
	}
}
