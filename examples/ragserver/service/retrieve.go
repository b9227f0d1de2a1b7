package service

import (
	"context"
	"strings"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
	"github.com/touchstone-rag/touchstone/internal/number"
)

// leastScore is the share of the best score below which a hit is filtered out.
// Within one document it drops a fifth of the hits, nearly all found by one
// method alone, and with them 5% of the evidence.
const leastScore = 0.5

// retrieved is what a search found, for the model and for the record.
type retrieved struct {
	chunks []corpus.Chunk
	record rag.Retrieval
	stages []index.Stage
}

// retrieve searches by both methods, takes the best K of the fused list and
// filters out those far below the first.
//
// BeforeFilter counts these K, and not all that the methods found: a cut to
// the best K says nothing about what it cuts off, and in a large corpus it
// always cuts. Only the threshold judges chunks, so only what it drops counts
// as filtered.
func (s *Service) retrieve(ctx context.Context, question, docID string) (retrieved, error) {
	result, err := s.cfg.Index.Search(ctx, question, docID, s.cfg.K)
	if err != nil {
		return retrieved{}, asError(err, Internal)
	}
	found := retrieved{
		record: rag.Retrieval{Chunks: []rag.Chunk{}, Limits: result.Limits, BeforeFilter: len(result.Hits)},
		stages: result.Stages,
	}
	for _, hit := range result.Hits {
		if hit.Score < leastScore*result.Hits[0].Score {
			break
		}
		found.chunks = append(found.chunks, hit.Chunk)
		found.record.Chunks = append(found.record.Chunks, chunkOf(hit, len(found.chunks)))
	}
	return found, nil
}

func chunkOf(hit index.Hit, rank int) rag.Chunk {
	c := hit.Chunk
	chunk := rag.Chunk{
		ID: c.ID, DocID: c.DocID, Rank: rank, Text: c.Text, Score: rag.Some(hit.Score),
		Space: c.Kind, TableID: c.TableID, HeadingPath: strings.Join(c.HeadingPath, " > "),
	}
	for _, f := range hit.Found {
		chunk.Methods = append(chunk.Methods, f.Method)
	}
	return chunk
}

func answerOf(a answer.Answer, chunks []corpus.Chunk) rag.Answer {
	return rag.Answer{
		Text: a.Text, Value: quantityOf(a.Value), Citations: citationsOf(a.Citations, chunks),
		Abstained: rag.Some(a.Abstained),
	}
}

// quantityOf returns the number that a value is, if it is one.
func quantityOf(value string) rag.Quantity {
	v, ok := number.Parse(value)
	if !ok {
		return rag.Quantity{}
	}
	return rag.Quantity{Number: rag.Some(v.Float), Unit: string(v.Unit)}
}

func citationsOf(ids []string, chunks []corpus.Chunk) []rag.Citation {
	var list []rag.Citation
	for _, id := range ids {
		for _, c := range chunks {
			if c.ID == id {
				list = append(list, rag.Citation{ChunkID: c.ID, DocID: c.DocID, TableID: c.TableID})
			}
		}
	}
	return list
}

func stagesOf(stages []index.Stage) map[string]time.Duration {
	byName := make(map[string]time.Duration, len(stages)+1)
	for _, stage := range stages {
		byName[stage.Name] += stage.Duration
	}
	return byName
}
