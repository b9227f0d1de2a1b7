package calibrate

import (
	"fmt"
	"io"

	"github.com/touchstone-rag/touchstone/internal/plot"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// Panels returns the plots of a decided report: the ROC curve, the capture curve
// and the reliability diagram.
func (r *Report) Panels() []plot.Panel {
	reliability := plot.Panel{
		Title: "Reliability", X: "risk says", Y: "unsupported were",
		Lines: []plot.Line{plot.Diagonal("perfect")},
	}
	for _, b := range r.Reliability {
		reliability.Points = append(reliability.Points, plot.IntervalPoint{
			At: stats.Point{X: float64(b.Predicted), Y: float64(b.Observed.Value)}, Within: b.Observed.Interval(),
		})
	}
	return []plot.Panel{
		{
			Title: "ROC: caught, by false alarms", X: "supported answers escalated", Y: "unsupported answers caught",
			Lines: lines(r.curves.roc, r.curves.longestROC),
		},
		{
			Title: "Capture: caught, by budget", X: "answers escalated", Y: "unsupported answers caught",
			Lines: lines(r.curves.capture, r.curves.longestCapture),
		},
		reliability,
	}
}

func lines(risk, longest []stats.Point) []plot.Line {
	return []plot.Line{
		{Name: "risk", Style: plot.Main, Points: risk},
		{Name: "longest answers", Style: plot.Other, Points: longest},
		plot.Diagonal("random"),
	}
}

// WriteSVG draws the panels of a decided report as one image.
func (r *Report) WriteSVG(w io.Writer) error {
	return plot.SVG(w, "support_risk, cross-validated by source",
		fmt.Sprintf("%d labels, %d unsupported, %d sources; AUROC %s, %s", r.Labels.Total, r.Labels.Unsupported, r.Labels.Groups,
			two(r.After.AUROC.Value), bracket("95% interval", r.After.AUROC)),
		r.Panels()...)
}
