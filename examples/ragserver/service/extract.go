package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
)

// maxFields bounds the work of one request.
const maxFields = 64

// ExtractRequest asks for several fields of one document.
type ExtractRequest struct {
	_ struct{}

	ID     string  `json:"-"` // names the turns, with the field's name behind it
	DocID  string  `json:"doc_id"`
	Fields []Field `json:"fields"`
}

// Field is a value to extract.
type Field struct {
	_ struct{}

	Name     string `json:"name"`
	Question string `json:"question"` // that asks for it
}

// Extract reads each field out of the document by several sources and answers
// with the value that most of them gave: one sample for each field, in their
// order. Its error is an [*Error].
func (s *Service) Extract(ctx context.Context, req ExtractRequest) ([]*rag.Sample, error) {
	if err := s.checkDoc(req.DocID); err != nil {
		return nil, err
	}
	if n := len(req.Fields); n == 0 || n > maxFields {
		return nil, failf(BadRequest, "fields: expected 1 to %d, found %d", maxFields, n)
	}
	for i, f := range req.Fields {
		if f.Name == "" || f.Question == "" {
			return nil, failf(BadRequest, "fields[%d]: expected a name and a question", i)
		}
	}
	samples := make([]*rag.Sample, len(req.Fields))
	for i, f := range req.Fields {
		sample, err := s.extractField(ctx, req, f)
		if err != nil {
			return nil, err
		}
		samples[i] = sample
	}
	return samples, nil
}

// extractField is a turn of its own: each field has its own retrieval.
func (s *Service) extractField(ctx context.Context, req ExtractRequest, f Field) (*rag.Sample, error) {
	ctx, end := s.cfg.Pipeline.Begin(ctx)
	defer end()
	rec := evalmw.FromContext(ctx)
	sample := &rag.Sample{ID: req.ID + "/" + f.Name, Query: f.Question}
	rec.SetID(sample.ID)
	rec.SetQuery(sample.Query)

	found, err := s.retrieve(ctx, f.Question, req.DocID)
	if err != nil {
		rec.SetError(asError(err, Internal).Class)
		return nil, err
	}
	sample.Retrieval, sample.Stages = found.record, stagesOf(found.stages)
	rec.SetRetrieval(sample.Retrieval)
	for stage, took := range sample.Stages {
		rec.Stage(stage, took)
	}

	extractor := answer.Extractor{Corpus: s.cfg.Corpus}
	list, err := extractor.Extract(ctx, req.DocID, []answer.Field{{Name: f.Name, Question: f.Question}}, found.chunks)
	if err != nil {
		failure := asError(err, Internal)
		rec.SetError(failure.Class)
		return nil, failure
	}
	for _, e := range list {
		sample.Extractions = append(sample.Extractions, rag.Extraction{
			Field: e.Field, Value: e.Value, ChunkNumber: e.ChunkNumber,
			Confidence: rag.Some(e.Confidence), Evidence: e.Evidence, Format: e.Format,
		})
	}
	rec.Extracted(sample.Extractions...)
	sample.Answer = agreed(sample.Extractions, sample.Retrieval.Chunks)
	rec.SetAnswer(sample.Answer)
	return sample, nil
}

// agreed returns the value that most extractions gave, of several the most
// confident one, and cites where it stands.
func agreed(list []rag.Extraction, chunks []rag.Chunk) rag.Answer {
	if len(list) == 0 {
		return rag.Answer{Abstained: rag.Some(true)}
	}
	votes := make(map[string]int)
	key := func(x rag.Extraction) string { return strings.ToLower(strings.TrimSpace(x.Value)) }
	for _, x := range list {
		votes[key(x)]++
	}
	best := slices.MaxFunc(list, func(a, b rag.Extraction) int {
		return cmp.Or(cmp.Compare(votes[key(a)], votes[key(b)]), cmp.Compare(a.Confidence.V, b.Confidence.V))
	})
	a := rag.Answer{Text: best.Value, Value: quantityOf(best.Value), Abstained: rag.Some(false)}
	if n := best.ChunkNumber; n > 0 {
		c := chunks[n-1]
		a.Citations = []rag.Citation{{ChunkID: c.ID, DocID: c.DocID, TableID: c.TableID}}
	}
	return a
}
