package evalmw_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	address = "jane.doe@example.com"
	secret  = "hunter2!"
)

// witness is a metric, an escalator, a checker and a sink, and remembers every
// text that it was shown.
type witness struct {
	mu   sync.Mutex
	seen strings.Builder
	at   []rag.Phase // of the deliveries
}

func (w *witness) look(s *rag.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(&w.seen, "%+v\n", *s)
}

func (w *witness) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

func (w *witness) metric() rag.Metric {
	return rag.Metric{Name: "witness", AtRetrieval: true, Score: func(v *rag.View) rag.Result {
		w.look(v.Sample())
		return rag.Scored(1)
	}}
}

func (w *witness) Needs(s *rag.Sample, _ *rag.Evaluation) []string {
	w.look(s)
	return []string{"always"}
}

func (w *witness) Check(_ context.Context, s *rag.Sample, _ *rag.Evaluation) rag.Escalation {
	w.look(s)
	return rag.Escalation{Status: rag.EscalationChecked, Results: []rag.Result{{Name: "checked", Kind: rag.KindScore, Value: 1}}}
}

func (w *witness) Consume(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
	w.look(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = append(w.at, e.Phase)
	return nil
}

func (w *witness) config() rag.Config {
	return rag.Config{Metrics: []rag.Metric{w.metric()}, Escalator: w, Sinks: []rag.Sink{w}}
}

// personal records a turn that has something to hide in every text.
func personal(p *evalmw.Pipeline) {
	ctx, end := p.Begin(context.Background())
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetQuery("who is " + address + "?")
	rec.Retrieved([]rag.Chunk{{ID: "c1", Text: "mail " + address, HeadingPath: "Staff > " + address}}, nil, 0)
	rec.Extracted(rag.Extraction{Field: "mail", Value: address, Evidence: "mail " + address})
	rec.SetAnswer(rag.Answer{
		Text:     "It is " + address + ", password=" + secret,
		Speakers: []rag.Speaker{{Name: address, Role: "of " + address}},
	})
}

func assertOnlyMarks(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, text, address)
	assert.NotContains(t, text, secret)
	assert.Contains(t, text, "[EMAIL]")
}

func TestMetricsJudgesSinksAndTheStatusPageSeeOnlyMarks(t *testing.T) {
	for name, opts := range map[string][]evalmw.Option{
		"on the worker": nil,
		"inline":        {evalmw.WithInline()},
		"by reference":  {evalmw.WithoutCopy()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := new(witness)
				p := newPipeline(t, w.config(), append(opts, evalmw.WithRedaction(evalmw.Redact), evalmw.WithStatusText())...)
				personal(p)
				synctest.Wait()
				require.NoError(t, p.Shutdown(t.Context()))

				assertOnlyMarks(t, w.text())
				assert.Contains(t, w.text(), "It is [EMAIL], password=[SECRET]", "equal values have equal marks")
				assert.Contains(t, w.at, rag.PhaseCheck)
				page := httptest.NewRecorder()
				p.StatusHandler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/", nil))
				assertOnlyMarks(t, page.Body.String())
				assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
			})
		})
	}
}

func TestCapturedBodiesAreRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(witness)
		p := newPipeline(t, w.config(), evalmw.WithRedaction(evalmw.Redact))
		h := p.Capture(evalmw.Capture{Query: "q", Answer: "a", Chunks: "c"})(http.HandlerFunc(
			func(rw http.ResponseWriter, r *http.Request) {
				_, _ = r.Body.Read(make([]byte, 1024))
				rw.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(rw, `{"a":"it is %s","c":["mail %[1]s"]}`, address)
			}))
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"q":"who is `+address+`?"}`))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
		require.NoError(t, p.Shutdown(t.Context()))

		assertOnlyMarks(t, w.text())
		assert.Contains(t, w.text(), "it is [EMAIL]")
	})
}

func TestWhatTheCallerHoldsIsNotRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{}, evalmw.WithRedaction(evalmw.Redact), evalmw.WithoutCopy())
		s := sampleOf(1, 1)
		s.Retrieval.Chunks[0].Text = address
		s.Extractions = []rag.Extraction{{Value: address}}
		s.Answer.Speakers = []rag.Speaker{{Name: address}}
		p.Submit(t.Context(), s)
		require.NoError(t, p.Shutdown(t.Context()))

		assert.Equal(t, address, s.Retrieval.Chunks[0].Text)
		assert.Equal(t, address, s.Extractions[0].Value)
		assert.Equal(t, address, s.Answer.Speakers[0].Name)
	})
}

func TestPanickingRedactionDropsTheTurnAndTellsNoText(t *testing.T) {
	for name, opts := range map[string][]evalmw.Option{"on the worker": nil, "inline": {evalmw.WithInline()}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := new(witness)
				var told []error
				p := newPipeline(t, w.config(), append(opts, evalmw.WithStatusText(),
					evalmw.WithRedaction(func(s string) string { panic(errors.New(s)) }),
					evalmw.WithErrorHandler(func(err error) { told = append(told, err) }))...)
				personal(p)
				require.NoError(t, p.Shutdown(t.Context()))

				assert.Empty(t, w.text())
				require.Len(t, told, 1)
				assert.ErrorContains(t, told[0], "*errors.errorString")
				assert.NotContains(t, told[0].Error(), address)
				page := httptest.NewRecorder()
				p.StatusHandler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/", nil))
				assert.NotContains(t, page.Body.String(), address)
				assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomePanicked: 1})
			})
		})
	}
}

func TestRequestsDoNotWaitForRedaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t, rag.Config{}, evalmw.WithRedaction(func(s string) string {
			time.Sleep(time.Second)
			return s
		}))
		start := time.Now()
		turn(p, "r", "yes")
		assert.Zero(t, time.Since(start))
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
	})
}

func TestEachChunkIsRedactedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		p := newPipeline(t, rag.Config{}, evalmw.WithRedaction(func(s string) string {
			if strings.HasPrefix(s, "chunk") {
				calls.Add(1)
			}
			return s
		}))
		ctx, end := p.Begin(t.Context())
		rec := evalmw.FromContext(ctx)
		rec.Retrieved([]rag.Chunk{{Text: "chunk 1"}}, nil, 0)
		time.Sleep(time.Second) // the retrieval is evaluated
		assert.EqualValues(t, 1, calls.Load())
		rec.Answered("yes")
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		assert.EqualValues(t, 1, calls.Load())
	})
}

func TestChunksThatReplaceOthersAreRedactedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(witness)
		p := newPipeline(t, w.config(), evalmw.WithRedaction(evalmw.Redact))
		ctx, end := p.Begin(t.Context())
		rec := evalmw.FromContext(ctx)
		rec.Retrieved([]rag.Chunk{{Text: "first " + address}}, nil, 0)
		time.Sleep(time.Second) // the retrieval is evaluated
		rec.Retrieved([]rag.Chunk{{Text: "second " + address}}, nil, 0)
		end()
		require.NoError(t, p.Shutdown(t.Context()))

		assertOnlyMarks(t, w.text())
		assert.Contains(t, w.text(), "first [EMAIL]")
		assert.Contains(t, w.text(), "second [EMAIL]")
	})
}

func TestRedactionOfCleanTextAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	s := sampleOf(10, 1500)
	cost := func(opts ...evalmw.Option) float64 {
		p := newPipeline(t, rag.Config{}, append(opts, evalmw.WithInline())...)
		defer func() { require.NoError(t, p.Shutdown(t.Context())) }()
		return testing.AllocsPerRun(200, func() { p.Submit(t.Context(), s) })
	}
	assert.LessOrEqual(t, cost(evalmw.WithRedaction(evalmw.Redact)), cost())
}

func ExampleWithRedaction() {
	sink := rag.SinkFunc(func(_ context.Context, s *rag.Sample, _ *rag.Evaluation) error {
		fmt.Println(s.Answer.Text)
		return nil
	})
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{answerLength}, Sinks: []rag.Sink{sink}})
	if err != nil {
		panic(err)
	}
	p := evalmw.New(ev, evalmw.WithRedaction(evalmw.Redact))
	ctx, end := p.Begin(context.Background())
	evalmw.FromContext(ctx).Answered("Write to jane.doe@example.com or call 212-555-0123.")
	end()
	_ = p.Shutdown(context.Background())
	// Output: Write to [EMAIL] or call [PHONE].
}
