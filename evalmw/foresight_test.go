package evalmw_test

import (
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
