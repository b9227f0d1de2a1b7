package spanhook_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

func TestDroppedTurnReleasesItsSpanAtOnce(t *testing.T) {
	want := []map[string]any{{"http.route": "/query", "rag.evaluation.outcome": "queue_full"}}
	t.Run("after its end", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		span.End()
		a.Release(s.Span, rag.OutcomeQueueFull)
		assert.Equal(t, want, a.next.passed())
		assert.EqualValues(t, 1, a.Stats().Released)
	})
	t.Run("before its end", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		a.Release(s.Span, rag.OutcomeQueueFull)
		span.End()
		assert.Equal(t, want, a.next.passed())
	})
	t.Run("of an unknown span", func(t *testing.T) {
		a := start()
		a.Release(rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{1}, Flags: 1}, rag.OutcomeQueueFull)
		assert.Equal(t, spanhook.HoldStats{}, a.Stats())
	})
}

func TestSpanIsHeldNoLongerThanTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start()
		first, s := a.begin()
		a.deliver(t, s, evaluation(rag.PhaseRetrieval, "relevance", 0.7))
		first.End()
		time.Sleep(300 * time.Millisecond)
		second, _ := a.begin()
		second.End()

		time.Sleep(199 * time.Millisecond)
		synctest.Wait()
		assert.Empty(t, a.next.passed())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		late := map[string]any{"http.route": "/query", "rag.evaluation.relevance": 0.7, "rag.evaluation.outcome": "late"}
		assert.Equal(t, []map[string]any{late}, a.next.passed(), "with what is known by then")
		time.Sleep(299 * time.Millisecond)
		synctest.Wait()
		assert.Len(t, a.next.passed(), 1)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.Len(t, a.next.passed(), 2, "one timer serves each span at its time")

		a.deliver(t, s, answer(0.5))
		got := a.Stats()
		assert.EqualValues(t, 2, got.Expired)
		assert.EqualValues(t, 1, got.Late)
		assert.Zero(t, got.HeldBytes)
	})
}

func TestWaitIsConfigurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(spanhook.WithWait(time.Second), spanhook.WithWait(0))
		span, _ := a.begin()
		span.End()
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		assert.Empty(t, a.next.passed())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.Len(t, a.next.passed(), 1)
	})
}

func TestOverflowPassesThrough(t *testing.T) {
	t.Run("by number", func(t *testing.T) {
		a := start(spanhook.WithCapacity(1, 0))
		_, _ = a.begin()
		span, s := a.begin()
		span.End()
		assert.Equal(t, []map[string]any{{"http.route": "/query"}}, a.next.passed())
		a.deliver(t, s, answer(0.5))
		got := a.Stats()
		assert.EqualValues(t, 1, got.Overflowed)
		assert.EqualValues(t, 1, got.Late)
		assert.Equal(t, 1, got.Unended)
	})
	t.Run("by bytes", func(t *testing.T) {
		a := start(spanhook.WithCapacity(0, 4096))
		small, _ := a.begin()
		large, _ := a.begin()
		large.SetAttributes(attribute.String("prompt", string(make([]byte, 4096))))
		small.End()
		large.End()
		require.Len(t, a.next.passed(), 1)
		assert.Contains(t, a.next.passed()[0], "prompt")
		got := a.Stats()
		assert.EqualValues(t, 1, got.Overflowed)
		assert.Equal(t, 1, got.Held)
		assert.Less(t, got.HeldBytes, int64(4096))
		require.NoError(t, a.Shutdown(t.Context()))
	})
}

func TestSpanThatNeverEndsIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(spanhook.WithCapacity(1, 0))
		leaked, _ := a.begin()
		time.Sleep(15 * time.Minute)
		span, s := a.begin()
		a.deliver(t, s, answer(0.5))
		span.End()
		assert.Equal(t, decorated, a.next.passed(), "its place is free again")
		leaked.End()
		assert.Len(t, a.next.passed(), 2, "and if it ends after all, it passes through")
		assert.EqualValues(t, 1, a.Stats().Forgotten)
	})
}

func TestUnsampledSpansAreLeftAlone(t *testing.T) {
	a := start()
	ref := rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{1}}
	a.Hold.Hold(ref)
	a.deliver(t, &rag.Sample{Span: ref}, answer(0.5))
	a.deliver(t, &rag.Sample{}, answer(0.5))
	assert.Equal(t, spanhook.HoldStats{}, a.Stats())
}

func TestForceFlushPassesOnWhatIsHeldFirst(t *testing.T) {
	a := start()
	span, s := a.begin()
	span.End()
	require.NoError(t, a.ForceFlush(t.Context()))
	assert.Equal(t, []string{"span", "flush"}, a.next.calls)
	a.deliver(t, s, answer(0.5))
	assert.Len(t, a.next.passed(), 1)
	assert.EqualValues(t, 1, a.Stats().Late)
}

func TestShutdownPassesOnWhatIsHeldFirst(t *testing.T) {
	a := start()
	span, _ := a.begin()
	open, s := a.begin()
	span.End()
	a.next.err = errors.New("exporter is gone")
	require.ErrorIs(t, a.Shutdown(t.Context()), a.next.err)
	require.ErrorIs(t, a.Shutdown(t.Context()), a.next.err, "a second one reports the same")
	assert.Equal(t, []string{"span", "shutdown"}, a.next.calls, "and does nothing")

	a.Hold.Hold(s.Span)
	open.End()
	assert.Len(t, a.next.passed(), 2, "nothing is kept after the shutdown")
}

func TestShutdownWaitsForASpanOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start()
		gate := make(chan struct{})
		a.next.onSpan = func() { <-gate }
		span, s := a.begin()
		span.End()
		go func() { _ = a.Sink().Consume(context.Background(), s, answer(0.5)) }()
		synctest.Wait()
		done := make(chan error)
		go func() { done <- a.Shutdown(context.Background()) }()
		synctest.Wait()
		assert.Empty(t, a.next.calls)
		close(gate)
		require.NoError(t, <-done)
		assert.Equal(t, []string{"span", "shutdown"}, a.next.calls)
	})
}

func TestShutdownHonoursItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start()
		gate := make(chan struct{})
		a.next.onSpan = func() { <-gate }
		span, s := a.begin()
		span.End()
		go func() { _ = a.Sink().Consume(context.Background(), s, answer(0.5)) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, a.Shutdown(ctx), context.DeadlineExceeded)
		assert.Equal(t, []string{"shutdown"}, a.next.calls, "the wrapped processor is shut down all the same")
		close(gate)
	})
}

func TestPipelineLeavesTracingAlone(t *testing.T) {
	sink := start().Sink()
	_, shutdown := sink.(interface{ Shutdown(context.Context) error })
	_, flush := sink.(interface{ ForceFlush(context.Context) error })
	_, closer := sink.(interface{ Close() error })
	assert.False(t, shutdown || flush || closer, "whoever shuts sinks down must not end the application's tracing")
}

func TestPanicOfTheWrappedProcessorStaysInside(t *testing.T) {
	a := start()
	a.next.onSpan = func() { panic("exporter") }
	span, s := a.begin()
	span.End()
	assert.NotPanics(t, func() { a.deliver(t, s, answer(0.5)) })
	a.next.onSpan = nil
	require.NoError(t, a.Shutdown(t.Context()), "the lost span is not waited for")
}

func TestEverySpanIsPassedOnOnce(t *testing.T) {
	a := start(spanhook.WithWait(time.Millisecond), spanhook.WithCapacity(64, 1<<20))
	const workers, turns = 8, 200
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := range turns {
				span, s := a.begin()
				var inner sync.WaitGroup
				inner.Go(func() { span.End() })
				inner.Go(func() {
					switch (i + worker) % 4 {
					case 0:
						a.Release(s.Span, rag.OutcomeQueueFull)
					case 1: // never evaluated
					default:
						_ = a.Sink().Consume(context.Background(), s, answer(0.5))
					}
				})
				inner.Wait()
				if i%50 == 0 {
					_ = a.ForceFlush(context.Background())
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, a.Shutdown(t.Context()))
	seen := make(map[trace.SpanID]int)
	for _, span := range a.next.spans {
		seen[span.SpanContext().SpanID()]++
	}
	assert.Len(t, seen, workers*turns)
	assert.Len(t, a.next.spans, workers*turns)
	got := a.Stats()
	assert.EqualValues(t, workers*turns, got.Decorated+got.Released+got.Expired+got.Overflowed+got.Forgotten)
	assert.Zero(t, got.Held+got.Unended)
	assert.Zero(t, got.HeldBytes)
}

func TestNilProcessorIsValid(t *testing.T) {
	h := spanhook.NewHold(nil, nil)
	h.OnStart(t.Context(), nil)
	require.NoError(t, h.ForceFlush(t.Context()))
	require.NoError(t, h.Shutdown(t.Context()))
}
