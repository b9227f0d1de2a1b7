package index

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	indexapi "github.com/blevesearch/bleve_index_api"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// lexical finds chunks by BM25.
type lexical struct{ index bleve.Index }

func newLexical() (*lexical, error) {
	// In memory, but on scorch: what bleve.NewMemOnly picks counts no field
	// lengths, and BM25 without them is not BM25.
	ix, err := bleve.NewUsing("", chunkMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return &lexical{ix}, nil
}

// chunkMapping indexes what is searched and stores nothing.
func chunkMapping() mapping.IndexMapping {
	field := func(analyzer string) *mapping.FieldMapping {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = analyzer
		f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = false, false, false, false
		return f
	}
	chunk := bleve.NewDocumentStaticMapping()
	chunk.AddFieldMappingsAt("text", field(en.AnalyzerName))
	chunk.AddFieldMappingsAt("doc", field(keyword.Name))

	m := bleve.NewIndexMapping()
	m.DefaultMapping = chunk
	m.ScoringModel = indexapi.BM25Scoring
	return m
}

func (l *lexical) add(chunks []corpus.Chunk) error {
	batch := l.index.NewBatch()
	for _, c := range chunks {
		if err := batch.Index(c.ID, map[string]any{"text": searchText(c), "doc": c.DocID}); err != nil {
			return fmt.Errorf("index: chunk %s: %w", c.ID, err)
		}
	}
	if err := l.index.Batch(batch); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

func (l *lexical) search(ctx context.Context, text, docID string, limit int) ([]found, error) {
	words := bleve.NewMatchQuery(text)
	words.SetField("text")
	query := bleve.NewBooleanQuery()
	query.AddMust(words)
	if docID != "" {
		doc := bleve.NewTermQuery(docID)
		doc.SetField("doc")
		query.AddFilter(doc)
	}
	req := bleve.NewSearchRequestOptions(query, limit+spare, 0, false)
	resp, err := l.index.SearchInContext(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("index: bm25: %w", err)
	}
	hits := make([]found, len(resp.Hits))
	for i, h := range resp.Hits {
		hits[i] = found{h.ID, h.Score}
	}
	return rank(hits, limit), nil
}
