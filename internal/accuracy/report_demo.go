package main

import (
	"io/fs"
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A demoLine is how recorded answers of the demo corpus rank against the
// official scorer's verdict.
type demoLine struct {
	_ struct{}

	kind, system string
	cases        int
	wrong        float64 // share with an official exact match of 0
	fabricated   float64 // share with a fabricated number
	wrongThere   float64 // share of those that are wrong; NaN where there are none
	risk         estimate
	support      estimate // claim_support_rate
	numbers      estimate // numeric_fabrication_count
}

// The kinds of answers, as the question asks for them.
const (
	quoted   = "quoted"   // one or several spans
	computed = "computed" // an arithmetic result or a count
)

// allSystems names the line over all systems.
const allSystems = "all"

// demoAnswers are answers of a kind, of one system or all.
type demoAnswers struct {
	setSurvey
	kind, system            string
	risk, support, invented []float64
}

// surveyDemo scores the recorded answers, of which there may be none.
func surveyDemo(cases []Case, weights *metric.RiskModel, draws int) ([]demoLine, error) {
	set, err := featurise(dataset{}, cases)
	if err != nil {
		return nil, err
	}
	values, err := metricValues(cases, []direction{{metric.ClaimSupportRate(), less}, {metric.NumericFabricationCount(), more}})
	if err != nil {
		return nil, err
	}
	var lines []demoLine
	for _, kind := range []string{computed, quoted} {
		var parts []*demoAnswers
		everyone := newDemoAnswers(kind, allSystems, draws)
		for i := range cases {
			if cases[i].Set != kind || math.IsNaN(values[0][i]) || math.IsNaN(values[1][i]) {
				continue // another kind, or nothing was said
			}
			if len(parts) == 0 || parts[len(parts)-1].system != cases[i].Model {
				parts = append(parts, newDemoAnswers(kind, cases[i].Model, draws))
			}
			for _, a := range []*demoAnswers{parts[len(parts)-1], everyone} {
				a.positive, a.groups = append(a.positive, set.positive[i]), append(a.groups, set.groups[i])
				a.risk = append(a.risk, weights.LogOdds(set.features[i]))
				a.support = append(a.support, -values[0][i])
				a.invented = append(a.invented, values[1][i])
			}
		}
		for _, a := range append(parts, everyone) {
			lines = append(lines, a.line())
		}
	}
	return lines, nil
}

func newDemoAnswers(kind, system string, draws int) *demoAnswers {
	return &demoAnswers{
		kind: kind, system: system,
		setSurvey: setSurvey{labelledSet: new(labelledSet), bootstrap: stats.Bootstrap{Resamples: draws}},
	}
}

func (a *demoAnswers) line() demoLine {
	var fabricated, wrongThere float64
	for i, n := range a.invented {
		if n > 0 {
			fabricated++
			wrongThere += float64(index(a.positive[i]))
		}
	}
	area := func(scores []float64) estimate { return a.estimate(stats.Rank(scores, a.positive).AUROC) }
	n := float64(len(a.positive))
	return demoLine{
		kind: a.kind, system: a.system, cases: len(a.positive), wrong: float64(count(a.positive)) / n,
		fabricated: fabricated / n, wrongThere: wrongThere / fabricated,
		risk: area(a.risk), support: area(a.support), numbers: area(a.invented),
	}
}

// demoCorpus reads the recorded answers to questions that people wrote, system by
// system; their chunks are those of the document that the question is about.
// Unsupported here means that the official scorer found no exact match, and the
// set is the kind of the answer.
func demoCorpus(dir fs.FS) ([]Case, error) {
	chunks := map[string][]rag.Chunk{}
	if err := eachLine(dir, "demo-corpus/corpus.jsonl", func(row struct {
		ID   string `json:"chunk_id"`
		Doc  string `json:"doc_id"`
		Text string `json:"text"`
	},
	) error {
		chunks[row.Doc] = append(chunks[row.Doc], rag.Chunk{ID: row.ID, DocID: row.Doc, Text: row.Text})
		return nil
	}); err != nil {
		return nil, err
	}
	type question struct {
		ID       string `json:"id"`
		Question string `json:"question"`
		Type     string `json:"answer_type"`
		Filters  struct {
			Doc string `json:"doc_id"`
		} `json:"filters"`
	}
	questions := map[string]question{}
	if err := eachLine(dir, "demo-corpus/questions.jsonl", func(q question) error {
		questions[q.ID] = q
		return nil
	}); err != nil {
		return nil, err
	}
	var cases []Case
	err := eachLine(dir, "demo-corpus/recorded_answers.jsonl", func(row struct {
		Question string  `json:"question_id"`
		System   string  `json:"system"`
		Answer   string  `json:"answer"`
		EM       float64 `json:"official_em"`
	},
	) error {
		q, ok := questions[row.Question]
		if !ok {
			return unknown("question_id", row.Question, "a question of questions.jsonl")
		}
		c := Case{Unsupported: row.EM == 0, Group: q.Filters.Doc, Set: quoted, Model: row.System}
		if q.Type == "arithmetic" || q.Type == "count" {
			c.Set = computed
		}
		c.Sample = rag.Sample{Query: q.Question, Answer: rag.Answer{Text: row.Answer}}
		c.Sample.Retrieval.Chunks = chunks[q.Filters.Doc]
		cases = append(cases, c)
		return nil
	})
	return cases, err
}
