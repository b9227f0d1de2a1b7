package metric_test

import (
	"bufio"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
)

// Real answers of real models over real passages, which were not looked at when
// the metrics were written: every one is measured, within range, and alike
// twice. What the scores are worth is another question.
func TestRealAnswersAreMeasured(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default()})
	require.NoError(t, err)
	lines := bufio.NewScanner(shareddata.Open(t, "ragtruth/qa.jsonl"))
	lines.Buffer(nil, 16<<20)
	turns, attributed := 0, 0
	for lines.Scan() {
		var row struct {
			ID, Question string
			Contexts     []string
			Responses    []struct{ Answer string }
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		s := &rag.Sample{ID: row.ID, Query: row.Question}
		for _, text := range row.Contexts {
			s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{Text: text})
		}
		for _, r := range row.Responses {
			s.Answer.Text = r.Answer
			turns++
			var first, second rag.Evaluation
			ev.Score(s, rag.PhaseAnswer, &first)
			ev.Score(s.Clone(), rag.PhaseAnswer, &second)
			require.Empty(t, first.Errs, row.ID)
			require.Equal(t, first.Clone(), second.Clone(), row.ID)
			recall, ok := first.Find("context_recall_heuristic")
			require.True(t, ok && recall.Measured(), row.ID)
			if recall.Value > 0 {
				attributed++
			}
		}
	}
	require.NoError(t, lines.Err())
	require.Positive(t, turns)
	share := float64(attributed) / float64(turns)
	t.Logf("%d answers, %.1f%% of them attributed to at least one passage", turns, 100*share)
	assert.Greater(t, share, .8, "answers that were written from passages share their words")
}
