package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// ErrNotRecorded says that a system was never asked a question.
var ErrNotRecorded = errors.New("no recorded answer")

// Recorded repeats what one of the corpus's systems answered, right or wrong.
// What it cites is searched for in the chunks, and may be nothing.
type Recorded struct {
	_ struct{}

	Corpus *corpus.Corpus
	System string // one of Corpus.Systems
}

// Answer implements [Answerer]. Its error wraps [ErrNotRecorded] for a question
// that is not the corpus's or that the system was not asked.
func (r Recorded) Answer(ctx context.Context, req Request, emit func(string) error) (Answer, error) {
	question, ok := r.Corpus.Find(req.Question, req.DocID)
	if !ok {
		return Answer{}, fmt.Errorf("%w: the question is not one of the corpus's; ask it in its exact words", ErrNotRecorded)
	}
	recorded, ok := r.Corpus.Recorded(question.ID, r.System)
	if !ok {
		return Answer{}, fmt.Errorf("%w: system %q to question %s; systems are %q", ErrNotRecorded, r.System, question.ID, r.Corpus.Systems)
	}
	if err := emitWords(ctx, recorded.Text, emit); err != nil {
		return Answer{}, err
	}
	return Answer{
		Text: recorded.Text, Value: recorded.Value(), Abstained: recorded.Text == "", Model: recorded.System,
		Citations: cite(append(sentences(recorded.Text), recorded.Parsed...), req),
	}, nil
}

// cite returns the chunks in which the claims stand.
func cite(claims []string, req Request) []string {
	var ids []string
	units, question := unitsOf(req.Chunks), tokensOf(req.Question)
	for _, claim := range claims {
		if at, ok := locate(claim, question, units); ok {
			if id := req.Chunks[at.unit.chunk].ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
