package evalmw

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Pipeline takes turns from requests, evaluates them on a worker of its own
// and delivers the results. Requests never wait for it: what does not fit
// into its queue, its memory or its CPU budget is dropped and counted.
//
// All methods may be called concurrently, and on a nil Pipeline, which does
// nothing. [New] starts a goroutine that [Pipeline.Shutdown] ends.
type Pipeline struct {
	cfg     config
	eval    *rag.Evaluator
	memory  *turnMemory
	enabled atomic.Bool
	tally   tally
	seen    *seen
	errors  errorReports

	queue chan queued
	bytes atomic.Int64
	timer *time.Timer // wakes the worker
	armed atomic.Bool // the timer is set
	cpu   cpuBudget   // the worker's

	foresight foresight // the worker's

	flushes  chan chan struct{}
	stop     chan struct{}      // asks the worker to drain and end
	stopped  chan struct{}      // the worker has ended
	closed   atomic.Bool        // no turn is admitted any more
	abandon  context.Context    //nolint:containedctx // the checks' own; ends when shutting down has run out of time
	giveUp   context.CancelFunc // ends abandon
	stopOnce sync.Once
	finished chan struct{} // the worker has ended, and so have the checks

	checks chan struct{} // a place for each check that runs
}

// queued is one turn waiting for the worker, or its retrieval alone.
type queued struct {
	turn  *turn
	phase rag.Phase
	bytes int64
}

// New returns a pipeline around ev and starts its worker. Call Shutdown when
// the server has stopped. New panics if ev is nil, which is a fault of the
// program; a service that is not to be evaluated uses a nil Pipeline.
func New(ev *rag.Evaluator, opts ...Option) *Pipeline {
	if ev == nil {
		panic("evalmw.New: expected an evaluator from rag.NewEvaluator, found nil")
	}
	cfg := newConfig(opts)
	p := &Pipeline{
		cfg: cfg, eval: ev,
		memory:   &turnMemory{max: cfg.sampleMax, byRef: cfg.byRef},
		seen:     newSeen(cfg.showText),
		queue:    make(chan queued, cfg.items),
		timer:    time.NewTimer(math.MaxInt64),
		flushes:  make(chan chan struct{}),
		stop:     make(chan struct{}),
		stopped:  make(chan struct{}),
		checks:   make(chan struct{}, cfg.checks),
		finished: make(chan struct{}),
	}
	p.tally.reasons = make(counts)
	for _, name := range ev.SinkNames() {
		p.tally.sinks = append(p.tally.sinks, rag.SinkStats{Name: name})
	}
	p.abandon, p.giveUp = context.WithCancel(context.Background())
	p.timer.Stop()
	p.enabled.Store(!disabledByEnv())
	p.cpu.start(cfg.cpu, time.Now())
	p.foresight.start(time.Now())
	go p.work()
	return p
}

// SetEnabled is the kill switch. While it is off, requests pass untouched;
// turns that have begun are dropped when they end, and what is in the queue
// is still evaluated.
func (p *Pipeline) SetEnabled(on bool) {
	if p != nil {
		p.enabled.Store(on)
	}
}

// Submit hands over a turn that is already known as a whole, such as one that
// was read from elsewhere; its span is s.Span, whatever ctx holds. A nil s is
// no turn. Submit copies s, all but its Metadata, and never blocks, unless
// [WithInline] makes it evaluate with ctx on the spot.
func (p *Pipeline) Submit(ctx context.Context, s *rag.Sample) {
	if p == nil || s == nil {
		return
	}
	if !p.enabled.Load() {
		p.turnEnds(rag.OutcomeDisabled)
		return
	}
	if why := p.leavesOut(s.Span, s.ID); why != "" {
		p.turnEnds(why)
		return
	}
	if why := p.refuses(rag.PhaseAnswer, 0); why != "" && !p.cfg.inline {
		p.turnEnds(why)
		return
	}
	t := p.memory.get()
	t.setSample(s)
	p.submit(ctx, t)
}

// leavesOut says why a turn is not recorded, or "" if it is. It decides by the
// trace id, as other services on the trace would; without one sampling goes by
// the request's id, and overload by chance.
func (p *Pipeline) leavesOut(span rag.SpanRef, id string) rag.Outcome {
	share, worth := p.cfg.sampling, p.foresight.worth.Load()
	overloaded := worth < allTurns && !p.cfg.inline
	if share >= 1 && !overloaded {
		return ""
	}
	draw := drawOf(span, id)
	if draw >= share {
		return rag.OutcomeNotSampled
	}
	if overloaded {
		if span.TraceID == [16]byte{} {
			draw = share * rand.Float64()
		}
		if draw >= share*float64(worth)/allTurns {
			return p.foresight.leaveOut()
		}
	}
	return ""
}

// drawOf returns a number in [0, 1), the same for the same trace.
func drawOf(span rag.SpanRef, id string) float64 {
	var n uint64
	switch {
	case span.TraceID != [16]byte{}:
		for _, b := range span.TraceID[9:] { // the 56 bits that W3C calls random
			n = n<<8 | uint64(b)
		}
		n <<= 8
	case id != "":
		h := fnv.New64a()
		_, _ = h.Write([]byte(id))
		n = h.Sum64()
	default:
		n = rand.Uint64()
	}
	return float64(n>>11) / (1 << 53)
}

// turnEnds counts a turn that was never recorded.
func (p *Pipeline) turnEnds(o rag.Outcome) {
	p.tally.refuse(o)
}

// letGo returns the memory of a turn that will not be evaluated.
func (p *Pipeline) letGo(t *turn, o rag.Outcome) {
	p.unhold(t, o)
	t.release()
}

// hold and unhold keep a panic of the holder out of the request.
func (p *Pipeline) hold(t *turn) {
	if p.cfg.holder == nil || !t.sample.Span.IsValid() {
		return
	}
	t.held = true
	defer func() { _ = recover() }()
	p.cfg.holder.Hold(t.sample.Span)
}

// unhold releases only what was held: the span of a turn that was submitted as
// a whole may be held for another turn.
func (p *Pipeline) unhold(t *turn, o rag.Outcome) {
	if !t.held {
		return
	}
	defer func() { _ = recover() }()
	p.cfg.holder.Release(t.sample.Span, o)
}

func (p *Pipeline) drop(t *turn, o rag.Outcome) {
	p.tally.end(o)
	p.letGo(t, o)
}

// submit takes over a recorded turn.
func (p *Pipeline) submit(ctx context.Context, t *turn) {
	p.tally.accepted.inc()
	t.complete()
	switch {
	case !p.enabled.Load():
		p.drop(t, rag.OutcomeDisabled)
	case p.closed.Load():
		p.drop(t, rag.OutcomeShutDown)
	case p.cfg.inline:
		p.evaluate(ctx, t)
	default:
		if why := p.enqueue(t, rag.PhaseAnswer); why != "" {
			p.drop(t, why)
		}
	}
}

// offerRetrieval queues what is known of t for the metrics of the retrieval.
// If that is refused, they run when the turn is complete.
func (p *Pipeline) offerRetrieval(t *turn) {
	if p.cfg.inline || !p.eval.ScoresRetrieval() || p.refuses(rag.PhaseRetrieval, t.size()) != "" {
		return
	}
	if t.snapshot {
		return // a later list is evaluated with the answer
	}
	t.snapshot = true
	t.first = rag.Sample{
		ID: t.sample.ID, Query: t.sample.Query, Retrieval: t.sample.Retrieval,
		Span: t.sample.Span, Truncated: t.arena.cut,
	}
	t.refs.Add(1)
	if p.enqueue(t, rag.PhaseRetrieval) != "" {
		t.refs.Add(-1)
	}
}

// refuses says why a turn of n bytes cannot wait, or "" if it can. It only
// reads, so that refusing costs nothing when it matters most. A retrieval leaves
// room for its answer: where there is room for one, that is the whole turn.
func (p *Pipeline) refuses(phase rag.Phase, n int64) rag.Outcome {
	waiting := len(p.queue)
	if phase == rag.PhaseRetrieval {
		waiting++
	}
	switch {
	case p.closed.Load():
		return rag.OutcomeShutDown
	case waiting >= p.cfg.items:
		return rag.OutcomeQueueFull
	case !p.cpu.admits(waiting):
		return rag.OutcomeCPUBudget
	case p.bytes.Load()+n > p.cfg.bytes:
		return rag.OutcomeQueueBytes
	}
	return ""
}

// enqueue puts a turn into the queue without blocking, or says why not.
func (p *Pipeline) enqueue(t *turn, phase rag.Phase) rag.Outcome {
	q := queued{turn: t, phase: phase, bytes: t.size()}
	if why := p.refuses(phase, q.bytes); why != "" {
		return why
	}
	if p.bytes.Add(q.bytes) > p.cfg.bytes {
		p.bytes.Add(-q.bytes)
		return rag.OutcomeQueueBytes
	}
	select {
	case p.queue <- q:
	default:
		p.bytes.Add(-q.bytes)
		return rag.OutcomeQueueFull
	}
	if p.closed.Load() {
		// The worker may have drained the queue for the last time before the
		// turn went in. Whoever comes this late takes one out again: each
		// finds one, and none stays behind.
		p.dropOne()
		return ""
	}
	if !p.armed.Load() && p.armed.CompareAndSwap(false, true) {
		p.timer.Reset(p.cfg.batchDelay)
	}
	return ""
}

func (p *Pipeline) dropOne() {
	select {
	case q := <-p.queue:
		p.bytes.Add(-q.bytes)
		if q.phase == rag.PhaseRetrieval {
			q.turn.release()
		} else {
			p.drop(q.turn, rag.OutcomeShutDown)
		}
	default:
	}
}

// Stats returns a snapshot of the counters.
func (p *Pipeline) Stats() rag.Stats {
	if p == nil {
		return rag.Stats{}
	}
	s := p.tally.snapshot()
	s.Enabled = p.enabled.Load()
	s.Queue = rag.QueueStats{
		Items: len(p.queue), ItemsCapacity: p.cfg.items,
		Bytes: p.bytes.Load(), BytesCapacity: p.cfg.bytes,
	}
	s.CPU = rag.CPUStats{
		Budget:      p.cfg.cpu,
		UsedSeconds: time.Duration(p.cpu.used.Load()).Seconds(),
		Recent:      p.cpu.recent(time.Now()),
	}
	return s
}

// Flush evaluates and delivers what is in the queue now, whatever the CPU
// budget says, and returns when that is done, or with the error of ctx.
// Escalated checks are not waited for.
func (p *Pipeline) Flush(ctx context.Context) error {
	if p == nil {
		return nil
	}
	done := make(chan struct{})
	select {
	case p.flushes <- done:
	case <-p.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shutdown stops taking turns, evaluates and delivers those in the queue,
// waits for escalated checks, and ends the worker. When ctx ends first, what
// is left is dropped and counted as shut_down, checks are cancelled, and the
// error of ctx is returned. It may be called more than once.
//
// Shut down in this order: the server, the pipeline, the sinks' providers.
func (p *Pipeline) Shutdown(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.closed.Store(true)
	p.stopOnce.Do(func() {
		close(p.stop)
		go p.finish()
	})
	select {
	case <-p.finished:
		p.giveUp()
		return nil
	case <-ctx.Done():
	}
	p.giveUp()
	for len(p.queue) > 0 {
		p.dropOne()
	}
	select {
	case <-p.finished: // a cancelled check may have been all that was left
		return nil
	default:
	}
	return errors.Join(errors.New("evalmw: a sink or a judge did not return in time"), ctx.Err())
}

// finish waits for the worker and the checks. It takes their places for good,
// so that a turn that is still evaluated inline starts none behind its back.
func (p *Pipeline) finish() {
	<-p.stopped
	for range cap(p.checks) {
		p.checks <- struct{}{}
	}
	close(p.finished)
}
