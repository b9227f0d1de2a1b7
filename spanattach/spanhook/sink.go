package spanhook

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// Sink returns the sink through which evaluations reach the held spans. It is
// a value of its own, without the processor's Shutdown: whoever shuts sinks
// down must not end the application's tracing.
//
// The evaluation of a retrieval is kept; that of the answer completes the turn
// and passes the span on, as does one of an escalated check that was awaited
// on the spot. What comes later is counted as late.
func (h *Hold) Sink() rag.Sink { return sink{h} }

type sink struct{ hold *Hold }

func (k sink) Consume(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
	if s.Span.IsValid() && s.Span.IsSampled() {
		k.hold.passOn(k.hold.evaluated(s.Span, e))
	}
	return nil
}

// evaluated adds e to its span and returns the span if that is all it waited
// for.
func (h *Hold) evaluated(ref rag.SpanRef, e *rag.Evaluation) sdktrace.ReadOnlySpan {
	results := e.Results // an answer's are all of the turn's
	if e.Phase != rag.PhaseAnswer {
		results = e.Fresh()
	}
	attrs := spanattach.AppendAttributes(nil, results)
	if h.cfg.openInference {
		attrs = spanattach.AppendOpenInference(attrs, e)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.turns[idOf(ref)]
	switch {
	case s == nil:
		h.stats.Late++
		return nil
	case e.Phase == rag.PhaseRetrieval:
		s.partial = attrs
		return nil
	}
	s.add(attrs, results)
	if e.Phase == rag.PhaseCheck && e.Delivered > 0 {
		return nil // the turn was complete before the check
	}
	s.settle(spanattach.OutcomeOf(e))
	return h.takeIfDone(s)
}
