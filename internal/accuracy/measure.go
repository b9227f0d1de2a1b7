package main

import (
	"math"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

const (
	foldCount  = 5
	lengthBins = 5
	// prevalence of unsupported answers at which captures are told, whatever that
	// of the set: the share that a budget catches depends on it.
	prevalence = 0.10
)

// The names of the rankings.
const (
	rankedInDomain = "in domain"                 // cross-validated by source, fitted to this set alone
	rankedMixed    = "cross-validated by source" // fitted to this set and the others, as the weights that ship are
	rankedZeroShot = "zero-shot"                 // fitted to the other sets
	rankedShipped  = "the weights that ship"     // on answers that they were not fitted to
	rankedLength   = "answer length"
	rankedRandom   = "random"
)

// budgets are the shares of traffic at which captures are told.
var budgets = [...]float64{0.05, 0.10, 0.20, 0.30}

// A report is what was measured on one set.
type report struct {
	_ struct{}

	Set                      string
	Cases, Positives, Groups int
	// Rankings are the ways to rank the answers, the risk first.
	Rankings []ranking
	// Ablation tells what each feature is worth; nil unless asked for.
	Ablation []ablation
}

// A ranking is how well one score tells unsupported answers from others.
type ranking struct {
	_ struct{}

	Name          string
	AUROC         float64
	Interval      stats.Interval // 95%, by source
	LengthMatched float64        // AUROC among answers of similar length
	WithinModel   float64        // AUROC among answers of one model; NaN without two models
	Balanced      float64        // balanced accuracy at a threshold chosen on other cases; NaN where there is none
	Capture       [len(budgets)]float64
	// OverLength is the capture at 20% less that of the longest answers.
	OverLength         float64
	OverLengthInterval stats.Interval
}

// An ablation is what the AUROC loses without a feature.
type ablation struct {
	_ struct{}

	Feature            string
	InDomain, ZeroShot float64
}

// measure tells how well the risk ranks the answers of a set, with others to
// learn from.
func measure(set *labelledSet, others []labelledSet, withAblation bool) (report, error) {
	r := report{Set: set.name, Cases: len(set.cases), Positives: count(set.positive), Groups: len(distinct(set.groups))}
	inDomain, err := crossValidate(set, nil, featuresWithout())
	if err != nil {
		return r, err
	}
	mixed, err := crossValidate(set, others, featuresWithout())
	if err != nil {
		return r, err
	}
	zeroShot, err := zeroShotScores(set, others, featuresWithout())
	if err != nil {
		return r, err
	}
	inDomain.name, mixed.name, zeroShot.name = rankedInDomain, rankedMixed, rankedZeroShot
	for _, s := range []scored{
		inDomain, mixed, zeroShot,
		{name: rankedLength, scores: set.lengths(), balanced: math.NaN()},
		{name: rankedRandom, scores: make([]float64, len(set.cases)), balanced: math.NaN()},
	} {
		r.Rankings = append(r.Rankings, set.rank(s))
	}
	if withAblation {
		r.Ablation, err = ablate(set, others, inDomain.scores, zeroShot.scores)
	}
	return r, err
}

// otherSets are the sets that a zero-shot model may learn from: those whose data
// may ship, without the one at hand.
func otherSets(sets []labelledSet, at int) []labelledSet {
	var others []labelledSet
	for i := range sets {
		if i != at && sets[i].shippable {
			others = append(others, sets[i])
		}
	}
	return others
}

// shippedScores scores a set with the weights that ship, as they are.
func shippedScores(set *labelledSet) scored {
	m := metric.DefaultRiskModel()
	out := scored{name: rankedShipped, scores: make([]float64, len(set.cases))}
	for i, features := range set.features {
		out.scores[i] = m.LogOdds(features)
	}
	out.decided = out.scores // undecided at 0, as in zeroShotScores
	out.balanced = stats.BalancedAccuracy(out.decided, set.positive, 0)
	return out
}

// overlaps reports whether two sets have a case in common: the same answer to the
// same source. Answers that decline are the same everywhere.
func (s *labelledSet) overlaps(other *labelledSet) bool {
	key := func(c *Case) string {
		texts := []string{c.Sample.Answer.Text}
		for i := range c.Sample.Retrieval.Chunks {
			texts = append(texts, c.Sample.Retrieval.Chunks[i].Text)
		}
		return strings.Join(texts, "\x00")
	}
	known := map[string]bool{}
	for i := range other.cases {
		known[key(&other.cases[i])] = true
	}
	return slices.ContainsFunc(s.cases, func(c Case) bool { return known[key(&c)] })
}

// scored is a score per case, and the balanced accuracy at a threshold that was
// chosen without them.
type scored struct {
	name     string
	scores   []float64
	decided  []float64 // the scores less that threshold; nil where there is none
	balanced float64
}

// crossValidate scores every case of a set with a model that was fitted without
// its fold, to the other folds and to others. Folds are by source.
func crossValidate(set *labelledSet, others []labelledSet, use []int) (scored, error) {
	folds := stats.Folds(set.groups, foldCount)
	out := scored{scores: make([]float64, len(set.cases)), decided: make([]float64, len(set.cases))}
	for f := range foldCount {
		train := set.only(func(i int) bool { return folds[i] != f })
		m, err := fit(append(slices.Clone(others), train), use)
		if err != nil {
			return out, err
		}
		threshold, _ := stats.Rank(scoresOf(m, train.features), train.positive).BestThreshold()
		for i := range set.cases {
			if folds[i] == f {
				out.scores[i] = m.Score(set.features[i])
				out.decided[i] = out.scores[i] - threshold
			}
		}
	}
	out.balanced = stats.BalancedAccuracy(out.decided, set.positive, 0)
	return out, nil
}

// zeroShotScores scores a set with a model of other sets, and takes the threshold
// from them too, weighed as the fit does.
func zeroShotScores(set *labelledSet, others []labelledSet, use []int) (scored, error) {
	m, err := fit(others, use)
	if err != nil {
		return scored{}, err
	}
	out := scored{scores: scoresOf(m, set.features)}
	// The bias is the mean level of the sets: log-odds 0 is where the fit is undecided.
	out.decided = out.scores
	out.balanced = stats.BalancedAccuracy(out.decided, set.positive, 0)
	return out, nil
}

func scoresOf(m *stats.Logistic, features [][]float64) []float64 {
	scores := make([]float64, len(features))
	for i := range features {
		scores[i] = m.Score(features[i])
	}
	return scores
}

// ablate fits without each feature in turn.
func ablate(set *labelledSet, others []labelledSet, inDomain, zeroShot []float64) ([]ablation, error) {
	var lines []ablation
	for _, name := range metric.RiskFeatureNames() {
		use := featuresWithout(name)
		in, err := crossValidate(set, nil, use)
		if err != nil {
			return nil, err
		}
		zero, err := zeroShotScores(set, others, use)
		if err != nil {
			return nil, err
		}
		lines = append(lines, ablation{
			Feature:  name,
			InDomain: stats.AUROC(inDomain, set.positive) - stats.AUROC(in.scores, set.positive),
			ZeroShot: stats.AUROC(zeroShot, set.positive) - stats.AUROC(zero.scores, set.positive),
		})
	}
	return lines, nil
}

// rank measures one score of a set.
func (s *labelledSet) rank(by scored) ranking {
	r := ranking{Name: by.name, Balanced: by.balanced}
	ranked := stats.Rank(by.scores, s.positive)
	r.AUROC = ranked.AUROC(nil)
	r.Interval = stats.Bootstrap{}.Interval(s.groups, ranked.AUROC)
	r.LengthMatched = stats.StratifiedAUROC(by.scores, s.positive, stats.QuantileStrata(s.lengths(), lengthBins))(nil)
	r.WithinModel = math.NaN()
	if models := s.models(); slices.Max(models) > 0 {
		r.WithinModel = stats.StratifiedAUROC(by.scores, s.positive, models)(nil)
	}
	for i, budget := range budgets {
		r.Capture[i] = s.captureAt(ranked, budget)(nil)
	}
	r.OverLength, r.OverLengthInterval = stats.Bootstrap{}.Difference(s.groups,
		s.captureAt(ranked, 0.20), s.captureAt(stats.Rank(s.lengths(), s.positive), 0.20))
	return r
}

// captureAt is the share of the unsupported answers among the riskiest, where
// cases are weighed so that unsupported ones are as frequent as prevalence says.
func (s *labelledSet) captureAt(r *stats.Ranking, budget float64) stats.Statistic {
	return func(weights []float64) float64 {
		var class [2]float64
		weigh := func(i int) float64 {
			if weights == nil {
				return 1
			}
			return weights[i]
		}
		for i, positive := range s.positive {
			class[index(positive)] += weigh(i)
		}
		if class[0] == 0 || class[1] == 0 {
			return math.NaN()
		}
		adjusted := make([]float64, len(s.positive))
		share := [2]float64{1 - prevalence, prevalence}
		for i, positive := range s.positive {
			k := index(positive)
			adjusted[i] = weigh(i) * share[k] / class[k]
		}
		return r.Capture(budget, adjusted)
	}
}

func index(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// lengths are the answers' lengths in bytes.
func (s *labelledSet) lengths() []float64 {
	lengths := make([]float64, len(s.cases))
	for i := range s.cases {
		lengths[i] = float64(len(s.cases[i].Sample.Answer.Text))
	}
	return lengths
}

// models numbers the models that wrote the answers.
func (s *labelledSet) models() []int {
	names := make([]string, len(s.cases))
	for i := range s.cases {
		names[i] = s.cases[i].Model
	}
	order := distinct(names)
	numbers := make([]int, len(names))
	for i, name := range names {
		numbers[i] = slices.Index(order, name)
	}
	return numbers
}

func distinct(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

func count(positive []bool) int {
	n := 0
	for _, p := range positive {
		n += index(p)
	}
	return n
}
