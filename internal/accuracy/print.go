package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// printMeasures prints a table per set of a directory. What was learned elsewhere
// was learned from the sets that ship, so that the figures of rows that nobody
// has seen before are those of the weights that everybody has.
func printMeasures(out io.Writer, dir fs.FS, ablation bool) error {
	sets, err := readSets(dir)
	if err != nil {
		return err
	}
	known, err := readSets(shippedData())
	if err != nil {
		return err
	}
	p := printer{out: out}
	for _, d := range datasets() {
		if !slices.ContainsFunc(sets, func(s labelledSet) bool { return s.name == d.name }) {
			p.printf("%s: not in the data directory\n", d.name)
		}
	}
	measured := false
	for at := range sets {
		r, err := measureOn(&sets[at], known, ablation)
		if err != nil {
			p.printf("%s: not measured: %v\n\n", sets[at].name, err)
			continue
		}
		measured = true
		p.report(&r)
	}
	if !measured {
		p.err = errors.Join(errors.New("expected a data set with answers of both kinds to several sources, found none"), p.err)
	}
	return p.err
}

// measureOn measures a set beside the sets that ship. Where those hold none of
// its answers the weights that ship are measured as they are.
func measureOn(set *labelledSet, known []labelledSet, ablation bool) (report, error) {
	var others []labelledSet
	seen := false
	for i := range known {
		if known[i].name != set.name {
			others = append(others, known[i])
		}
		seen = seen || set.overlaps(&known[i])
	}
	r, err := measure(set, others, ablation)
	if err == nil && !seen {
		r.Rankings = slices.Insert(r.Rankings, 0, set.rank(shippedScores(set)))
	}
	return r, err
}

func (p *printer) report(r *report) {
	p.printf("%s: %d answers to %d sources, %d unsupported\n", r.Set, r.Cases, r.Groups, r.Positives)
	p.printf("%-33s %-18s %6s %6s %6s   capture at 5/10/20/30%%, over length at 20%%\n", "", "AUROC", "length", "model", "BAcc")
	for i := range r.Rankings {
		k := &r.Rankings[i]
		p.printf("%-33s %s %s %6s %6s %6s  ", k.Name, figure(k.AUROC), interval(k.Interval), figure(k.LengthMatched), figure(k.WithinModel), figure(k.Balanced))
		for _, c := range k.Capture {
			p.printf(" %s", figure(c))
		}
		p.printf("  %+.3f %s\n", k.OverLength, interval(k.OverLengthInterval))
	}
	if r.Ablation != nil {
		p.printf("AUROC lost without the feature    in domain  zero-shot\n")
	}
	for i := range r.Ablation {
		a := &r.Ablation[i]
		p.printf("%-33s %+9.4f  %+9.4f\n", a.Feature, a.InDomain, a.ZeroShot)
	}
	p.printf("\n")
}

// printer prints until an error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func figure(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

func interval(i stats.Interval) string {
	if !i.Known() {
		return "[-]"
	}
	return fmt.Sprintf("[%.3f,%.3f]", i.Low, i.High)
}
