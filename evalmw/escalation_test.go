package evalmw_test

import (
	"context"
	"math"
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
			return rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{{Name: "context_recall_llm", Kind: rag.KindScore, Value: .4}}}
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
			return rag.Escalation{Status: rag.EscalationFailed}
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

// Out of range, a result of a check would index the status page's histogram.
func TestBrokenResultsOfAJudgeHurtNobody(t *testing.T) {
	for name, r := range map[string]rag.Result{
		"NaN":          {Name: "judge", Kind: rag.KindScore, Value: math.NaN()},
		"negative":     {Name: "judge", Kind: rag.KindScore, Value: -3},
		"infinite":     {Name: "judge", Kind: rag.KindScore, Value: math.Inf(-1)},
		"of no kind":   {Name: "judge", Kind: 9, Value: -1},
		"an empty one": {Name: "judge", Kind: rag.KindCategorical},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := new(collect)
				p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}, Escalator: judge{check: func(context.Context) rag.Escalation {
					return rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{r}}
				}}})
				turn(p, "r", "x")
				require.NoError(t, p.Shutdown(t.Context()))
				fresh := sink.all()[2].ev.Fresh()
				require.Len(t, fresh, 1)
				assert.Equal(t, rag.ReasonMetricError, fresh[0].Reason)
				requireConserved(t, p.Stats())
			})
		})
	}
}

func TestNamelessResultsOfAJudgeAreLeftOut(t *testing.T) {
	ev := newEvaluator(t, rag.Config{Escalator: judge{check: func(context.Context) rag.Escalation {
		return rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{
			{Kind: rag.KindScore}, {Name: "A user's words", Kind: rag.KindScore}, {Name: "judge", Kind: rag.KindScore, Value: 1}, {Name: "silent"},
		}}
	}}})
	out, err := ev.Evaluate(t.Context(), &rag.Sample{})
	require.ErrorContains(t, err, "expected results with a snake_case name")
	assert.NotContains(t, err.Error(), "words")
	require.Len(t, out.Escalation.Results, 1)
	assert.Equal(t, "judge", out.Results[len(out.Results)-1].Name)
}
