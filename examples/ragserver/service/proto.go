package service

import (
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/ragpb"
)

func sampleToProto(s *rag.Sample) *ragpb.Sample {
	out := &ragpb.Sample{
		Id: s.ID, Query: s.Query, Model: s.Model, Answer: answerToProto(&s.Answer),
		Usage:    &ragpb.Usage{InputTokens: s.Usage.InputTokens, OutputTokens: s.Usage.OutputTokens},
		StagesMs: make(map[string]float64, len(s.Stages)),
	}
	if s.Retrieval.Chunks != nil {
		out.Retrieval = retrievalToProto(&s.Retrieval)
	}
	for _, x := range s.Extractions {
		out.Extractions = append(out.Extractions, &ragpb.Extraction{
			Field: x.Field, Value: x.Value, ChunkNumber: int32(x.ChunkNumber),
			Confidence: x.Confidence.V, Evidence: x.Evidence, Format: x.Format,
		})
	}
	for stage, took := range s.Stages {
		out.StagesMs[stage] = float64(took) / float64(time.Millisecond)
	}
	return out
}

func retrievalToProto(r *rag.Retrieval) *ragpb.Retrieval {
	out := &ragpb.Retrieval{Limits: make(map[string]int32, len(r.Limits)), BeforeFilter: int32(r.BeforeFilter)}
	for method, limit := range r.Limits {
		out.Limits[method] = int32(limit)
	}
	for _, c := range r.Chunks {
		out.Chunks = append(out.Chunks, &ragpb.Chunk{
			Id: c.ID, DocId: c.DocID, Rank: int32(c.Rank), Text: c.Text, Score: c.Score.V,
			Methods: c.Methods, Space: c.Space, TableId: c.TableID, HeadingPath: c.HeadingPath,
		})
	}
	return out
}

func answerToProto(a *rag.Answer) *ragpb.Answer {
	out := &ragpb.Answer{Text: a.Text, Abstained: a.Abstained.V}
	if a.Value.Number.Valid {
		out.Value = &ragpb.Quantity{Number: a.Value.Number.V, Unit: a.Value.Unit}
	}
	for _, c := range a.Citations {
		out.Citations = append(out.Citations, &ragpb.Citation{ChunkId: c.ChunkID, DocId: c.DocID, TableId: c.TableID})
	}
	return out
}
