package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

// chatServer is an OpenAI-compatible server that accepts exactly what the
// protocol asks for, and streams what reply writes.
func chatServer(t *testing.T, reply func(io.Writer, *http.Request)) answer.ChatConfig {
	t.Helper()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model    string
			Stream   bool
			Messages []struct{ Role, Content string }
		}
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&req)) ||
			!assert.Equal(t, "POST /v1/chat/completions", r.Method+" "+r.URL.Path) ||
			!assert.Equal(t, "Bearer secret", r.Header.Get("Authorization")) ||
			!assert.True(t, req.Model == "chat-mini" && req.Stream && len(req.Messages) == 2) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		reply(w, r)
	}))
	return answer.ChatConfig{BaseURL: srv.URL + "/v1", APIKey: "secret", Model: "chat-mini", Client: srv.Client()}
}

func write(w io.Writer, lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(w, "data: "+line+"\n\n")
	}
	_ = http.NewResponseController(w.(http.ResponseWriter)).Flush()
}

func delta(text string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]}`, text)
}

const (
	stop  = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage = `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":8,"total_tokens":98}}`
	done  = `[DONE]`
)

func TestChatAnswersWithCitationsModelAndUsage(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline, cfg.Mode = p, service.Chat
	cfg.Chat = chatServer(t, func(w io.Writer, _ *http.Request) {
		write(w, delta("Total sales were "), delta("$1,496.5 million [1]."), stop, usage, done)
	})
	require.NoError(t, cfg.Validate())
	resp, body := post(t, serve(t, service.New(cfg).Handler()).URL+"/query", ask(salesQuery, salesDoc, ""))
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	s := sampleIn(t, body)
	assert.Equal(t, "Total sales were $1,496.5 million [1].", s.Answer.Text)
	require.Len(t, s.Answer.Citations, 1)
	assert.Equal(t, s.Retrieval.Chunks[0].ID, s.Answer.Citations[0].ChunkID)
	assert.Equal(t, "chat-mini", s.Model)
	assert.Equal(t, rag.Usage{InputTokens: 90, OutputTokens: 8}, s.Usage)

	turns := evaluated(t, sink, 1)
	assertSameTurn(t, s, turns[0].Sample)
}

func TestChatWithoutAModelIsRefusedAtTheStart(t *testing.T) {
	cfg := config(t)
	cfg.Mode = service.Chat
	assert.ErrorContains(t, cfg.Validate(), "no chat model")
}
