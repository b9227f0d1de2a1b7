package metric

import (
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// textCitation is one source named in the text of an answer.
type textCitation struct {
	start, end int // bytes of the marker, which may name several
}

// textCitations are the citations written in the answer's text.
type textCitations struct {
	found []textCitation
}

var turnCitations = rag.NewShared(func(v *rag.View, c *textCitations) { c.found = c.found[:0] })

// markedWords says for each word of the answer whether it is part of a citation.
func (c *textCitations) markedWords(dst []bool, tokens []text.Token) []bool {
	dst = fill(dst, len(tokens), false)
	for i := range c.found {
		at := wordsWithin(tokens, c.found[i].start, c.found[i].end)
		for j := at.from; j < at.to; j++ {
			dst[j] = true
		}
	}
	return dst
}
