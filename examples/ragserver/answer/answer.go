// Package answer turns retrieved chunks into answers, in three ways: by
// quoting the chunks, by repeating what a real system once answered, or by
// asking a chat model.
package answer

import (
	"context"
	"strings"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// Request is a question with what was retrieved for it.
type Request struct {
	_ struct{}

	Question string
	DocID    string         // the document that it is about; empty if unknown
	Chunks   []corpus.Chunk // best first
}

// Answer is an answer and where it comes from.
type Answer struct {
	_ struct{}

	Text      string
	Value     string   // the answer alone, without a sentence around it; empty if there is no telling
	Citations []string // ids of chunks of the request, distinct, in order of mention
	Abstained bool
	Model     string
	Usage     Usage
}

// Usage counts tokens; it is zero where no model ran.
type Usage struct {
	_ struct{}

	InputTokens, OutputTokens int
}

// Answerer answers questions. It must be safe for concurrent use.
//
// Emit, if not nil, receives the text piece by piece while it comes into being
// and from the goroutine of the call; an error from it ends the answer.
type Answerer interface {
	Answer(ctx context.Context, req Request, emit func(delta string) error) (Answer, error)
}

// emitWords passes a text on as a model would produce it.
func emitWords(ctx context.Context, text string, emit func(string) error) error {
	if emit == nil {
		return ctx.Err()
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := ctx.Err(); err != nil {
			return err
		}
		if word == "" {
			continue
		}
		if err := emit(word); err != nil {
			return err
		}
	}
	return nil
}
