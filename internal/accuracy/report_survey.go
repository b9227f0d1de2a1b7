package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// intervalDraws is how often the intervals of the page resample the sources.
const intervalDraws = 1000

// A survey is all that the page tells, before it is put into words.
type survey struct {
	_ struct{}

	draws     int
	data      string // the digest of its files
	weights   *metric.RiskModel
	sets      []setSurvey
	absent    []dataset
	detectors []detector
	demo      []demoLine
}

// A setSurvey is what was measured on one set.
type setSurvey struct {
	_ struct{}

	*labelledSet
	bootstrap stats.Bootstrap
	states    []bool // whether the answer states anything, so that it has a support_risk

	// Ways to rank the answers. Those that a set does not have are nil.
	own          *way // fitted to this set's other sources
	recipe       *way // fitted as the weights that ship are, to this set's other sources and the other sets
	zeroShot     *way // fitted to the other sets
	otherCorpora *way // fitted to the sets of other corpora, where the corpus has several sets
	length       *way

	singles []single
	rule    rule
	lost    []loss
	few     []fewLabels
}

// A way to rank answers, and how good it is.
type way struct {
	_ struct{}

	scores []float64

	balanced      estimate // balanced accuracy at a threshold that was chosen without the case
	auroc         estimate
	lengthMatched estimate // AUROC among answers of similar length
	withinModel   estimate // AUROC among answers of the same model
	capture       [len(budgets)]estimate
	overLength    estimate // capture at 20% less that of the longest answers
}

// fifth is the budget at which ways are compared.
const fifth = 0.20

// takeSurvey measures all sets that dir holds.
func takeSurvey(dir fs.FS, draws int) (*survey, error) {
	sets, err := readSets(dir)
	if err != nil {
		return nil, err
	}
	demo, err := demoCorpus(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &survey{draws: draws, weights: metric.DefaultRiskModel(), sets: make([]setSurvey, len(sets))}
	if s.data, err = digest(dir); err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for i := range sets {
		present[sets[i].name] = true
	}
	for _, d := range datasets() {
		if !present[d.name] {
			s.absent = append(s.absent, d)
		}
	}
	errs := make([]error, len(sets)+1)
	var measured sync.WaitGroup
	for i := range sets {
		measured.Go(func() { s.sets[i], errs[i] = surveySet(sets, i, draws) })
	}
	if demo != nil {
		measured.Go(func() { s.demo, errs[len(sets)] = surveyDemo(demo, s.weights, draws) })
	}
	measured.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	s.detectors, err = surveyDetectors(dir, s.set("faithbench"))
	return s, err
}

// digest names the data files, so that figures of other data are not taken for wrong.
func digest(dir fs.FS) (string, error) {
	folders := []string{"demo-corpus"}
	for _, d := range datasets() {
		folders = append(folders, corpus(d.name))
	}
	h := sha256.New()
	for _, folder := range distinct(folders) {
		err := fs.WalkDir(dir, folder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case name == folder && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case entry.IsDir() || !strings.Contains(name, ".jsonl"):
				return nil
			}
			content, err := fs.ReadFile(dir, name)
			_, _ = fmt.Fprintf(h, "%s %d %s", name, len(content), content)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// set returns the survey of the named set, or nil.
func (s *survey) set(name string) *setSurvey {
	for i := range s.sets {
		if s.sets[i].name == name {
			return &s.sets[i]
		}
	}
	return nil
}

func surveySet(sets []labelledSet, at, draws int) (setSurvey, error) {
	s := setSurvey{labelledSet: &sets[at], bootstrap: stats.Bootstrap{Resamples: draws}}
	risk, err := metricValues(s.cases, []direction{{metric.SupportRisk(), more}})
	if err != nil {
		return s, err
	}
	for _, v := range risk[0] {
		s.states = append(s.states, !math.IsNaN(v))
	}
	err = s.rankAll(sets, at)
	if err == nil {
		s.lost, err = s.ablate(otherSets(sets, at))
	}
	if err == nil {
		s.singles, s.rule, err = s.singleMetrics()
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.name, err)
	}
	s.few = s.simulateFewLabels()
	return s, nil
}

// rankAll ranks the answers in every way.
func (s *setSurvey) rankAll(sets []labelledSet, at int) error {
	s.length = s.way(scored{scores: s.lengths()})
	others, foreign := otherSets(sets, at), []labelledSet(nil)
	for i := range others {
		if corpus(others[i].name) != corpus(s.name) {
			foreign = append(foreign, others[i])
		}
	}
	features := featuresWithout()
	own, err := crossValidate(s.labelledSet, nil, features)
	if err != nil {
		return err
	}
	s.own = s.riskWay(own)
	if len(others) == 0 {
		return nil
	}
	zeroShot, err := zeroShotScores(s.labelledSet, others, features)
	if err != nil {
		return err
	}
	s.zeroShot = s.riskWay(zeroShot)
	if s.shippable {
		recipe, err := crossValidate(s.labelledSet, others, features)
		if err != nil {
			return err
		}
		s.recipe = s.riskWay(recipe)
	}
	if len(foreign) > 0 && len(foreign) < len(others) {
		strict, err := zeroShotScores(s.labelledSet, foreign, features)
		if err != nil {
			return err
		}
		s.otherCorpora = s.riskWay(strict)
	}
	return nil
}

// corpus is the first part of a set's name: what its sets share.
func corpus(set string) string {
	name, _, _ := strings.Cut(set, "/")
	return name
}

// riskWay is the way of a risk, of which answers that state nothing have none.
func (s *setSurvey) riskWay(by scored) *way {
	return s.way(scored{scores: s.whereStated(by.scores), decided: s.whereStated(by.decided)})
}

// whereStated returns the scores of answers that state something, and NaN, which
// ranks last, for the others.
func (s *setSurvey) whereStated(scores []float64) []float64 {
	known := slices.Clone(scores)
	for i := range known {
		if !s.states[i] {
			known[i] = math.NaN()
		}
	}
	return known
}

func (s *setSurvey) way(by scored) *way {
	w := &way{scores: by.scores, balanced: s.balancedAccuracy(by.decided)}
	ranked := stats.Rank(by.scores, s.positive)
	w.auroc = s.estimate(ranked.AUROC)
	w.lengthMatched = s.estimate(stats.StratifiedAUROC(by.scores, s.positive, stats.QuantileStrata(s.lengths(), lengthBins)))
	w.withinModel = noEstimate()
	if models := s.models(); s.modelCount() > 1 {
		w.withinModel = s.estimate(stats.StratifiedAUROC(by.scores, s.positive, models))
	}
	for i, budget := range budgets {
		w.capture[i] = s.estimate(s.captureAt(ranked, budget))
	}
	longest := stats.Rank(s.lengths(), s.positive)
	w.overLength.value, w.overLength.within = s.bootstrap.Difference(s.groups, s.captureAt(ranked, fifth), s.captureAt(longest, fifth))
	return w
}

// balancedAccuracy measures decisions: unsupported where decided is not negative.
func (s *setSurvey) balancedAccuracy(decided []float64) estimate {
	if decided == nil {
		return noEstimate()
	}
	verdicts := make([]float64, len(decided))
	for i, d := range decided {
		verdicts[i] = float64(index(d >= 0))
	}
	// The area under the ROC curve of a verdict is its balanced accuracy.
	return s.estimate(stats.Rank(verdicts, s.positive).AUROC)
}

func (s *setSurvey) estimate(statistic stats.Statistic) estimate {
	return estimate{statistic(nil), s.bootstrap.Interval(s.groups, statistic)}
}

func (s *setSurvey) modelCount() int {
	names := make([]string, len(s.cases))
	for i := range s.cases {
		names[i] = s.cases[i].Model
	}
	return len(distinct(names))
}

// A loss is the change of the AUROC where a feature is left out.
type loss struct {
	_ struct{}

	feature       string
	own, zeroShot estimate
}

// ablate fits without each feature in turn.
func (s *setSurvey) ablate(others []labelledSet) ([]loss, error) {
	var lost []loss
	for _, name := range metric.RiskFeatureNames() {
		line := loss{feature: name, zeroShot: noEstimate()}
		own, err := crossValidate(s.labelledSet, nil, featuresWithout(name))
		if err != nil {
			return nil, err
		}
		line.own = s.paired(s.whereStated(own.scores), s.own.scores)
		if s.zeroShot != nil {
			zeroShot, err := zeroShotScores(s.labelledSet, others, featuresWithout(name))
			if err != nil {
				return nil, err
			}
			line.zeroShot = s.paired(s.whereStated(zeroShot.scores), s.zeroShot.scores)
		}
		lost = append(lost, line)
	}
	return lost, nil
}

// paired is the AUROC of x less that of y.
func (s *setSurvey) paired(x, y []float64) estimate {
	var e estimate
	e.value, e.within = s.bootstrap.Difference(s.groups, stats.Rank(x, s.positive).AUROC, stats.Rank(y, s.positive).AUROC)
	return e
}
