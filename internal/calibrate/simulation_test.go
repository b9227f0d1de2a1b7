package calibrate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

var draws = flag.Int("draws", 4, "how often the simulation draws labels; 100 for figures to quote")

// outcome is the mean over draws of what a number of labels buys, measured on
// sources that gave no label.
type outcome struct {
	n, declined, refitted    int
	balanced, ece, capture20 float64
	chance                   float64 // the calibration error of a perfect calibration
	auroc, reported          float64 // measured, and what the report had said
	gain                     float64 // of the AUROC over that of the model before
}

// A service starts with weights that were fitted on other data, labels some of
// its traffic at random, and calibrates. Fifty labels must give a threshold and
// make the risk a probability where it was none; more must do no harm, and the
// report must not promise more than what sources without labels show.
//
// go test ./internal/calibrate -run FiftyLabels -v -draws 100 prints the table.
func TestFiftyLabelsMakeAThresholdAndAProbability(t *testing.T) {
	sets := publicSets(t)
	var promised, kept, reports float64
	for _, target := range []string{"qa", "summary", "data2txt", "begin"} {
		base := fittedOnOthers(t, sets, target)
		before := sets[target].evaluate(base, 0.5)
		t.Logf("%-9s    0 labels: AUROC %.3f, balanced accuracy %.3f, capture at 20%% %.3f, calibration error %.3f (%.3f by chance); %d answers",
			target, before.auroc, before.balanced, before.capture20, before.ece, before.chance, len(sets[target]))
		by := map[int]outcome{}
		for _, labels := range []int{25, 50, 100, 250} {
			o := simulate(base, sets[target], labels)
			by[labels] = o
			if o.n == 0 {
				continue
			}
			t.Logf("%-9s %4d labels: AUROC %.3f (reported %.3f), balanced accuracy %.3f, capture at 20%% %.3f, calibration error %.3f (%.3f by chance); declined %.0f%%, refitted %.0f%%",
				target, labels, o.auroc, o.reported, o.balanced, o.capture20, o.ece, o.chance,
				100*float64(o.declined)/float64(o.n+o.declined), 100*float64(o.refitted)/float64(o.n))
			assert.Greater(t, o.gain, -0.02, "%s, %d labels: calibrating does no harm", target, labels)
			if labels >= 100 { // fewer are declined unless they look good, and so look better than they are
				promised, kept = promised+o.reported, kept+o.auroc
				reports++
			}
		}
		fifty := by[50]
		require.Positive(t, fifty.n)
		assert.Greater(t, fifty.balanced, before.balanced-0.03, "%s: the threshold is no worse than 0.5", target)
		if before.ece-before.chance > 0.1 {
			assert.Less(t, fifty.ece, before.ece, "%s: the risk becomes a probability", target)
		}
	}
	assert.InDelta(t, kept/reports, promised/reports, 0.03, "the report promises what it keeps")
}

type cases []Case

func (c cases) columns(risk func([]float64) float64) (scores []float64, unsupported []bool) {
	for i := range c {
		scores, unsupported = append(scores, risk(c[i].Features)), append(unsupported, c[i].Unsupported)
	}
	return scores, unsupported
}

// evaluate measures a model on cases that it has not seen.
func (c cases) evaluate(m *metric.RiskModel, threshold float64) outcome {
	risks, unsupported := c.columns(m.Risk)
	r := rand.New(rand.NewPCG(1, 1))
	redrawn := make([]bool, len(risks)) // as if each risk were true
	for i, p := range risks {
		redrawn[i] = r.Float64() < p
	}
	return outcome{
		auroc: stats.AUROC(risks, unsupported), balanced: stats.BalancedAccuracy(risks, unsupported, threshold),
		ece: stats.Calibration(risks, unsupported, 10).ECE, chance: stats.Calibration(risks, redrawn, 10).ECE,
		capture20: stats.Rank(risks, unsupported).Capture(0.2, nil),
	}
}

func simulate(base *metric.RiskModel, all cases, labels int) outcome {
	var sum outcome
	for draw := range *draws {
		r := rand.New(rand.NewPCG(uint64(draw), uint64(labels)))
		fold := stats.Folds(shuffledGroups(all, r), 3)
		var pool, rest cases
		for i := range all {
			if fold[i] == 0 {
				rest = append(rest, all[i])
			} else {
				pool = append(pool, all[i])
			}
		}
		if labels > len(pool) {
			return outcome{}
		}
		r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		report := Fit(pool[:labels], Options{Base: base, Budget: 0.2, resamples: 300})
		if !report.Decided {
			sum.declined++
			continue
		}
		o := rest.evaluate(report.Model, float64(report.Thresholds[1].Risk))
		sum.n++
		sum.balanced += o.balanced
		sum.ece += o.ece
		sum.chance += o.chance
		sum.capture20 += o.capture20
		sum.auroc += o.auroc
		sum.gain += o.auroc - rest.evaluate(base, 0.5).auroc
		sum.reported += float64(report.After.AUROC.Value)
		if report.Refit.Taken {
			sum.refitted++
		}
	}
	for _, total := range []*float64{&sum.balanced, &sum.ece, &sum.chance, &sum.capture20, &sum.auroc, &sum.reported, &sum.gain} {
		*total /= float64(max(1, sum.n))
	}
	return sum
}

// shuffledGroups renames the groups, so that folds differ from draw to draw.
func shuffledGroups(all cases, r *rand.Rand) []string {
	names, groups := map[string]string{}, make([]string, len(all))
	for i := range all {
		if names[all[i].Group] == "" {
			names[all[i].Group] = strconv.FormatUint(r.Uint64(), 36)
		}
		groups[i] = names[all[i].Group]
	}
	return groups
}

// fittedOnOthers fits weights on all sets but one, each counting alike.
func fittedOnOthers(t *testing.T, sets map[string]cases, but string) *metric.RiskModel {
	t.Helper()
	var rows [][]float64
	var labels []bool
	var weights []float64
	for _, name := range []string{"qa", "summary", "data2txt", "begin"} {
		if name == but {
			continue
		}
		for _, c := range sets[name] {
			rows, labels = append(rows, c.Features), append(labels, c.Unsupported)
			weights = append(weights, 1000/float64(len(sets[name])))
		}
	}
	fit, err := stats.FitLogistic(rows, labels, stats.LogisticOptions{L2: 30, Weights: weights})
	require.NoError(t, err)
	m := &metric.RiskModel{
		SchemaVersion: metric.RiskSchemaVersion, Version: "others", Bias: fit.Bias,
		Calibration: metric.RiskCalibration{Method: metric.CalibrationNone},
	}
	for i, name := range metric.RiskFeatureNames() {
		m.Features = append(m.Features, metric.RiskFeature{Name: name, Weight: fit.Weights[i], Mean: fit.Mean[i], Scale: fit.Scale[i]})
	}
	require.NoError(t, m.Validate())
	return m
}

// publicSets reads the sets that people have labelled.
func publicSets(t *testing.T) map[string]cases {
	t.Helper()
	sets := map[string]cases{}
	x, err := newExtractor(metric.DefaultRiskModel())
	require.NoError(t, err)
	add := func(set, query, answer, group string, supported bool, chunks ...string) {
		s := &rag.Sample{Query: query, Answer: rag.Answer{Text: answer}}
		for i, text := range chunks {
			s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{ID: strconv.Itoa(i), Text: text})
		}
		c, reason, err := x.extract(s, Label{Supported: supported, Group: group})
		require.NoError(t, err)
		if reason == "" {
			sets[set] = append(sets[set], c)
		}
	}
	for _, task := range []string{"qa", "summary", "data2txt"} {
		eachLine(t, fmt.Sprintf("ragtruth/%s.jsonl", task), func(row struct {
			ID, Question string
			Contexts     []string
			Responses    []struct {
				Answer       string
				Hallucinated bool
			}
		},
		) {
			for _, r := range row.Responses {
				add(task, row.Question, r.Answer, row.ID, !r.Hallucinated, row.Contexts...)
			}
		})
	}
	eachLine(t, "begin/cases.jsonl", func(row struct{ Knowledge, Message, Response, Label string }) {
		if row.Label != "Generic" {
			add("begin", row.Message, row.Response, row.Knowledge, strings.HasPrefix(row.Label, "Fully"), row.Knowledge)
		}
	})
	return sets
}

func eachLine[T any](t *testing.T, name string, use func(T)) {
	t.Helper()
	for dec := json.NewDecoder(shareddata.Open(t, name)); dec.More(); {
		var row T
		require.NoError(t, dec.Decode(&row))
		use(row)
	}
}
