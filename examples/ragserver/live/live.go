// Package live sets up OpenTelemetry and Touchstone as a service needs them:
// the part of a main that every service repeats.
package live

import (
	"context"
	"errors"

	"github.com/touchstone-rag/touchstone/escalate"
	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// Config configures [Start]. The zero value is ready to use.
type Config struct {
	_ struct{}

	Metrics []rag.Metric    // nil means metric.Default
	Sinks   []rag.Sink      // beside those that go to OpenTelemetry
	Options []evalmw.Option // of the pipeline
}

// Live is what runs beside a service.
type Live struct {
	Pipeline *evalmw.Pipeline

	telemetry *telemetry
}

// Start sets OpenTelemetry's global providers up from the environment and
// starts a pipeline that reports to them. Name is the service's, unless
// OTEL_SERVICE_NAME is set.
func Start(ctx context.Context, name string, cfg Config) (*Live, error) {
	tel, err := startTelemetry(ctx, name)
	if err != nil {
		return nil, err
	}
	p, err := newPipeline(tel, cfg)
	if err != nil {
		return nil, errors.Join(err, tel.shutdown(ctx))
	}
	return &Live{Pipeline: p, telemetry: tel}, nil
}

func newPipeline(tel *telemetry, cfg Config) (*evalmw.Pipeline, error) {
	if cfg.Metrics == nil {
		cfg.Metrics = metric.Default()
	}
	policy, err := escalate.Threshold(escalate.DefaultThreshold)
	if err != nil {
		return nil, err
	}
	sinks, opts := spanattach.New(), cfg.Options
	if tel.hold != nil { // exported spans wait a moment for their evaluation
		sinks, opts = append(sinks, tel.hold.Sink()), append(opts, evalmw.WithSpanHolder(tel.hold))
	}
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: cfg.Metrics, Escalator: policy, Sinks: append(sinks, cfg.Sinks...),
	})
	if err != nil {
		return nil, err
	}
	p := evalmw.New(ev, opts...)
	if _, err := spanattach.Observe(nil, p.Stats); err != nil {
		return nil, errors.Join(err, p.Shutdown(context.Background()))
	}
	return p, nil
}

// Shutdown delivers what is still queued and exports it. Shut the server down
// first.
func (l *Live) Shutdown(ctx context.Context) error {
	return errors.Join(l.Pipeline.Shutdown(ctx), l.telemetry.shutdown(ctx))
}
