package spanhook

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Defaults of [NewHold].
const (
	DefaultWait  = 500 * time.Millisecond
	DefaultSpans = 4096
	DefaultBytes = 32 << 20
)

// unendedFor is how long a turn's span may take to end. It only bounds how
// long a span that never ends takes one of the places.
const unendedFor = 15 * time.Minute

// Hold is a span processor around another one. It keeps the ended span of a
// turn until the turn's evaluation is there, adds the evaluation to its
// attributes and passes it on; where the evaluation was first, the span is
// passed on as soon as it ends. All other spans pass straight through. A span
// keeps its own end time: holding delays the export and nothing else.
//
// A span is held for at most the wait (see [WithWait]); then it is passed on
// with what is known by then and rag.evaluation.outcome "late". It gets the
// attributes of spanattach.AppendAttributes and rag.evaluation.outcome. Several
// turns may share a span: it waits for all of them, and its outcome is the
// first that is not "evaluated".
//
// The pipeline announces turns by [Hold.Hold] and takes them back by
// [Hold.Release]; evaluations come through [Hold.Sink]. All methods are safe
// for concurrent use. None of them waits for anything but a short mutex and
// the wrapped processor.
type Hold struct {
	next sdktrace.SpanProcessor
	cfg  holdConfig

	mu       sync.Mutex
	turns    map[spanID]*held
	unended  queue // spans that have not ended, by the time of their first turn
	ended    queue // spans that wait for an evaluation, by the time of their end
	bytes    int64 // of the spans in ended
	timer    *time.Timer
	ticking  bool
	stopped  bool
	inFlight int           // spans taken from the queues and not passed on yet
	landed   chan struct{} // closed when inFlight is 0; nil if nobody waits
	stats    HoldStats

	stop    sync.Once
	stopErr error
}

// A HoldOption changes how a [Hold] works. A value out of range is ignored and
// the default stays.
type HoldOption interface{ apply(*holdConfig) }

type holdOptionFunc func(*holdConfig)

func (f holdOptionFunc) apply(c *holdConfig) { f(c) }

type holdConfig struct {
	wait          time.Duration
	spans         int
	bytes         int64
	openInference bool
}

// WithWait bounds how long an ended span is kept; the default is
// [DefaultWait]. A wait below 1 ns is ignored.
func WithWait(d time.Duration) HoldOption {
	return holdOptionFunc(func(c *holdConfig) {
		if d > 0 {
			c.wait = d
		}
	})
}

// WithCapacity bounds the turns' spans that are known at a time, ended or not,
// and the rough size of the ended ones in bytes; the defaults are
// [DefaultSpans] and [DefaultBytes]. What does not fit passes straight through,
// undecorated, and is counted as overflowed. A bound below 1 is ignored.
func WithCapacity(spans int, bytes int64) HoldOption {
	return holdOptionFunc(func(c *holdConfig) {
		if spans > 0 {
			c.spans = spans
		}
		if bytes > 0 {
			c.bytes = bytes
		}
	})
}

// WithOpenInference adds the attributes of spanattach.AppendOpenInference. Of
// several turns on one span the first one's stay.
func WithOpenInference() HoldOption {
	return holdOptionFunc(func(c *holdConfig) { c.openInference = true })
}

// NewHold returns a Hold around next, usually a batch span processor, which
// from then on belongs to the Hold: register the Hold with the tracer provider
// and not next. A nil next gets no spans.
func NewHold(next sdktrace.SpanProcessor, opts ...HoldOption) *Hold {
	if next == nil {
		next = discard{}
	}
	h := &Hold{
		next:  next,
		cfg:   holdConfig{wait: DefaultWait, spans: DefaultSpans, bytes: DefaultBytes},
		turns: make(map[spanID]*held),
	}
	for _, o := range opts {
		if o != nil {
			o.apply(&h.cfg)
		}
	}
	return h
}

// Hold announces a turn on a span that has not ended yet: the span will be
// kept until the turn was evaluated or released. Exactly one of the two should
// follow. A span that is not sampled is left alone.
func (h *Hold) Hold(ref rag.SpanRef) {
	if !ref.IsValid() || !ref.IsSampled() {
		return
	}
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	if s := h.turns[idOf(ref)]; s != nil {
		s.waitFor++
		return
	}
	h.forget(now)
	if len(h.turns) >= h.cfg.spans {
		h.stats.Overflowed++
		return
	}
	s := &held{id: idOf(ref), waitFor: 1, since: now}
	h.turns[s.id] = s
	h.unended.push(s)
}

// Release takes a turn back that will not be evaluated, for the reason o, or
// for none: it turned out not to be a turn, and leaves no mark. If no other turn
// is left on its span, the span is passed on at once or, if it
// has not ended, when it does.
func (h *Hold) Release(ref rag.SpanRef, o rag.Outcome) {
	h.mu.Lock()
	s := h.turns[idOf(ref)]
	if s == nil {
		h.mu.Unlock()
		return
	}
	s.settle(o)
	span := h.takeIfDone(s)
	h.mu.Unlock()
	h.passOn(span)
}

// OnStart is the span processor's; it is passed on.
func (h *Hold) OnStart(parent context.Context, s sdktrace.ReadWriteSpan) { h.next.OnStart(parent, s) }

// OnEnd keeps the span if a turn on it waits for its evaluation, and passes it
// on otherwise.
func (h *Hold) OnEnd(span sdktrace.ReadOnlySpan) {
	if span = h.keep(span); span != nil {
		h.next.OnEnd(span)
	}
}

// keep returns the span that is to be passed on, or nil if it is kept.
func (h *Hold) keep(span sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan {
	sc := span.SpanContext()
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.turns[spanID{sc.TraceID(), sc.SpanID()}]
	if s == nil || s.span != nil {
		return span
	}
	if s.waitFor == 0 || h.stopped {
		return h.take(s, span, s.waitFor > 0)
	}
	size := sizeOf(span)
	if h.bytes+size > h.cfg.bytes {
		h.drop(s)
		h.stats.Overflowed++
		return span
	}
	h.unended.remove(s)
	s.span, s.size, s.since = span, size, time.Now()
	h.ended.push(s)
	h.bytes += size
	h.arm(h.cfg.wait)
	return nil
}

// takeIfDone returns the span to pass on, if it has ended and waits for
// nothing more.
func (h *Hold) takeIfDone(s *held) sdktrace.ReadOnlySpan {
	if s.span == nil || s.waitFor > 0 {
		return nil
	}
	h.inFlight++
	return h.take(s, s.span, false)
}

// take forgets s and returns its span as it is to be passed on.
func (h *Hold) take(s *held, span sdktrace.ReadOnlySpan, late bool) sdktrace.ReadOnlySpan {
	h.drop(s)
	switch {
	case late:
		s.setOutcome(rag.OutcomeLate)
		h.stats.Expired++
	case s.outcome == rag.OutcomeEvaluated || s.outcome.Failed():
		h.stats.Decorated++
	default:
		h.stats.Released++
	}
	return decorate(span, s.attributes())
}

func (h *Hold) drop(s *held) {
	delete(h.turns, s.id)
	if s.span == nil {
		h.unended.remove(s)
		return
	}
	h.ended.remove(s)
	h.bytes -= s.size
}

// forget drops the spans that never ended.
func (h *Hold) forget(now time.Time) {
	for s := h.unended.first; s != nil && now.Sub(s.since) >= unendedFor; s = h.unended.first {
		h.drop(s)
		h.stats.Forgotten++
	}
}

// arm sets the one timer, unless it is set already: then it fires no later
// than it must, and sets itself again.
func (h *Hold) arm(d time.Duration) {
	switch {
	case h.ticking || h.stopped:
		return
	case h.timer == nil:
		h.timer = time.AfterFunc(d, h.expire)
	default:
		h.timer.Reset(d)
	}
	h.ticking = true
}

// expire passes on the spans that have waited long enough.
func (h *Hold) expire() {
	now := time.Now()
	h.mu.Lock()
	h.ticking = false
	spans := h.takeEnded(now)
	if s := h.ended.first; s != nil {
		h.arm(h.cfg.wait - now.Sub(s.since))
	}
	h.mu.Unlock()
	h.passOn(spans...)
}

// takeEnded takes the spans that have waited long enough by now, or all if now
// is the zero time.
func (h *Hold) takeEnded(now time.Time) []sdktrace.ReadOnlySpan {
	var spans []sdktrace.ReadOnlySpan
	for s := h.ended.first; s != nil && (now.IsZero() || now.Sub(s.since) >= h.cfg.wait); s = h.ended.first {
		spans = append(spans, h.take(s, s.span, true))
	}
	h.inFlight += len(spans)
	return spans
}

// passOn passes on spans that were taken, outside of the mutex.
func (h *Hold) passOn(spans ...sdktrace.ReadOnlySpan) {
	for _, span := range spans {
		if span != nil {
			h.passOnOne(span)
		}
	}
}

func (h *Hold) passOnOne(span sdktrace.ReadOnlySpan) {
	defer func() {
		// Without the Hold the panic would be the request's, which servers
		// contain; here it would be the process's.
		if p := recover(); p != nil {
			otel.Handle(fmt.Errorf("spanhook.Hold: the wrapped span processor panicked in OnEnd with a value of type %T; the span is lost", p))
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.inFlight--; h.inFlight == 0 && h.landed != nil {
			close(h.landed)
			h.landed = nil
		}
	}()
	h.next.OnEnd(span)
}

// ForceFlush passes on all that is held, with what is known by now, and
// flushes the wrapped processor.
func (h *Hold) ForceFlush(ctx context.Context) error {
	if err := h.passAllOn(ctx); err != nil {
		return err
	}
	return h.next.ForceFlush(ctx)
}

// Shutdown passes on all that is held, with what is known by now, and shuts
// the wrapped processor down. Spans that end later go to that processor at
// once. Further calls do nothing and return the same error. Shut the pipeline
// down first, so that it can deliver what is still queued.
func (h *Hold) Shutdown(ctx context.Context) error {
	h.stop.Do(func() {
		h.mu.Lock()
		h.stopped = true
		if h.timer != nil {
			h.timer.Stop()
		}
		h.mu.Unlock()
		late := h.passAllOn(ctx)
		if h.stopErr = h.next.Shutdown(ctx); h.stopErr == nil {
			h.stopErr = late
		}
	})
	return h.stopErr
}

// passAllOn returns when no span is on its way to the wrapped processor any
// more, or ctx is done.
func (h *Hold) passAllOn(ctx context.Context) error {
	h.mu.Lock()
	spans := h.takeEnded(time.Time{})
	h.mu.Unlock()
	h.passOn(spans...)

	h.mu.Lock()
	if h.inFlight == 0 {
		h.mu.Unlock()
		return nil
	}
	if h.landed == nil {
		h.landed = make(chan struct{})
	}
	landed := h.landed
	h.mu.Unlock()
	select {
	case <-landed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
