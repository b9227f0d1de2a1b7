package spanhook

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// HoldStats count spans, but for Late. Every span that [Hold.Hold] was told of
// ends in exactly one of Decorated, Released, Expired, Overflowed and
// Forgotten.
type HoldStats struct {
	_ struct{}

	// Unended and Held are the spans of turns that have not ended, and those
	// that have and wait; HeldBytes is the rough size of the latter.
	Unended, Held int
	HeldBytes     int64

	Decorated  uint64 // passed on with a whole evaluation
	Released   uint64 // passed on because a turn was not evaluated
	Expired    uint64 // passed on before the evaluation was there
	Overflowed uint64 // passed on undecorated for want of room
	Forgotten  uint64 // never ended

	// Late counts deliveries that found no span waiting: it had expired or
	// overflowed, or the delivery was that of an escalated check, which takes
	// longer than a span is held.
	Late uint64
}

// Stats returns a snapshot of the counters.
func (h *Hold) Stats() HoldStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stats
	s.Unended, s.Held, s.HeldBytes = len(h.turns)-h.ended.n, h.ended.n, h.bytes
	return s
}

// discard is the processor behind a Hold without one.
type discard struct{}

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error                  { return nil }
func (discard) ForceFlush(context.Context) error                { return nil }
