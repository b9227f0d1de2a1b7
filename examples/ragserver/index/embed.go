package index

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	openai "github.com/sashabaranov/go-openai"
)

// Embedder turns texts into vectors of one length. It must be safe for
// concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// OpenAIConfig names an OpenAI-compatible server and a model on it.
type OpenAIConfig struct {
	_ struct{}

	BaseURL string // up to and with /v1; empty means OpenAI's own
	APIKey  string
	Model   string
	Client  *http.Client // nil means http.DefaultClient
}

// OpenAI embeds by an OpenAI-compatible endpoint.
type OpenAI struct {
	client *openai.Client
	model  openai.EmbeddingModel
}

// NewOpenAI returns an embedder for a configured endpoint.
func NewOpenAI(cfg OpenAIConfig) (*OpenAI, error) {
	if cfg.Model == "" {
		return nil, errors.New("index: no embedding model is configured; set OpenAIConfig.Model")
	}
	client := openai.DefaultConfig(cfg.APIKey)
	if cfg.BaseURL != "" {
		client.BaseURL = cfg.BaseURL
	}
	if cfg.Client != nil {
		client.HTTPClient = cfg.Client
	}
	return &OpenAI{openai.NewClientWithConfig(client), openai.EmbeddingModel(cfg.Model)}, nil
}

// Embed implements [Embedder] with one request.
func (o *OpenAI) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	resp, err := o.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts, Model: o.model})
	if err != nil {
		return nil, fmt.Errorf("index: embedding %d texts: %w", len(texts), err)
	}
	vectors := make([][]float32, len(texts))
	for _, e := range resp.Data { // the server may answer in any order
		if e.Index < 0 || e.Index >= len(vectors) {
			return nil, fmt.Errorf("index: the embedding server answered for text %d of %d", e.Index, len(texts))
		}
		vectors[e.Index] = e.Embedding
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("index: the embedding server gave text %d a vector of %d dimensions, expected %d",
				i, len(v), len(vectors[0]))
		}
	}
	return vectors, nil
}
