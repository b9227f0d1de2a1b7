package service

import (
	"context"
	"io"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
)

// Request is a question.
type Request struct {
	_ struct{}

	ID       string `json:"-"` // names the turn; the transport knows it
	Question string `json:"question"`
	DocID    string `json:"doc_id"` // empty searches all documents
	Mode     string `json:"mode"`   // Extractive, Recorded or Chat; empty is the service's own
	System   string `json:"system"` // of Recorded mode; empty is the service's own
	Stream   bool   `json:"stream"` // over HTTP, answer by server-sent events
}

// Stream receives an answer while it comes into being.
type Stream struct {
	_ struct{}

	Retrieved func(rag.Retrieval) error // once, first
	Deltas    io.Writer                 // gets the text, a piece with each call
}

// Query answers a question; stream may be nil. It records the turn into the
// recorder of ctx, if there is one. Its error is an [*Error].
func (s *Service) Query(ctx context.Context, req Request, stream *Stream) (*rag.Sample, error) {
	if req.Question == "" {
		return nil, failf(BadRequest, "question: expected a question, found none")
	}
	if req.DocID != "" {
		if err := s.checkDoc(req.DocID); err != nil {
			return nil, err
		}
	}
	answerer, err := s.answerer(req.Mode, req.System)
	if err != nil {
		return nil, err
	}

	rec := evalmw.FromContext(ctx)
	rec.SetID(req.ID)
	rec.SetQuery(req.Question)
	sample := &rag.Sample{ID: req.ID, Query: req.Question}
	if err := s.answer(ctx, answerer, req.DocID, sample, stream); err != nil {
		failure := asError(err, ModelError)
		rec.SetError(failure.Class)
		return nil, failure
	}
	return sample, nil
}

// answer completes sample, and tells the recorder each part as it comes.
func (s *Service) answer(ctx context.Context, by answer.Answerer, docID string, sample *rag.Sample, stream *Stream) error {
	rec := evalmw.FromContext(ctx)
	found, err := s.retrieve(ctx, sample.Query, docID)
	if err != nil {
		return err
	}
	sample.Retrieval, sample.Stages = found.record, stagesOf(found.stages)
	rec.SetRetrieval(found.record) // what needs no answer is evaluated from here on
	if stream != nil {
		if err := stream.Retrieved(found.record); err != nil {
			return gone(err)
		}
	}

	start := time.Now()
	request := answer.Request{Question: sample.Query, DocID: docID, Chunks: found.chunks}
	got, err := by.Answer(ctx, request, emitTo(stream, rec))
	sample.Stages["generate"] = time.Since(start)
	for stage, took := range sample.Stages {
		rec.Stage(stage, took)
	}
	if err != nil {
		return err
	}
	sample.Answer, sample.Model = answerOf(got, found.chunks), got.Model
	sample.Usage.InputTokens, sample.Usage.OutputTokens = int64(got.Usage.InputTokens), int64(got.Usage.OutputTokens)
	rec.SetAnswer(sample.Answer)
	rec.SetModel(sample.Model)
	rec.Usage(sample.Usage)
	return nil
}

// emitTo passes each piece of the answer to the caller and to the recorder, so
// that of an answer that breaks off the part that went out is evaluated.
func emitTo(stream *Stream, rec *evalmw.Recorder) func(string) error {
	if stream == nil {
		return nil
	}
	both := io.MultiWriter(stream.Deltas, rec)
	return func(delta string) error {
		if _, err := io.WriteString(both, delta); err != nil {
			return gone(err)
		}
		return nil
	}
}

// gone says that the caller no longer listens.
func gone(err error) error {
	return &Error{Class: Canceled, Message: "the caller is gone", cause: err}
}
