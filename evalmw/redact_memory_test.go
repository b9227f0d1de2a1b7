package evalmw_test

import (
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

func TestTextThatRedactionMadeCountsInTheQueuesBytes(t *testing.T) {
	const longer = 100_000
	grow := evalmw.WithRedaction(func(s string) string { return strings.Repeat(s, longer/len(s)) })
	for name, tt := range map[string]struct {
		budget int64
		want   rag.Outcome
	}{
		"within the budget": {1 << 20, rag.OutcomeEvaluated},
		"beyond it":         {longer, rag.OutcomeQueueBytes},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := new(witness)
				p := newPipeline(t, w.config(), grow, evalmw.WithQueue(10, tt.budget))
				ctx, end := p.Begin(t.Context())
				evalmw.FromContext(ctx).Retrieved([]rag.Chunk{{Text: "chunk"}}, nil, 0)
				time.Sleep(time.Second) // the retrieval is redacted and delivered
				synctest.Wait()
				require.Equal(t, []rag.Phase{rag.PhaseRetrieval}, w.at)
				end()
				if tt.want == rag.OutcomeEvaluated {
					assert.Greater(t, p.Stats().Queue.Bytes, int64(longer))
				}
				require.NoError(t, p.Shutdown(t.Context()))
				assert.Zero(t, p.Stats().Queue.Bytes)
				assertStats(t, p, map[rag.Outcome]uint64{tt.want: 1})
			})
		})
	}
}

func TestRequestsMayRecordOnWhileTheirRetrievalIsRedacted(t *testing.T) {
	w := new(witness)
	p := newPipeline(t, w.config(), evalmw.WithRedaction(evalmw.Redact), evalmw.WithQueue(1000, 1<<30))
	var requests sync.WaitGroup
	for range 8 {
		requests.Go(func() {
			for range 20 {
				ctx, end := p.Begin(t.Context())
				rec := evalmw.FromContext(ctx)
				for range 3 {
					rec.Retrieved([]rag.Chunk{{ID: "c", Text: "mail " + address}, {ID: "d", HeadingPath: address}}, nil, 2)
					rec.SetQuery("who is " + address)
				}
				for piece := range strings.SplitAfterSeq("It is "+address+", password="+secret, "e") {
					_, _ = rec.Write([]byte(piece))
				}
				end()
			}
		})
	}
	requests.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	assertOnlyMarks(t, w.text())
	requireConserved(t, p.Stats())
}

func TestRedactionMayCallThePipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *evalmw.Pipeline
		var submitted atomic.Bool
		p = newPipeline(t, rag.Config{}, evalmw.WithRedaction(func(s string) string {
			if submitted.CompareAndSwap(false, true) {
				p.Submit(t.Context(), sampleOf(1, 10))
				p.StatusHandler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			}
			return evalmw.Redact(s)
		}))
		personal(p)
		time.Sleep(time.Second)
		require.NoError(t, p.Shutdown(t.Context()))
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 2})
	})
}

func TestRetrievalWhoseRedactionPanickedIsNotDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(witness)
		var failed atomic.Bool
		p := newPipeline(t, w.config(), evalmw.WithRedaction(func(s string) string {
			if failed.CompareAndSwap(false, true) {
				panic(s)
			}
			return evalmw.Redact(s)
		}))
		ctx, end := p.Begin(t.Context())
		rec := evalmw.FromContext(ctx)
		rec.Retrieved([]rag.Chunk{{Text: "mail " + address}}, nil, 0)
		time.Sleep(time.Second)
		assert.Empty(t, w.text())
		rec.Answered("It is " + address)
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		assertOnlyMarks(t, w.text())
		assertStats(t, p, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1})
	})
}

func TestTextThatWasCutIsRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(witness)
		p := newPipeline(t, w.config(), evalmw.WithRedaction(evalmw.Redact), evalmw.WithMaxSampleBytes(1<<10))
		ctx, end := p.Begin(t.Context())
		_, _ = evalmw.FromContext(ctx).Write([]byte("It is " + address + strings.Repeat(" é", 1<<10)))
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		assertOnlyMarks(t, w.text())
		assert.Contains(t, w.text(), "Truncated:true")
	})
}
