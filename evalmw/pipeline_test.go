package evalmw_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestTurnIsDeliveredInTwoPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}})
		ctx, end := p.Begin(t.Context())
		rec := evalmw.FromContext(ctx)
		rec.SetID("r1")
		rec.SetQuery("what?")
		rec.Retrieved([]rag.Chunk{{ID: "a", Text: "x"}}, nil, 0)
		time.Sleep(time.Second) // the model takes its time
		synctest.Wait()
		require.Len(t, sink.all(), 1, "the retrieval is delivered before the answer is there")
		first := sink.all()[0]
		assert.Equal(t, rag.PhaseRetrieval, first.ev.Phase)
		assert.Equal(t, "chunk_count", first.ev.Fresh()[0].Name)
		assert.Equal(t, "what?", first.sample.Query)

		rec.Answered("the answer", rag.Citation{ChunkID: "a"})
		rec.Tag("tenant", "t1")
		rec.Stage("generate", time.Second)
		end()
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		require.Len(t, sink.all(), 2)
		second := sink.all()[1]
		assert.Equal(t, rag.PhaseAnswer, second.ev.Phase)
		require.Len(t, second.ev.Fresh(), 1, "nothing is delivered twice")
		assert.Equal(t, "answer_length", second.ev.Fresh()[0].Name)
		require.Len(t, second.ev.Results, 2, "the whole turn is there for whoever needs it")
		assert.Equal(t, map[string]string{"tenant": "t1"}, second.sample.Tags)
		assert.Equal(t, []rag.Citation{{ChunkID: "a"}}, second.sample.Answer.Citations)
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
	})
}

func TestReplacedRetrievalIsEvaluatedWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}})
		ctx, end := p.Begin(t.Context())
		rec := evalmw.FromContext(ctx)
		rec.Retrieved([]rag.Chunk{{ID: "a"}, {ID: "b"}, {ID: "c"}}, rag.Limits{"knn": 3}, 0)
		rec.Retrieved([]rag.Chunk{{ID: "b"}}, nil, 0)
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		got := sink.all()
		require.Len(t, got, 2)
		assert.InDelta(t, .3, got[0].ev.Results[0].Value, 1e-12)
		assert.InDelta(t, .1, got[1].ev.Fresh()[0].Value, 1e-12)
		assert.Empty(t, got[1].sample.Retrieval.Limits)
	})
}

func TestNoRequestWaitsForASink(t *testing.T) {
	for name, sink := range map[string]rag.SinkFunc{
		"hangs": func(ctx context.Context, _ *rag.Sample, _ *rag.Evaluation) error { select {} },
		"is slow": func(context.Context, *rag.Sample, *rag.Evaluation) error {
			time.Sleep(time.Hour)
			return nil
		},
		"panics": func(context.Context, *rag.Sample, *rag.Evaluation) error { panic("boom") },
		"fails":  func(context.Context, *rag.Sample, *rag.Evaluation) error { return errors.New("no") },
		"waits for its context": func(ctx context.Context, _ *rag.Sample, _ *rag.Evaluation) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		if name == "hangs" {
			continue // tested apart: it outlives the bubble
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithQueue(8, 1<<20))
				start := time.Now()
				for range 100 {
					turn(p, "r", "answer")
				}
				assert.Zero(t, time.Since(start), "recording a turn takes no time at all, whatever the sink does")
				ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
				defer cancel()
				require.NoError(t, p.Shutdown(ctx))
				s := p.Stats()
				requireConserved(t, s)
				assert.EqualValues(t, 100, s.Submitted)
			})
		})
	}
}

func TestHungSinkNeverHoldsShutdownPastItsContext(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	entered := make(chan struct{}, 1)
	p := newPipeline(t, rag.Config{
		Metrics: []rag.Metric{answerLength},
		Sinks: []rag.Sink{rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error {
			select {
			case entered <- struct{}{}:
			default:
			}
			<-release
			return nil
		})},
	}, evalmw.WithQueue(10, 1<<20))
	turn(p, "first", "x")
	<-entered
	for range 25 {
		turn(p, "r", "x")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, p.Shutdown(ctx), context.Canceled)
	s := p.Stats()
	assert.EqualValues(t, 26, s.Submitted)
	assert.EqualValues(t, 15, s.Turns[rag.OutcomeQueueFull])
	assert.EqualValues(t, 10, s.Turns[rag.OutcomeShutDown], "what waited is counted, the one in the sink is still out")
}

func TestSinkErrorsAreCountedBySink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := new(collect)
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{
			rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error { return errors.New("no") }),
			good,
			rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error { panic("boom") }),
		}})
		turn(p, "r", "x")
		require.NoError(t, p.Flush(t.Context()))
		assert.Len(t, good.all(), 1, "one sink's failure stops no other")
		var failed []uint64
		for _, s := range p.Stats().Sinks {
			failed = append(failed, s.Errors)
		}
		assert.Equal(t, []uint64{1, 0, 1}, failed)
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomePanicked: 1})
		require.NoError(t, p.Shutdown(t.Context()))
	})
}

func TestPanickingMetricIsContained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}, Metrics: []rag.Metric{
			{Name: "bad", Score: func(*rag.View) rag.Result { panic("secret user text") }}, answerLength,
		}})
		turn(p, "r", "x")
		require.NoError(t, p.Shutdown(t.Context()))
		ev := sink.all()[0].ev
		bad, _ := ev.Find("bad")
		assert.Equal(t, rag.ReasonPanicked, bad.Reason)
		good, _ := ev.Find("answer_length")
		assert.True(t, good.Measured(), "the others are measured")
		assert.NotContains(t, ev.Errs[0].Error(), "secret")
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomePanicked: 1})
	})
}

func TestQueueIsBoundedByItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}}, evalmw.WithQueue(5, 1<<30))
		for range 12 {
			turn(p, "r", "x")
		}
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 5, rag.OutcomeQueueFull: 7})
	})
}

func TestQueueIsBoundedByBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}}, evalmw.WithQueue(1000, 256<<10))
		big := sampleOf(10, 5000) // one block of 64 KiB
		for range 10 {
			p.Submit(t.Context(), big)
		}
		assert.LessOrEqual(t, p.Stats().Queue.Bytes, int64(256<<10))
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 3, rag.OutcomeQueueBytes: 7})
		assert.Zero(t, p.Stats().Queue.Bytes)
	})
}

func TestBudgetShedsWhatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := rag.Metric{Name: "slow", Score: func(*rag.View) rag.Result {
			time.Sleep(time.Millisecond)
			return rag.Scored(1)
		}}
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{slow}}, evalmw.WithCPUBudget(0.05), evalmw.WithWallClock())
		const seconds = 60
		for range seconds * 1000 { // 1,000 turns a second, of which 50 fit
			p.Submit(t.Context(), sampleOf(1, 10))
			time.Sleep(time.Millisecond)
		}
		used := p.Stats().CPU.UsedSeconds
		assert.InDelta(t, .05*seconds, used, .1*.05*seconds+.05, "budget ±10 %%, and the burst that it may save up")
		require.NoError(t, p.Shutdown(t.Context()))
		s := p.Stats()
		requireConserved(t, s)
		assert.Positive(t, s.Turns[rag.OutcomeCPUBudget])
		assert.Zero(t, s.Turns[rag.OutcomeQueueFull], "the budget refuses before the queue is full")
	})
}

func TestOneGiantEvaluationIsPaidBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		giant := rag.Metric{Name: "giant", Score: func(*rag.View) rag.Result {
			if first {
				time.Sleep(time.Second)
			}
			first = false
			return rag.Scored(1)
		}}
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{giant}}, evalmw.WithCPUBudget(0.1), evalmw.WithWallClock())
		p.Submit(t.Context(), sampleOf(1, 1))
		time.Sleep(5 * time.Second)
		p.Submit(t.Context(), sampleOf(1, 1))
		assert.EqualValues(t, 1, p.Stats().Turns[rag.OutcomeCPUBudget], "in debt nothing is admitted")
		time.Sleep(10 * time.Second)
		p.Submit(t.Context(), sampleOf(1, 1))
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 2, rag.OutcomeCPUBudget: 1})
	})
}

func TestConservationWhileShuttingDownUnderLoad(t *testing.T) {
	for range 20 {
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{new(collect)}}, evalmw.WithQueue(64, 1<<20))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 200 {
					turn(p, "r", "answer")
				}
			})
		}
		wg.Go(func() { assert.NoError(t, p.Shutdown(context.Background())) })
		wg.Wait()
		s := p.Stats()
		requireConserved(t, s)
		assert.EqualValues(t, 1600, s.Submitted)
		assert.Zero(t, s.Queue.Items)
		assert.Zero(t, s.Queue.Bytes)
	}
}

func TestFlushDeliversWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{sink}}, evalmw.WithCPUBudget(0.001))
		turn(p, "r", "x")
		require.NoError(t, p.Flush(t.Context()))
		assert.Len(t, sink.all(), 1)
		require.NoError(t, p.Shutdown(t.Context()))
		require.NoError(t, p.Shutdown(t.Context()), "again")
		require.NoError(t, p.Flush(t.Context()), "after shutdown there is nothing to wait for")
		turn(p, "late", "x")
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1, rag.OutcomeShutDown: 1})
	})
}

func TestIdlePipelineSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{})
		turn(p, "r", "x")
		time.Sleep(time.Hour) // a ticker would wake the worker, and time could not jump
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
		require.NoError(t, p.Shutdown(t.Context()))
	})
}

func TestKillSwitch(t *testing.T) {
	t.Run("by environment", func(t *testing.T) {
		t.Setenv(evalmw.DisabledEnv, "1")
		synctest.Test(t, func(t *testing.T) {
			p := newPipeline(t, rag.Config{})
			ctx, end := p.Begin(t.Context())
			assert.Nil(t, evalmw.FromContext(ctx))
			end()
			assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeDisabled: 1})
			require.NoError(t, p.Shutdown(t.Context()))
		})
	})
	t.Run("in the middle of a turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}})
			ctx, end := p.Begin(t.Context())
			evalmw.FromContext(ctx).SetQuery("q")
			p.SetEnabled(false)
			evalmw.FromContext(ctx).Answered("a")
			end()
			p.SetEnabled(true)
			turn(p, "r", "x")
			require.NoError(t, p.Shutdown(t.Context()))
			assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeDisabled: 1, rag.OutcomeEvaluated: 1})
		})
	})
}

func TestSamplingIsDeterministicByTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{}, evalmw.WithSampling(.25), evalmw.WithQueue(10000, 1<<30))
		q := newPipeline(t, rag.Config{}, evalmw.WithSampling(.25), evalmw.WithQueue(10000, 1<<30))
		for i := range 2000 {
			s := sampleOf(1, 1)
			s.Span.TraceID[8], s.Span.TraceID[15], s.Span.TraceID[9] = byte(i), byte(i), byte(i*7)
			s.Span.SpanID[0] = 1
			p.Submit(t.Context(), s)
			q.Submit(t.Context(), s)
		}
		assert.Equal(t, p.Stats().Turns[rag.OutcomeNotSampled], q.Stats().Turns[rag.OutcomeNotSampled])
		assert.InDelta(t, 1500, p.Stats().Turns[rag.OutcomeNotSampled], 100)
		require.NoError(t, p.Shutdown(t.Context()))
		require.NoError(t, q.Shutdown(t.Context()))
	})
}

func TestNilPipelineAndRecorderDoNothing(t *testing.T) {
	var p *evalmw.Pipeline
	ctx, end := p.Begin(t.Context())
	assert.Equal(t, t.Context(), ctx)
	rec := evalmw.FromContext(ctx)
	assert.Nil(t, rec)
	rec.SetQuery("q")
	rec.Retrieved(nil, nil, 0)
	n, err := rec.Write([]byte("abc"))
	assert.Equal(t, 3, n)
	require.NoError(t, err)
	rec.Answered("a")
	end()
	p.Submit(ctx, sampleOf(1, 1))
	p.SetEnabled(true)
	require.NoError(t, p.Flush(ctx))
	require.NoError(t, p.Shutdown(ctx))
	assert.Zero(t, p.Stats().Submitted)
}

func TestTurnsWithinTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{})
		outer, endOuter := p.Begin(t.Context())
		for range 3 {
			ctx, end := p.Begin(outer)
			assert.NotSame(t, evalmw.FromContext(outer), evalmw.FromContext(ctx))
			evalmw.FromContext(ctx).Answered("a")
			end()
		}
		endOuter()
		_, endEmpty := p.Begin(t.Context())
		endEmpty()
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 3, rag.OutcomeNoContent: 1})
	})
}

func TestEndedRecorderTouchesNoOtherTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{sink}})
		ctx, end := p.Begin(t.Context())
		stale := evalmw.FromContext(ctx)
		stale.Answered("first")
		end()
		require.NoError(t, p.Flush(t.Context())) // its memory is free for the next
		ctx, end = p.Begin(t.Context())
		evalmw.FromContext(ctx).Answered("second")
		stale.Answered("stale")
		stale.SetQuery("stale")
		assert.False(t, stale.Recording())
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		got := sink.all()
		require.Len(t, got, 2)
		assert.Equal(t, "second", got[1].sample.Answer.Text)
		assert.Empty(t, got[1].sample.Query)
	})
}

func TestInfiniteCPUBudgetIsNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{}, evalmw.WithCPUBudget(math.Inf(1)))
		for range 3 {
			turn(p, "r", "x")
			require.NoError(t, p.Flush(t.Context()))
		}
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 3})
		assert.Zero(t, p.Stats().CPU.Budget, "JSON has no infinity to show")
	})
}

// Without a limit, turns may come as fast as they are evaluated.
func TestFlushReturnsWhileTheQueueNeverEmpties(t *testing.T) {
	var p *evalmw.Pipeline
	again := rag.SinkFunc(func(_ context.Context, s *rag.Sample, _ *rag.Evaluation) error {
		p.Submit(context.Background(), s)
		return nil
	})
	p = newPipeline(t, rag.Config{Sinks: []rag.Sink{again}})
	turn(p, "r", "x")
	require.Eventually(t, func() bool { s := p.Stats(); return s.Turns[rag.OutcomeEvaluated] > 100 }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, p.Flush(ctx))
	require.NoError(t, p.Shutdown(ctx))
	requireConserved(t, p.Stats())
}

// Where there is room for one, a retrieval that took it kept out the answer of
// every turn, its own included.
func TestRetrievalLeavesRoomForItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{}, evalmw.WithQueue(1, 1<<20))
		turn(p, "r", "x")
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
	})
}

func TestQueueWithoutBoundIsBounded(t *testing.T) {
	p := newPipeline(t, rag.Config{}, evalmw.WithQueue(math.MaxInt, math.MaxInt64), evalmw.WithChecks(math.MaxInt))
	turn(p, "r", "x")
	require.NoError(t, p.Shutdown(t.Context()))
	assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
}
