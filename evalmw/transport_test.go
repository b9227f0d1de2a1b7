package evalmw_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	chatRequest = `{"model":"gpt-x","messages":[{"role":"system","content":"be brief"},` +
		`{"role":"user","content":"capital?"},{"role":"assistant","content":"of what?"},{"role":"user","content":"of France"}]}`
	chatReply = `{"model":"gpt-x-1","choices":[{"index":0,"message":{"role":"assistant","content":"Paris"}}],` +
		`"usage":{"prompt_tokens":9,"completion_tokens":1}}`
)

func chatSample() rag.Sample {
	return rag.Sample{
		Query: "of France", Answer: rag.Answer{Text: "Paris"}, Model: "gpt-x-1",
		Usage: rag.Usage{InputTokens: 9, OutputTokens: 1},
	}
}

// call sends a body through a client that p looks at, within a turn of p.
func call(t *testing.T, p *evalmw.Pipeline, url, body string) string {
	t.Helper()
	ctx, end := p.Begin(t.Context())
	defer end()
	client := &http.Client{Transport: p.Transport(nil)}
	return fetch(t, client, request(t, "POST", url, strings.NewReader(body)).WithContext(ctx))
}

func TestTransportReadsModelCalls(t *testing.T) {
	for _, c := range []struct {
		name, path, request, contentType, reply string
		want                                    rag.Sample
	}{
		{
			"chat completion", "/v1/chat/completions", chatRequest, "application/json", chatReply, chatSample(),
		},
		{
			"streamed chat completion", "/v1/chat/completions/", chatRequest, "text/event-stream",
			`data: {"model":"gpt-x-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":null}` + "\n\n" +
				`data: {"model":"gpt-x-1","choices":[{"index":0,"delta":{"content":"Pa"}}]}` + "\n\n" +
				`data: {"model":"gpt-x-1","choices":[{"index":1,"delta":{"content":"Lyon"}}]}` + "\n\n" +
				`data: {"model":"gpt-x-1","choices":[{"index":0,"delta":{"content":"ris"}}]}` + "\n\n" +
				`data: {"model":"gpt-x-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n",
			chatSample(),
		},
		{
			"content in parts", "/openai/deployments/x/chat/completions",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"of France"},{"type":"image_url","image_url":{"url":"x"}}]}]}`,
			"application/json",
			`{"model":"gpt-x-1","choices":[{"message":{"content":[{"type":"text","text":"Paris"}]}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`,
			chatSample(),
		},
		{
			"plain completion", "/v1/completions", `{"prompt":"of France"}`, "application/json",
			`{"model":"gpt-x-1","choices":[{"index":0,"text":"Paris"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`, chatSample(),
		},
		{
			"response", "/v1/responses", `{"input":"of France"}`, "application/json",
			`{"model":"gpt-x-1","output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"let me think"}]},` +
				`{"type":"message","content":[{"type":"output_text","text":"Pa"},{"type":"output_text","text":"ris"}]}],` +
				`"usage":{"input_tokens":9,"output_tokens":1}}`,
			chatSample(),
		},
		{
			"streamed response", "/v1/responses",
			`{"input":[{"role":"user","content":[{"type":"input_text","text":"of France"}]}]}`, "text/event-stream",
			`data: {"type":"response.created","response":{"model":"gpt-x-1"}}` + "\n\n" +
				`data: {"type":"response.reasoning_text.delta","delta":"let me think"}` + "\n\n" +
				`data: {"type":"response.output_text.delta","delta":"Pa"}` + "\n\n" +
				`data: {"type":"response.output_text.delta","delta":"ris"}` + "\n\n" +
				`data: {"type":"response.output_text.done","text":"Paris"}` + "\n\n" +
				`data: {"type":"response.completed","response":{"model":"gpt-x-1","output":[{"content":[{"type":"output_text","text":"Paris"}]}],` +
				`"usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n",
			chatSample(),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			var sent string
			model := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = string(body)
				w.Header().Set("Content-Type", c.contentType)
				_, _ = io.WriteString(w, c.reply)
			}))
			assert.Equal(t, c.reply, call(t, p, model.URL+c.path, c.request))
			assert.Equal(t, c.request, sent)
			assert.Equal(t, &c.want, oneTurn(t, sink))
		})
	}
}

func TestTransportLetsOtherCallsPass(t *testing.T) {
	for name, path := range map[string]string{"embeddings": "/v1/embeddings", "something else": "/search"} {
		t.Run(name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			model := serve(t, replying("application/json", chatReply))
			assert.Equal(t, chatReply, call(t, p, model.URL+path, chatRequest))
			assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeNoContent: 1}, ended(t, p, 1))
			assert.Empty(t, sink.All())
		})
	}
}

func TestTransportOutsideATurnHandsOnTheRequestItself(t *testing.T) {
	p, _ := evaltest.NewPipeline(t)
	req := request(t, "POST", "http://model/v1/chat/completions", strings.NewReader(chatRequest))
	var got *http.Request
	base := roundTrip(func(r *http.Request) (*http.Response, error) { got = r; return nil, errors.New("down") })
	resp, err := p.Transport(base).RoundTrip(req)
	require.ErrorContains(t, err, "down")
	require.Nil(t, resp)
	assert.Same(t, req, got)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// closing is a body that tells whether it was closed.
type closing struct {
	io.Reader
	closed atomic.Bool
}

func (c *closing) Close() error { c.closed.Store(true); return nil }

func TestTransportKeepsToTheRoundTrippersContract(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	ctx, end := p.Begin(t.Context())
	asked, replied := &closing{Reader: strings.NewReader(chatRequest)}, &closing{Reader: strings.NewReader(chatReply)}
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: replied}, nil
	})
	req := request(t, "POST", "http://model/v1/chat/completions", http.NoBody).WithContext(ctx)
	req.Body, req.GetBody, req.ContentLength = asked, nil, int64(len(chatRequest))

	resp, err := p.Transport(base).RoundTrip(req)
	require.NoError(t, err)
	assert.Same(t, asked, req.Body, "the request is the caller's")
	assert.True(t, asked.closed.Load(), "the request's body is closed")

	_, _ = io.Copy(io.Discard, resp.Body)
	assert.False(t, replied.closed.Load())
	require.NoError(t, resp.Body.Close())
	assert.True(t, replied.closed.Load(), "the reply's body is closed when the caller closes it")
	end()
	assert.Equal(t, "Paris", oneTurn(t, sink).Answer.Text)
}

func TestTransportReadsABodyThatIsSentAgain(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	ctx, end := p.Begin(t.Context())
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		_, _ = io.ReadFull(r.Body, make([]byte, 20)) // the connection fails here
		r.Body.Close()
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(again)
		assert.Equal(t, chatRequest, string(body))
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(chatReply))}, err
	})
	fetch(t, &http.Client{Transport: p.Transport(base)},
		request(t, "POST", "http://model/v1/chat/completions", strings.NewReader(chatRequest)).WithContext(ctx))
	end()
	assert.Equal(t, "of France", oneTurn(t, sink).Query)
}

func TestFailedModelCallIsNoContent(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	model := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"slow down"}`, http.StatusTooManyRequests)
	}))
	assert.Equal(t, "{\"error\":\"slow down\"}\n", call(t, p, model.URL+"/v1/chat/completions", chatRequest))
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeNoContent: 1}, ended(t, p, 1))
	assert.Empty(t, sink.All())
}

// scripted replies to the nth call with the nth status and text.
func scripted(t *testing.T, replies ...string) *httptest.Server {
	t.Helper()
	var n atomic.Int64
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply := replies[n.Add(1)-1]
		if reply == "" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`+reply+`"}}]}`)
	}))
}

func TestLastModelCallOfATurnCounts(t *testing.T) {
	for name, c := range map[string]struct {
		replies []string
		want    string
	}{
		"of two":                      {[]string{"first", "second"}, "second"},
		"of many":                     {strings.Split(strings.Repeat("x,", 50)+"last", ","), "last"},
		"of those that went well":     {[]string{"good", ""}, "good"},
		"after one that did not work": {[]string{"", "good"}, "good"},
	} {
		t.Run(name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			model := scripted(t, c.replies...)
			client := &http.Client{Transport: p.Transport(nil)}
			ctx, end := p.Begin(t.Context())
			for _, query := range c.replies {
				body := `{"messages":[{"role":"user","content":"` + query + `?"}]}`
				fetch(t, client, request(t, "POST", model.URL+"/chat/completions", strings.NewReader(body)).WithContext(ctx))
			}
			end()
			got := oneTurn(t, sink)
			assert.Equal(t, c.want, got.Answer.Text)
			assert.Equal(t, c.want+"?", got.Query)
		})
	}
}

func TestLaterOfTwoOverlappingModelCallsCounts(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	asked, replied := make(chan struct{}), make(chan struct{})
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		text := "later"
		if r.URL.Host == "slow" {
			text = "earlier"
			close(asked)
			<-replied
		}
		_, _ = io.Copy(io.Discard, r.Body)
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(
			`{"choices":[{"message":{"content":"` + text + `"}}]}`))}, nil
	})
	ctx, end := p.Begin(t.Context())
	client := &http.Client{Transport: p.Transport(base)}
	ask := func(host string, body io.Reader) {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host+"/v1/completions", body)
		if resp, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	var slow sync.WaitGroup
	slow.Go(func() { ask("slow", strings.NewReader(`{"prompt":"earlier?"}`)) })
	<-asked
	ask("fast", strings.NewReader(`{"prompt":"later?"}`))
	close(replied)
	slow.Wait()
	end()
	got := oneTurn(t, sink)
	assert.Equal(t, "later", got.Answer.Text)
	assert.Equal(t, "later?", got.Query)
}

func TestOtherModelCallsHoldNoMemory(t *testing.T) {
	big := strings.Repeat("x", 64<<10)
	replies := make([]string, 20)
	for i := range replies {
		if i%2 == 1 { // the others fail
			replies[i] = "answer"
		}
	}
	// The queue takes the request of two calls, not of twenty.
	p, sink := evaltest.StartPipeline(t, rag.Config{}, evalmw.WithQueue(8, 4*64<<10))
	model := scripted(t, append(replies, make([]string, 10)...)...)
	client := &http.Client{Transport: p.Transport(nil)}
	ctx, end := p.Begin(t.Context())
	for range 30 {
		fetch(t, client, request(t, "POST", model.URL+"/completions", strings.NewReader(`{"prompt":"`+big+`"}`)).WithContext(ctx))
	}
	end()
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 1}, ended(t, p, 1))
	assert.Equal(t, big, oneTurn(t, sink).Query)
}

func TestHandlersOwnRecordsWinOverTheModelCall(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	model := serve(t, replying("application/json", chatReply))
	client := &http.Client{Transport: p.Transport(nil)}
	ctx, end := p.Begin(t.Context())
	rec := evalmw.FromContext(ctx)
	rec.SetQuery("what the user asked")
	rec.SetModel("my-model")
	fetch(t, client, request(t, "POST", model.URL+"/v1/chat/completions", strings.NewReader(chatRequest)).WithContext(ctx))
	rec.Answered("edited")
	rec.Usage(rag.Usage{InputTokens: 5, CostUSD: 0.5})
	end()

	got := oneTurn(t, sink)
	assert.Equal(t, "what the user asked", got.Query)
	assert.Equal(t, "edited", got.Answer.Text)
	assert.Equal(t, "my-model", got.Model)
	assert.Equal(t, rag.Usage{InputTokens: 5, CostUSD: 0.5}, got.Usage)
}

func TestCaptureAndTransportTogether(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	model := serve(t, replying("application/json", chatReply))
	client := &http.Client{Transport: p.Transport(nil)}
	service := serve(t, p.Capture(evalmw.Capture{Query: "?q", Chunks: "sources"})(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			ask, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, model.URL+"/v1/chat/completions", strings.NewReader(chatRequest))
			if resp, err := client.Do(ask); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			_, _ = io.WriteString(w, `{"sources":["Paris is the capital."]}`)
		})))
	fetch(t, service.Client(), request(t, "GET", service.URL+"/?q=asked", http.NoBody))

	got := oneTurn(t, sink)
	assert.Equal(t, "asked", got.Query)
	assert.Equal(t, "Paris", got.Answer.Text)
	assert.Len(t, got.Retrieval.Chunks, 1)
}
