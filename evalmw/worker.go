package evalmw

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// work is the worker: the one goroutine that takes turns out of the queue. It
// sleeps until the timer that the first turn sets, then takes all there are,
// so that no turn costs a wake-up of its own and an idle service costs none.
func (p *Pipeline) work() {
	defer close(p.stopped)
	overload := time.NewTimer(math.MaxInt64) // to look again while turns are left out
	overload.Stop()
	defer overload.Stop()
	for {
		select {
		case <-p.timer.C:
			p.armed.Store(false)
			if rest := p.drain(); rest > 0 {
				p.armed.Store(true)
				p.timer.Reset(rest)
			}
		case <-overload.C:
		case done := <-p.flushes:
			p.flush(done)
		case <-p.stop:
			p.drainAll(len(p.queue))
			return
		}
		p.foresight.look(time.Now(), &p.tally)
		if p.foresight.overloaded() {
			overload.Reset(foresightSpan)
		}
	}
}

// drain works until the queue is empty or the budget is spent, and returns
// how long to rest. Once the pipeline is closed, nothing is spared any more.
func (p *Pipeline) drain() time.Duration {
	s := stretch{pipeline: p, watch: p.startWatch()}
	for !p.closed.Load() {
		now := time.Now()
		p.foresight.look(now, &p.tally) // here too: the queue may never be empty
		if rest := p.cpu.wait(now); rest > 0 {
			return rest
		}
		select {
		case q := <-p.queue:
			s.add(p.take(q))
		case done := <-p.flushes: // the queue may never be empty
			s.settle()
			p.flush(done)
			s.watch = p.startWatch()
		default:
			s.settle()
			return p.cpu.wait(time.Now())
		}
	}
	return 0
}

func (p *Pipeline) flush(done chan struct{}) {
	p.drainAll(len(p.queue))
	close(done)
}

// drainAll works off n turns whatever the budget says.
func (p *Pipeline) drainAll(n int) {
	s := stretch{pipeline: p, watch: p.startWatch()}
	defer s.settle()
	for range n {
		if p.abandon.Err() != nil {
			return
		}
		select {
		case q := <-p.queue:
			s.add(p.take(q))
		default:
			return
		}
	}
}

// take evaluates what was queued and returns how long sinks kept it waiting.
func (p *Pipeline) take(q queued) time.Duration {
	p.bytes.Add(-q.bytes)
	if q.phase == rag.PhaseRetrieval {
		return p.evaluateRetrieval(q.turn)
	}
	return p.evaluate(context.Background(), q.turn)
}

func (p *Pipeline) evaluateRetrieval(t *turn) (waited time.Duration) {
	defer func() { _ = recover() }() // as contain; the turn has not ended
	if !p.redact(t.redactRetrieval) {
		t.release()
		return waited
	}
	p.eval.Score(&t.first, rag.PhaseRetrieval, &t.eval)
	if len(t.eval.Results) > 0 {
		err := p.deliver(context.Background(), &t.first, &t.eval, &waited)
		if err == nil {
			t.eval.Delivered = len(t.eval.Results)
		}
	}
	t.release()
	return waited
}

// evaluate finishes a turn: redact, score, escalate, deliver, count.
func (p *Pipeline) evaluate(ctx context.Context, t *turn) (waited time.Duration) {
	defer p.contain(t)
	if len(t.raw) > 0 {
		if why := t.readRaw(); why != "" {
			t.counted = true
			p.drop(t, why)
			return waited
		}
	}
	if !p.redact(t.redactAll) {
		t.counted = true
		p.drop(t, rag.OutcomePanicked)
		return waited
	}
	if t.sample.Retrieval.Chunks != nil && t.snapshot && !sameChunks(&t.first, &t.sample) {
		t.eval.Reset() // the list was replaced after its evaluation went out
	}
	p.eval.Score(&t.sample, rag.PhaseAnswer, &t.eval)
	p.eval.Escalate(&t.sample, &t.eval)
	err := p.deliver(ctx, &t.sample, &t.eval, &waited)
	p.seen.add(&t.sample, &t.eval)
	t.counted = true
	p.tally.end(outcomeOf(&t.eval, err))
	for _, e := range t.eval.Errs {
		p.report(e.Metric, e)
	}
	p.escalate(t)
	return waited
}

// contain keeps a fault of this package out of the process that it runs in.
// The turn's memory is left to the collector: who knows who holds it.
func (p *Pipeline) contain(t *turn) {
	if recover() == nil {
		return
	}
	if !t.counted {
		p.tally.end(rag.OutcomePanicked)
	}
	p.unhold(t, rag.OutcomePanicked)
}

func sameChunks(a, b *rag.Sample) bool {
	x, y := a.Retrieval.Chunks, b.Retrieval.Chunks
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

func outcomeOf(ev *rag.Evaluation, err error) rag.Outcome {
	for _, e := range ev.Errs {
		if e.Reason == rag.ReasonPanicked {
			return rag.OutcomePanicked
		}
	}
	switch {
	case err == nil:
		return rag.OutcomeEvaluated
	case rag.IsPanic(err):
		return rag.OutcomePanicked
	}
	return rag.OutcomeSinkFailed
}

// deliver gives the sinks a context of their own: the request's may end
// before they are done. What they take beyond a millisecond is added to waited:
// where wall time is all there is, a sink that waits must not use up the
// budget.
func (p *Pipeline) deliver(ctx context.Context, s *rag.Sample, ev *rag.Evaluation, waited *time.Duration) error {
	if len(p.tally.sinks) == 0 {
		return nil
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.cfg.sinkWait)
	defer cancel()
	err := p.eval.Deliver(ctx, s, ev)
	if err != nil {
		p.countSinkErrors(err)
	}
	*waited += max(0, time.Since(start)-time.Millisecond)
	return err
}

func (p *Pipeline) countSinkErrors(err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, e := range joined.Unwrap() {
		if sink, ok := errors.AsType[*rag.SinkError](e); ok {
			p.tally.sinkFailed(sink.Sink)
			p.report("sink "+strconv.Itoa(sink.Sink), sink)
		}
	}
}

// escalate hands a doubtful turn to the pool of checks, or sheds it: a full
// pool never makes anything wait.
func (p *Pipeline) escalate(t *turn) {
	if !t.eval.Escalation.Needed {
		t.release()
		return
	}
	p.tally.escalated(t.eval.Escalation.Reasons)
	if _, ok := p.eval.Escalator().(rag.Checker); !ok {
		p.tally.unchecked.Add(1)
		t.release()
		return
	}
	select {
	case p.checks <- struct{}{}:
	default:
		p.tally.settled(rag.EscalationShed)
		t.release()
		return
	}
	go func() {
		defer func() { <-p.checks }()
		p.check(t)
	}()
}

func (p *Pipeline) check(t *turn) {
	defer func() { _ = recover() }() // as contain; the turn has ended
	t.eval.Delivered = len(t.eval.Results)
	p.eval.Check(p.abandon, &t.sample, &t.eval)
	p.tally.settled(t.eval.Escalation.Status)
	var waited time.Duration
	_ = p.deliver(context.Background(), &t.sample, &t.eval, &waited) // counted there
	p.seen.add(&t.sample, &t.eval)
	t.release()
}
