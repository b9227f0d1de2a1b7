package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// The variants of the worker.
const (
	workerOff      = "switched off"
	workerOffAgain = "switched off again (A/A)"
	workerBurning  = "a metric of 0.1 ms, 5 % budget"
	workerDefault  = "default metrics and events, 1 % budget"
	workerNone     = "idle, no pipeline"
	workerNoneToo  = "idle, no pipeline (A/A)"
	workerIdle     = "idle, with a pipeline"
)

// The measures of the worker.
const (
	coreShare  = "process CPU, % of a core"
	ownShare   = "by its own count"
	evaluated  = "evaluated %"
	sleepsRate = "sleeps/s"
)

// workerGroup measures by the operating system's count what evaluating takes
// of the processors, under a load of four times the budget and more, and what
// a pipeline takes that has nothing to do.
func workerGroup() *group {
	g := &group{
		name: "worker", title: "worker", base: workerOff,
		columns: []string{coreShare, ownShare, evaluated, sleepsRate},
	}
	for _, name := range []string{workerOff, workerOffAgain, workerBurning, workerDefault} {
		g.variants = append(g.variants, variant{name, func(b bench) (figures, error) { return saturated(name, b) }})
	}
	for _, name := range []string{workerNone, workerNoneToo, workerIdle} {
		g.variants = append(g.variants, variant{name, func(b bench) (figures, error) { return idle(name == workerIdle, b) }})
	}
	idleAdds := func(name string) func(results) float64 {
		return func(r results) float64 {
			return r.over(func(round map[string]figures) float64 { return round[name][sleepsRate] - round[workerNone][sleepsRate] })
		}
	}
	g.goals = []goal{
		{
			what: "added CPU with a budget of 5 %", got: addedOf(workerBurning, coreShare),
			noise: addedOf(workerOffAgain, coreShare), limit: constant(5.5),
		},
		{
			what: "added CPU with a budget of 1 %", got: addedOf(workerDefault, coreShare),
			noise: addedOf(workerOffAgain, coreShare), limit: constant(1.1),
		},
		{
			what: "added wake-ups per idle second", got: idleAdds(workerIdle),
			noise: idleAdds(workerNoneToo), limit: constant(5),
		},
	}
	return g
}

// burning takes about a tenth of a millisecond.
var burning = rag.Metric{Name: "burning", Doc: "Burns processor time.", Score: func(*rag.View) rag.Result {
	page := make([]byte, 4<<10)
	for start := time.Now(); time.Since(start) < 100*time.Microsecond; {
		_ = sha256.Sum256(page)
	}
	return rag.Scored(1)
}}

func workerPipeline(name string) (*evalmw.Pipeline, error) {
	if name == workerDefault {
		lp := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(discardLogs{})))
		return newPipeline(rag.Config{Metrics: metric.Default(), Sinks: []rag.Sink{spanattach.Events(lp)}},
			evalmw.WithCPUBudget(0.01))
	}
	return newPipeline(rag.Config{Metrics: []rag.Metric{burning}})
}

// saturated submits some 4,000 turns per second.
func saturated(name string, b bench) (figures, error) {
	p, err := workerPipeline(name)
	if err != nil {
		return nil, err
	}
	p.SetEnabled(name != workerOff && name != workerOffAgain)
	s, ctx, turns := newTurn(), context.Background(), 0
	load := func(d time.Duration) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for start := time.Now(); time.Since(start) < d; <-tick.C {
			for range 40 {
				turns++
				s.ID = strconv.Itoa(turns) // sampling may go by it
				p.Submit(ctx, s)
			}
		}
	}
	load(300 * time.Millisecond) // until the unused second that the budget starts with is spent
	before, ownBefore, start := usage(), p.Stats(), time.Now()
	load(b.span(3 * time.Second))
	after, ownAfter, seconds := usage(), p.Stats(), time.Since(start).Seconds()
	if err := p.Shutdown(ctx); err != nil {
		return nil, err
	}
	end := p.Stats()
	if shed := end.Turns[rag.OutcomeCPUBudget] + end.Turns[rag.OutcomeDisabled]; end.Turns[rag.OutcomeEvaluated]+shed != end.Submitted {
		return nil, fmt.Errorf("expected every turn to be evaluated or shed for the budget, found %v of %d", end.Turns, end.Submitted)
	}
	return figures{
		coreShare:  100 * (after.cpu - before.cpu).Seconds() / seconds,
		ownShare:   100 * (ownAfter.CPU.UsedSeconds - ownBefore.CPU.UsedSeconds) / seconds,
		evaluated:  100 * float64(end.Turns[rag.OutcomeEvaluated]) / float64(end.Submitted),
		sleepsRate: float64(after.sleeps-before.sleeps) / seconds,
	}, nil
}

// idle measures a process that waits, with or without a pipeline that has
// worked before.
func idle(with bool, b bench) (figures, error) {
	ctx := context.Background()
	var p *evalmw.Pipeline
	if with {
		var err error
		if p, err = workerPipeline(workerBurning); err != nil {
			return nil, err
		}
		p.Submit(ctx, newTurn())
		flush(p)
	}
	<-time.After(100 * time.Millisecond)
	before, start := usage(), time.Now()
	<-time.After(b.span(3 * time.Second))
	after, seconds := usage(), time.Since(start).Seconds()
	return figures{
		coreShare:  100 * (after.cpu - before.cpu).Seconds() / seconds,
		sleepsRate: float64(after.sleeps-before.sleeps) / seconds,
	}, p.Shutdown(ctx)
}

// discardLogs is an exporter that does not even serialise.
type discardLogs struct{}

func (discardLogs) Export(context.Context, []sdklog.Record) error { return nil }
func (discardLogs) Shutdown(context.Context) error                { return nil }
func (discardLogs) ForceFlush(context.Context) error              { return nil }
