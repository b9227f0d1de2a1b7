package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-rag/touchstone/internal/calibrate"
	"github.com/touchstone-rag/touchstone/internal/plot"
)

// calibrationText prints a report for people.
type calibrationText struct {
	report          *calibrate.Report
	colour, unicode bool
	buf             bytes.Buffer
}

func (t *calibrationText) print(w io.Writer) error {
	t.labels()
	t.quality()
	if t.report.Decided {
		t.capture()
		t.reliability()
		t.thresholds()
		t.plots()
	}
	_, err := w.Write(t.buf.Bytes())
	return err
}

func (t *calibrationText) line(format string, args ...any) {
	fmt.Fprintf(&t.buf, format+"\n", args...)
}

func (t *calibrationText) head(title string) {
	if t.colour {
		title = "\x1b[1m" + title + "\x1b[0m"
	}
	if t.buf.Len() > 0 {
		title = "\n" + title
	}
	t.line("%s", title)
}

func (t *calibrationText) table(rows ...[]string) {
	w := tabwriter.NewWriter(&t.buf, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "  %s\n", strings.Join(row, "\t"))
	}
	_ = w.Flush() // into a buffer
}

func (t *calibrationText) labels() {
	l, in := &t.report.Labels, &t.report.Input
	t.head("Labels")
	who := "from people"
	if l.Judged > 0 {
		who = fmt.Sprintf("%d of them a judge's, whose bias is in the result", l.Judged)
	}
	t.line("  %s on answers to %s, %s", count(l.Total, "label"), count(l.Groups, "source"), who)
	if l.Total > 0 {
		t.line("  %d unsupported (%s), %d supported", l.Unsupported, percent(float64(l.Unsupported)/float64(l.Total)), l.Total-l.Unsupported)
	}
	if in.Unlabelled > 0 {
		t.line("  left out: %s without a label", count(in.Unlabelled, "sample"))
	}
	for _, reason := range slices.Sorted(maps.Keys(in.Unmeasured)) {
		t.line("  left out: %s without a risk (%s)", count(in.Unmeasured[reason], "sample"), reason)
	}
}

func (t *calibrationText) quality() {
	before, after := t.report.Before, t.report.After
	if before == nil {
		return
	}
	t.head("Model")
	header := []string{"", "before"}
	rows := [][]string{
		{"AUROC", measured(before.AUROC)},
		{"balanced accuracy", measured(before.BalancedAccuracy)},
		{"calibration error", fmt.Sprintf("%.3f", before.ECE)},
		{"Brier score", fmt.Sprintf("%.3f", before.Brier)},
	}
	if after != nil {
		header = append(header, "after, on sources left out of the fit")
		for i, v := range []string{
			measured(after.AUROC), measured(after.BalancedAccuracy),
			fmt.Sprintf("%.3f", after.ECE), fmt.Sprintf("%.3f", after.Brier),
		} {
			rows[i] = append(rows[i], v)
		}
	}
	t.table(append([][]string{header}, rows...)...)
	if r := &t.report.Refit; r.Tried || after != nil {
		t.line("  %s", t.refit())
	}
}

func (t *calibrationText) refit() string {
	r := &t.report.Refit
	gain := ""
	if g := r.Gain; g != nil {
		gain = fmt.Sprintf("AUROC %+.3f [%+.3f, %+.3f]", g.Value, g.Low, g.High)
	}
	switch {
	case r.Taken:
		return "weights fitted anew: " + gain
	case r.Failure != "":
		return "weights as they were; fitting them anew failed: " + r.Failure
	case r.Tried:
		return "weights as they were, scaled; fitting them anew was no better: " + gain
	}
	return fmt.Sprintf("weights as they were, scaled; fitting them anew takes %d labels, %d of each kind", calibrate.RefitLabels, calibrate.RefitClass)
}

func (t *calibrationText) capture() {
	t.head("Unsupported answers caught")
	rows := [][]string{{"escalated", "by risk", "longest answers", "at random", "by risk - longest"}}
	for _, c := range t.report.Capture {
		rows = append(rows, []string{
			percent(c.Budget), shares(c.Risk), shares(c.Longest), percent(c.Budget),
			fmt.Sprintf("%+.0f [%+.0f, %+.0f]", 100*c.Gain.Value, 100*c.Gain.Low, 100*c.Gain.High),
		})
	}
	t.table(rows...)
}

func (t *calibrationText) reliability() {
	t.head("Reliability, on sources left out of the fit")
	rows := [][]string{{"risk says", "unsupported were", "labels"}}
	for _, b := range t.report.Reliability {
		rows = append(rows, []string{percent(float64(b.Predicted)), shares(b.Observed), strconv.Itoa(b.Cases)})
	}
	t.table(rows...)
}

func (t *calibrationText) thresholds() {
	t.head("Thresholds")
	for _, h := range t.report.Thresholds {
		aim := "for a budget of " + percent(t.report.Budget)
		if h.Aim == "balanced_accuracy" {
			aim = "for balanced accuracy"
		}
		l := &t.report.Labels
		t.line("  risk >= %.3f %s: would have escalated %d of %d (%s) and caught %d of %d unsupported (%s)", h.Risk, aim,
			h.Escalated, l.Total, percent(float64(h.Escalated)/float64(l.Total)),
			h.Caught, l.Unsupported, percent(float64(h.Caught)/float64(l.Unsupported)))
	}
}

func (t *calibrationText) plots() {
	t.line("")
	panels := t.report.Panels()
	t.buf.WriteString(plot.Text(32, 11, t.unicode, panels[0], panels[1]))
}

func measured(m calibrate.Measure) string {
	return fmt.Sprintf("%.3f [%.3f, %.3f]", m.Value, m.Low, m.High)
}

func shares(m calibrate.Measure) string {
	return fmt.Sprintf("%.0f%% [%.0f, %.0f]", 100*m.Value, 100*m.Low, 100*m.High)
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
