package spanhook_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// application is a tracer provider whose one processor is a Hold around a
// processor that records.
type application struct {
	*spanhook.Hold
	next   *recorder
	tp     *sdktrace.TracerProvider
	tracer trace.Tracer
}

func start(opts ...spanhook.HoldOption) *application {
	a := &application{next: new(recorder)}
	a.Hold = spanhook.NewHold(a.next, opts...)
	a.tp = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(a.Hold))
	a.tracer = a.tp.Tracer("test")
	return a
}

// begin starts a span and a turn on it.
func (a *application) begin() (trace.Span, *rag.Sample) {
	_, span := a.tracer.Start(context.Background(), "POST /query", trace.WithAttributes(attribute.String("http.route", "/query")))
	s := &rag.Sample{Span: refOf(span)}
	a.Hold.Hold(s.Span)
	return span, s
}

func (a *application) deliver(t *testing.T, s *rag.Sample, e *rag.Evaluation) {
	t.Helper()
	require.NoError(t, a.Sink().Consume(t.Context(), s, e))
}

func refOf(span trace.Span) rag.SpanRef {
	sc := span.SpanContext()
	return rag.SpanRef{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
}

// recorder is a processor that records what it is told, in order.
type recorder struct {
	mu     sync.Mutex
	spans  []sdktrace.ReadOnlySpan
	calls  []string
	err    error
	onSpan func()
}

func (r *recorder) called(what string, span sdktrace.ReadOnlySpan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, what)
	if span != nil {
		r.spans = append(r.spans, span)
	}
}

func (r *recorder) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (r *recorder) Shutdown(context.Context) error                  { r.called("shutdown", nil); return r.err }

func (r *recorder) ForceFlush(context.Context) error { r.called("flush", nil); return r.err }

func (r *recorder) OnEnd(span sdktrace.ReadOnlySpan) {
	if r.onSpan != nil {
		r.onSpan()
	}
	r.called("span", span)
}

// passed returns the attributes of the spans that were passed on.
func (r *recorder) passed() []map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []map[string]any{}
	for _, span := range r.spans {
		attrs := make(map[string]any)
		for _, a := range span.Attributes() {
			attrs[string(a.Key)] = a.Value.AsInterface()
		}
		out = append(out, attrs)
	}
	return out
}

func evaluation(phase rag.Phase, name string, v float64) *rag.Evaluation {
	r := rag.Scored(v)
	r.Name = name
	return &rag.Evaluation{Phase: phase, Results: []rag.Result{r}}
}

func answer(v float64) *rag.Evaluation { return evaluation(rag.PhaseAnswer, "precision", v) }

var decorated = []map[string]any{{"http.route": "/query", "rag.evaluation.precision": 0.5, "rag.evaluation.outcome": "evaluated"}}
