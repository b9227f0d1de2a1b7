package spanattach

import (
	"context"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Other is the attribute value that stands for all that the cardinality caps of
// [Metrics] leave out.
const Other = "other"

const (
	defaultTagSets = 100
	maxValues      = 1000 // categories and reasons, counted over all metrics and tags
)

// Metrics returns a sink that records every fresh result, with the metric as
// gen_ai.evaluation.name:
//
//   - rag.evaluation.score, a histogram of the scores from 0 to 1, with unit 1
//     and buckets of 0.05. A sampled span of the sample, or of the context
//     where the sample has none, is the exemplar.
//   - rag.evaluation.count, a histogram of the scores that count something
//     ([rag.Count]), with exemplars like the other.
//   - rag.evaluation.categories, a counter of the categories, with the value as
//     rag.evaluation.category.
//   - rag.evaluation.unmeasured, a counter of the results without a value, with
//     rag.evaluation.reason. Scores and unmeasured results add up to the
//     results, so a mean can be shown with its coverage.
//
// Recording allocates nothing once an attribute set has been seen. A nil
// provider stands for the global one. An instrument that the provider refuses
// is reported to OpenTelemetry's error handler.
func Metrics(mp metric.MeterProvider, opts ...MetricsOption) rag.Sink {
	m := meter(mp)
	k := &metricsSink{maxTagSets: defaultTagSets}
	for _, o := range opts {
		if o != nil {
			o.applyMetrics(k)
		}
	}
	var errs [4]error
	k.score, errs[0] = m.Float64Histogram(MetricScore, metric.WithUnit("1"),
		metric.WithDescription("Scores of the evaluated turns, 0 to 1."),
		metric.WithExplicitBucketBoundaries(boundaries()...))
	k.count, errs[3] = m.Float64Histogram(MetricCount, metric.WithUnit("1"),
		metric.WithDescription("Scores that count something."),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 3, 5, 10, 20, 50, 100))
	k.categories, errs[1] = m.Int64Counter(MetricCategories, metric.WithUnit("{result}"),
		metric.WithDescription("Results of the categorical metrics by their value."))
	k.unmeasured, errs[2] = m.Int64Counter(MetricUnmeasured, metric.WithUnit("{result}"),
		metric.WithDescription("Results without a value by the reason."))
	for _, err := range errs {
		if err != nil {
			otel.Handle(err)
		}
	}
	k.root = newNode(nil)
	k.spans.New = func() any { return newSpanCarrier() }
	return k
}

// A MetricsOption changes what [Metrics] records.
type MetricsOption interface{ applyMetrics(*metricsSink) }

type metricsOptionFunc func(*metricsSink)

func (f metricsOptionFunc) applyMetrics(k *metricsSink) { f(k) }

// WithTags makes the named tags of a sample attributes of its measurements,
// under their own names. A tag that a sample does not have is left out. The
// first limit combinations of values are told apart; in every further one all
// values read "other". A limit below 1 means 100.
//
// The number of time series is limit times the number of metrics; the
// OpenTelemetry SDK folds what exceeds 2,000 for an instrument by default.
func WithTags(limit int, names ...string) MetricsOption {
	return metricsOptionFunc(func(k *metricsSink) {
		k.tags = slices.Clone(names)
		k.maxTagSets = defaultTagSets
		if limit > 0 {
			k.maxTagSets = limit
		}
	})
}

func meter(mp metric.MeterProvider) metric.Meter {
	if mp == nil {
		mp = otel.GetMeterProvider()
	}
	return mp.Meter(scopeName)
}

func boundaries() []float64 {
	out := make([]float64, 20)
	for i := range out {
		out[i] = float64(i+1) / 20
	}
	return out
}

type metricsSink struct {
	score, count           metric.Float64Histogram
	categories, unmeasured metric.Int64Counter

	tags       []string
	maxTagSets int
	spans      sync.Pool // of *spanCarrier

	mu      sync.RWMutex
	root    *node
	tagSets int
	values  int
}

func (k *metricsSink) Consume(ctx context.Context, s *rag.Sample, e *rag.Evaluation) error {
	fresh := e.Fresh()
	if len(fresh) == 0 {
		return nil
	}
	span, _ := k.spans.Get().(*spanCarrier)
	defer k.spans.Put(span)
	span.sc = spanContext(ctx, s)
	at := k.tagged(s.Tags)
	for i := range fresh {
		r := &fresh[i]
		switch {
		case !r.Measured():
			k.unmeasured.Add(span.ctx, 1, k.counted(at, r.Name, AttrReason, string(r.Reason))...)
		case r.Kind == rag.KindCategorical:
			k.categories.Add(span.ctx, 1, k.counted(at, r.Name, AttrCategory, r.Category)...)
		case r.Range == rag.Count:
			k.count.Record(span.ctx, r.Value, k.scored(at, r.Name)...)
		default:
			k.score.Record(span.ctx, r.Value, k.scored(at, r.Name)...)
		}
	}
	return nil
}

// A spanCarrier is a context with a span whose identity can be changed, so
// that exemplars cost no allocation. Instruments read the identity before
// they return.
type spanCarrier struct {
	noop.Span
	sc  trace.SpanContext
	ctx context.Context //nolint:containedctx // the context is what is reused
}

func newSpanCarrier() *spanCarrier {
	c := new(spanCarrier)
	c.ctx = trace.ContextWithSpan(context.Background(), c)
	return c
}

func (c *spanCarrier) SpanContext() trace.SpanContext { return c.sc }

// A node of the tree of tag values. Each leaf is one combination of values,
// and keeps the attribute sets of its measurements.
type node struct {
	children map[string]*node
	attrs    []attribute.KeyValue
	scores   map[string][]metric.RecordOption
	counts   map[seriesKey][]metric.AddOption
}

type seriesKey struct{ metric, key, value string }

func newNode(attrs []attribute.KeyValue) *node {
	return &node{
		children: make(map[string]*node),
		attrs:    attrs,
		scores:   make(map[string][]metric.RecordOption),
		counts:   make(map[seriesKey][]metric.AddOption),
	}
}

// tagged returns the leaf for the sample's tags.
func (k *metricsSink) tagged(tags map[string]string) *node {
	if len(k.tags) == 0 {
		return k.root
	}
	k.mu.RLock()
	at := k.root
	for i := 0; at != nil && i < len(k.tags); i++ {
		at = at.children[tags[k.tags[i]]]
	}
	k.mu.RUnlock()
	if at != nil {
		return at
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.grow(tags)
}

// grow adds the leaf, or returns the one for everything beyond the cap, which
// is a leaf like any other and the only one over it.
func (k *metricsSink) grow(tags map[string]string) *node {
	full := k.tagSets >= k.maxTagSets
	at, added := k.root, false
	for _, name := range k.tags {
		value := tags[name]
		if full {
			value = Other
		}
		next := at.children[value]
		if next == nil {
			attrs := slices.Clip(at.attrs)
			value = strings.Clone(value)
			if value != "" {
				attrs = append(attrs, attribute.String(name, own(value)))
			}
			next = newNode(attrs)
			at.children[value] = next
			added = true
		}
		at = next
	}
	if added {
		k.tagSets++
	}
	return at
}

// scored returns the attributes of a score. The metrics are as many as the
// application configured, and so need no cap.
func (k *metricsSink) scored(at *node, name string) []metric.RecordOption {
	k.mu.RLock()
	opts, ok := at.scores[name]
	k.mu.RUnlock()
	if ok {
		return opts
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name = strings.Clone(name)
	opts = []metric.RecordOption{metric.WithAttributeSet(at.set(attribute.String(AttrName, name)))}
	at.scores[name] = opts
	return opts
}

// counted returns the attributes of a category or reason. A custom metric may
// invent these from a user's text, hence the cap.
func (k *metricsSink) counted(at *node, name, key, value string) []metric.AddOption {
	k.mu.RLock()
	opts, ok := at.counts[seriesKey{name, key, value}]
	full := k.values >= maxValues
	k.mu.RUnlock()
	switch {
	case ok:
		return opts
	case full && value != Other:
		return k.counted(at, name, key, Other)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name, value = strings.Clone(name), strings.Clone(value)
	opts = []metric.AddOption{metric.WithAttributeSet(at.set(attribute.String(AttrName, name), attribute.String(key, own(value))))}
	at.counts[seriesKey{name, key, value}] = opts
	k.values++
	return opts
}

func (n *node) set(attrs ...attribute.KeyValue) attribute.Set {
	return attribute.NewSet(slices.Concat(n.attrs, attrs)...)
}
