package index

import (
	"context"
	"fmt"

	chromem "github.com/philippgille/chromem-go"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// semantic finds chunks by the cosine of their vectors.
type semantic struct {
	vectors  *chromem.Collection
	embedder Embedder
}

func newSemantic(embedder Embedder) (*semantic, error) {
	vectors, err := chromem.NewDB().CreateCollection("chunks", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return &semantic{vectors, embedder}, nil
}

func (s *semantic) add(ctx context.Context, chunks []corpus.Chunk) error {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = searchText(c)
	}
	vectors, err := s.embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, c := range chunks {
		if isZero(vectors[i]) {
			continue // near to nothing, and its cosine is not a number
		}
		doc := chromem.Document{ID: c.ID, Metadata: map[string]string{"doc": c.DocID}, Embedding: vectors[i]}
		if err := s.vectors.AddDocument(ctx, doc); err != nil {
			return fmt.Errorf("index: chunk %s: %w", c.ID, err)
		}
	}
	return nil
}

func (s *semantic) embed(ctx context.Context, text string) ([]float32, error) {
	vectors, err := s.embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (s *semantic) search(ctx context.Context, vector []float32, docID string, limit int) ([]found, error) {
	if isZero(vector) {
		return nil, nil
	}
	var where map[string]string
	if docID != "" {
		where = map[string]string{"doc": docID}
	}
	results, err := s.vectors.QueryEmbedding(ctx, vector, min(limit+spare, s.vectors.Count()), where, nil)
	if err != nil {
		return nil, fmt.Errorf("index: knn: %w", err)
	}
	hits := make([]found, len(results))
	for i, r := range results {
		hits[i] = found{r.ID, float64(r.Similarity)}
	}
	return rank(hits, limit), nil
}

func isZero(vector []float32) bool {
	for _, x := range vector {
		if x != 0 {
			return false
		}
	}
	return true
}
