package spanattach_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
	"github.com/touchstone-rag/touchstone/spanattach/internal/otlptest"
)

func TestScoresArriveInStepsWithTheSpanAsExemplar(t *testing.T) {
	receiver := otlptest.Start(t)
	exporter, err := otlpmetricgrpc.New(t.Context(), otlpmetricgrpc.WithEndpoint(receiver.Endpoint), otlpmetricgrpc.WithInsecure())
	require.NoError(t, err)
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	sink := spanattach.Metrics(mp)
	sc := endedSpan(t)
	for _, v := range []float64{0, 0.05, 0.06, 1} {
		require.NoError(t, sink.Consume(t.Context(), turn(refOf(sc)), answered(score("context_relevance", v))))
	}
	require.NoError(t, mp.Shutdown(t.Context()))

	m := receiver.Metric("rag.evaluation.score")
	require.NotNil(t, m)
	assert.Equal(t, "1", m.GetUnit())
	points := m.GetHistogram().GetDataPoints()
	require.Len(t, points, 1)
	p := points[0]
	assert.Equal(t, map[string]any{"gen_ai.evaluation.name": "context_relevance"}, otlptest.Attributes(p.GetAttributes()))
	assert.Equal(t, []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1}, p.GetExplicitBounds())
	assert.EqualValues(t, 2, p.GetBucketCounts()[0], "0 and 0.05 are within the first bound")
	assert.EqualValues(t, 1, p.GetBucketCounts()[1])
	assert.EqualValues(t, 1, p.GetBucketCounts()[19], "1 is within the last bound")
	require.NotEmpty(t, p.GetExemplars())
	for _, e := range p.GetExemplars() {
		assert.Equal(t, sc.TraceID().String(), trace.TraceID(e.GetTraceId()).String())
		assert.Equal(t, sc.SpanID().String(), trace.SpanID(e.GetSpanId()).String())
	}
}

// One tenant's header must not end the export of all metrics.
func TestBytesThatAreNoTextDoNotStopTheExport(t *testing.T) {
	receiver := otlptest.Start(t)
	exporter, err := otlpmetricgrpc.New(t.Context(), otlpmetricgrpc.WithEndpoint(receiver.Endpoint), otlpmetricgrpc.WithInsecure())
	require.NoError(t, err)
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	sink := spanattach.Metrics(mp, spanattach.WithTags(5, "tenant"))
	s := turn(rag.SpanRef{})
	s.Tags["tenant"] = "a\xff"
	require.NoError(t, sink.Consume(t.Context(), s, answered(score("context_relevance", 1), category("tone", "b\xff"), without("mine", "c\xff"))))
	require.NoError(t, mp.Shutdown(t.Context()))
	m := receiver.Metric("rag.evaluation.score")
	require.NotNil(t, m)
	assert.Equal(t, map[string]any{"gen_ai.evaluation.name": "context_relevance", "tenant": "a\uFFFD"},
		otlptest.Attributes(m.GetHistogram().GetDataPoints()[0].GetAttributes()))
}

// collect returns the values of all series: sums, gauges, and counts of
// histograms, under "instrument{attributes}".
func collect(t *testing.T, reader sdkmetric.Reader) map[string]int64 {
	t.Helper()
	var rm metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &rm))
	out := make(map[string]int64)
	add := func(name string, set attribute.Set, n int64) {
		out[name+"{"+set.Encoded(attribute.DefaultEncoder())+"}"] += n
	}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, int64(p.Count)) //nolint:gosec // a test counts to ten
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			}
		}
	}
	return out
}

func manual() (*sdkmetric.ManualReader, *sdkmetric.MeterProvider) {
	reader := sdkmetric.NewManualReader()
	return reader, sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
}

func TestCategoriesAndUnmeasuredResultsAreCounted(t *testing.T) {
	reader, mp := manual()
	sink := spanattach.Metrics(mp)
	for range 2 {
		require.NoError(t, sink.Consume(t.Context(), turn(rag.SpanRef{}), answered(
			category("recall_warning", "HIT_RETRIEVAL_LIMIT"), without("context_precision", rag.ReasonNoContributions))))
	}
	assert.Equal(t, map[string]int64{
		"rag.evaluation.categories{gen_ai.evaluation.name=recall_warning,rag.evaluation.category=HIT_RETRIEVAL_LIMIT}": 2,
		"rag.evaluation.unmeasured{gen_ai.evaluation.name=context_precision,rag.evaluation.reason=no_contributions}":   2,
	}, collect(t, reader))
}

func TestCountsHaveAHistogramOfTheirOwn(t *testing.T) {
	reader, mp := manual()
	three := score("unsupported_claim_count", 3)
	three.Range = rag.Count
	require.NoError(t, spanattach.Metrics(mp).Consume(t.Context(), turn(rag.SpanRef{}), answered(score("claim_support_rate", .5), three)))

	var data metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &data))
	sums := map[string]float64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		h, ok := m.Data.(metricdata.Histogram[float64])
		require.True(t, ok, m.Name)
		require.Len(t, h.DataPoints, 1, m.Name)
		sums[m.Name] = h.DataPoints[0].Sum
	}
	assert.Equal(t, map[string]float64{"rag.evaluation.score": .5, "rag.evaluation.count": 3}, sums)
}

func TestTagsAreAttributesUpToTheCap(t *testing.T) {
	reader, mp := manual()
	sink := spanattach.Metrics(mp, spanattach.WithTags(2, "tenant", "version"))
	for _, tags := range []map[string]string{
		{"tenant": "a", "version": "1", "unlisted": "x"},
		{"tenant": "a"},
		{"tenant": "b", "version": "1"},
		{"tenant": "c"},
		{"tenant": "a", "version": "1"},
	} {
		s := turn(rag.SpanRef{})
		s.Tags = tags
		require.NoError(t, sink.Consume(t.Context(), s, answered(score("m", 0.5))))
	}
	assert.Equal(t, map[string]int64{
		"rag.evaluation.score{gen_ai.evaluation.name=m,tenant=a,version=1}":         2,
		"rag.evaluation.score{gen_ai.evaluation.name=m,tenant=a}":                   1,
		"rag.evaluation.score{gen_ai.evaluation.name=m,tenant=other,version=other}": 2,
	}, collect(t, reader))
}

func TestInventedCategoriesAreCapped(t *testing.T) {
	reader, mp := manual()
	sink := spanattach.Metrics(mp)
	for i := range 1200 {
		require.NoError(t, sink.Consume(t.Context(), turn(rag.SpanRef{}), answered(category("mine", fmt.Sprint(i)))))
	}
	series := collect(t, reader)
	assert.Len(t, series, 1001)
	assert.EqualValues(t, 200, series["rag.evaluation.categories{gen_ai.evaluation.name=mine,rag.evaluation.category=other}"])
}

func TestMetricsKeepNothingOfABorrowedSample(t *testing.T) {
	reader, mp := manual()
	sink := spanattach.Metrics(mp, spanattach.WithTags(10, "tenant"))
	buf := []byte("a")
	s := turn(rag.SpanRef{})
	s.Tags = map[string]string{"tenant": unsafeString(buf)}
	require.NoError(t, sink.Consume(t.Context(), s, answered(score("m", 0.5), category("c", unsafeString(buf)))))
	buf[0] = 'z'
	assert.Equal(t, map[string]int64{
		"rag.evaluation.score{gen_ai.evaluation.name=m,tenant=a}":                                1,
		"rag.evaluation.categories{gen_ai.evaluation.name=c,rag.evaluation.category=a,tenant=a}": 1,
	}, collect(t, reader))
}

func TestMetricsAllocateNothingOnceWarm(t *testing.T) {
	_, mp := manual()
	sample := turn(refOf(endedSpan(t)))
	for name, sink := range map[string]rag.Sink{
		"plain": spanattach.Metrics(mp), "tagged": spanattach.Metrics(mp, spanattach.WithTags(10, "tenant", "version")),
	} {
		t.Run(name, func(t *testing.T) {
			if raceEnabled {
				t.Skip("the race detector empties pools")
			}
			ctx, e := t.Context(), nine()
			assert.Zero(t, testing.AllocsPerRun(1000, func() { _ = sink.Consume(ctx, sample, e) }))
		})
	}
}

func TestMetricsAreSafeForConcurrentUse(t *testing.T) {
	reader, mp := manual()
	sink := spanattach.Metrics(mp, spanattach.WithTags(4, "tenant"))
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 50 {
				s := turn(rag.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{byte(worker)}, Flags: 1})
				s.Tags = map[string]string{"tenant": fmt.Sprint(i % 10)}
				_ = sink.Consume(t.Context(), s, nine())
			}
		})
	}
	wg.Wait()
	var scores int64
	for name, n := range collect(t, reader) {
		if len(name) > 20 && name[:20] == "rag.evaluation.score" {
			scores += n
		}
	}
	assert.EqualValues(t, 8*50*6, scores)
}

func TestObserveReportsAPipelinesSnapshot(t *testing.T) {
	reader, mp := manual()
	stats := rag.Stats{
		Turns:       map[rag.Outcome]uint64{rag.OutcomeEvaluated: 7, rag.OutcomeQueueFull: 2},
		Queue:       rag.QueueStats{Items: 3, ItemsCapacity: 1024},
		Escalations: rag.EscalationStats{Needed: 4, Checked: 1, Shed: 2, Unchecked: 1, Reasons: map[string]uint64{"hit_limit": 4}},
	}
	reg, err := spanattach.Observe(mp, func() rag.Stats { return stats })
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{
		"rag.evaluation.turns{rag.evaluation.outcome=evaluated}":             7,
		"rag.evaluation.turns{rag.evaluation.outcome=queue_full}":            2,
		"rag.evaluation.escalations{rag.evaluation.outcome=checked}":         1,
		"rag.evaluation.escalations{rag.evaluation.outcome=failed}":          0,
		"rag.evaluation.escalations{rag.evaluation.outcome=shed}":            2,
		"rag.evaluation.escalations{rag.evaluation.outcome=over_budget}":     0,
		"rag.evaluation.escalations{rag.evaluation.outcome=unchecked}":       1,
		"rag.evaluation.escalation.reasons{rag.evaluation.reason=hit_limit}": 4,
		"rag.evaluation.queue.size{}":                                        3,
		"rag.evaluation.queue.capacity{}":                                    1024,
	}, collect(t, reader))
	require.NoError(t, reg.Unregister())
	assert.Empty(t, collect(t, reader))
}

func TestObserveNeedsAFunction(t *testing.T) {
	_, err := spanattach.Observe(nil, nil)
	assert.ErrorContains(t, err, "expected a function")
}
