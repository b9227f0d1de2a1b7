// Package index retrieves chunks by two methods, BM25 and nearest vectors, and
// fuses their rankings.
package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// Retrieval methods.
const (
	BM25 = "bm25"
	KNN  = "knn"
)

// batchSize is how many chunks are indexed between two progress reports, and
// what one request to an embedding server holds.
const batchSize = 128

// lsaDims is the length of LSA vectors: twice as many take four times as long
// to train and change little in the fused list.
const lsaDims = 96

// Config configures [Build]. The zero value is ready to use.
type Config struct {
	_ struct{}

	Embedder  Embedder       // nil trains an [LSA] on the chunks
	BM25Limit int            // most chunks that BM25 may retrieve; 0 means 20
	KNNLimit  int            // most chunks that vectors may retrieve; 0 means 20
	Progress  func(Progress) // nil reports nothing; called from the goroutine of Build
}

// Progress says how far a build is.
type Progress struct {
	_ struct{}

	Stage       string // "train", "bm25" or "vectors"
	Done, Total int    // chunks of this stage
}

// Index is a searchable set of chunks. It is safe for concurrent use.
type Index struct {
	chunks   map[string]corpus.Chunk
	lexical  *lexical
	semantic *semantic
	limits   map[string]int
}

// Build indexes chunks in memory; about a second for a few thousand without an
// embedding server. Close the index after use.
func Build(ctx context.Context, chunks []corpus.Chunk, cfg Config) (*Index, error) {
	if len(chunks) == 0 {
		return nil, errors.New("index: no chunks to index")
	}
	report := func(stage string, done int) {
		if cfg.Progress != nil {
			cfg.Progress(Progress{Stage: stage, Done: done, Total: len(chunks)})
		}
	}
	ix := &Index{
		chunks: make(map[string]corpus.Chunk, len(chunks)),
		limits: map[string]int{BM25: defaultTo(cfg.BM25Limit, 20), KNN: defaultTo(cfg.KNNLimit, 20)},
	}
	for _, c := range chunks {
		if _, twice := ix.chunks[c.ID]; twice {
			return nil, fmt.Errorf("index: two chunks have the id %q; ids must be unique", c.ID)
		}
		ix.chunks[c.ID] = c
	}

	if cfg.Embedder == nil {
		report("train", 0)
		texts := make([]string, len(chunks))
		for i, c := range chunks {
			texts[i] = searchText(c)
		}
		cfg.Embedder = TrainLSA(texts, lsaDims)
		report("train", len(chunks))
	}
	var err error
	if ix.semantic, err = newSemantic(cfg.Embedder); err != nil {
		return nil, err
	}
	if ix.lexical, err = newLexical(); err != nil {
		return nil, err
	}
	addText := func(batch []corpus.Chunk) error { return ix.lexical.add(batch) }
	addVectors := func(batch []corpus.Chunk) error { return ix.semantic.add(ctx, batch) }
	err = inBatches(ctx, chunks, addText, func(done int) { report(BM25, done) })
	if err == nil {
		err = inBatches(ctx, chunks, addVectors, func(done int) { report("vectors", done) })
	}
	if err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	return ix, nil
}

func inBatches(ctx context.Context, chunks []corpus.Chunk, add func([]corpus.Chunk) error, report func(done int)) error {
	for done := 0; done < len(chunks); {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(done+batchSize, len(chunks))
		if err := add(chunks[done:end]); err != nil {
			return err
		}
		done = end
		report(done)
	}
	return nil
}

// Close releases the index.
func (ix *Index) Close() error { return ix.lexical.index.Close() }

// searchText is what both methods see of a chunk: a paragraph or a table
// seldom names its own subject, the title above it does.
func searchText(c corpus.Chunk) string { return c.Title + "\n" + c.Text }

func defaultTo(value, fallback int) int {
	if value > 0 {
		return value
	}
	return fallback
}

// Result is the outcome of a search.
type Result struct {
	_ struct{}

	Hits      []Hit          // best first
	Limits    map[string]int // by method: how many it may retrieve
	Retrieved int            // distinct chunks that the methods found, before the cut to the best k
	Stages    []Stage        // in order
}

// Stage is the time that a part of the work took.
type Stage struct {
	_ struct{}

	Name     string
	Duration time.Duration
}

// Search returns the k best chunks for a query, of one document if docID is
// not empty. The document filter applies inside both methods, so it costs none
// of their limit.
func (ix *Index) Search(ctx context.Context, query, docID string, k int) (*Result, error) {
	res := &Result{Limits: map[string]int{BM25: ix.limits[BM25], KNN: ix.limits[KNN]}}
	start := time.Now()
	lap := func(stage string) {
		now := time.Now()
		res.Stages = append(res.Stages, Stage{Name: stage, Duration: now.Sub(start)})
		start = now
	}

	byWords, err := ix.lexical.search(ctx, query, docID, ix.limits[BM25])
	if err != nil {
		return nil, err
	}
	lap(BM25)
	vector, err := ix.semantic.embed(ctx, query)
	if err != nil {
		return nil, err
	}
	lap("embed")
	byVector, err := ix.semantic.search(ctx, vector, docID, ix.limits[KNN])
	if err != nil {
		return nil, err
	}
	lap(KNN)

	hits := fuse([]ranking{{BM25, byWords}, {KNN, byVector}})
	res.Retrieved = len(hits)
	res.Hits = hits[:min(max(k, 0), len(hits))]
	for i := range res.Hits {
		res.Hits[i].Chunk = ix.chunks[res.Hits[i].Chunk.ID]
	}
	lap("fuse")
	return res, nil
}
