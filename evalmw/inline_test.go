package evalmw_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

type requestKey struct{}

// The whole point of inline: sinks can still write to the request's span.
func TestInlineEvaluatesBeforeTheRequestReturnsWithItsContext(t *testing.T) {
	var seen []any
	sink := rag.SinkFunc(func(ctx context.Context, _ *rag.Sample, e *rag.Evaluation) error {
		assert.Equal(t, rag.PhaseAnswer, e.Phase, "one delivery of the whole turn")
		seen = append(seen, ctx.Value(requestKey{}))
		return nil
	})
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithInline())
	defer func() { require.NoError(t, p.Shutdown(t.Context())) }()
	h := p.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rec := evalmw.FromContext(r.Context())
		rec.Retrieved([]rag.Chunk{{ID: "c1"}}, nil, 0)
		rec.Answered("yes")
	}))

	ctx := context.WithValue(t.Context(), requestKey{}, "the request's")
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))

	assert.Equal(t, []any{"the request's"}, seen)
	assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
}

func TestInlineContainsWhatPanicsAndCountsIt(t *testing.T) {
	sink := rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error { panic("sink") })
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithInline())
	defer func() { require.NoError(t, p.Shutdown(t.Context())) }()

	turn(p, "a", "yes")

	assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomePanicked: 1})
}

func TestInlineKeepsToNoQueueAndNoBudget(t *testing.T) {
	p := newPipeline(t, rag.Config{}, evalmw.WithInline(), evalmw.WithQueue(1, 1), evalmw.WithCPUBudget(1e-9))
	defer func() { require.NoError(t, p.Shutdown(t.Context())) }()

	for range 50 {
		turn(p, "a", "yes")
	}

	assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 50})
}

func TestInlineDeliversNothingAfterShutdown(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithInline())
	require.NoError(t, p.Shutdown(t.Context()))

	turn(p, "late", "yes")
	p.Submit(t.Context(), sampleOf(1, 1))

	assert.Empty(t, sink.all(), "the sinks' providers may be gone")
	assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeShutDown: 2})
}

func TestSinkTimeoutIsTheDeadlineThatSinksSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waited time.Duration
		sink := rag.SinkFunc(func(ctx context.Context, _ *rag.Sample, _ *rag.Evaluation) error {
			start := time.Now()
			<-ctx.Done()
			waited = time.Since(start)
			return ctx.Err()
		})
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithSinkTimeout(3*time.Second))
		p.Submit(t.Context(), sampleOf(1, 1))
		require.NoError(t, p.Shutdown(t.Context()))

		assert.Equal(t, 3*time.Second, waited)
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeSinkFailed: 1})
	})
}

// Turns that are evaluated inline may escalate while the pipeline shuts down:
// a second Shutdown, and a check that starts late, must not fail the process.
func TestInlineChecksMayStartDuringShutdown(t *testing.T) {
	for range 200 {
		p := newPipeline(t, rag.Config{Escalator: judge{check: func(context.Context) rag.Escalation {
			return rag.Escalation{Status: rag.EscalationChecked}
		}}}, evalmw.WithInline(), evalmw.WithChecks(2))
		var turns sync.WaitGroup
		for range 4 {
			turns.Go(func() {
				for range 20 {
					turn(p, "r", "x")
				}
			})
		}
		for range 2 {
			turns.Go(func() { assert.NoError(t, p.Shutdown(context.Background())) })
		}
		turns.Wait()
		requireConserved(t, p.Stats())
	}
}
