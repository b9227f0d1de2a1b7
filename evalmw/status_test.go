package evalmw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func statusOf(t *testing.T, p *evalmw.Pipeline, accept string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	req.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	p.StatusHandler().ServeHTTP(w, req)
	return w
}

func statusPipeline(t *testing.T, opts ...evalmw.Option) *evalmw.Pipeline {
	t.Helper()
	verdict := rag.Metric{Name: "verdict", Kind: rag.KindCategorical, Score: func(*rag.View) rag.Result { return rag.Category("pass") }}
	p := newPipeline(t, rag.Config{
		Metrics:   []rag.Metric{chunkCount, answerLength, verdict},
		Escalator: rag.EscalatorFunc(func(*rag.Sample, *rag.Evaluation) []string { return []string{"because"} }),
	}, opts...)
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	turn(p, "<script>alert(1)</script>", "the private answer")
	s := sampleOf(0, 0)
	s.Span = rag.SpanRef{TraceID: [16]byte{0xab, 15: 1}, SpanID: [8]byte{1}}
	s.Answer.Text = "secret"
	p.Submit(context.Background(), s)
	require.NoError(t, p.Flush(context.Background()))
	return p
}

func TestStatusPageForAMachine(t *testing.T) {
	w := statusOf(t, statusPipeline(t), "application/json")
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var st struct {
		SchemaVersion int `json:"schema_version"`
		Submitted     int
		Evaluated     int
		Metrics       []struct {
			Name       string
			Measured   int
			Mean       *float64
			Bins       []int
			Categories map[string]int
			Unmeasured map[string]int
		}
		Latest []struct {
			TraceID string `json:"trace_id"`
			Query   string
			Results []struct{ Name string }
		}
		Escalations struct{ Reasons map[string]int }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &st), w.Body.String())
	assert.Equal(t, 1, st.SchemaVersion)
	assert.Equal(t, 2, st.Submitted)
	assert.Equal(t, 2, st.Evaluated)
	require.Len(t, st.Metrics, 3)
	assert.Equal(t, 1, st.Metrics[0].Measured)
	assert.Equal(t, map[string]int{"no_chunks": 1}, st.Metrics[0].Unmeasured)
	assert.InDelta(t, .2, *st.Metrics[0].Mean, 1e-12)
	assert.Equal(t, 1, st.Metrics[0].Bins[4])
	assert.Equal(t, map[string]int{"pass": 2}, st.Metrics[2].Categories)
	assert.Nil(t, st.Metrics[2].Mean)
	require.Len(t, st.Latest, 2)
	assert.Equal(t, "ab000000000000000000000000000001", st.Latest[0].TraceID, "the latest first")
	assert.Equal(t, map[string]int{"because": 2}, st.Escalations.Reasons)
}

func TestStatusPageForAPerson(t *testing.T) {
	p := statusPipeline(t, evalmw.WithStatusSection("calibration", func() any { return map[string]int{"labels": 25} }),
		evalmw.WithStatusSection("broken", func() any { panic("boom") }))
	w := statusOf(t, p, "text/html,application/xhtml+xml,*/*;q=0.8")
	body := w.Body.String()
	require.Equal(t, http.StatusOK, w.Code, body)
	assert.Contains(t, w.Header().Get("Content-Type"), "text/html")
	assert.Contains(t, body, "chunk_count")
	assert.Contains(t, body, "ab000000000000000000000000000001")
	assert.Contains(t, body, "labels")
	assert.Contains(t, body, "this section panicked")
	assert.NotContains(t, body, "<script>")
	assert.NotContains(t, body, "secret", "no user text")
	assert.NotContains(t, body, "private")

	p = statusPipeline(t, evalmw.WithStatusText())
	assert.Contains(t, statusOf(t, p, "text/html").Body.String(), "the private answer", "unless switched on")
}

func TestStatusPageIsReadOnly(t *testing.T) {
	w := httptest.NewRecorder()
	statusPipeline(t).StatusHandler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	var none *evalmw.Pipeline
	assert.Equal(t, http.StatusOK, statusOf(t, none, "text/html").Code)
}

// Escalators and metrics may answer with strings of the sample, whose memory
// the next turn overwrites, and with as many as they like.
func TestStatusKeepsItsOwnCopiesOfAFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flags := rag.EscalatorFunc(func(s *rag.Sample, _ *rag.Evaluation) []string { return s.Answer.Flags })
		byTenant := rag.Metric{Name: "by_tenant", PerField: true, Score: func(v *rag.View) rag.Result {
			return rag.Scored(1).WithLabel(v.Sample().Tags["tenant"])
		}}
		p := newPipeline(t, rag.Config{Metrics: []rag.Metric{byTenant}, Escalator: flags})
		for i := range 40 {
			s := &rag.Sample{Answer: rag.Answer{Flags: []string{"again and again", fmt.Sprintf("flag-%02d", i)}}, Tags: map[string]string{"tenant": fmt.Sprintf("tenant-%02d", i)}}
			for f := range 1000 {
				s.Extractions = append(s.Extractions, rag.Extraction{Field: fmt.Sprintf("field-%02d-%04d", i, f)})
			}
			p.Submit(t.Context(), s)
			require.NoError(t, p.Flush(t.Context()))
		}
		require.NoError(t, p.Shutdown(t.Context()))

		reasons := p.Stats().Escalations.Reasons
		assert.Len(t, reasons, 17, "sixteen and the others")
		assert.EqualValues(t, 1, reasons["flag-03"])
		assert.EqualValues(t, 40, reasons["again and again"], "a map takes over the memory of an equal key")
		assert.EqualValues(t, 25, reasons["other"])

		w := statusOf(t, p, "application/json")
		var page struct {
			Latest []struct {
				Escalation []string
				Results    []struct{ Field, Label string }
			}
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &page))
		for i, turn := range page.Latest {
			assert.Equal(t, []string{"again and again", fmt.Sprintf("flag-%02d", 39-i)}, turn.Escalation)
			assert.Len(t, turn.Results, 64)
			assert.Equal(t, fmt.Sprintf("field-%02d-0000", 39-i), turn.Results[0].Field)
			assert.Equal(t, fmt.Sprintf("tenant-%02d", 39-i), turn.Results[0].Label)
		}
	})
}

func TestStatusPageShowsHowManyForMetricsThatCount(t *testing.T) {
	var n float64
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{
		Name: "things", Range: rag.Count, Score: func(*rag.View) rag.Result { n += 2; return rag.Scored(n) },
	}}})
	require.NoError(t, err)
	p := evalmw.New(ev)
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	for range 15 { // 2, 4, … 30
		p.Submit(t.Context(), &rag.Sample{})
		require.NoError(t, p.Flush(t.Context()))
	}
	var st struct {
		Metrics []struct {
			Counts bool
			Mean   float64
			Bins   []int
		}
	}
	require.NoError(t, json.Unmarshal(statusOf(t, p, "application/json").Body.Bytes(), &st))
	require.Len(t, st.Metrics, 1)
	assert.True(t, st.Metrics[0].Counts)
	assert.InDelta(t, 16, st.Metrics[0].Mean, 0)
	assert.Equal(t, []int{0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 6}, st.Metrics[0].Bins, "19 and more share the last")
	page := statusOf(t, p, "text/html").Body.String()
	assert.Contains(t, page, `title="19 and more: 6"`)
	assert.Contains(t, page, "things 30<", "a count has no decimals")
}
