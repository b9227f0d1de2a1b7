package index

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// embeddingServer accepts exactly the request that the protocol asks for.
func embeddingServer(t *testing.T, answer func(inputs []string) string) *OpenAI {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /v1/embeddings", r.Method+" "+r.URL.Path)
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		var req struct {
			Input []string `json:"input"`
			Model string   `json:"model"`
		}
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&req)) || !assert.Equal(t, "small", req.Model) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer(req.Input))
	}))
	t.Cleanup(srv.Close)
	o, err := NewOpenAI(OpenAIConfig{BaseURL: srv.URL + "/v1", APIKey: "secret", Model: "small", Client: srv.Client()})
	require.NoError(t, err)
	return o
}

func TestEndpointServesTheIndex(t *testing.T) {
	o := embeddingServer(t, func(inputs []string) string {
		out := `{"object":"list","data":[`
		for i, input := range slices.Backward(inputs) { // which is allowed
			out += fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1,0.5]}`, i, len(input))
			if i > 0 {
				out += ","
			}
		}
		return out + `]}`
	})
	vectors, err := o.Embed(t.Context(), []string{"a", "bcd"})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{1, 1, 0.5}, {3, 1, 0.5}}, vectors)

	ix := build(t, loadCorpus(t).Chunks[:200], Config{Embedder: o})
	res, err := ix.Search(t.Context(), "net sales", "", 5)
	require.NoError(t, err)
	assert.Len(t, res.Hits, 5)
}

func TestEndpointThatAnswersWronglyIsAnError(t *testing.T) {
	for name, tc := range map[string]struct{ answer, want string }{
		"too few":      {`{"data":[{"index":0,"embedding":[1]}]}`, "text 1 a vector of 0 dimensions"},
		"index":        {`{"data":[{"index":7,"embedding":[1]}]}`, "text 7 of 2"},
		"other length": {`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "2 dimensions, expected 1"},
	} {
		t.Run(name, func(t *testing.T) {
			o := embeddingServer(t, func([]string) string { return tc.answer })
			_, err := o.Embed(t.Context(), []string{"a", "b"})
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestEndpointWithoutAModelIsRefused(t *testing.T) {
	_, err := NewOpenAI(OpenAIConfig{})
	assert.ErrorContains(t, err, "OpenAIConfig.Model")
}
