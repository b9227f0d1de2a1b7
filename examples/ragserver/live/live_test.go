package live_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/live"
)

// collector is an OTLP endpoint that keeps the bodies it is sent, by path.
type collector struct {
	mu  sync.Mutex
	got map[string]string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[r.URL.Path] += string(body)
}

// turn records one turn on a span.
func turn(t *testing.T, p *evalmw.Pipeline) trace.SpanContext {
	t.Helper()
	ctx, span := otel.Tracer("test").Start(t.Context(), "turn")
	defer span.End()
	ctx, end := p.Begin(ctx)
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetQuery("what?")
	rec.Retrieved([]rag.Chunk{{ID: "c", Text: "that", Score: rag.Some(1.0)}}, nil, 1)
	rec.Answered("that", rag.Citation{ChunkID: "c"})
	return span.SpanContext()
}

func quiet(t *testing.T) {
	t.Helper()
	for _, signal := range []string{"TRACES", "METRICS", "LOGS"} {
		t.Setenv("OTEL_"+signal+"_EXPORTER", "")
		t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", "")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
}

func TestNothingConfiguredEvaluatesAndSendsNothing(t *testing.T) {
	quiet(t)
	var evaluated []*rag.Sample
	l, err := live.Start(t.Context(), "test", live.Config{Sinks: []rag.Sink{
		rag.SinkFunc(func(_ context.Context, s *rag.Sample, _ *rag.Evaluation) error {
			evaluated = append(evaluated, s.Clone())
			return nil
		}),
	}})
	require.NoError(t, err)
	span := turn(t, l.Pipeline)
	require.NoError(t, l.Shutdown(t.Context()))
	require.NotEmpty(t, evaluated)
	assert.Equal(t, span.TraceID().String(), evaluated[0].Span.Trace(), "spans have ids all the same")
}

func TestEnvironmentSendsAllSignals(t *testing.T) {
	quiet(t)
	c := &collector{got: make(map[string]string)}
	srv := httptest.NewServer(c)
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	l, err := live.Start(t.Context(), "rag-test", live.Config{})
	require.NoError(t, err)
	turn(t, l.Pipeline)
	require.NoError(t, l.Shutdown(t.Context()))

	c.mu.Lock()
	defer c.mu.Unlock()
	for path, want := range map[string]string{
		"/v1/traces":  "rag.evaluation.context_relevance",
		"/v1/metrics": "rag.evaluation.score",
		"/v1/logs":    "gen_ai.evaluation.result",
	} {
		assert.True(t, strings.Contains(c.got[path], want), "%s has %s", path, want)
		assert.True(t, strings.Contains(c.got[path], "rag-test"), "%s names the service", path)
	}
}

func TestOneSignalMayBeSwitchedOff(t *testing.T) {
	quiet(t)
	c := &collector{got: make(map[string]string)}
	srv := httptest.NewServer(c)
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	l, err := live.Start(t.Context(), "rag-test", live.Config{})
	require.NoError(t, err)
	turn(t, l.Pipeline)
	require.NoError(t, l.Shutdown(t.Context()))
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Contains(t, c.got, "/v1/traces")
	assert.NotContains(t, c.got, "/v1/logs")
}

func TestBadEnvironmentIsAnError(t *testing.T) {
	quiet(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "carrier-pigeon")
	_, err := live.Start(t.Context(), "test", live.Config{})
	assert.ErrorContains(t, err, "setting up OpenTelemetry")
	assert.ErrorContains(t, err, "carrier-pigeon")
}
