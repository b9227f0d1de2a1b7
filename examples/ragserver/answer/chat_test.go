package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chatServer accepts exactly the request that the protocol asks for, and
// streams the given lines.
func chatServer(t *testing.T, status int, lines ...string) *Chat {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /v1/chat/completions", r.Method+" "+r.URL.Path)
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		var req struct {
			Model         string `json:"model"`
			Stream        bool   `json:"stream"`
			StreamOptions struct {
				IncludeUsage bool `json:"include_usage"`
			} `json:"stream_options"`
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&req)) || !assert.Len(t, req.Messages, 2) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		assert.Equal(t, "chat-mini", req.Model)
		assert.True(t, req.Stream && req.StreamOptions.IncludeUsage)
		assert.Equal(t, "system", req.Messages[0].Role)
		assert.Contains(t, req.Messages[1].Content, "[1] Sales by Contract Type > Table\n")
		assert.Contains(t, req.Messages[1].Content, "Total sales | $1,496.5")
		assert.True(t, strings.HasSuffix(req.Messages[1].Content, "Question: What were total sales?"))
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(status)
		for _, line := range lines {
			_, _ = io.WriteString(w, line+"\n\n")
		}
	}))
	t.Cleanup(srv.Close)
	chat, err := NewChat(ChatConfig{BaseURL: srv.URL + "/v1", APIKey: "secret", Model: "chat-mini", Client: srv.Client()})
	require.NoError(t, err)
	return chat
}

func delta(text string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q}}]}`, text)
}

const (
	stop  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage = `data: {"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":8,"total_tokens":98}}`
	done  = `data: [DONE]`
)

func TestChatStreamsAndCites(t *testing.T) {
	chat := chatServer(t, http.StatusOK, delta("It was "), delta("$1,496.5 [1]"), delta(", all fixed [2, 1] [9]."), stop, usage, done)
	var deltas []string
	got, err := chat.Answer(t.Context(), salesRequest(t, "What were total sales?"), func(d string) error {
		deltas = append(deltas, d)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"It was ", "$1,496.5 [1]", ", all fixed [2, 1] [9]."}, deltas)
	assert.Equal(t, Answer{
		Text: "It was $1,496.5 [1], all fixed [2, 1] [9].", Model: "chat-mini",
		Citations: []string{salesDoc + "#table", salesDoc + "#p1"}, Usage: Usage{InputTokens: 90, OutputTokens: 8},
	}, got)
}

func TestChatAbstains(t *testing.T) {
	got, err := chatServer(t, http.StatusOK, delta("NOT"), delta(" FOUND"), stop, done).
		Answer(t.Context(), salesRequest(t, "What were total sales?"), nil)
	require.NoError(t, err)
	assert.True(t, got.Abstained)
	assert.Empty(t, got.Citations)
}

func TestChatThatFailsIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		lines  []string
		want   string
	}{
		"refused":          {http.StatusUnauthorized, []string{`{"error":{"message":"bad key","type":"auth"}}`}, "bad key"},
		"broken off":       {http.StatusOK, []string{delta("It was ")}, "ended after 7 bytes"},
		"error mid-stream": {http.StatusOK, []string{delta("It"), `data: {"error":{"message":"overloaded","type":"server"}}`}, "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chatServer(t, tc.status, tc.lines...).Answer(t.Context(), salesRequest(t, "What were total sales?"), nil)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestChatStopsWhenTheReaderIsGone(t *testing.T) {
	gone := errors.New("client is gone")
	_, err := chatServer(t, http.StatusOK, delta("It"), delta(" was"), stop, done).
		Answer(t.Context(), salesRequest(t, "What were total sales?"), func(string) error { return gone })
	assert.ErrorIs(t, err, gone)
}

func TestChatWithoutAModelIsRefused(t *testing.T) {
	_, err := NewChat(ChatConfig{})
	assert.ErrorContains(t, err, "ChatConfig.Model")
}
