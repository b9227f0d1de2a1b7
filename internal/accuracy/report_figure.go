package main

import (
	"io"

	"github.com/touchstone-rag/touchstone/internal/plot"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// figureSets are the sets of the figure: one on which the risk is of use, and the
// one on which it is hardly any.
var figureSets = [...]string{"ragtruth/qa", "faithbench"}

// writeFigure draws what budgets catch.
func (s *survey) writeFigure(w io.Writer) error {
	var panels []plot.Panel
	for _, name := range figureSets {
		set := s.set(name)
		if set == nil {
			continue
		}
		panels = append(panels, plot.Panel{
			Title: figureTitle(name), X: "answers escalated", Y: "unsupported answers caught",
			Lines: []plot.Line{
				{Name: "risk", Style: plot.Main, Points: set.captureCurve(set.own)},
				{Name: "longest", Style: plot.Other, Points: set.captureCurve(set.length)},
				plot.Diagonal("random"),
			},
		})
	}
	return plot.SVG(w, "What an escalation budget catches", "answers judged by people, one in ten unsupported; support_risk with labels of the same set, cross-validated by source", panels...)
}

func figureTitle(set string) string {
	if set == "faithbench" {
		return "FaithBench: chosen to be hard"
	}
	return "RAGTruth, questions"
}

// captureCurve is the capture at every whole percent.
func (s *setSurvey) captureCurve(w *way) []stats.Point {
	ranked := stats.Rank(w.scores, s.positive)
	curve := make([]stats.Point, 101)
	for i := range curve {
		budget := float64(i) / 100
		curve[i] = stats.Point{X: budget, Y: s.captureAt(ranked, budget)(nil)}
	}
	return curve
}
