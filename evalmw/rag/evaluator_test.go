package rag_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func metricOf(name string, score func(*rag.View) rag.Result) rag.Metric {
	return rag.Metric{Name: name, Score: score}
}

func TestConfigReportsEverythingAtOnce(t *testing.T) {
	_, err := rag.NewEvaluator(rag.Config{
		Metrics: []rag.Metric{
			{Name: "Bad Name", Score: func(*rag.View) rag.Result { return rag.Result{} }},
			{Name: "twice", Score: func(*rag.View) rag.Result { return rag.Result{} }},
			{Name: "twice"},
			{Name: "odd", Kind: 9, Range: 9, Score: func(*rag.View) rag.Result { return rag.Result{} }},
		},
		Sinks: []rag.Sink{nil},
	})
	for _, want := range []string{
		`Metrics[0] "Bad Name": expected a snake_case name`, `Metrics[2] "twice": the name is taken`,
		`Metrics[2] "twice": expected a Score function, found nil`, `Metrics[3] "odd": expected KindScore`,
		`Metrics[3] "odd": expected Unit or Count, found Range(9)`,
		`Sinks[0]: expected a sink, found nil`,
	} {
		require.ErrorContains(t, err, want)
	}
	_, err = rag.NewEvaluator(rag.Config{})
	require.ErrorContains(t, err, "at least one metric")
}

func TestMetricsThatBreakTheirContractGetAReason(t *testing.T) {
	for name, c := range map[string]struct {
		result rag.Result
		of     rag.Range
		detail string
	}{
		"NaN":               {rag.Scored(math.NaN()), rag.Unit, "expected a score from 0 to 1, found NaN"},
		"infinite":          {rag.Scored(math.Inf(1)), rag.Unit, "expected a score from 0 to 1, found +Inf"},
		"out of range":      {rag.Scored(1.5), rag.Unit, "expected a score from 0 to 1, found 1.5"},
		"of the wrong kind": {rag.Category("x"), rag.Unit, "expected a score, found a categorical"},
		"half a count":      {rag.Scored(1.5), rag.Count, "expected a whole number from 0, found 1.5"},
		"less than nothing": {rag.Scored(-1), rag.Count, "expected a whole number from 0, found -1"},
		"endless":           {rag.Scored(math.Inf(1)), rag.Count, "expected a whole number from 0, found +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{
				Name: "m", Range: c.of, Score: func(*rag.View) rag.Result { return c.result },
			}}})
			require.NoError(t, err)
			out, err := ev.Evaluate(t.Context(), &rag.Sample{})
			var m *rag.MetricError
			require.ErrorAs(t, err, &m)
			assert.Equal(t, c.detail, m.Detail)
			require.Len(t, out.Results, 1)
			assert.Equal(t, rag.ReasonMetricError, out.Results[0].Reason)
			assert.False(t, out.Results[0].Measured())
		})
	}
}

func TestCountsGoBeyondOne(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{
		Name: "things", Range: rag.Count, Score: func(*rag.View) rag.Result { return rag.Scored(7) },
	}}})
	require.NoError(t, err)
	out, err := ev.Evaluate(t.Context(), &rag.Sample{})
	require.NoError(t, err)
	require.Len(t, out.Results, 1)
	assert.InDelta(t, 7, out.Results[0].Value, 0)
	assert.Equal(t, rag.Count, out.Results[0].Range, "a sink can tell a count from a score")
}

func TestPanickingNormalizerIsContained(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics:   []rag.Metric{metricOf("m", func(*rag.View) rag.Result { return rag.Scored(1) })},
		Normalize: map[string]rag.Normalizer{"bm25": func(float64, rag.ScoreRange) float64 { panic("boom") }},
	})
	require.NoError(t, err)
	s := &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{Score: rag.Some(1.0), Methods: []string{"bm25"}}}}}
	_, err = ev.Evaluate(t.Context(), s)
	assert.True(t, rag.IsPanic(err))
}

func TestSharedIsComputedOncePerSample(t *testing.T) {
	computed := 0
	length := rag.NewShared(func(v *rag.View, n *int) { computed++; *n = len(v.Sample().Query) })
	read := func(v *rag.View) rag.Result { return rag.Scored(float64(*length.Of(v)) / 10) }
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metricOf("a", read), metricOf("b", read)}})
	require.NoError(t, err)
	for i, query := range []string{"abc", "abcdef"} {
		out, err := ev.Evaluate(t.Context(), &rag.Sample{Query: query})
		require.NoError(t, err)
		assert.InDelta(t, float64(len(query))/10, out.Results[1].Value, 1e-12)
		assert.Equal(t, i+1, computed)
	}
}

func TestCloneOutlivesTheOriginal(t *testing.T) {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metricOf("m", func(v *rag.View) rag.Result {
		return rag.Scored(.5, v.Details(slog.Int("n", 1), slog.String("what", "x"))...)
	})}})
	require.NoError(t, err)
	out, err := ev.Evaluate(t.Context(), &rag.Sample{})
	require.NoError(t, err)
	kept := out.Clone()
	out.Reset()
	ev.Score(&rag.Sample{}, rag.PhaseAnswer, out)
	require.Len(t, kept.Results, 1)
	assert.Equal(t, []slog.Attr{slog.Int("n", 1), slog.String("what", "x")}, kept.Results[0].Details)
	assert.Nil(t, (*rag.Evaluation)(nil).Clone())
	assert.Nil(t, (*rag.Sample)(nil).Clone())
}

type checker struct {
	rag.EscalatorFunc
	out rag.Escalation
}

func (c checker) Check(context.Context, *rag.Sample, *rag.Evaluation) rag.Escalation { return c.out }

func TestCloneOfAnEvaluationOutlivesGroupsOfDetails(t *testing.T) {
	buf := []byte("chunk-1")
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metricOf("m", func(v *rag.View) rag.Result {
		id := slog.String("chunk_id", v.Sample().Retrieval.Chunks[0].ID)
		return rag.Scored(1, v.Details(slog.Attr{Key: "claims", Value: slog.GroupValue(v.Details(
			slog.Attr{Key: "1", Value: slog.GroupValue(v.Details(id)...)})...)})...)
	})}})
	require.NoError(t, err)
	s := &rag.Sample{}
	s.Retrieval.Chunks = []rag.Chunk{{ID: unsafe.String(&buf[0], len(buf))}}
	var out rag.Evaluation
	ev.Score(s, rag.PhaseAnswer, &out)
	kept := out.Clone()

	copy(buf, "XXXXXXX")
	s.Retrieval.Chunks[0].ID = "chunk-2"
	out.Reset()
	ev.Score(s, rag.PhaseAnswer, &out)

	assert.Equal(t, `claims=[1=[chunk_id=chunk-1]]`, kept.Results[0].Details[0].String())
}

func TestCloneOfAnEvaluationOutlivesKeysAndReasons(t *testing.T) {
	buf := []byte("revenue")
	field := unsafe.String(&buf[0], len(buf))
	ev := rag.Evaluation{Results: []rag.Result{rag.Unmeasured(rag.Reason(field), slog.Int(field, 1))}}
	kept := ev.Clone()

	copy(buf, "XXXXXXX")

	assert.Equal(t, rag.Reason("revenue"), kept.Results[0].Reason)
	assert.Equal(t, "revenue=1", kept.Results[0].Details[0].String())
}

func TestAResultOfACheckWithoutAValueIsAScore(t *testing.T) {
	late := rag.Unmeasured("timeout")
	late.Name = "context_recall_llm"
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: []rag.Metric{metricOf("m", func(*rag.View) rag.Result { return rag.Scored(1) })},
		Escalator: checker{
			EscalatorFunc: func(*rag.Sample, *rag.Evaluation) []string { return []string{"always"} },
			out:           rag.Escalation{Status: rag.EscalationFailed, Results: []rag.Result{late}},
		},
	})
	require.NoError(t, err)

	out, err := ev.Evaluate(t.Context(), &rag.Sample{})

	require.NoError(t, err)
	assert.Equal(t, "score", out.Results[1].Kind.String(), "the wire form has no other word for it")
	assert.False(t, out.Results[1].Measured())
}

func TestACheckIsHeldToTheMetricWhoseNameItUses(t *testing.T) {
	things := rag.Metric{Name: "things", Range: rag.Count, Score: func(*rag.View) rag.Result { return rag.Scored(1) }}
	for _, c := range []struct {
		name   string
		result rag.Result
		want   rag.Reason
	}{
		{"a count", rag.Scored(3), ""},
		{"half a thing", rag.Scored(.5), rag.ReasonMetricError},
		{"a category", rag.Category("many"), rag.ReasonMetricError},
		{"no value", rag.Unmeasured("timeout"), "timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.result.Name = "things"
			ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{things}, Escalator: checker{
				EscalatorFunc: func(*rag.Sample, *rag.Evaluation) []string { return []string{"always"} },
				out:           rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{c.result}},
			}})
			require.NoError(t, err)

			out, _ := ev.Evaluate(t.Context(), &rag.Sample{})

			assert.Equal(t, c.want, out.Results[1].Reason)
			assert.Equal(t, rag.Count, out.Results[1].Range)
			assert.Equal(t, rag.KindScore, out.Results[1].Kind)
		})
	}
}

func TestEvaluateAsksTheCheckerAndDelivers(t *testing.T) {
	llm := rag.Result{Name: "context_recall_llm", Kind: rag.KindScore, Value: .4}
	var got *rag.Evaluation
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: []rag.Metric{metricOf("m", func(*rag.View) rag.Result { return rag.Scored(.1) })},
		Escalator: checker{
			func(_ *rag.Sample, e *rag.Evaluation) []string {
				if e.Results[0].Value < .7 {
					return []string{"low"}
				}
				return nil
			}, rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{llm}, CostUSD: .01},
		},
		Sinks: []rag.Sink{
			rag.SinkFunc(func(_ context.Context, _ *rag.Sample, e *rag.Evaluation) error { got = e.Clone(); return nil }),
			rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error { return errors.New("no") }),
		},
	})
	require.NoError(t, err)
	_, err = ev.Evaluate(t.Context(), &rag.Sample{})
	var sink *rag.SinkError
	require.ErrorAs(t, err, &sink)
	assert.Equal(t, 1, sink.Sink)
	assert.Equal(t, []string{"low"}, got.Escalation.Reasons)
	assert.Equal(t, rag.EscalationChecked, got.Escalation.Status)
	found, ok := got.Find("context_recall_llm")
	require.True(t, ok)
	assert.InDelta(t, .4, found.Value, 1e-12)
}

type requirer struct{ rag.EscalatorFunc }

func (requirer) Requires() []string { return []string{"there", "missing"} }

func TestEscalatorWithoutItsMetricIsRefused(t *testing.T) {
	_, err := rag.NewEvaluator(rag.Config{
		Metrics:   []rag.Metric{metricOf("there", func(*rag.View) rag.Result { return rag.Scored(1) })},
		Escalator: requirer{},
	})
	require.EqualError(t, err, "rag.Config.Escalator: it decides by the metric missing, which is not among Metrics")
}
