package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

const (
	salesDoc   = "tq-3ffd9053"
	salesQuery = "What is the amount of total sales in 2019?"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what the tests break on purpose
	os.Exit(m.Run())
}

type built struct {
	corpus *corpus.Corpus
	index  *index.Index
}

// buildOnce shares one index among the tests; it lives as long as they do.
var buildOnce = sync.OnceValues(func() (built, error) {
	c, ix, err := service.Build(context.Background(), nil)
	return built{c, ix}, err
})

func config(t testing.TB) service.Config {
	t.Helper()
	b, err := buildOnce()
	require.NoError(t, err)
	return service.Config{Corpus: b.corpus, Index: b.index}
}

// pipeline is one with all inline metrics and a sink that records.
func pipeline(t testing.TB) (*evalmw.Pipeline, *evaltest.Sink) {
	t.Helper()
	return evaltest.NewPipeline(t, metric.Default()...)
}

// evaluated returns the n turns that were evaluated. It waits for them: of a
// long response the caller has all before the handler returns.
func evaluated(t testing.TB, sink *evaltest.Sink, n int) []evaltest.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	turns, err := sink.Wait(ctx, n)
	require.NoError(t, err)
	require.Len(t, turns, n)
	return turns
}

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

// post sends a request named "r1" and returns its response with its body.
func post(t testing.TB, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("X-Request-Id", "r1")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(text)
}

func ask(question, doc, more string) string {
	q, _ := json.Marshal(question)
	return `{"question":` + string(q) + `,"doc_id":"` + doc + `"` + more + `}`
}

// sampleIn reads a body as `touchstone replay` will.
func sampleIn(t testing.TB, body string) *rag.Sample {
	t.Helper()
	var samples []*rag.Sample
	for s, err := range rag.ReadSamples(strings.NewReader(body)) {
		require.NoError(t, err)
		samples = append(samples, s)
	}
	require.Len(t, samples, 1)
	return samples[0]
}

func TestQueryAnswersInTheWireFormOfASample(t *testing.T) {
	srv := serve(t, service.New(config(t)).Handler())
	resp, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"recorded","system":"tagop"`))
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))

	s := sampleIn(t, body)
	assert.Equal(t, "r1", s.ID)
	assert.Equal(t, salesQuery, s.Query)
	assert.Equal(t, rag.Limits{"bm25": 20, "knn": 20}, s.Retrieval.Limits)
	assert.GreaterOrEqual(t, s.Retrieval.BeforeFilter, len(s.Retrieval.Chunks))
	require.NotEmpty(t, s.Retrieval.Chunks)
	for i, c := range s.Retrieval.Chunks {
		assert.Equal(t, salesDoc, c.DocID)
		assert.Equal(t, i+1, c.Rank)
		assert.NotEmpty(t, c.Text)
		assert.NotEmpty(t, c.Methods)
	}
	assert.Equal(t, "$1,496.5 million", s.Answer.Text)
	assert.Equal(t, rag.Quantity{Number: rag.Some(1496.5e6), Unit: "USD"}, s.Answer.Value)
	assert.Equal(t, []rag.Citation{{ChunkID: salesDoc + "#table", DocID: salesDoc, TableID: s.Answer.Citations[0].TableID}}, s.Answer.Citations)
	assert.Equal(t, rag.Some(false), s.Answer.Abstained)
	assert.Equal(t, "tagop", s.Model)
	assert.Empty(t, s.Metadata, "a key that the wire form does not know")
	for _, stage := range []string{"bm25", "embed", "knn", "fuse", "generate"} {
		assert.Contains(t, s.Stages, stage)
	}
}

func TestQueryRecordsWhatItAnswers(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	srv := serve(t, service.New(cfg).Handler())
	for _, mode := range []string{service.Extractive, service.Recorded} {
		t.Run(mode, func(t *testing.T) {
			sink.Reset()
			_, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"`+mode+`"`))
			turns := evaluated(t, sink, 1)
			assertSameTurn(t, sampleIn(t, body), turns[0].Sample)
			relevance, ok := turns[0].Evaluation.Find("context_relevance")
			assert.True(t, ok && relevance.Measured())
		})
	}
}

// assertSameTurn compares what the caller saw with what was evaluated.
func assertSameTurn(t testing.TB, seen, recorded *rag.Sample) {
	t.Helper()
	a, err := json.Marshal(seen)
	require.NoError(t, err)
	b, err := json.Marshal(recorded)
	require.NoError(t, err)
	var x, y map[string]any
	require.NoError(t, json.NewDecoder(bytes.NewReader(a)).Decode(&x))
	require.NoError(t, json.NewDecoder(bytes.NewReader(b)).Decode(&y))
	delete(x, "stages_ms") // rounded on the wire
	delete(y, "stages_ms")
	assert.Equal(t, x, y)
}

func TestExtractIsATurnForEachField(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	srv := serve(t, service.New(cfg).Handler())
	resp, body := post(t, srv.URL+"/extract", `{"doc_id":"`+salesDoc+`","fields":[
		{"name":"sales","question":"`+salesQuery+`"},
		{"name":"tenure","question":"How long is Leigh Fox's tenure with the company?"}]}`)
	require.Equal(t, http.StatusOK, resp.StatusCode, body)

	var answered struct{ Samples []*rag.Sample }
	require.NoError(t, json.Unmarshal([]byte(body), &answered))
	require.Len(t, answered.Samples, 2)
	sales, tenure := answered.Samples[0], answered.Samples[1]
	assert.Equal(t, "r1/sales", sales.ID)
	assert.Len(t, sales.Extractions, 6, "five systems and the extractive source")
	assert.True(t, slices.ContainsFunc(sales.Extractions, func(x rag.Extraction) bool { return x.Evidence != "" }))
	assert.Equal(t, rag.Some(1496.5e6), sales.Answer.Value.Number)
	assert.NotEmpty(t, sales.Answer.Citations)
	assert.Empty(t, tenure.Extractions)
	assert.Equal(t, rag.Some(true), tenure.Answer.Abstained)

	turns := evaluated(t, sink, 2)
	for i, turn := range turns {
		assertSameTurn(t, answered.Samples[i], turn.Sample)
	}
	agreement, ok := turns[0].Evaluation.Find("multi_source_agreement")
	assert.True(t, ok && agreement.Measured())
	require.NoError(t, p.Flush(t.Context()))
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 2}, p.Stats().Turns, "the request around them is no turn")
}
