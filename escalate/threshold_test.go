package escalate_test

import (
	"log/slog"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/escalate"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestThresholdIsTheSourcesRule(t *testing.T) {
	policy, err := escalate.Threshold(escalate.DefaultThreshold)
	require.NoError(t, err)
	heuristic := func(v float64, hit bool) rag.Result {
		return rag.Result{
			Name: "context_recall_heuristic", Kind: rag.KindScore, Value: v,
			Details: []slog.Attr{slog.Bool("hit_limit_warning", hit)},
		}
	}
	warning := func(c string) rag.Result {
		return rag.Result{Name: "recall_warning", Kind: rag.KindCategorical, Category: c}
	}
	unmeasured := rag.Result{Name: "context_recall_heuristic", Kind: rag.KindScore, Reason: rag.ReasonNoContributions}
	for name, c := range map[string]struct {
		results []rag.Result
		want    []string
	}{
		"nothing measured":              {nil, nil},
		"at the threshold":              {[]rag.Result{heuristic(.7, false)}, nil},
		"below it":                      {[]rag.Result{heuristic(.69, false)}, []string{escalate.ReasonBelowThreshold}},
		"limit hit":                     {[]rag.Result{warning("HIT_RETRIEVAL_LIMIT"), heuristic(.9, true)}, []string{escalate.ReasonLimitHit}},
		"limit hit, no warning metric":  {[]rag.Result{heuristic(.9, true)}, []string{escalate.ReasonLimitHit}},
		"both":                          {[]rag.Result{warning("HIT_RETRIEVAL_LIMIT"), heuristic(.1, true)}, []string{escalate.ReasonBelowThreshold, escalate.ReasonLimitHit}},
		"limit hit, heuristic unknown":  {[]rag.Result{warning("HIT_RETRIEVAL_LIMIT"), unmeasured}, []string{escalate.ReasonLimitHit}},
		"filtering is no limit":         {[]rag.Result{warning("HIGH_THRESHOLD_FILTERING"), heuristic(.9, false)}, nil},
		"heuristic unknown, no warning": {[]rag.Result{unmeasured}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, policy.Needs(&rag.Sample{}, &rag.Evaluation{Results: c.results}))
		})
	}
}

func TestThresholdRefusesNonsense(t *testing.T) {
	for _, v := range []float64{-.1, 1.1, math.NaN()} {
		_, err := escalate.Threshold(v)
		assert.ErrorContains(t, err, "from 0 to 1")
	}
}
