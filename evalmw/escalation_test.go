package evalmw_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// judge is a checker that always needs a check.
type judge struct {
	check func(context.Context) rag.Escalation
}

func (j judge) Needs(*rag.Sample, *rag.Evaluation) []string { return []string{"always"} }

func (j judge) Check(ctx context.Context, _ *rag.Sample, _ *rag.Evaluation) rag.Escalation {
	return j.check(ctx)
}

func TestWithoutAJudgeEscalationsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{Escalator: rag.EscalatorFunc(
			func(_ *rag.Sample, e *rag.Evaluation) []string {
				if r, ok := e.Find("answer_length"); ok && r.Value < .05 {
					return []string{"short_answer"}
				}
				return nil
			})})
		turn(p, "short", "x")
		turn(p, "long", "long enough an answer")
		require.NoError(t, p.Shutdown(t.Context()))
		e := p.Stats().Escalations
		assert.EqualValues(t, 1, e.Needed)
		assert.EqualValues(t, 1, e.Unchecked)
		assert.Equal(t, map[string]uint64{"short_answer": 1}, e.Reasons)
		requireConserved(t, p.Stats())
	})
}

func TestSlowJudgeDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := new(collect)
		slow := judge{check: func(ctx context.Context) rag.Escalation {
			time.Sleep(2 * time.Second)
			return rag.Escalation{Status: rag.Checked, Results: []rag.Result{{Name: "context_recall_llm", Kind: rag.KindScore, Value: .4}}}
		}}
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}, Escalator: slow, Sinks: []rag.Sink{sink}}, evalmw.WithChecks(2))
		start := time.Now()
		for range 5 {
			turn(p, "r", "x")
		}
		require.NoError(t, p.Flush(t.Context()))
		assert.Zero(t, time.Since(start), "cheap evaluations pass the judge by")
		assert.Len(t, sink.all(), 5)
		assert.EqualValues(t, 3, p.Stats().Escalations.Shed, "a full pool sheds, it never waits")

		require.NoError(t, p.Shutdown(t.Context()))
		require.Len(t, sink.all(), 7)
		check := sink.all()[6].ev
		assert.Equal(t, rag.PhaseCheck, check.Phase)
		assert.Equal(t, "context_recall_llm", check.Fresh()[0].Name)
		requireConserved(t, p.Stats())
	})
}

func TestShutdownCancelsChecksWhenItRunsOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := judge{check: func(ctx context.Context) rag.Escalation {
			<-ctx.Done()
			return rag.Escalation{Status: rag.CheckError}
		}}
		p := newPipeline(t, rag.Config{Escalator: hangs})
		turn(p, "r", "x")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = p.Shutdown(ctx)
		synctest.Wait()
		assert.EqualValues(t, 1, p.Stats().Escalations.Failed)
		requireConserved(t, p.Stats())
	})
}

func TestPanickingJudgeHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{Escalator: judge{check: func(context.Context) rag.Escalation { panic("boom") }}})
		turn(p, "r", "x")
		require.NoError(t, p.Shutdown(t.Context()))
		assert.EqualValues(t, 1, p.Stats().Escalations.Failed)
		requireConserved(t, p.Stats())
	})
}
