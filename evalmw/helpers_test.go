package evalmw_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// chunkCount is a metric of the retrieval, answerLength one of the answer.
var (
	chunkCount = rag.Metric{Name: "chunk_count", AtRetrieval: true, Score: func(v *rag.View) rag.Result {
		if len(v.Chunks()) == 0 {
			return rag.Unmeasured(rag.ReasonNoChunks)
		}
		return rag.Scored(min(1, float64(len(v.Chunks()))/10))
	}}
	answerLength = rag.Metric{Name: "answer_length", Score: func(v *rag.View) rag.Result {
		if v.Sample().Answer.Text == "" {
			return rag.Unmeasured(rag.ReasonNoAnswer)
		}
		return rag.Scored(min(1, float64(len(v.Sample().Answer.Text))/100))
	}}
)

// collect is a sink that keeps copies.
type collect struct {
	mu  sync.Mutex
	got []delivered
}

type delivered struct {
	sample *rag.Sample
	ev     *rag.Evaluation
}

func (c *collect) Consume(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, delivered{s.Clone(), e.Clone()})
	return nil
}

func (c *collect) all() []delivered {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]delivered(nil), c.got...)
}

func newEvaluator(t testing.TB, cfg rag.Config) *rag.Evaluator {
	t.Helper()
	if cfg.Metrics == nil {
		cfg.Metrics = []rag.Metric{chunkCount, answerLength}
	}
	ev, err := rag.NewEvaluator(cfg)
	require.NoError(t, err)
	return ev
}

func newPipeline(t testing.TB, cfg rag.Config, opts ...evalmw.Option) *evalmw.Pipeline {
	t.Helper()
	return evalmw.New(newEvaluator(t, cfg), append([]evalmw.Option{evalmw.WithCPUBudget(0)}, opts...)...)
}

// turn records one whole turn.
func turn(p *evalmw.Pipeline, id, answer string) {
	ctx, end := p.Begin(context.Background())
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetID(id)
	rec.SetQuery("what?")
	rec.Retrieved([]rag.Chunk{{ID: "c1", Text: "one"}, {ID: "c2", Text: "two"}}, rag.Limits{"bm25": 2}, 0)
	rec.Answered(answer)
}

// requireConserved checks that every turn ended in exactly one way.
func requireConserved(t *testing.T, s rag.Stats) {
	t.Helper()
	var ends uint64
	for _, n := range s.Turns {
		ends += n
	}
	require.Equal(t, s.Submitted, ends, "submitted = evaluated + failed + dropped: %v", s.Turns)
	e := s.Escalations
	require.Equal(t, e.Needed, e.Checked+e.Failed+e.Shed+e.OverBudget+e.Unchecked, "escalations: %+v", e)
}

func sampleOf(chunks, chars int) *rag.Sample {
	s := &rag.Sample{ID: "s", Query: "what?", Answer: rag.Answer{Text: "an answer"}}
	for i := range chunks {
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{
			ID: fmt.Sprintf("c%d", i), Text: strings.Repeat("x", chars), Methods: []string{"bm25", "knn"},
		})
	}
	return s
}

func assertStats(t *testing.T, p *evalmw.Pipeline, want map[rag.Outcome]uint64) {
	t.Helper()
	s := p.Stats()
	assert.Equal(t, want, s.Turns)
	requireConserved(t, s)
}
