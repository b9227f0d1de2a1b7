package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/shareddata"
)

func load(t *testing.T) *Corpus {
	t.Helper()
	c, err := Load()
	require.NoError(t, err)
	return c
}

func TestCorpusIsWhole(t *testing.T) {
	c := load(t)
	assert.Len(t, c.Chunks, 1634)
	assert.Len(t, c.Questions, 1806)
	assert.Len(t, c.Answers, 8336)
	assert.Equal(t, []string{"codex-cot", "codex-program", "gpt3-cot", "gpt3-direct", "tagop"}, c.Systems)
	assert.Len(t, c.chunks, len(c.Chunks), "chunk ids are unique")
	assert.Len(t, c.questions, len(c.Questions), "question ids are unique")
	assert.Len(t, c.recorded, len(c.Answers), "a system answers a question once")
}

func TestEveryNamedIDExists(t *testing.T) {
	c := load(t) // Load itself verifies documents, evidence and recorded answers
	for _, q := range c.Questions {
		for _, group := range q.SupportGroups {
			for _, id := range group {
				chunk, ok := c.Chunk(id)
				require.True(t, ok, "question %s: support chunk %s", q.ID, id)
				assert.Equal(t, q.Filters.DocID, chunk.DocID, "question %s: support of another document", q.ID)
			}
		}
		for _, e := range q.Evidence {
			chunk, _ := c.Chunk(e.ChunkID)
			for _, cell := range e.Cells {
				require.Less(t, cell[0], len(chunk.Cells), "question %s: evidence row", q.ID)
				require.Less(t, cell[1], len(chunk.Cells[cell[0]]), "question %s: evidence column", q.ID)
			}
		}
		assert.Equal(t, q.Answerable, len(q.Gold) > 0, "question %s: gold answer", q.ID)
	}
}

func TestDanglingIDsAreRefused(t *testing.T) {
	chunk := Chunk{ID: "c", DocID: "d"}
	question := Question{ID: "q", Filters: Filters{DocID: "d"}}
	for name, c := range map[string]*Corpus{
		"document": {Questions: []Question{question}},
		"evidence": {Chunks: []Chunk{chunk}, Questions: []Question{{ID: "q", Filters: Filters{DocID: "d"}, Evidence: []Evidence{{ChunkID: "x"}}}}},
		"question": {Chunks: []Chunk{chunk}, Questions: []Question{question}, Answers: []Answer{{QuestionID: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Error(t, c.link())
		})
	}
}

func TestQuestionIsFoundByItsTextAndDocument(t *testing.T) {
	c := load(t)
	want, ok := c.Question("4960801d-277d-4f79-8eca-c4d0200fa9d6")
	require.True(t, ok)

	got, ok := c.Find("What is the amount of total sales in 2019?", "tq-3ffd9053")
	require.True(t, ok)
	assert.Equal(t, want.ID, got.ID)
	assert.Equal(t, Strings{"$1,496.5"}, got.Gold)
	assert.InDelta(t, 1496.5e6, got.Numeric.ExpectedValue, 1e-3)

	_, ok = c.Find("What is the amount of total sales in 2019?", "tq-53474060")
	assert.False(t, ok, "the same words about another document")
}

func TestValueIsTheAnswerWithoutItsReasoning(t *testing.T) {
	for name, tc := range map[string]struct{ record, want string }{
		"free text":        {`{"answer":"It fell. So the answer is:\n-1.0%","parsed":["-1.0%"],"parsed_scale":""}`, "-1.0%"},
		"number and scale": {`{"answer":"-94 million","parsed":-94,"parsed_scale":"million"}`, "-94 million"},
		"bare number":      {`{"answer":"2","parsed":2,"parsed_scale":""}`, "2"},
		"several":          {`{"answer":"2017; 2018","parsed":["2017","2018"],"parsed_scale":""}`, "2017; 2018"},
		"none":             {`{"answer":"None million","parsed":null,"parsed_scale":"million"}`, ""},
		"only a scale":     {`{"answer":"million","parsed":"","parsed_scale":"million"}`, ""},
		"empty list":       {`{"answer":"","parsed":[],"parsed_scale":""}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var a Answer
			require.NoError(t, json.Unmarshal([]byte(tc.record), &a))
			assert.Equal(t, tc.want, a.Value())
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

// The data that ships is the data that was given, byte for byte.
func TestShippedDataIsTheOriginal(t *testing.T) {
	for _, name := range []string{"corpus.jsonl", "questions.jsonl", "recorded_answers.jsonl"} {
		want, err := io.ReadAll(shareddata.Open(t, "demo-corpus/"+name))
		require.NoError(t, err)
		packed, err := os.Open("data/" + name + ".gz")
		require.NoError(t, err)
		z, err := gzip.NewReader(packed)
		require.NoError(t, err)
		got, err := io.ReadAll(z)
		require.NoError(t, err)
		require.NoError(t, packed.Close())
		require.True(t, bytes.Equal(want, got), "%s differs from the original", name)
	}
}
