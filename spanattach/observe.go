package spanattach

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Observe registers the counters and gauges of a pipeline, read from one
// snapshot at each collection:
//
//   - rag.evaluation.turns, a counter of the turns by rag.evaluation.outcome
//   - rag.evaluation.escalations, a counter of the escalations that ended, by
//     rag.evaluation.outcome: checked, failed, shed, over_budget or unchecked
//   - rag.evaluation.escalation.reasons, a counter of the reasons of all
//     escalations by rag.evaluation.reason; one may have several
//   - rag.evaluation.queue.size and rag.evaluation.queue.capacity, the turns
//     that wait and that may wait
//
// stats is usually the pipeline's Stats method; it is called by the provider's
// readers and must be safe for concurrent use. A nil provider stands for the
// global one. Unregister the registration to stop; it need not be, where the
// provider is shut down after the pipeline.
func Observe(mp metric.MeterProvider, stats func() rag.Stats) (metric.Registration, error) {
	if stats == nil {
		return nil, errors.New("spanattach.Observe: expected a function that returns a pipeline's statistics, found nil")
	}
	m := meter(mp)
	var errs [5]error
	var o observed
	o.turns, errs[0] = m.Int64ObservableCounter(MetricTurns, metric.WithUnit("{turn}"),
		metric.WithDescription("Turns by what became of them."))
	o.escalations, errs[1] = m.Int64ObservableCounter(MetricEscalations, metric.WithUnit("{escalation}"),
		metric.WithDescription("Escalations by what became of them."))
	o.reasons, errs[2] = m.Int64ObservableCounter(MetricEscalationReasons, metric.WithUnit("{reason}"),
		metric.WithDescription("Reasons of the escalations."))
	o.size, errs[3] = m.Int64ObservableGauge(MetricQueueSize, metric.WithUnit("{turn}"),
		metric.WithDescription("Turns that wait to be evaluated."))
	o.capacity, errs[4] = m.Int64ObservableGauge(MetricQueueCapacity, metric.WithUnit("{turn}"),
		metric.WithDescription("Turns that may wait to be evaluated."))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("spanattach.Observe: create the instruments: %w", err)
	}
	reg, err := m.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		o.observe(to, stats())
		return nil
	}, o.turns, o.escalations, o.reasons, o.size, o.capacity)
	if err != nil {
		return nil, fmt.Errorf("spanattach.Observe: register the callback: %w", err)
	}
	return reg, nil
}

type observed struct {
	turns, escalations, reasons metric.Int64ObservableCounter
	size, capacity              metric.Int64ObservableGauge
}

func (o *observed) observe(to metric.Observer, s rag.Stats) {
	for outcome, n := range s.Turns {
		count(to, o.turns, n, AttrOutcome, string(outcome))
	}
	e := &s.Escalations
	count(to, o.escalations, e.Checked, AttrOutcome, string(rag.EscalationChecked))
	count(to, o.escalations, e.Failed, AttrOutcome, string(rag.EscalationFailed))
	count(to, o.escalations, e.Shed, AttrOutcome, string(rag.EscalationShed))
	count(to, o.escalations, e.OverBudget, AttrOutcome, string(rag.EscalationOverBudget))
	count(to, o.escalations, e.Unchecked, AttrOutcome, "unchecked")
	for reason, n := range e.Reasons {
		count(to, o.reasons, n, AttrReason, own(reason))
	}
	to.ObserveInt64(o.size, int64(s.Queue.Items))
	to.ObserveInt64(o.capacity, int64(s.Queue.ItemsCapacity))
}

func count(to metric.Observer, c metric.Int64ObservableCounter, n uint64, key, value string) {
	to.ObserveInt64(c, int64(n), metric.WithAttributes(attribute.String(key, value))) //nolint:gosec // no pipeline counts that far
}
