package evalmw

import (
	"context"
	"errors"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// work is the worker: the one goroutine that takes turns out of the queue. It
// sleeps until the timer that the first turn sets, then takes all there are,
// so that no turn costs a wake-up of its own and an idle service costs none.
func (p *Pipeline) work() {
	defer close(p.stopped)
	for {
		select {
		case <-p.timer.C:
			p.armed.Store(false)
			if rest := p.drain(); rest > 0 {
				p.armed.Store(true)
				p.timer.Reset(rest)
			}
		case done := <-p.flushes:
			p.drainAll(len(p.queue))
			close(done)
		case <-p.stop:
			p.drainAll(len(p.queue))
			return
		}
	}
}

// drain works until the queue is empty or the budget is spent, and returns
// how long to rest.
func (p *Pipeline) drain() time.Duration {
	for {
		if rest := p.cpu.wait(time.Now()); rest > 0 {
			return rest
		}
		select {
		case q := <-p.queue:
			p.take(q)
		default:
			return 0
		}
		if p.closed.Load() {
			return 0 // shutting down does not keep to the budget
		}
	}
}

// drainAll works off n turns whatever the budget says.
func (p *Pipeline) drainAll(n int) {
	for range n {
		if p.abandon.Err() != nil {
			return
		}
		select {
		case q := <-p.queue:
			p.take(q)
		default:
			return
		}
	}
}

func (p *Pipeline) take(q queued) {
	p.bytes.Add(-q.bytes)
	if q.phase == rag.PhaseRetrieval {
		p.evaluateRetrieval(q.turn)
		return
	}
	p.evaluate(context.Background(), q.turn)
}

func (p *Pipeline) evaluateRetrieval(t *turn) {
	defer func() { _ = recover() }() // as contain; the turn has not ended
	watch := p.startWatch()
	p.eval.Score(&t.first, rag.PhaseRetrieval, &t.eval)
	scoring := watch.lap()
	if len(t.eval.Results) > 0 && p.deliver(context.Background(), &t.first, &t.eval) == nil {
		t.eval.Delivered = len(t.eval.Results)
	}
	p.charge(scoring, watch.lap())
	t.release()
}

// evaluate finishes a turn: score, escalate, deliver, count.
func (p *Pipeline) evaluate(ctx context.Context, t *turn) {
	defer p.contain(t)
	watch := p.startWatch()
	if len(t.raw) > 0 {
		if why := t.readRaw(); why != "" {
			t.counted = true
			p.charge(watch.lap(), 0)
			p.drop(t, why)
			return
		}
	}
	if t.sample.Retrieval.Chunks != nil && t.snapshot && !sameChunks(&t.first, &t.sample) {
		t.eval.Reset() // the list was replaced after its evaluation went out
	}
	p.eval.Score(&t.sample, rag.PhaseAnswer, &t.eval)
	p.eval.Escalate(&t.sample, &t.eval)
	scoring := watch.lap()
	err := p.deliver(ctx, &t.sample, &t.eval)
	p.seen.add(&t.sample, &t.eval)
	t.counted = true
	p.tally.end(outcomeOf(&t.eval, err))
	p.charge(scoring, watch.lap())
	p.escalate(t)
}

// contain keeps a fault of this package out of the process that it runs in.
// The turn's memory is left to the collector: who knows who holds it.
func (p *Pipeline) contain(t *turn) {
	if recover() == nil {
		return
	}
	if !t.counted {
		p.tally.end(rag.Panicked)
	}
	p.unhold(t, rag.Panicked)
}

func sameChunks(a, b *rag.Sample) bool {
	x, y := a.Retrieval.Chunks, b.Retrieval.Chunks
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

func outcomeOf(ev *rag.Evaluation, err error) rag.Outcome {
	for _, e := range ev.Errs {
		if e.Reason == rag.ReasonPanicked {
			return rag.Panicked
		}
	}
	switch {
	case err == nil:
		return rag.Evaluated
	case rag.IsPanic(err):
		return rag.Panicked
	}
	return rag.SinkFailed
}

// deliver gives the sinks a context of their own: the request's may end
// before they are done.
func (p *Pipeline) deliver(ctx context.Context, s *rag.Sample, ev *rag.Evaluation) error {
	if p.eval.Sinks() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.cfg.sinkWait)
	defer cancel()
	err := p.eval.Deliver(ctx, s, ev)
	if err != nil {
		p.countSinkErrors(err)
	}
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
		}
	}
}

// charge counts scoring in full and delivering up to a millisecond: where wall
// time is all there is, a sink that waits must not use up the budget. Turns
// that are evaluated inline are on the request's account.
func (p *Pipeline) charge(scoring, delivering time.Duration) {
	if !p.cfg.inline {
		p.cpu.spend(scoring+min(delivering, time.Millisecond), time.Now())
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
	checker, ok := p.eval.Escalator().(rag.Checker)
	if !ok {
		p.tally.unchecked.Add(1)
		t.release()
		return
	}
	select {
	case p.checks <- struct{}{}:
	default:
		p.tally.settled(rag.Shed)
		t.release()
		return
	}
	go func() {
		defer func() { <-p.checks }()
		p.check(checker, t)
	}()
}

func (p *Pipeline) check(c rag.Checker, t *turn) {
	defer func() { _ = recover() }() // as contain; the turn has ended
	t.eval.Delivered = len(t.eval.Results)
	p.eval.Check(p.abandon, c, &t.sample, &t.eval)
	p.tally.settled(t.eval.Escalation.Status)
	_ = p.deliver(context.Background(), &t.sample, &t.eval) // counted there
	p.seen.add(&t.sample, &t.eval)
	t.release()
}
