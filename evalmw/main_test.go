package evalmw_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a real server. It is closed before the pipeline, which was
// made first.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// fetch does a request and returns the whole body.
func fetch(t *testing.T, client *http.Client, req *http.Request) string {
	t.Helper()
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

func request(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	return req
}

// oneTurn waits for the only turn and returns its sample.
func oneTurn(t *testing.T, sink *evaltest.Sink) *rag.Sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := sink.Wait(ctx, 1)
	require.NoError(t, err)
	require.Len(t, got, 1)
	return got[0].Sample
}

// ended waits until n turns have ended in some way and returns the outcomes.
func ended(t *testing.T, p *evalmw.Pipeline, n uint64) map[rag.Outcome]uint64 {
	t.Helper()
	require.NoError(t, p.Flush(t.Context()))
	require.Eventually(t, func() bool {
		s := p.Stats()
		return s.Count(func(rag.Outcome) bool { return true }) >= n
	}, 10*time.Second, time.Millisecond)
	s := p.Stats()
	return s.Turns
}
