package service_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

type event struct{ name, data string }

// next reads one server-sent event, or false at the end.
func next(t testing.TB, in *bufio.Reader) (event, bool) {
	t.Helper()
	var e event
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" && e == (event{}) {
			return e, false
		}
		require.NoError(t, err)
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			return e, true
		case strings.HasPrefix(line, "event: "):
			e.name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: "):
			e.data = strings.TrimPrefix(line, "data: ")
		default:
			require.Fail(t, "neither event nor data", line)
		}
	}
}

func eventsIn(t testing.TB, body string) []event {
	t.Helper()
	in := bufio.NewReader(strings.NewReader(body))
	var list []event
	for e, ok := next(t, in); ok; e, ok = next(t, in) {
		list = append(list, e)
	}
	return list
}

func deltaOf(t testing.TB, e event) string {
	t.Helper()
	require.Equal(t, "delta", e.name, e.data)
	var delta struct{ Text string }
	require.NoError(t, json.Unmarshal([]byte(e.data), &delta))
	return delta.Text
}

func TestStreamSendsChunksThenTheAnswerThenTheRest(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	srv := serve(t, service.New(cfg).Handler())
	for name, tc := range map[string]struct {
		more   string
		header []string
	}{
		"asked in the body":   {`,"stream":true`, nil},
		"asked in the header": {``, []string{"Accept", "text/event-stream"}},
	} {
		t.Run(name, func(t *testing.T) {
			sink.Reset()
			resp, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"recorded"`+tc.more), tc.header...)
			require.Equal(t, http.StatusOK, resp.StatusCode, body)
			assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
			events := eventsIn(t, body)
			require.Greater(t, len(events), 3)
			assert.Equal(t, "chunks", events[0].name)
			var chunks rag.Sample // a piece of one, which has no id yet
			require.NoError(t, chunks.UnmarshalJSON([]byte(events[0].data)))
			assert.NotEmpty(t, chunks.Retrieval.Chunks)

			last := len(events) - 1
			assert.Equal(t, "done", events[last].name)
			whole := sampleIn(t, events[last].data)
			text := ""
			for _, e := range events[1:last] {
				text += deltaOf(t, e)
			}
			assert.Equal(t, whole.Answer.Text, text)

			turns := evaluated(t, sink, 1)
			whole.Retrieval = chunks.Retrieval
			assertSameTurn(t, whole, turns[0].Sample)
		})
	}
}

func TestStreamThatFailsEndsWithAnError(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	cfg.Chat = chatServer(t, func(w io.Writer, _ *http.Request) { write(w, delta("It was ")) })
	srv := serve(t, service.New(cfg).Handler())
	_, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"chat","stream":true`))
	events := eventsIn(t, body)
	require.Len(t, events, 3)
	assert.Equal(t, event{"error", `{"error":"model_error","message":"the chat model did not answer"}`}, events[2])

	turns := evaluated(t, sink, 1)
	assert.Equal(t, service.ModelError, turns[0].Sample.Error)
	assert.Equal(t, "It was ", turns[0].Sample.Answer.Text)
}

func TestStreamPassesEachPieceOnAtOnce(t *testing.T) {
	read := make(chan struct{})
	cfg := config(t)
	cfg.Pipeline, _ = pipeline(t)
	cfg.Chat = chatServer(t, func(w io.Writer, r *http.Request) {
		for _, piece := range []string{"one ", "two ", "three"} {
			write(w, delta(piece))
			select {
			case <-read: // the next piece waits for this one to have arrived
			case <-r.Context().Done():
				return
			}
		}
		write(w, stop, usage, done)
	})
	resp := openStream(t.Context(), t, serve(t, service.New(cfg).Handler()).URL)
	in := bufio.NewReader(resp.Body)
	e, _ := next(t, in)
	assert.Equal(t, "chunks", e.name)
	for _, piece := range []string{"one ", "two ", "three"} {
		e, _ = next(t, in)
		assert.Equal(t, piece, deltaOf(t, e))
		read <- struct{}{}
	}
	e, _ = next(t, in)
	assert.Equal(t, "done", e.name)
}

func TestStreamThatTheCallerLeavesIsEvaluatedSoFar(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	cfg.Chat = chatServer(t, func(w io.Writer, r *http.Request) {
		write(w, delta("It was "))
		<-r.Context().Done()
	})
	ctx, leave := context.WithCancel(t.Context())
	resp := openStream(ctx, t, serve(t, service.New(cfg).Handler()).URL)
	in := bufio.NewReader(resp.Body)
	for range 2 {
		_, ok := next(t, in)
		require.True(t, ok)
	}
	leave()

	turns := evaluated(t, sink, 1)
	assert.Equal(t, "It was ", turns[0].Sample.Answer.Text)
	assert.Equal(t, service.Canceled, turns[0].Sample.Error)
	relevance, ok := turns[0].Evaluation.Find("context_relevance")
	assert.True(t, ok && relevance.Measured())
}

func openStream(ctx context.Context, t testing.TB, url string) *http.Response {
	t.Helper()
	body := strings.NewReader(ask(salesQuery, salesDoc, `,"mode":"chat","stream":true`))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/query", body)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusOK, resp.StatusCode)
	return resp
}

func TestRetrievalIsEvaluatedBeforeTheAnswerIsThere(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	early := make(chan int, 1)
	cfg.Chat = chatServer(t, func(w io.Writer, r *http.Request) {
		assert.NoError(t, p.Flush(r.Context()))
		early <- len(sink.Find("context_relevance"))
		write(w, delta("NOT FOUND"), stop, usage, done)
	})
	srv := serve(t, service.New(cfg).Handler())
	_, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"chat"`))
	assert.Equal(t, 1, <-early)
	assert.Equal(t, rag.Some(true), sampleIn(t, body).Answer.Abstained)
}
