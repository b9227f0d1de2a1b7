package main

import (
	"fmt"
	"io/fs"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A detector is a model-based detector whose scores the authors of FaithBench
// published for each answer.
type detector struct {
	_ struct{}

	name  string
	auroc estimate
}

// detectors are the keys of the published scores, of which 1 means consistent,
// and the names of their detectors.
var detectors = [...]struct{ key, name string }{
	{"hhem-2.1-english", "HHEM-2.1-English"},
	{"hhem-2.1", "HHEM-2.1"},
	{"hhemv1", "HHEM-1"},
	{"trueteacher", "TrueTeacher"},
	{"true_nli", "TRUE (NLI)"},
	{"gpt_4o", "GPT-4o, zero-shot"},
	{"gpt-4-turbo", "GPT-4-turbo, zero-shot"},
	{"gpt-3.5-turbo", "GPT-3.5-turbo, zero-shot"},
}

// surveyDetectors measures the published scores on the same answers as ours.
func surveyDetectors(dir fs.FS, set *setSurvey) ([]detector, error) {
	if set == nil {
		return nil, nil
	}
	scores := make([][]float64, len(detectors))
	err := eachLine(dir, "faithbench/samples.jsonl", func(row struct {
		Worst  string             `json:"worst_label"`
		Scores map[string]float64 `json:"detector_scores"`
	},
	) error {
		if row.Worst == "Questionable" {
			return nil // nor is it among the cases
		}
		for k, d := range detectors {
			score, ok := row.Scores[d.key]
			if !ok {
				return fmt.Errorf("detector_scores: expected the key %q, found none", d.key)
			}
			scores[k] = append(scores[k], -score)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var lines []detector
	for k, d := range detectors {
		lines = append(lines, detector{name: d.name, auroc: set.estimate(stats.Rank(scores[k], set.positive).AUROC)})
	}
	return lines, nil
}

// A publishedFigure is a balanced accuracy that others report, of a whole test
// set of RAGTruth, of which ours is half.
type publishedFigure struct {
	detector              string
	what                  string
	qa, summary, data2txt float64 // 0 where none was published
}

var publishedFigures = [...]publishedFigure{
	{"HHEM-2.1-Open", "a classifier", .743, .644, 0},
	{"o3-mini, zero-shot", "a language model", .816, .803, .751},
	{"FaithJudge", "a language model with labelled examples of the same source in the prompt", .854, .849, .851},
}
