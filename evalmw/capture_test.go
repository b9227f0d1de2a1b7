package evalmw_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// replying is a handler that cannot be edited.
func replying(contentType string, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for _, part := range parts {
			_, _ = io.WriteString(w, part)
		}
	}
}

func TestCaptureReadsBodies(t *testing.T) {
	scored := func(id, doc, text string, score float64) rag.Chunk {
		return rag.Chunk{ID: id, DocID: doc, Text: text, Score: rag.Some(score)}
	}
	for _, c := range []struct {
		name    string
		capture evalmw.Capture
		path    string
		request string
		handler http.HandlerFunc
		want    rag.Sample
	}{
		{
			name:    "JSON with the usual names",
			capture: evalmw.Capture{Query: "question", Answer: "result.answer", Chunks: "result.sources", Citations: "result.cited"},
			request: `{"question":"capital?"}`,
			handler: replying("application/json; charset=utf-8",
				`{"result":{"answer":"Paris","cited":["c1"],"sources":[`+
					`{"id":"c1","source":"atlas","content":"Paris is…","score":0.5},{"chunk_id":"c2","url":"u","text":"Lyon","relevance_score":"0.25"}]}}`),
			want: rag.Sample{
				Query: "capital?",
				Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
					scored("c1", "atlas", "Paris is…", 0.5), scored("c2", "u", "Lyon", 0.25),
				}},
				Answer: rag.Answer{Text: "Paris", Citations: []rag.Citation{{ChunkID: "c1"}}},
			},
		},
		{
			name: "JSON with paths of its own and no content type",
			capture: evalmw.Capture{
				Query: "messages.-1.content", Answer: "choices.0.text", Chunks: "hits.*._source",
				ChunkID: "meta.nr", ChunkText: "body",
			},
			request: `{"messages":[{"content":"first"},{"content":"last"}]}`,
			handler: replying("", `{"choices":[{"text":"A"},{"text":"B"}],"hits":[{"_source":{"meta":{"nr":7},"body":"text"}}]}`),
			want: rag.Sample{
				Query:     "last",
				Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "7", Text: "text"}}},
				Answer:    rag.Answer{Text: "A"},
			},
		},
		{
			name:    "chunks that are plain strings",
			capture: evalmw.Capture{Answer: "a", Chunks: "context"},
			handler: replying("application/json", `{"a":"x","context":["one","two"]}`),
			want: rag.Sample{
				Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{Text: "one"}, {Text: "two"}}},
				Answer:    rag.Answer{Text: "x"},
			},
		},
		{
			name:    "nothing was found",
			capture: evalmw.Capture{Answer: "a", Chunks: "context"},
			handler: replying("application/json", `{"a":"x","context":[]}`),
			want:    rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{}}, Answer: rag.Answer{Text: "x"}},
		},
		{
			name:    "the query in the URL",
			capture: evalmw.Capture{Query: "?q", Answer: "*"}, path: "/?q=capital%3F",
			handler: replying("text/plain", "Pa", "ris"),
			want:    rag.Sample{Query: "capital?", Answer: rag.Answer{Text: "Paris"}},
		},
		{
			name:    "events",
			capture: evalmw.Capture{Answer: "delta", Chunks: "sources"},
			handler: replying("text/event-stream",
				"event: sources\ndata: {\"sources\":[{\"id\":\"c1\"}]}\n\n", ": a comment\n\n",
				"data: {\"delta\":\"Pa\"}\r\n\r\n", "data: {\n", "data: \"delta\":\"ris\"}\n\n", "data: [DONE]\n\n"),
			want: rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "c1"}}}, Answer: rag.Answer{Text: "Paris"}},
		},
		{
			name:    "events without an envelope",
			capture: evalmw.Capture{Answer: "*", Chunks: "sources"},
			handler: replying("text/event-stream",
				"data: {\"sources\":[{\"id\":\"c1\"}]}\n\n", "data: Pa\n\n", "data: ris in \n\ndata: 2024\n\n", "data: [DONE]\n\n"),
			want: rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "c1"}}}, Answer: rag.Answer{Text: "Paris in 2024"}},
		},
		{
			name:    "lines of JSON",
			capture: evalmw.Capture{Answer: "delta", Chunks: "sources"},
			handler: replying("application/x-ndjson", "{\"sources\":[{\"id\":\"c1\"}]}\n", "{\"delta\":\"Pa\"}\n", "{\"delta\":\"ris\"}\n"),
			want:    rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "c1"}}}, Answer: rag.Answer{Text: "Paris"}},
		},
		{
			name:    "gzip",
			capture: evalmw.Capture{Answer: "answer"},
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				_, _ = io.WriteString(z, `{"answer":"Paris"}`)
				_ = z.Close()
			},
			want: rag.Sample{Answer: rag.Answer{Text: "Paris"}},
		},
		{
			name:    "a request that the handler reads in part",
			capture: evalmw.Capture{Query: "q", Answer: "*"},
			request: `{"q":"capital?"} and much more`,
			handler: func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadFull(r.Body, make([]byte, len(`{"q":"capital?"}`)))
				_, _ = io.WriteString(w, "Paris")
			},
			want: rag.Sample{Query: "capital?", Answer: rag.Answer{Text: "Paris"}},
		},
		{
			name:    "what the handler records wins",
			capture: evalmw.Capture{Query: "q", Answer: "a", Chunks: "c"},
			request: `{"q":"captured"}`,
			handler: func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				rec := evalmw.FromContext(r.Context())
				rec.SetQuery("recorded")
				rec.Retrieved([]rag.Chunk{{ID: "recorded"}}, nil, 0)
				_, _ = io.WriteString(w, `{"a":"captured","c":["captured"]}`)
			},
			want: rag.Sample{
				Query: "recorded", Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "recorded"}}},
				Answer: rag.Answer{Text: "captured"},
			},
		},
		{
			name:    "a failure of the server",
			capture: evalmw.Capture{Answer: "*"},
			handler: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) },
			want:    rag.Sample{Error: "503", Answer: rag.Answer{Text: "down\n"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			plain, captured := serve(t, c.handler), serve(t, p.Capture(c.capture)(c.handler))
			want := fetch(t, plain.Client(), request(t, "POST", plain.URL+c.path, strings.NewReader(c.request)))
			got := fetch(t, captured.Client(), request(t, "POST", captured.URL+c.path, strings.NewReader(c.request)))
			assert.Equal(t, want, got, "the client must see what it saw before")
			assert.Equal(t, &c.want, oneTurn(t, sink))
		})
	}
}

func TestCaptureWithoutContentSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		capture evalmw.Capture
		handler http.HandlerFunc
		want    rag.Outcome
	}{
		"other JSON":        {evalmw.Capture{Answer: "answer"}, replying("application/json", `{"error":"no"}`), rag.OutcomeNoContent},
		"not JSON":          {evalmw.Capture{Answer: "answer"}, replying("application/json", `<html>`), rag.OutcomeNoContent},
		"only the URL":      {evalmw.Capture{Query: "?q", Answer: "answer"}, replying("application/json"), rag.OutcomeNoContent},
		"broken gzip":       {evalmw.Capture{Answer: "*"}, gzipped("\x1f\x8bbroken"), rag.OutcomeTruncated},
		"JSON beyond a cap": {evalmw.Capture{Answer: "a", MaxBytes: 16}, replying("application/json", `{"a":"`, strings.Repeat("x", 100), `"}`), rag.OutcomeTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			s := serve(t, p.Capture(c.capture)(c.handler))
			resp, err := s.Client().Do(request(t, "GET", s.URL+"/?q=x", http.NoBody))
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, map[rag.Outcome]uint64{c.want: 1}, ended(t, p, 1))
			assert.Empty(t, sink.All())
		})
	}
}

func gzipped(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, body)
	}
}

func TestCaptureKeepsToItsByteCap(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	long := strings.Repeat("ü", 1000)
	s := serve(t, p.Capture(evalmw.Capture{Answer: "*", MaxBytes: 101})(replying("text/plain", long)))

	assert.Equal(t, long, fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)), "the client gets all of it")
	got := oneTurn(t, sink)
	assert.True(t, got.Truncated)
	assert.Equal(t, strings.Repeat("ü", 50), got.Answer.Text, "cut between characters")
}

func TestCaptureBoundsWhatGzipUnpacksTo(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := io.CopyN(z, zeros{}, 1<<20)
	require.NoError(t, err)
	require.NoError(t, z.Close())

	p, sink := evaltest.NewPipeline(t)
	s := serve(t, p.Capture(evalmw.Capture{Answer: "*", MaxBytes: 2 << 10})(gzipped(bomb.String())))
	fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody))
	got := oneTurn(t, sink)
	assert.True(t, got.Truncated)
	assert.Len(t, got.Answer.Text, 16<<10)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestCaptureReadsWhatAnOuterWrapperWillCompress(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	inner := p.Capture(evalmw.Capture{Answer: "*"})(replying("text/plain", "Paris"))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		inner.ServeHTTP(compressing{w, z}, r)
	}))
	assert.Equal(t, "Paris", fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
	assert.Equal(t, "Paris", oneTurn(t, sink).Answer.Text)
}

type compressing struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (c compressing) Write(p []byte) (int, error) { return c.z.Write(p) }

func TestCaptureLeavesOtherRoutesToTheTurnAroundThem(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	never := evalmw.WithFilter(func(*http.Request) bool { return false })
	inner := p.Capture(evalmw.Capture{Answer: "*"}, never)(replying("text/plain", "secret"))
	s := serve(t, p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		evalmw.FromContext(r.Context()).SetQuery("q")
		inner.ServeHTTP(w, r)
	})))
	assert.Equal(t, "secret", fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
	assert.Empty(t, oneTurn(t, sink).Answer.Text)
}

func TestCaptureHoldsUpNoRequestWhileASinkHangs(t *testing.T) {
	hang := make(chan struct{})
	p, sink := evaltest.StartPipeline(t, rag.Config{Sinks: []rag.Sink{
		rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error { <-hang; return nil }),
	}})
	s := serve(t, p.Capture(evalmw.Capture{Answer: "*"})(replying("text/plain", "Paris")))
	for i := range 50 { // more than the worker could ever have taken
		assert.Equal(t, "Paris", fetch(t, s.Client(), request(t, "POST", fmt.Sprint(s.URL, "/?i=", i), strings.NewReader("body"))))
	}
	assert.Empty(t, sink.All())
	close(hang)
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 50}, ended(t, p, 50))
}
