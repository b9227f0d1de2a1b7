package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/calibrate"
)

const calibrateText = `
Calibrate turns support_risk into a probability on your own traffic. It reads
samples in wire form (docs/json.md), one JSON object per line, from the files or
from stdin, that carry a label: "supported": true or false, "label": "supported"
or "unsupported", or "judge_score": 0 to 1. With --labels the labels stand in a
file of their own, with the id of their sample. Samples without one are left out.

Cross-validation and intervals keep samples of one source together: those with
the same "group", or else with the same chunks; only the intervals of the
reliability table take labels as independent. The labelled samples should be a
random choice of the traffic, or thresholds and probabilities hold for no other.

From 25 labels on, 5 of each kind and 5 sources among them, the score is scaled;
from 100 on, 20 of each kind among them, its weights are fitted anew, and taken if
they are better. Where the labels are too few, of one kind, or such that the score
says nothing about them, nothing is written and the exit code is 4.

  touchstone calibrate [flags] [file ...]
`

func runCalibrate(ctx context.Context, e *env, args []string) (err error) {
	fs := flags("calibrate")
	labels := fs.String("labels", "", "read the labels from this `file`, joined to the samples by id")
	from := fs.Float64("judge-threshold", 0.5, "a judge_score from this on counts as supported")
	budget := fs.Float64("budget", 0.2, "propose a threshold that escalates this share of the traffic")
	base := fs.String("model", "", "start from the model in this `file` instead of the one that ships")
	out := fs.String("out", "", "write the model to this `file`, whole or not at all")
	svg := fs.String("svg", "", "write the curves to this `file` as an image, whole or not at all")
	asJSON := fs.Bool("json", false, "print the report as JSON")
	name := fs.String("name", "", "the version `name` of the model (default that of the model it starts from, and what was done)")
	date := fs.String("date", "", "the `day` that the model notes as that of its calibration, as 2026-01-31")
	if err := e.parse(fs, calibrateText, args); err != nil {
		return err
	}
	for _, f := range []struct {
		flag  string
		value float64
	}{{"--judge-threshold", *from}, {"--budget", *budget}} {
		if !(f.value > 0 && f.value < 1) {
			return usageError("", "%s: expected a number between 0 and 1, found %v", f.flag, f.value)
		}
	}
	if _, err := time.Parse(time.DateOnly, *date); *date != "" && err != nil {
		return usageError("", "--date: expected a day such as 2026-01-31, found %q", *date)
	}
	start, err := riskModel("--model", *base)
	if err != nil {
		return err
	}
	files, err := e.calibrateOutputs(*out, *svg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.done(err)) }()

	cases, input, err := readCases(ctx, e, start, *from, *labels, fs.Args())
	if err != nil {
		return err
	}
	report := calibrate.Fit(cases, calibrate.Options{
		Base: start, Budget: *budget, Name: *name, Command: "touchstone calibrate", Date: *date,
	})
	report.Input = input
	if err := e.printCalibration(report, *asJSON); err != nil {
		return err
	}
	if !report.Decided {
		return &exitError{code: exitUndecided, err: errors.New(report.Reason), hint: "nothing was written"}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return files.write(report)
}

// riskModel reads a model file; without a name it is the one that ships.
func riskModel(flag, name string) (*metric.RiskModel, error) {
	if name == "" {
		return metric.DefaultRiskModel(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usageError("", "%s: %w", flag, err)
	}
	defer f.Close()
	m, err := metric.ReadRiskModel(f)
	if err != nil {
		return nil, usageError("touchstone calibrate --out writes such a file", "%s: %s: %w", flag, name, err)
	}
	return m, nil
}

// readCases reads all inputs. One bad line fails the whole: a model of the lines
// that happened to be readable would look like any other.
func readCases(ctx context.Context, e *env, base *metric.RiskModel, from float64, labels string, names []string) ([]calibrate.Case, calibrate.Input, error) {
	in := &caseReader{ctx: ctx, env: e, progress: e.newProgress()}
	in.progress.reading()
	defer in.progress.done()
	var err error
	in.collector, err = calibrate.NewCollector(base, from, in.problem)
	if err != nil {
		return nil, calibrate.Input{}, err
	}
	if labels != "" {
		if err := in.file(labels, in.collector.Labels); err != nil {
			return nil, calibrate.Input{}, err
		}
	}
	if len(names) == 0 {
		if err := in.read("stdin", e.stdin, in.collector.Samples); err != nil {
			return nil, calibrate.Input{}, err
		}
	}
	for _, name := range names {
		if err := in.file(name, in.collector.Samples); err != nil {
			return nil, calibrate.Input{}, err
		}
	}
	in.collector.Done()
	return in.collector.Cases, in.collector.Input, in.verdict()
}

// caseReader reads inputs and reports what is wrong with them.
type caseReader struct {
	ctx       context.Context //nolint:containedctx // the command's, for as long as it runs
	env       *env
	collector *calibrate.Collector
	progress  *progress
	name      string
	bad       int
}

type samples = iter.Seq2[*rag.Sample, error]

func (in *caseReader) file(name string, use func(samples) error) error {
	f, err := openInput(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return in.read(name, f, use)
}

func (in *caseReader) read(name string, r io.Reader, use func(samples) error) error {
	in.name = name
	err := use(func(yield func(*rag.Sample, error) bool) {
		for s, err := range rag.ReadSamples(r) {
			if in.ctx.Err() != nil || !yield(s, err) {
				return
			}
			in.progress.sample()
		}
	})
	if err != nil {
		return &exitError{code: exitInput, err: fmt.Errorf("%s: %w", name, err)}
	}
	return in.ctx.Err()
}

func (in *caseReader) problem(err error) {
	if in.bad++; in.bad <= maxReported {
		fmt.Fprintf(in.env.stderr, "error: %s: %v\n", in.name, err)
	}
}

func (in *caseReader) verdict() error {
	if in.bad > maxReported {
		fmt.Fprintf(in.env.stderr, "error: %d more lines like these\n", in.bad-maxReported)
	}
	counts := &in.collector.Input
	switch {
	case in.bad > 0:
		return &exitError{
			code: exitInput, err: fmt.Errorf("%d samples or labels could not be read; nothing was fitted", in.bad),
			hint: "docs/json.md describes samples and labels",
		}
	case counts.Samples == 0:
		return &exitError{code: exitInput, err: errors.New("expected samples, one JSON object per line; found none")}
	case counts.Unlabelled == counts.Samples:
		err := errors.New(`expected labels: "supported", "label" or "judge_score" in a sample; found none`)
		if counts.Orphans > 0 {
			err = fmt.Errorf("expected labels with the ids of the samples; found none among %d", counts.Orphans)
		}
		return &exitError{code: exitInput, err: err, hint: "docs/json.md describes samples and labels"}
	case counts.Orphans > 0:
		names := "name"
		if counts.Orphans == 1 {
			names = "names"
		}
		fmt.Fprintf(in.env.stderr, "warning: %s %s no sample\n", count(counts.Orphans, "label"), names)
	}
	return nil
}

// calibrateFiles are the files to write once all is decided.
type calibrateFiles struct {
	model, svg         io.Writer
	doneModel, doneSVG func(error) error
}

func (e *env) calibrateOutputs(model, svg string) (f calibrateFiles, err error) {
	nothing := func(error) error { return nil }
	f.doneModel, f.doneSVG = nothing, nothing
	if model != "" && svg != "" && filepath.Clean(model) == filepath.Clean(svg) {
		return f, usageError("", "--out and --svg: expected a file each, found %s twice", svg)
	}
	if model != "" {
		if f.model, f.doneModel, err = e.output("--out", model); err != nil {
			return f, err
		}
	}
	if svg != "" {
		if f.svg, f.doneSVG, err = e.output("--svg", svg); err != nil {
			return f, errors.Join(err, f.doneModel(err))
		}
	}
	return f, nil
}

func (f *calibrateFiles) done(failed error) error {
	return errors.Join(f.doneSVG(failed), f.doneModel(failed))
}

func (f *calibrateFiles) write(r *calibrate.Report) error {
	if f.model != nil {
		if _, err := r.Model.WriteTo(f.model); err != nil {
			return err
		}
	}
	if f.svg != nil {
		return r.WriteSVG(f.svg)
	}
	return nil
}

func (e *env) printCalibration(r *calibrate.Report, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	t := &calibrationText{report: r, colour: e.colour, unicode: e.speaksUnicode()}
	return t.print(e.stdout)
}

// speaksUnicode reports whether the locale's encoding is UTF-8.
func (e *env) speaksUnicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(e.getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}
