package evalmw_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// blocked returns a pipeline whose worker is stuck in its sink, so that the
// queue fills up, and what lets it go.
func blocked(t testing.TB, opts ...evalmw.Option) (*evalmw.Pipeline, func()) {
	t.Helper()
	entered, release := make(chan struct{}), make(chan struct{})
	first := true
	p := newPipeline(t, rag.Config{
		Metrics: []rag.Metric{answerLength},
		Sinks: []rag.Sink{rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error {
			if first {
				first = false
				close(entered)
				<-release
			}
			return nil
		})},
	}, opts...)
	turn(p, "first", "x")
	<-entered
	return p, func() {
		close(release)
		require.NoError(t, p.Shutdown(context.Background()))
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // the second one empties the pools' victims
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Chunks are cut from 1 MiB documents: keeping the strings as they are would
// hold a thousand times what the budget says.
func TestFullQueueKeepsToItsByteBudget(t *testing.T) {
	const budget = 16 << 20
	p, release := blocked(t, evalmw.WithQueue(100_000, budget))
	defer release()
	before := heap()
	for p.Stats().Turns[rag.OutcomeQueueBytes] == 0 {
		doc := strings.Repeat("the quick brown fox ", 1<<20/20)
		s := &rag.Sample{Query: "q", Answer: rag.Answer{Text: strings.Clone(doc[:600])}}
		for i := range 10 {
			s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{ID: "c", Text: doc[i*1500 : (i+1)*1500]})
		}
		p.Submit(context.Background(), s)
	}
	held := heap() - before
	t.Logf("queue %d items, %.2f MiB accounted, heap %.2f MiB = %.3f of the budget",
		p.Stats().Queue.Items, float64(p.Stats().Queue.Bytes)/(1<<20), float64(held)/(1<<20), float64(held)/budget)
	assert.LessOrEqual(t, held, int64(budget*6/5))
	assert.Greater(t, p.Stats().Queue.Items, 500, "about a thousand turns of this shape should fit")
}

// Elements without text take memory too.
func TestGiantListsAreCutAndMarked(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithQueue(10, 64<<20))
	const many, most = 300_000, 10_000
	limits := rag.Limits{}
	for i := range many {
		limits[strconv.Itoa(i)] = 1
	}
	ctx, end := p.Begin(t.Context())
	rec := evalmw.FromContext(ctx)
	rec.SetRetrieval(rag.Retrieval{
		Chunks: append(make([]rag.Chunk, many), rag.Chunk{Methods: make([]string, many)}), Limits: limits,
		Folders: rag.Folders{Selected: make([]string, many)},
	})
	rec.Extracted(make([]rag.Extraction, many)...)
	rec.Extracted(make([]rag.Extraction, many)...)
	rec.SetAnswer(rag.Answer{
		Citations: make([]rag.Citation, many), Speakers: make([]rag.Speaker, many), Flags: make([]string, many),
	})
	end()
	require.NoError(t, p.Shutdown(t.Context()))
	got := sink.all()
	require.NotEmpty(t, got)
	s := got[len(got)-1].sample
	assert.True(t, s.Truncated)
	assert.Equal(t, []int{most, most, most, most, most, most}, []int{
		len(s.Retrieval.Chunks), len(s.Retrieval.Limits), len(s.Extractions), len(s.Answer.Citations), len(s.Answer.Speakers),
		len(s.Retrieval.Folders.Selected) + len(s.Answer.Flags),
	})
}

// Servers such as fasthttp overwrite the strings that they hand out.
func TestLabelsAreCopiedHoweverOftenTheyComeBack(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithMaxSampleBytes(1<<10))
	ctx, end := p.Begin(t.Context())
	rec := evalmw.FromContext(ctx)
	buf := []byte("search")
	name := unsafe.String(&buf[0], len(buf))
	for range 1000 {
		rec.Stage(name, time.Millisecond)
		rec.Tag(name, "v")
	}
	copy(buf, "??????")
	rec.Answered(strings.Repeat("x", 1<<10))
	rec.Stage("late", 1)
	rec.Tag("late", "v")
	end()
	require.NoError(t, p.Shutdown(t.Context()))
	s := sink.all()[0].sample
	assert.Equal(t, map[string]time.Duration{"search": time.Second}, s.Stages)
	assert.Equal(t, map[string]string{"search": "v"}, s.Tags)
	assert.Greater(t, len(s.Answer.Text), 1000, "the same label takes no more room")
}

// A text beyond the half of what a turn may hold once got a block for what was
// left after it: it lost its end unmarked, or panicked into the handler.
func TestTextUpToTheLimitIsKeptWhole(t *testing.T) {
	const limit = 64 << 10
	for _, n := range []int{limit / 2, limit * 3 / 5, limit - 1, limit, limit + 1, 3 * limit} {
		sink := new(collect)
		p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithMaxSampleBytes(limit))
		ctx, end := p.Begin(t.Context())
		require.NotPanics(t, func() { evalmw.FromContext(ctx).Answered(strings.Repeat("x", n)) }, "%d bytes", n)
		end()
		require.NoError(t, p.Shutdown(t.Context()))
		got := sink.all()[0].sample
		assert.Len(t, got.Answer.Text, min(n, limit), "%d bytes", n)
		assert.Equal(t, n > limit, got.Truncated, "%d bytes", n)
	}
}

func TestGiantTurnIsCutAndMarked(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithMaxSampleBytes(1<<10))
	ctx, end := p.Begin(context.Background())
	rec := evalmw.FromContext(ctx)
	rec.SetQuery(strings.Repeat("é", 400))
	for range 10 {
		_, err := rec.Write([]byte(strings.Repeat("日本", 50)))
		require.NoError(t, err)
	}
	end()
	require.NoError(t, p.Shutdown(context.Background()))
	got := sink.all()[0].sample
	assert.True(t, got.Truncated)
	assert.True(t, utf8.ValidString(got.Answer.Text), "cut between characters")
	assert.True(t, utf8.ValidString(got.Query))
	assert.LessOrEqual(t, len(got.Query)+len(got.Answer.Text), 1<<10)
}

func TestArgumentsMayBeReusedAfterRecording(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}})
	ctx, end := p.Begin(context.Background())
	rec := evalmw.FromContext(ctx)
	chunks := []rag.Chunk{{ID: "a", Text: "before", Methods: []string{"bm25"}}}
	limits := rag.Limits{"bm25": 5}
	rec.Retrieved(chunks, limits, 0)
	chunks[0].Text, chunks[0].Methods[0], limits["bm25"] = "after", "after", 9
	end()
	require.NoError(t, p.Shutdown(context.Background()))
	got := sink.all()[0].sample.Retrieval
	assert.Equal(t, "before", got.Chunks[0].Text)
	assert.Equal(t, []string{"bm25"}, got.Chunks[0].Methods)
	assert.Equal(t, rag.Limits{"bm25": 5}, got.Limits)
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := newPipeline(t, rag.Config{Metrics: []rag.Metric{answerLength}}, evalmw.WithQueue(1<<20, 1<<40))
	defer func() { require.NoError(t, p.Shutdown(context.Background())) }()
	s := sampleOf(10, 1500)
	flush := func() { require.NoError(t, p.Flush(context.Background())) }

	t.Run("handing over a turn", func(t *testing.T) {
		for range 2000 {
			p.Submit(context.Background(), s)
		}
		flush()
		assert.Zero(t, testing.AllocsPerRun(200, func() { p.Submit(context.Background(), s) }))
		flush()
	})
	t.Run("dropping a turn", func(t *testing.T) {
		full, release := blocked(t, evalmw.WithQueue(1, 1<<40))
		defer release()
		full.Submit(context.Background(), s)
		assert.Zero(t, testing.AllocsPerRun(200, func() { full.Submit(context.Background(), s) }))
		assert.Greater(t, full.Stats().Turns[rag.OutcomeQueueFull], uint64(100))
	})
	t.Run("the middleware", func(t *testing.T) {
		chunks := s.Retrieval.Chunks
		limits := rag.Limits{"bm25": 20}
		handler := p.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			rec := evalmw.FromContext(r.Context())
			rec.SetQuery("what?")
			rec.Retrieved(chunks, limits, 30)
			rec.Answered("an answer")
		}))
		req := httptest.NewRequest(http.MethodPost, "/query", nil)
		for range 2000 {
			handler.ServeHTTP(nil, req)
		}
		flush()
		assert.LessOrEqual(t, testing.AllocsPerRun(200, func() { handler.ServeHTTP(nil, req) }), 2.0)
	})
}

func TestReplacedChunksKeepNothingOfTheOldOnes(t *testing.T) {
	sink := new(collect)
	p := newPipeline(t, rag.Config{Sinks: []rag.Sink{sink}}, evalmw.WithInline())
	ctx, end := p.Begin(context.Background())
	rec := evalmw.FromContext(ctx)
	rec.Retrieved([]rag.Chunk{{ID: "old", Text: "old", DocID: "old", Page: "1", Score: rag.Some(.5), Methods: []string{"bm25"}}}, nil, 0)
	rec.Retrieved([]rag.Chunk{{Text: "new"}}, nil, 0)
	end()
	require.NoError(t, p.Shutdown(context.Background()))
	got := sink.all()
	assert.Equal(t, []rag.Chunk{{Text: "new", Methods: []string{}}}, got[len(got)-1].sample.Retrieval.Chunks)
}
