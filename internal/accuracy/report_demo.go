package main

import (
	"io/fs"
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A demoLine is how the recorded answers of one system of the demo corpus rank
// against the official scorer's verdict.
type demoLine struct {
	_ struct{}

	system     string
	cases      int
	wrong      int     // official exact match 0
	fabricated float64 // share of the answers with a fabricated number
	wrongThere float64 // share of those that are wrong; NaN where there are none
	risk       estimate
	numbers    estimate // numeric_fabrication_count
	length     estimate
}

// allSystems names the line over all answers.
const allSystems = "all five"

// demoAnswers are the answers of one system.
type demoAnswers struct {
	cases               []Case
	risk, count, length []float64
}

// surveyDemo scores the recorded answers, of which there may be none.
func surveyDemo(cases []Case, weights *metric.RiskModel, draws int) ([]demoLine, error) {
	if len(cases) == 0 {
		return nil, nil
	}
	set, err := featurise(dataset{name: "demo-corpus"}, cases)
	if err != nil {
		return nil, err
	}
	numbers, err := metricValues(cases, []direction{{metric.NumericFabricationCount(), more}})
	if err != nil {
		return nil, err
	}
	var systems []string
	bySystem := map[string]*demoAnswers{}
	for i := range cases {
		if math.IsNaN(numbers[0][i]) {
			continue // no answer at all
		}
		name := cases[i].Model
		if bySystem[name] == nil {
			bySystem[name] = new(demoAnswers)
			systems = append(systems, name)
		}
		for _, a := range []*demoAnswers{bySystem[name], all(bySystem)} {
			a.cases = append(a.cases, cases[i])
			a.risk = append(a.risk, weights.LogOdds(set.features[i]))
			a.count = append(a.count, numbers[0][i])
			a.length = append(a.length, float64(len(cases[i].Sample.Answer.Text)))
		}
	}
	var lines []demoLine
	for _, name := range append(systems, allSystems) {
		lines = append(lines, bySystem[name].line(name, draws))
	}
	return lines, nil
}

func all(bySystem map[string]*demoAnswers) *demoAnswers {
	if bySystem[allSystems] == nil {
		bySystem[allSystems] = new(demoAnswers)
	}
	return bySystem[allSystems]
}

func (a *demoAnswers) line(system string, draws int) demoLine {
	s := setSurvey{labelledSet: new(labelledSet), bootstrap: stats.Bootstrap{Resamples: draws}}
	var fabricated, wrongThere float64
	for i := range a.cases {
		s.positive = append(s.positive, a.cases[i].Unsupported)
		s.groups = append(s.groups, a.cases[i].Group)
		if a.count[i] > 0 {
			fabricated++
			wrongThere += float64(index(a.cases[i].Unsupported))
		}
	}
	return demoLine{
		system: system, cases: len(a.cases), wrong: count(s.positive),
		fabricated: fabricated / float64(len(a.cases)), wrongThere: wrongThere / fabricated,
		risk:    s.estimate(stats.Rank(a.risk, s.positive).AUROC),
		numbers: s.estimate(stats.Rank(a.count, s.positive).AUROC),
		length:  s.estimate(stats.Rank(a.length, s.positive).AUROC),
	}
}

// demoCorpus reads the recorded answers to questions that people wrote; their
// chunks are those of the document that the question is about. Unsupported here
// means that the official scorer found no exact match.
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
		s := rag.Sample{Query: q.Question, Answer: rag.Answer{Text: row.Answer}}
		s.Retrieval.Chunks = chunks[q.Filters.Doc]
		cases = append(cases, Case{
			Sample: s, Unsupported: row.EM == 0, Group: q.Filters.Doc, Set: "demo-corpus", Model: row.System,
		})
		return nil
	})
	return cases, err
}
