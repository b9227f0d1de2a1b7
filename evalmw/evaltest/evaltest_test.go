package evaltest_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ask(p *evalmw.Pipeline, query string) {
	ctx, end := p.Begin(context.Background())
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetQuery(query)
	rec.Answered("an answer to " + query)
}

func TestSinkKeepsCopies(t *testing.T) {
	sink := evaltest.NewSink()
	text := []byte("before")
	s := &rag.Sample{Query: string(text), Tags: map[string]string{"k": "v"}}
	ev := &rag.Evaluation{Phase: rag.PhaseAnswer, Results: []rag.Result{{Name: "m", Value: 0.5, Kind: rag.KindScore}}}
	require.NoError(t, sink.Consume(t.Context(), s, ev))
	s.Query, s.Tags["k"], ev.Results[0].Value = "after", "changed", 1

	got, ok := sink.Last()
	require.True(t, ok)
	assert.Equal(t, "before", got.Sample.Query)
	assert.Equal(t, "v", got.Sample.Tags["k"])
	assert.InDelta(t, 0.5, got.Evaluation.Results[0].Value, 0)
}

func TestSinkWaitsForWholeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, sink := evaltest.NewPipeline(t)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				time.Sleep(time.Hour)
				ask(p, "q")
			})
		}
		got, err := sink.Wait(t.Context(), 5)
		require.NoError(t, err)
		assert.Len(t, got, 5)
		wg.Wait()
	})
}

func TestSinkWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := evaltest.NewSink().Wait(ctx, 1)
	assert.Empty(t, got)
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "expected 1 deliveries of phase answer, found 0")
}

func TestFindDoesNotRepeatTheRetrieval(t *testing.T) {
	early := rag.Metric{Name: "early", AtRetrieval: true, Score: func(*rag.View) rag.Result { return rag.Scored(0.25) }}
	late := rag.Metric{Name: "late", Score: func(*rag.View) rag.Result { return rag.Scored(0.75) }}
	p, sink := evaltest.NewPipeline(t, early, late)

	ctx, end := p.Begin(t.Context())
	rec := evalmw.FromContext(ctx)
	rec.Retrieved([]rag.Chunk{{ID: "c", Text: "text"}}, nil, 0)
	require.NoError(t, p.Flush(t.Context()))
	assert.Empty(t, sink.Turns(), "the answer is not there yet")
	assert.Len(t, sink.Find("early"), 1)

	rec.Answered("answer")
	end()
	require.NoError(t, p.Flush(t.Context()))
	assert.Len(t, sink.All(), 2)
	assert.Len(t, sink.Find("early"), 1)
	assert.Len(t, sink.Find("late"), 1)

	sink.Reset()
	assert.Empty(t, sink.All())
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		judge   *evaltest.Judge
		calls   int
		results int
		stats   rag.EscalationStats
	}{
		{"checks every turn", &evaltest.Judge{Score: 0.9}, 1, 1, rag.EscalationStats{Needed: 1, Checked: 1}},
		{
			"keeps to its policy",
			&evaltest.Judge{Policy: rag.EscalatorFunc(func(*rag.Sample, *rag.Evaluation) []string { return nil })},
			0, 0,
			rag.EscalationStats{},
		},
		{"fails on request", &evaltest.Judge{Status: rag.EscalationFailed}, 1, 0, rag.EscalationStats{Needed: 1, Failed: 1}},
		{"is over budget on request", &evaltest.Judge{Status: rag.EscalationOverBudget}, 1, 0, rag.EscalationStats{Needed: 1, OverBudget: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sink := evaltest.StartPipeline(t, rag.Config{Escalator: c.judge})
			ask(p, "q")
			require.NoError(t, p.Shutdown(t.Context()))

			assert.Len(t, c.judge.Calls(), c.calls)
			assert.Len(t, sink.Find("judge_score"), c.results)
			got := p.Stats().Escalations
			got.Reasons = nil
			assert.Equal(t, c.stats, got)
		})
	}
}

func TestPipelineKeepsTheSinksOfItsConfiguration(t *testing.T) {
	own := evaltest.NewSink()
	p, sink := evaltest.StartPipeline(t, rag.Config{Sinks: []rag.Sink{own}})
	ask(p, "q")
	require.NoError(t, p.Flush(t.Context()))
	assert.Len(t, own.Turns(), 1)
	assert.Len(t, sink.Turns(), 1)
}
