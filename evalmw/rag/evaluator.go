package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Config is what an [Evaluator] does.
type Config struct {
	_ struct{}

	// Metrics to run, in this order. At least one.
	Metrics []Metric
	// Escalator decides which turns deserve a second look; nil means none do.
	Escalator Escalator
	// Sinks take the evaluations, in this order; none is fine.
	Sinks []Sink
	// Normalize maps a retrieval method to how its scores become 0..1.
	// Methods without an entry are taken as they are and clamped.
	Normalize map[string]Normalizer
}

// An Evaluator scores samples, asks whether that leaves doubt, and delivers
// the result. It holds no state between samples and is safe for concurrent
// use.
type Evaluator struct {
	cfg             Config
	scoresRetrieval bool
	views           sync.Pool
}

// NewEvaluator checks cfg and returns an evaluator. It reports everything
// that is wrong with cfg at once.
func NewEvaluator(cfg Config) (*Evaluator, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Metrics = append([]Metric(nil), cfg.Metrics...)
	cfg.Sinks = append([]Sink(nil), cfg.Sinks...)
	e := &Evaluator{cfg: cfg, views: sync.Pool{New: func() any { return new(View) }}}
	for i := range cfg.Metrics {
		m := &cfg.Metrics[i]
		if m.Kind == 0 {
			m.Kind = KindScore
		}
		e.scoresRetrieval = e.scoresRetrieval || m.AtRetrieval
	}
	return e, nil
}

func (c *Config) validate() error {
	var errs []error
	if len(c.Metrics) == 0 {
		errs = append(errs, errors.New("rag.Config.Metrics: expected at least one metric, such as metric.Default()..., found none"))
	}
	seen := make(map[string]bool)
	for i := range c.Metrics {
		m := &c.Metrics[i]
		at := fmt.Sprintf("rag.Config.Metrics[%d] %q", i, m.Name)
		if !isMetricName(m.Name) {
			errs = append(errs, fmt.Errorf("%s: expected a snake_case name, such as context_relevance or ndcg@5", at))
		}
		if seen[m.Name] {
			errs = append(errs, fmt.Errorf("%s: the name is taken by an earlier metric", at))
		}
		seen[m.Name] = true
		if m.Score == nil {
			errs = append(errs, fmt.Errorf("%s: expected a Score function, found nil", at))
		}
		if m.Kind > KindCategorical {
			errs = append(errs, fmt.Errorf("%s: expected KindScore or KindCategorical, found %v", at, m.Kind))
		}
		if m.Range > Count {
			errs = append(errs, fmt.Errorf("%s: expected Unit or Count, found %v", at, m.Range))
		}
	}
	if r, ok := c.Escalator.(Requirer); ok {
		for _, name := range r.Requires() {
			if !seen[name] {
				errs = append(errs, fmt.Errorf("rag.Config.Escalator: it decides by the metric %s, which is not among Metrics", name))
			}
		}
	}
	for i, s := range c.Sinks {
		if s == nil {
			errs = append(errs, fmt.Errorf("rag.Config.Sinks[%d]: expected a sink, found nil", i))
		}
	}
	return errors.Join(errs...)
}

// isMetricName reports whether s is snake_case, with an optional cut-off and
// subset as in recall@10/table.
func isMetricName(s string) bool {
	if s == "" || len(s) > 100 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '@', c == '/', c == '=', c == '%':
		default:
			return false
		}
	}
	return true
}

// Metrics returns the evaluator's metrics. The slice must not be changed.
func (e *Evaluator) Metrics() []Metric { return e.cfg.Metrics }

// SinkNames returns what kind of sink stands at each position of
// [Config.Sinks], as its Go type.
func (e *Evaluator) SinkNames() []string {
	names := make([]string, len(e.cfg.Sinks))
	for i, s := range e.cfg.Sinks {
		names[i] = fmt.Sprintf("%T", s)
	}
	return names
}

// ScoresRetrieval reports whether a metric needs the retrieval alone.
func (e *Evaluator) ScoresRetrieval() bool { return e.scoresRetrieval }

// Escalator returns the configured escalator, or nil.
func (e *Evaluator) Escalator() Escalator { return e.cfg.Escalator }

// Evaluate does the whole of it: score, escalate, deliver. A [Checker] is
// asked on the spot, so a call may take as long as its judge does. The error
// joins what the sinks and metrics reported; the evaluation is valid all the
// same.
func (e *Evaluator) Evaluate(ctx context.Context, s *Sample) (*Evaluation, error) {
	ev := new(Evaluation)
	e.Score(s, PhaseAnswer, ev)
	e.Escalate(s, ev)
	e.Check(ctx, s, ev)
	errs := make([]error, 0, len(ev.Errs)+1)
	for _, err := range ev.Errs {
		errs = append(errs, err)
	}
	return ev, errors.Join(append(errs, e.Deliver(ctx, s, ev))...)
}

// Score runs the metrics on s and adds their results to ev: in PhaseRetrieval
// those that need the retrieval alone, in PhaseAnswer all that ev does not
// hold yet. It never panics; what fails is in ev.Errs.
func (e *Evaluator) Score(s *Sample, phase Phase, ev *Evaluation) {
	ev.Phase = phase
	v, _ := e.views.Get().(*View)
	if !e.look(v, s, ev) {
		return
	}
	if len(ev.Results) == 0 { // else the retrieval's metrics are there already
		e.scoreAll(v, true)
	}
	if phase != PhaseRetrieval {
		e.scoreAll(v, false)
	}
	v.release()
	e.views.Put(v)
}

// look points v at s. The only foreign code in that are the normalizers; if
// one panics, nothing can be scored.
func (e *Evaluator) look(v *View, s *Sample, ev *Evaluation) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ev.Errs = append(ev.Errs, &MetricError{
				Metric: "normalizer", Reason: ReasonPanicked, Detail: "panicked: " + describePanic(p),
			})
		}
	}()
	v.reset(s, &e.cfg, ev)
	return true
}

func (e *Evaluator) scoreAll(v *View, atRetrieval bool) {
	for i := range e.cfg.Metrics {
		m := &e.cfg.Metrics[i]
		switch {
		case m.AtRetrieval != atRetrieval:
		case m.PerField && len(v.fields.names) > 0:
			for f := range v.fields.names {
				v.field = f
				v.out.add(m, v.Field(), call(m, v))
			}
		default:
			v.field = -1
			v.out.add(m, "", call(m, v))
		}
	}
}

// call contains a panic of the metric.
func call(m *Metric, v *View) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = Unmeasured(ReasonPanicked)
			v.out.Errs = append(v.out.Errs, &MetricError{
				Metric: m.Name, Reason: ReasonPanicked, Detail: "panicked: " + describePanic(p),
			})
		}
	}()
	return m.Score(v)
}

// describePanic names the panic without a value that could hold user text.
func describePanic(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a value of type %T", p)
}

// add appends the result after checking that the metric kept its contract.
func (e *Evaluation) add(m *Metric, field string, r Result) {
	if !r.says() {
		return
	}
	if detail := breach(m, &r); detail != "" {
		e.Errs = append(e.Errs, &MetricError{Metric: m.Name, Reason: ReasonMetricError, Detail: detail})
		r = Unmeasured(ReasonMetricError)
	}
	r.Name, r.Field, r.Kind, r.Range = m.Name, field, m.Kind, m.Range
	e.Results = append(e.Results, r)
}

func breach(m *Metric, r *Result) string {
	switch {
	case r.Reason != "":
		return ""
	case r.Kind != m.Kind:
		return fmt.Sprintf("expected a %v, found a %v", m.Kind, r.Kind)
	case r.Kind > KindCategorical:
		return "expected a score or a category, found neither"
	case r.Kind == KindCategorical && r.Category == "":
		return "expected a category, found an empty one"
	case r.Kind == KindScore && !m.Range.holds(r.Value):
		return fmt.Sprintf("expected %v, found %v", m.Range, r.Value)
	}
	return ""
}

// Escalate asks the escalator whether ev leaves doubt. It never panics.
func (e *Evaluator) Escalate(s *Sample, ev *Evaluation) {
	if e.cfg.Escalator == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			ev.Errs = append(ev.Errs, &MetricError{
				Metric: "escalator", Reason: ReasonPanicked, Detail: "panicked: " + describePanic(p),
			})
		}
	}()
	ev.Escalation.Reasons = e.cfg.Escalator.Needs(s, ev)
	ev.Escalation.Needed = len(ev.Escalation.Reasons) > 0
}

// Check asks the escalator, if it is a [Checker] and the turn needs it, adds its
// results to ev, whose phase becomes PhaseCheck, and reports true. They must keep
// the contract that a metric's do, or carry the reason metric_error; one under the
// name of one of the evaluator's metrics that metric's, Kind and Range included.
// One whose name no metric may have is left out. Check never panics: a checker
// that does has failed.
func (e *Evaluator) Check(ctx context.Context, s *Sample, ev *Evaluation) bool {
	c, ok := e.cfg.Escalator.(Checker)
	if !ok || !ev.Escalation.Needed {
		return false
	}
	reasons := ev.Escalation.Reasons
	ev.Escalation = safeCheck(ctx, c, s, ev)
	ev.Escalation.Needed, ev.Escalation.Reasons = true, reasons
	from := len(ev.Results)
	for _, r := range ev.Escalation.Results {
		if !isMetricName(r.Name) {
			ev.Errs = append(ev.Errs, &MetricError{
				Metric: "checker", Reason: ReasonMetricError, Detail: "expected results with a snake_case name, found another",
			})
			continue
		}
		ev.add(e.metricOf(&r), r.Field, r)
	}
	ev.Escalation.Results = slices.Clone(ev.Results[from:])
	ev.Phase = PhaseCheck
	return true
}

// metricOf returns the metric that a checker's result claims to be of: ours of
// that name, or one of its own.
func (e *Evaluator) metricOf(r *Result) *Metric {
	for i := range e.cfg.Metrics {
		if m := &e.cfg.Metrics[i]; m.Name == r.Name {
			return m
		}
	}
	kind := cmp.Or(r.Kind, KindScore) // as of a Metric: one without a value need not say
	return &Metric{Name: r.Name, Kind: kind, Range: r.Range}
}

func safeCheck(ctx context.Context, c Checker, s *Sample, ev *Evaluation) (out Escalation) {
	defer func() {
		if p := recover(); p != nil {
			out = Escalation{Status: EscalationFailed}
			ev.Errs = append(ev.Errs, &MetricError{
				Metric: "checker", Reason: ReasonPanicked, Detail: "panicked: " + describePanic(p),
			})
		}
	}()
	out = c.Check(ctx, s, ev)
	switch out.Status {
	case EscalationChecked, EscalationFailed, EscalationShed, EscalationOverBudget:
	default:
		out.Status = EscalationFailed
	}
	return out
}

// Deliver hands ev to every sink. A sink that fails or panics stops no other;
// the error joins what they reported.
func (e *Evaluator) Deliver(ctx context.Context, s *Sample, ev *Evaluation) error {
	var errs []error
	for i, sink := range e.cfg.Sinks {
		if err := consume(ctx, sink, s, ev); err != nil {
			errs = append(errs, &SinkError{Sink: i, Name: fmt.Sprintf("%T", sink), Err: err})
		}
	}
	return errors.Join(errs...)
}

func consume(ctx context.Context, sink Sink, s *Sample, ev *Evaluation) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanicked{describePanic(p)}
		}
	}()
	return sink.Consume(ctx, s, ev)
}

// A SinkError reports the sink that could not take an evaluation.
type SinkError struct {
	_ struct{}

	Sink int    // its index in [Config.Sinks]
	Name string // its Go type
	Err  error
}

// Error names the sink by its position and type.
func (e *SinkError) Error() string { return fmt.Sprintf("sink %d, %s: %v", e.Sink, e.Name, e.Err) }

// Unwrap returns the sink's own error.
func (e *SinkError) Unwrap() error { return e.Err }

// IsPanic reports whether err, or one that it wraps, is a contained panic.
func IsPanic(err error) bool {
	var p errPanicked
	var m *MetricError
	return errors.As(err, &p) || errors.As(err, &m) && m.Reason == ReasonPanicked
}

type errPanicked struct{ what string }

func (e errPanicked) Error() string { return "panicked: " + e.what }
