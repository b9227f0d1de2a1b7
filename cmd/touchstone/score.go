package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/escalate"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const scoreText = `
Score reads samples in wire form (docs/json.md), one JSON object per line, from
the files or from stdin, and prints an evaluation per sample: the metrics, and
whether they leave doubt, which does not depend on the metrics chosen. It runs
the same engine as the live pipeline.

A line that cannot be read is reported with its number, the key and what was
expected; the others are scored, and the exit code is 3.

  touchstone score [flags] [file ...]
`

func runScore(ctx context.Context, e *env, args []string) (err error) {
	fs := flags("score")
	metrics := fs.String("metrics", "inline", "the metrics to compute, separated by commas: names, inline, context_quality, groundedness, all")
	literal := fs.Bool("literal", false, "reproduce the arithmetic of the source framework to the letter")
	below := fs.Float64("escalate-below", escalate.DefaultThreshold, "escalate when context_recall_heuristic is below this")
	risk := fs.String("risk-model", "", "compute support_risk by the model in this `file`, as calibrate writes it")
	out := fs.String("o", "", "write to this `file`, whole or not at all, instead of stdout")
	if err := e.parse(fs, scoreText, args); err != nil {
		return err
	}
	model, err := riskModel("--risk-model", *risk)
	if err != nil {
		return err
	}
	ev, shown, err := scoreEvaluator(*metrics, *literal, *below, model)
	if err != nil {
		return err
	}
	w, done, err := e.output("-o", *out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done(err)) }()

	s := &scorer{ctx: ctx, env: e, evaluator: ev, shown: shown, out: w}
	if fs.NArg() == 0 {
		if err := s.read("stdin", e.stdin); err != nil {
			return err
		}
	}
	for _, name := range fs.Args() {
		if err := s.file(name); err != nil {
			return err
		}
	}
	return s.verdict()
}

// scoreEvaluator returns an evaluator and the names of the metrics to show.
// What the policy reads is computed whether or not it is shown: a verdict
// without its grounds would always be that all is well.
func scoreEvaluator(metrics string, literal bool, below float64, risk *metric.RiskModel) (_ *rag.Evaluator, shown []string, err error) {
	opts := []metric.Option{metric.WithRiskModel(risk)}
	if literal {
		opts = append(opts, metric.Literal())
	}
	names := strings.Split(metrics, ",")
	list, err := metric.ByName(names, opts...)
	if err != nil {
		return nil, nil, usageError("", "--metrics: %w", err)
	}
	for _, m := range list {
		shown = append(shown, m.Name)
	}
	policy, err := escalate.Threshold(below)
	if err != nil {
		return nil, nil, usageError("", "--escalate-below: %w", err)
	}
	if list, err = metric.ByName(append(names, policy.Requires()...), opts...); err != nil {
		return nil, nil, err
	}
	ev, err := rag.NewEvaluator(rag.Config{Metrics: list, Escalator: policy})
	return ev, shown, err
}

// scorer reads inputs and writes a line for each sample.
type scorer struct {
	ctx        context.Context //nolint:containedctx // the command's, for as long as it runs
	env        *env
	evaluator  *rag.Evaluator
	shown      []string
	out        io.Writer
	good, bad  int
	unreported int
}

// maxReported bounds the errors printed for one run; the rest is counted.
const maxReported = 100

// openInput opens a file that an argument names.
func openInput(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err == nil {
		return f, nil
	}
	hint := ""
	if strings.HasPrefix(name, "-") {
		hint = "flags stand before files"
	}
	return nil, &exitError{code: exitInput, err: err, hint: hint}
}

func (s *scorer) file(name string) error {
	f, err := openInput(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.read(name, f)
}

func (s *scorer) read(name string, r io.Reader) error {
	var ev rag.Evaluation
	for sample, err := range rag.ReadSamples(r) {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if _, badLine := errors.AsType[*rag.InputError](err); badLine {
			s.report(name, err)
			continue
		}
		if err != nil {
			return &exitError{code: exitInput, err: fmt.Errorf("%s: %w", name, err)}
		}
		ev.Reset()
		s.evaluator.Score(sample, rag.PhaseAnswer, &ev)
		s.evaluator.Escalate(sample, &ev)
		ev.Results = slices.DeleteFunc(ev.Results, func(r rag.Result) bool { return !slices.Contains(s.shown, r.Name) })
		line, err := (&rag.EvaluationRecord{ID: sample.ID, Evaluation: &ev}).MarshalJSON()
		if err != nil {
			return fmt.Errorf("%s: sample %q: %w", name, sample.ID, err)
		}
		if _, err := s.out.Write(append(line, '\n')); err != nil {
			return err
		}
		s.good++
	}
	return nil
}

func (s *scorer) report(name string, err error) {
	s.bad++
	if s.bad > maxReported {
		s.unreported++
		return
	}
	fmt.Fprintf(s.env.stderr, "error: %s: %v\n", name, err)
}

func (s *scorer) verdict() error {
	if s.unreported > 0 {
		fmt.Fprintf(s.env.stderr, "error: %d more lines like these\n", s.unreported)
	}
	switch {
	case s.bad > 0:
		return &exitError{
			code: exitInput, hint: "docs/json.md describes the wire form; unknown keys are fine, wrong types are not",
			err: fmt.Errorf("%d of %d samples could not be read", s.bad, s.bad+s.good),
		}
	case s.good == 0:
		return &exitError{code: exitInput, err: errors.New("expected samples, one JSON object per line; found none")}
	}
	return nil
}

// output returns where results go, and what finishes it: a file appears whole
// or not at all. The flag is the one that gave the name.
func (e *env) output(flag, name string) (io.Writer, func(error) error, error) {
	if name == "" {
		w := bufio.NewWriterSize(e.stdout, 64<<10)
		return w, func(error) error { return w.Flush() }, nil
	}
	switch at, err := os.Stat(name); {
	case err == nil && at.IsDir():
		return nil, nil, usageError("", "%s: expected a file, found the directory %s", flag, name)
	case err == nil && !at.Mode().IsRegular():
		return deviceOutput(flag, name)
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		if path, ok := errors.AsType[*os.PathError](err); ok {
			err = path.Err // without the name of the temporary file
		}
		return nil, nil, usageError("", "%s: %s: %w", flag, name, err)
	}
	w := bufio.NewWriterSize(tmp, 64<<10)
	return w, func(failed error) error {
		if failed != nil {
			return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
		}
		if err := errors.Join(w.Flush(), tmp.Chmod(0o644), tmp.Close()); err != nil {
			return errors.Join(err, os.Remove(tmp.Name()))
		}
		return os.Rename(tmp.Name(), name)
	}, nil
}

// deviceOutput writes to a device or a pipe, such as /dev/null, which must not be
// replaced by a file.
func deviceOutput(flag, name string) (io.Writer, func(error) error, error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, usageError("", "%s: %w", flag, err)
	}
	w := bufio.NewWriterSize(f, 64<<10)
	return w, func(failed error) error {
		if failed != nil {
			return f.Close()
		}
		return errors.Join(w.Flush(), f.Close())
	}, nil
}
