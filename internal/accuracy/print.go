package main

import (
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

// printMeasures prints a table per set.
func printMeasures(out io.Writer, dir fs.FS, ablation bool) error {
	sets, err := readSets(dir)
	if err != nil {
		return err
	}
	for at := range sets {
		r, err := measure(sets, at, ablation)
		if err != nil {
			return err
		}
		if err := r.print(out); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) print(out io.Writer) error {
	p := printer{out: out}
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
	return p.err
}

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
