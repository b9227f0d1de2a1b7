package main

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A table is a Markdown table whose source is legible too: words are set to the
// left, figures to the right.
type table struct {
	rows [][]string // the first is the head
}

func newTable(head ...string) *table { return &table{rows: [][]string{head}} }

// row adds a row, which may be shorter than the head.
func (t *table) row(cells ...string) {
	t.rows = append(t.rows, append(cells, make([]string, len(t.rows[0])-len(cells))...))
}

// String returns the table and an empty line.
func (t *table) String() string {
	width := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell), 2)
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
		for i, cell := range row {
			fill := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString("|")
			}
			if t.figures(i) {
				cell, fill = fill, cell
			}
			b.WriteString(" " + cell + fill + " |")
		}
		b.WriteString("\n")
		if n > 0 {
			continue
		}
		for i := range row {
			rule := strings.Repeat("-", width[i]+1) + "-"
			if t.figures(i) {
				rule = rule[1:] + ":"
			}
			if i == 0 {
				b.WriteString("|")
			}
			b.WriteString(rule + "|")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

// figures reports whether column i holds figures.
func (t *table) figures(i int) bool {
	for _, row := range t.rows[1:] {
		if first, _ := utf8.DecodeRuneInString(row[i]); strings.ContainsRune("+−.0123456789", first) {
			return true
		}
	}
	return false
}

// absentFigure stands where there is no figure.
const absentFigure = "–"

// decimal writes three decimals and no zero before the point: .812.
func decimal(x float64) string {
	if math.IsNaN(x) {
		return absentFigure
	}
	s := fmt.Sprintf("%.3f", math.Abs(x))
	if s == "0.000" {
		return ".000"
	}
	s = strings.TrimPrefix(s, "0")
	if x < 0 {
		s = "−" + s
	}
	return s
}

// change writes a difference with its sign.
func change(x float64) string {
	s := decimal(x)
	if x > 0 && s != ".000" {
		s = "+" + s
	}
	return s
}

// percent writes a share without decimals.
func percent(x float64) string {
	if math.IsNaN(x) {
		return absentFigure
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

func within(i stats.Interval, write func(float64) string) string {
	if !i.Known() {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", write(i.Low), write(i.High))
}

// An estimate is a figure and its 95% interval.
type estimate struct {
	value  float64
	within stats.Interval
}

// noEstimate stands where nothing was measured.
func noEstimate() estimate {
	return estimate{math.NaN(), stats.Interval{Low: math.NaN(), High: math.NaN()}}
}

func (e estimate) decimal() string { return decimal(e.value) + within(e.within, decimal) }
func (e estimate) percent() string {
	return percent(e.value) + within(e.within, func(x float64) string { return strings.TrimSuffix(percent(x), "%") })
}

// points writes a difference of shares in percentage points.
func (e estimate) points() string {
	if math.IsNaN(e.value) {
		return absentFigure
	}
	signed := func(x float64) string {
		s := fmt.Sprintf("%+.0f", 100*x)
		if s == "-0" || s == "+0" {
			return "0"
		}
		return strings.Replace(s, "-", "−", 1)
	}
	return signed(e.value) + within(e.within, signed)
}

// above reports whether the whole interval lies above x.
func (e estimate) above(x float64) bool { return e.within.Known() && e.within.Low > x }

// yes writes a verdict.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
