package spanattach

import (
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// New returns the sinks that an application usually wants: [Events],
// [Metrics] and [SpanAttributes], on the global providers unless options name
// others. The sinks keep no order among themselves; append others as needed.
func New(opts ...Option) []rag.Sink {
	var c config
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	return []rag.Sink{Events(c.logs), Metrics(c.meters, c.metrics...), SpanAttributes()}
}

// An Option changes what [New] returns.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

type config struct {
	logs    log.LoggerProvider
	meters  metric.MeterProvider
	metrics []MetricsOption
}

// WithLoggerProvider makes [Events] use lp; nil is the global provider.
func WithLoggerProvider(lp log.LoggerProvider) Option {
	return optionFunc(func(c *config) { c.logs = lp })
}

// WithMeterProvider makes [Metrics] use mp; nil is the global provider.
func WithMeterProvider(mp metric.MeterProvider) Option {
	return optionFunc(func(c *config) { c.meters = mp })
}

// WithMetrics passes options to [Metrics].
func WithMetrics(opts ...MetricsOption) Option {
	return optionFunc(func(c *config) { c.metrics = append(c.metrics, opts...) })
}
