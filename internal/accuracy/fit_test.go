package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
)

// shippedSets reads the sets that come with the repository, once.
var shippedSets = sync.OnceValues(func() ([]labelledSet, error) { return readSets(shippedData()) })

const hint = "run: go run ./internal/accuracy fit"

func TestCommittedWeightsAreThoseOfTheShippedData(t *testing.T) {
	sets, err := shippedSets()
	require.NoError(t, err)
	fitted, err := fitModel(sets, "2026-01-31")
	require.NoError(t, err)
	committed := metric.DefaultRiskModel()

	require.Len(t, committed.Features, len(fitted.Features), hint)
	assert.InDelta(t, fitted.Bias, committed.Bias, 1e-6, hint)
	for i, f := range fitted.Features {
		c := committed.Features[i]
		assert.Equal(t, f.Name, c.Name, hint)
		assert.InDelta(t, f.Weight, c.Weight, 1e-6, "%s: %s", f.Name, hint)
		assert.InDelta(t, f.Mean, c.Mean, 1e-6, "%s: %s", f.Name, hint)
		assert.InDelta(t, f.Scale, c.Scale, 1e-6, "%s: %s", f.Name, hint)
	}
	assert.Equal(t, fitted.Provenance.Data, committed.Provenance.Data, hint)
}

func TestNoFeatureLowersTheRisk(t *testing.T) {
	for _, f := range metric.DefaultRiskModel().Features {
		assert.Positive(t, f.Weight, f.Name)
	}
}

// TestRiskRanksAsPromised holds the ranking to what is promised on the data that
// comes with the repository.
func TestRiskRanksAsPromised(t *testing.T) {
	sets, err := shippedSets()
	require.NoError(t, err)
	promised := map[string]struct{ inDomain, balanced, zeroShot float64 }{
		"ragtruth/qa":       {0.82, 0.74, 0.76},
		"ragtruth/summary":  {0.72, 0.66, 0.69},
		"ragtruth/data2txt": {0.72, 0.67, 0.70},
		"begin":             {0.94, 0.87, 0.94},
		"mtrag-human":       {0.70, 0.60, 0.70},
	}
	for at := range sets {
		t.Run(sets[at].name, func(t *testing.T) {
			want := promised[sets[at].name]
			r, err := measure(&sets[at], otherSets(sets, at), false)
			require.NoError(t, err)
			inDomain, zeroShot := r.ranking(t, rankedInDomain), r.ranking(t, rankedZeroShot)
			assert.GreaterOrEqual(t, inDomain.AUROC, want.inDomain)
			assert.GreaterOrEqual(t, inDomain.Balanced, want.balanced)
			assert.GreaterOrEqual(t, zeroShot.AUROC, want.zeroShot)
			committed := slices.DeleteFunc(slices.Clone(metric.DefaultRiskModel().Accuracy), func(a metric.RiskAccuracy) bool { return a.Data != r.Set })
			assert.Equal(t, committed, accuracyOf(&r), hint)
			assert.Positive(t, inDomain.OverLengthInterval.Low, "a budget of 20% catches more than the longest answers hold, beyond chance")
			assert.InDelta(t, 0.5, r.ranking(t, rankedRandom).AUROC, 0)
			assert.InDelta(t, 0.2, r.ranking(t, rankedRandom).Capture[2], 1e-9)
		})
	}
}

func (r *report) ranking(t *testing.T, name string) ranking {
	t.Helper()
	for _, k := range r.Rankings {
		if k.Name == name {
			return k
		}
	}
	require.FailNow(t, "no such ranking", name)
	return ranking{}
}

func TestMeasuresArePrintedPerSet(t *testing.T) {
	sets, err := shippedSets()
	require.NoError(t, err)
	r, err := measure(&sets[0], otherSets(sets, 0), true)
	require.NoError(t, err)
	var out strings.Builder
	p := printer{out: &out}
	p.report(&r)
	require.NoError(t, p.err)
	assert.Contains(t, out.String(), "ragtruth/qa: 442 answers to 75 sources, 140 unsupported\n")
	for _, name := range append(metric.RiskFeatureNames(), rankedInDomain, rankedMixed, rankedZeroShot, rankedLength, rankedRandom) {
		assert.Contains(t, out.String(), "\n"+name+" ")
	}
	assert.NotContains(t, out.String(), "NaN")
}

// heldOut is a directory in the layout of the sets that ship, of made-up rows:
// ragtruth/qa with both kinds of answers, ragtruth/summary with one.
func heldOut() fstest.MapFS {
	var qa strings.Builder
	for i := range 10 {
		fmt.Fprintf(&qa, `{"id":"h%d","question":"Where?","contexts":["Town %c lies by the old river."],"responses":[`+
			`{"answer":"Town %[2]c lies by the old river.","hallucinated":false},`+
			`{"answer":"Elephants painted bridges %d times.","hallucinated":true}]}`+"\n", i, 'A'+i, i+2)
	}
	return fstest.MapFS{
		"ragtruth/qa.jsonl":       file(qa.String()),
		"ragtruth/summary.jsonl":  file(`{"id":"s","contexts":["Rain."],"responses":[{"answer":"Rain.","hallucinated":false}]}`),
		"mtrag-human/tasks.jsonl": file(""), // and nothing else of this set
	}
}

func TestRowsThatNobodyHasSeenMeasureTheWeightsThatShip(t *testing.T) {
	var out strings.Builder
	require.NoError(t, printMeasures(&out, heldOut(), false))
	assert.Contains(t, out.String(), "ragtruth/qa: 20 answers to 10 sources, 10 unsupported\n")
	for _, name := range []string{rankedShipped, rankedInDomain, rankedMixed, rankedZeroShot} {
		assert.Contains(t, out.String(), "\n"+name+strings.Repeat(" ", 33-len(name))+" 1.000 ", "one set in the directory is enough")
	}
	assert.Contains(t, out.String(), "ragtruth/summary: not measured: expected cases of both classes")
	assert.Contains(t, out.String(), "mtrag-human: not in the data directory\n", "nor is one of which a file is missing")

	out.Reset()
	require.NoError(t, printMeasures(&out, shippedData(), false))
	assert.NotContains(t, out.String(), rankedShipped, "they were fitted to these rows")

	err := printMeasures(&out, fstest.MapFS{"ragtruth/qa.jsonl": file("")}, false)
	assert.ErrorContains(t, err, "expected a data set with answers of both kinds")
}

func TestUnknownCommandsAreErrors(t *testing.T) {
	require.ErrorContains(t, run(nil, nil), "expected a command")
	require.ErrorContains(t, run([]string{"guess"}, nil), `found "guess"`)
}
