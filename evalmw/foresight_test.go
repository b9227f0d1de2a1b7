package evalmw_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func tracedSample(r *rand.Rand) *rag.Sample {
	s := sampleOf(1, 10)
	s.Span.SpanID[0] = 1
	binary.BigEndian.PutUint64(s.Span.TraceID[:8], r.Uint64())
	binary.BigEndian.PutUint64(s.Span.TraceID[8:], r.Uint64())
	return s
}

func TestOverloadEvaluatesAFairSampleAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var low atomic.Int64
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{{Name: "slow", Score: func(v *rag.View) rag.Result {
			time.Sleep(time.Millisecond)
			if v.Sample().Span.TraceID[9] < 32 {
				low.Add(1)
			}
			return rag.Scored(1)
		}}}}, evalmw.WithCPUBudget(0.05), evalmw.WithWallClock())
		r := rand.New(rand.NewPCG(1, 1))
		for range 30_000 { // 1,000 turns a second, of which 50 fit
			p.Submit(t.Context(), tracedSample(r))
			time.Sleep(time.Millisecond)
		}
		s := p.Stats()
		assert.InDelta(t, 30*50+50, s.Turns[rag.OutcomeEvaluated], 200, "the budget is used, not just kept")
		assert.Greater(t, float64(low.Load()), .75*float64(s.Turns[rag.OutcomeEvaluated]), "the lowest traces are the ones that are chosen")

		time.Sleep(5 * time.Second)
		before := p.Stats()
		for range 100 { // ten a second
			p.Submit(t.Context(), tracedSample(r))
			time.Sleep(100 * time.Millisecond)
		}
		require.NoError(t, p.Shutdown(t.Context()))
		after := p.Stats()
		assert.EqualValues(t, 100, after.Turns[rag.OutcomeEvaluated]-before.Turns[rag.OutcomeEvaluated], "when the load is gone, everything is evaluated again")
		requireConserved(t, after)
	})
}

// A burst may cost the turns of the next second, and no more.
func TestBurstIsForgottenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}}, evalmw.WithQueue(10, 1<<30))
		r := rand.New(rand.NewPCG(2, 2))
		time.Sleep(1100 * time.Millisecond)
		for range 100 { // at once: 10 fit
			p.Submit(t.Context(), tracedSample(r))
		}
		fifty := func(seconds float64) { // a second
			for range int(50 * seconds) {
				p.Submit(t.Context(), tracedSample(r))
				time.Sleep(20 * time.Millisecond)
			}
		}
		fifty(1.2)
		before := p.Stats()
		fifty(2)
		require.NoError(t, p.Shutdown(t.Context()))
		after := p.Stats()
		assert.EqualValues(t, 100, after.Turns[rag.OutcomeEvaluated]-before.Turns[rag.OutcomeEvaluated])
		requireConserved(t, after)
	})
}

// What is left out ahead has the reason for which it would have been dropped.
func TestForeseenDropsHaveTheReasonOfTheOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error {
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{slow}}, evalmw.WithQueue(10, 1<<30))
		r := rand.New(rand.NewPCG(3, 3))
		for range 10_000 { // no CPU budget, but a sink that takes ten turns a second
			p.Submit(t.Context(), tracedSample(r))
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, p.Shutdown(t.Context()))
		s := p.Stats()
		requireConserved(t, s)
		assert.Zero(t, s.Turns[rag.OutcomeCPUBudget], "there is no CPU budget")
		assert.Positive(t, s.Turns[rag.OutcomeQueueFull])
	})
}
