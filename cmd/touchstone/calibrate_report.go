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
	t.line("  %s on answers to %s", count(l.Total, "label"), count(l.Groups, "source"))
	if l.Judged > 0 {
		t.line("  %d by a judge, whose bias is in the result", l.Judged)
	}
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
		header = append(header, "after, on sources left out")
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
		gain = "AUROC " + bracketed("%+.3f", "", 1, *g)
	}
	switch {
	case r.Taken:
		return "weights fitted anew: " + gain
	case r.Failure != "":
		return "weights kept; fitting new ones failed: " + r.Failure
	case r.Tried:
		return "weights kept, scaled; new ones were no better: " + gain
	}
	return fmt.Sprintf("weights kept, scaled; new ones take %d labels, %d of each kind", calibrate.RefitLabels, calibrate.RefitClass)
}

func (t *calibrationText) capture() {
	t.head("Unsupported answers caught")
	rows := [][]string{{"escalated", "by risk", "longest answers", "at random", "by risk - longest"}}
	for _, c := range t.report.Capture {
		rows = append(rows, []string{
			percent(c.Budget), shares(c.Risk), shares(c.Longest), percent(c.Budget),
			bracketed("%+.0f", "", 100, c.Gain),
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
	t.head("Thresholds, and what they would have done to these labels")
	rows := [][]string{{"for", "risk >=", "escalated", "unsupported caught"}}
	for _, h := range t.report.Thresholds {
		aim := "a budget of " + percent(t.report.Budget)
		if h.Aim == "balanced_accuracy" {
			aim = "balanced accuracy"
		}
		l := &t.report.Labels
		rows = append(rows, []string{aim, fmt.Sprintf("%.3f", h.Risk), of(h.Escalated, l.Total), of(h.Caught, l.Unsupported)})
	}
	t.table(rows...)
}

func of(part, whole int) string {
	return fmt.Sprintf("%d of %d (%s)", part, whole, percent(float64(part)/float64(whole)))
}

func (t *calibrationText) plots() {
	t.line("")
	panels := t.report.Panels()
	t.buf.WriteString(plot.Text(30, 11, t.unicode, panels[0], panels[1]))
}

func measured(m calibrate.Measure) string { return bracketed("%.3f", "", 1, m) }

func shares(m calibrate.Measure) string { return bracketed("%.0f", "%", 100, m) }

// bracketed is a measure times a factor, with its interval where there is one.
func bracketed(format, unit string, factor float64, m calibrate.Measure) string {
	show := func(n calibrate.Number) string { return fmt.Sprintf(format, factor*float64(n)) }
	if !m.Interval().Known() {
		return show(m.Value) + unit + " [unknown]"
	}
	return fmt.Sprintf("%s%s [%s, %s]", show(m.Value), unit, show(m.Low), show(m.High))
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
