package spanhook_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

func TestLateEvaluationReachesSpan(t *testing.T) {
	a := start()
	span, s := a.begin()
	span.End()
	assert.Empty(t, a.next.passed())
	a.deliver(t, s, answer(0.5))
	assert.Equal(t, decorated, a.next.passed())
	assert.EqualValues(t, 1, a.Stats().Decorated)
}

func TestEarlyEvaluationReachesSpan(t *testing.T) {
	a := start()
	span, s := a.begin()
	a.deliver(t, s, answer(0.5))
	assert.Empty(t, a.next.passed())
	span.End()
	assert.Equal(t, decorated, a.next.passed(), "the span is passed on as soon as it ends")
	assert.Zero(t, a.Stats().Unended+a.Stats().Held)
}

func TestRetrievalIsKeptForTheAnswer(t *testing.T) {
	a := start()
	span, s := a.begin()
	a.deliver(t, s, evaluation(rag.PhaseRetrieval, "relevance", 0.7))
	span.End()
	assert.Empty(t, a.next.passed())
	whole := evaluation(rag.PhaseAnswer, "relevance", 0.7)
	whole.Results, whole.Delivered = append(whole.Results, answer(0.5).Results...), 1
	a.deliver(t, s, whole)
	assert.Equal(t, []map[string]any{{
		"http.route": "/query", "rag.evaluation.relevance": 0.7, "rag.evaluation.precision": 0.5, "rag.evaluation.outcome": "evaluated",
	}}, a.next.passed())
}

func TestReplacedRetrievalDoesNotStay(t *testing.T) {
	a := start()
	span, s := a.begin()
	a.deliver(t, s, evaluation(rag.PhaseRetrieval, "precision", 0.1))
	a.deliver(t, s, answer(0.5))
	span.End()
	assert.Equal(t, decorated, a.next.passed())
}

func TestOtherSpansPassStraightThrough(t *testing.T) {
	a := start()
	_, span := a.tracer.Start(t.Context(), "SELECT")
	span.End()
	assert.Equal(t, []map[string]any{{}}, a.next.passed())
	assert.Equal(t, spanhook.HoldStats{}, a.Stats())
}

func TestHoldingLeavesTheEndTimeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start()
		span, s := a.begin()
		span.End()
		ended := time.Now()
		time.Sleep(100 * time.Millisecond)
		a.deliver(t, s, answer(0.5))
		assert.Equal(t, ended, a.next.spans[0].EndTime())
	})
}

func TestDecoratingLeavesTheSharedAttributesAlone(t *testing.T) {
	a := start()
	other := new(recorder)
	a.tp.RegisterSpanProcessor(other)
	span, s := a.begin()
	for _, key := range []string{"a", "b", "c", "d"} {
		span.SetAttributes(attribute.Bool(key, true))
	}
	span.End()
	a.deliver(t, s, answer(0.5))
	require.Len(t, other.spans, 1)
	shared := other.spans[0].Attributes()
	require.Greater(t, cap(shared), len(shared)+1, "the array has room that an append would write to")
	for _, spare := range shared[len(shared):cap(shared)] {
		assert.False(t, spare.Valid(), "found %q in the array that the span's processors share", spare.Key)
	}
}

func TestSpanWaitsForAllItsTurns(t *testing.T) {
	a := start()
	span, s := a.begin()
	a.Hold.Hold(s.Span)
	a.Hold.Hold(s.Span)
	a.deliver(t, s, answer(0.5))
	span.End()
	a.deliver(t, s, answer(0.3))
	assert.Empty(t, a.next.passed())
	a.Release(s.Span, rag.OutcomeCPUBudget)
	assert.Equal(t, []map[string]any{{"http.route": "/query", "rag.evaluation.precision": 0.3, "rag.evaluation.outcome": "cpu_budget"}}, a.next.passed(),
		"the lowest of the scores, and the first outcome that is not evaluated")
}

func TestEscalatedCheckOnlyWaitsWhenItIsAwaited(t *testing.T) {
	check := evaluation(rag.PhaseCheck, "judge", 0.2)
	t.Run("synchronous: it completes the turn", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		span.End()
		a.deliver(t, s, check)
		assert.Equal(t, []map[string]any{{"http.route": "/query", "rag.evaluation.judge": 0.2, "rag.evaluation.outcome": "evaluated"}}, a.next.passed())
	})
	later := answer(0.5)
	later.Results, later.Phase, later.Delivered = append(later.Results, check.Results...), rag.PhaseCheck, 1
	t.Run("later, before the span ends: it is added", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		a.deliver(t, s, answer(0.5))
		a.deliver(t, s, later)
		span.End()
		assert.InDelta(t, 0.2, a.next.passed()[0]["rag.evaluation.judge"], 0)
	})
	t.Run("later, beside another turn: it does not stand for that one", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		a.Hold.Hold(s.Span)
		a.deliver(t, s, answer(0.5))
		a.deliver(t, s, later)
		span.End()
		assert.Empty(t, a.next.passed())
		a.deliver(t, s, answer(0.5))
		assert.Len(t, a.next.passed(), 1)
	})
	t.Run("later, after the span was passed on: it is late", func(t *testing.T) {
		a := start()
		span, s := a.begin()
		a.deliver(t, s, answer(0.5))
		span.End()
		a.deliver(t, s, later)
		assert.Equal(t, decorated, a.next.passed())
		assert.EqualValues(t, 1, a.Stats().Late)
	})
}

func TestOpenInferenceNumbersGoOnAcrossPhases(t *testing.T) {
	a := start(spanhook.WithOpenInference())
	span, s := a.begin()
	a.deliver(t, s, evaluation(rag.PhaseRetrieval, "relevance", 0.7))
	whole := evaluation(rag.PhaseAnswer, "relevance", 0.7)
	whole.Results, whole.Delivered = append(whole.Results, answer(0.5).Results...), 1
	a.deliver(t, s, whole)
	span.End()
	got := a.next.passed()[0]
	assert.Equal(t, "relevance", got["evaluations.0.evaluation.name"])
	assert.Equal(t, "precision", got["evaluations.1.evaluation.name"])
	assert.InDelta(t, 0.5, got["evaluations.1.evaluation.score"], 0)
}

func TestOwnAttributeOfTheSameNameIsReplaced(t *testing.T) {
	a := start()
	span, s := a.begin()
	span.SetAttributes(attribute.Float64("rag.evaluation.precision", 0.9))
	a.deliver(t, s, answer(0.5))
	span.End()
	assert.Len(t, a.next.spans[0].Attributes(), 3)
	assert.Equal(t, decorated, a.next.passed())
}
