package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// silent switches off what the environment of the tests might export.
func silent(t *testing.T) {
	t.Helper()
	for _, signal := range []string{"TRACES", "METRICS", "LOGS"} {
		t.Setenv("OTEL_"+signal+"_EXPORTER", "none")
	}
}

func TestDoctorReadsARunningService(t *testing.T) {
	silent(t)
	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default()})
	require.NoError(t, err)
	p := evalmw.New(ev)
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	srv := httptest.NewServer(p.StatusHandler())
	t.Cleanup(srv.Close)

	out, _, code := runIn(t, "", "doctor", "--status", srv.URL)
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `!!  service +no turn has reached the pipeline`, out)

	ctx, end := p.Begin(t.Context())
	evalmw.FromContext(ctx).Answered("an answer")
	end()
	_, end = p.Begin(t.Context())
	end() // records nothing
	require.NoError(t, p.Flush(t.Context()))
	out, _, code = runIn(t, "", "doctor", "--status", srv.URL)
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `ok  service +1 of 2 turns evaluated`, out)
	assert.Regexp(t, `!!  no_content +1 turns \(50.0%\): the handler recorded nothing`, out)
	assert.Regexp(t, `--  context_relevance +never measured: no_chunks 1`, out)
}

func TestDoctorRefusesAPageThatIsNone(t *testing.T) {
	silent(t)
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	out, _, code := runIn(t, "", "doctor", "--status", srv.URL)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "expected 200, found 404")
}
