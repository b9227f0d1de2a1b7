package answer

import (
	"context"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// Field is a value to extract from a document.
type Field struct {
	_ struct{}

	Name     string
	Question string // that asks for it
}

// Extraction is what one source gives for a field. Several sources may agree,
// differ and be wrong.
type Extraction struct {
	_ struct{}

	Field       string
	Source      string // a system of the corpus, or "extractive"
	Value       string
	ChunkNumber int     // place of the evidence in the list of chunks, from 1; 0 if there is none
	Confidence  float64 // 0 to 1; see [Extractor]
	Evidence    string  // the sentence or row in which the value stands, verbatim; empty if there is none
	Format      string
}

// Extractor extracts fields by several sources: what each system of the corpus
// answered to the field's question, and [Extractive].
//
// The confidence is the extractor's, for the systems gave none: 0.5 for a value
// that stands nowhere and may be computed, up to 1 for one that stands whole in
// a sentence or row together with all that the question names. On the corpus
// the mean official F1 of the recorded values rises with it from 0.5 to 0.75.
// That of an extractive value is the share of the question that its quote
// covers.
type Extractor struct {
	_ struct{}

	Corpus *corpus.Corpus
}

const withoutEvidence = 0.5

// Extract returns the extractions of all fields, field by field, from the
// chunks of one document. A source that did not answer gives none.
func (x Extractor) Extract(ctx context.Context, docID string, fields []Field, chunks []corpus.Chunk) ([]Extraction, error) {
	units := unitsOf(chunks)
	var list []Extraction
	for _, field := range fields {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if question, ok := x.Corpus.Find(field.Question, docID); ok {
			list = append(list, x.recorded(field, question, units)...)
		}
		req := Request{Question: field.Question, DocID: docID, Chunks: chunks}
		if q := pick(req); q.cover >= leastCover {
			list = append(list, Extraction{
				Field: field.Name, Source: "extractive", Value: q.value, Format: Format(q.value),
				ChunkNumber: q.unit.chunk + 1, Evidence: q.unit.text, Confidence: q.cover,
			})
		}
	}
	return list, nil
}

func (x Extractor) recorded(field Field, question corpus.Question, units []unit) []Extraction {
	var list []Extraction
	asked := tokensOf(field.Question)
	for _, system := range x.Corpus.Systems {
		recorded, ok := x.Corpus.Recorded(question.ID, system)
		if !ok || recorded.Value() == "" {
			continue
		}
		e := Extraction{
			Field: field.Name, Source: system, Value: recorded.Value(),
			Confidence: withoutEvidence, Format: Format(recorded.Value()),
		}
		if at, ok := locate(e.Value, asked, units); ok {
			e.ChunkNumber, e.Evidence = at.unit.chunk+1, at.unit.text
			e.Confidence = withoutEvidence + (1-withoutEvidence)*at.strength*at.relevant
		}
		list = append(list, e)
	}
	return list
}
