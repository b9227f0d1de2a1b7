package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/escalate"
	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const doctorText = `
Doctor sends one probe turn through a pipeline that is configured as the
environment says (OTEL_*, TOUCHSTONE_DISABLED), and reports what arrived where
and what did not, and why. With --status it also reads the status page of a
running service and explains what it shows. The probe holds no real text.

  touchstone doctor [flags]
`

func runDoctor(ctx context.Context, e *env, args []string) error {
	fs := flags("doctor")
	status := fs.String("status", "", "the `URL` of a running service's status page")
	timeout := fs.Duration("timeout", 5*time.Second, "how long to wait for each exporter")
	if err := e.parse(fs, doctorText, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError("run touchstone doctor -h to see the flags", "expected no arguments, found %q", fs.Arg(0))
	}
	if u, err := url.Parse(*status); *status != "" && (err != nil || u.Host == "") {
		return usageError("", "--status: expected a URL such as http://localhost:8081, found %q", *status)
	}
	d := &doctor{env: e, timeout: *timeout}
	if err := d.probe(ctx); err != nil {
		return err
	}
	if *status != "" {
		d.readStatus(ctx, *status)
	}
	if d.problems > 0 {
		return &exitError{code: exitFailed, err: fmt.Errorf("%d of %d checks found a problem", d.problems, d.checks)}
	}
	return nil
}

// doctor prints its findings as it goes.
type doctor struct {
	env              *env
	timeout          time.Duration
	checks, problems int
}

func (d *doctor) ok(what, format string, args ...any) {
	d.checks++
	d.print("ok", what, format, args...)
}

func (d *doctor) off(what, format string, args ...any) { d.print("--", what, format, args...) }

func (d *doctor) bad(what, hint, format string, args ...any) {
	d.checks++
	d.problems++
	d.print("!!", what, format, args...)
	if hint != "" {
		fmt.Fprintf(d.env.stdout, "    %-12s hint: %s\n", "", hint)
	}
}

func (d *doctor) print(mark, what, format string, args ...any) {
	fmt.Fprintf(d.env.stdout, "%s  %-12s %s\n", mark, what, fmt.Sprintf(format, args...))
}

// probe sends a turn through the whole path and looks at each end of it.
func (d *doctor) probe(ctx context.Context) (err error) {
	otel, err := newProbeProviders(ctx, d.timeout)
	if err != nil {
		return &exitError{code: exitUsage, err: err, hint: "check the OTEL_* environment variables"}
	}
	policy, err := escalate.Threshold(escalate.DefaultThreshold)
	if err != nil {
		return err
	}
	kept := new(keptEvaluation)
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: metric.Default(), Escalator: policy, Sinks: append(otel.sinks(), kept),
	})
	if err != nil {
		return err
	}
	p := evalmw.New(ev, evalmw.WithSpanHolder(otel.hold))
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.timeout)
		defer cancel()
		err = errors.Join(err, p.Shutdown(ctx))
	}()

	sendProbe(ctx, p, otel.tracer)
	flush, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if err := p.Flush(flush); err != nil {
		return fmt.Errorf("the pipeline did not evaluate the probe in %v: %w", d.timeout, err)
	}
	if d.pipeline(p.Stats(), kept) {
		otel.report(ctx, d)
	} else {
		d.off("exporters", "not probed: there was nothing to send")
	}
	otel.shutdown(ctx)
	return ctx.Err()
}

// sendProbe is a turn with everything in it, on a span of its own.
func sendProbe(ctx context.Context, p *evalmw.Pipeline, tracer trace.Tracer) {
	ctx, span := tracer.Start(ctx, "touchstone doctor")
	defer span.End()
	ctx, end := p.Begin(ctx)
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetID("doctor")
	rec.SetQuery("What was the probe's value?")
	rec.Retrieved([]rag.Chunk{
		{ID: "probe-1", Page: "1", Score: rag.Some(0.9), Methods: []string{"bm25", "knn"}, Text: "The probe's value was 42 million."},
		{ID: "probe-2", Page: "2", Score: rag.Some(0.5), Methods: []string{"knn"}, Text: "Nothing of interest stands here."},
	}, rag.Limits{"bm25": 2, "knn": 2}, 4)
	rec.Extracted(
		rag.Extraction{Field: "value", Value: "42 million", ChunkNumber: 1, Confidence: rag.Some(0.9), Evidence: "value was 42 million"},
		rag.Extraction{Field: "value", Value: "42,000,000", ChunkNumber: 1, Confidence: rag.Some(0.8), Evidence: "value was 42 million"},
	)
	rec.Answered("It was 42 million.", rag.Citation{ChunkID: "probe-1"})
}

// keptEvaluation is the sink that shows what the pipeline delivered.
type keptEvaluation struct{ last *rag.Evaluation }

func (k *keptEvaluation) Consume(_ context.Context, _ *rag.Sample, e *rag.Evaluation) error {
	k.last = e.Clone()
	return nil
}

// pipeline reports whether the probe came through the pipeline.
func (d *doctor) pipeline(s rag.Stats, kept *keptEvaluation) bool {
	switch {
	case !s.Enabled:
		d.bad("pipeline", "unset "+evalmw.DisabledEnv, "the kill switch is on (%s): no request is evaluated", evalmw.DisabledEnv)
		return false
	case s.Turns[rag.OutcomeEvaluated] == 0:
		d.bad("pipeline", "", "the probe was not evaluated: %s", describeTurns(s))
		return false
	}
	var missing []string
	for _, r := range kept.last.Results {
		if !r.Measured() {
			missing = append(missing, fmt.Sprintf("%s (%s)", r.Name, r.Reason))
		}
	}
	if len(missing) > 0 {
		d.bad("pipeline", "", "the probe was evaluated, but not measured were %s", strings.Join(missing, ", "))
		return true
	}
	d.ok("pipeline", "the probe was evaluated: %d results, %.0f µs", len(kept.last.Results), 1e6*s.CPU.UsedSeconds)
	return true
}

func describeTurns(s rag.Stats) string {
	for o := range s.Turns {
		return string(o)
	}
	return "nothing was submitted"
}
