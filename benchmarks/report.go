package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// A goal is one line of the table: a figure, its like for two copies of the
// same thing, and what it should be.
type goal struct {
	what  string
	got   func(results) float64
	noise func(results) float64 // nil where noise is none
	limit func(results) float64
	least bool // limit is the least rather than the most
	exact bool // it does not depend on the machine's load, so that a test may insist
}

func (g goal) met(r results) bool {
	if g.least {
		return g.got(r) >= g.limit(r)
	}
	return g.got(r) <= g.limit(r)
}

func constant(v float64) func(results) float64 { return func(results) float64 { return v } }

func ratioOf(a, b, measure string) func(results) float64 {
	return func(r results) float64 { return r.ratio(a, b, measure) }
}

func addedTimeRatioOf(a, b string) func(results) float64 {
	return func(r results) float64 { return r.addedRatio(a, b, ownTime) }
}

func addedOf(variant, measure string) func(results) float64 {
	return func(r results) float64 { return r.added(variant, measure) }
}

func valueOf(variant, measure string) func(results) float64 {
	return func(r results) float64 { return r.value(variant, measure) }
}

// writeGroup prints every figure of a group, and its ratio to the base.
func writeGroup(out *strings.Builder, r results) {
	g := r.group
	var rows strings.Builder
	rows.WriteString("\t")
	for _, c := range g.columns {
		rows.WriteString(c + "\tratio\t")
	}
	rows.WriteString("\n")
	for _, v := range g.variants {
		rows.WriteString(v.name + "\t")
		for _, c := range g.columns {
			rows.WriteString(number(r.value(v.name, c)) + "\t" + number(r.ratio(v.name, g.base, c)) + "\t")
		}
		rows.WriteString("\n")
	}
	out.WriteString("\n" + g.title + "\n")
	align(out, rows.String(), tabwriter.AlignRight)
}

// writeGoals prints the table.
func writeGoals(out *strings.Builder, all []results) {
	var rows strings.Builder
	rows.WriteString("what\tmeasured\tA/A\tgoal\tverdict\n")
	for _, r := range all {
		for _, g := range r.group.goals {
			noise := "-"
			if g.noise != nil {
				noise = number(g.noise(r))
			}
			sign, verdict := "≤", "met"
			if g.least {
				sign = "≥"
			}
			if !g.met(r) {
				verdict = "missed"
			}
			fmt.Fprintf(&rows, "%s: %s\t%s\t%s\t%s %s\t%s\n",
				r.group.title, g.what, number(g.got(r)), noise, sign, number(g.limit(r)), verdict)
		}
	}
	out.WriteString("\nGoals\n")
	align(out, rows.String(), 0)
}

func align(out *strings.Builder, rows string, flags uint) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', flags)
	_, _ = io.WriteString(t, rows) // a Builder takes everything
	_ = t.Flush()
}

// number prints three digits or so.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
