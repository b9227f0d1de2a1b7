package metric

import (
	"math"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/number"
)

// standsWritten looks where the chunks write the number as the answer does, near
// its words: the common case, which needs no other number of the chunks.
func (e *evidence) standsWritten(t *texts, n *answerNumber, v float64, near []uint32) bool {
	at := wordsWithin(t.answer.tokens, n.start, n.end)
	if at.from == at.to {
		return false
	}
	n.placed = 0
	looks := maxLooks
	class := e.classes.of[t.answer.tokens[at.from].ID]
	for p := e.headOf(class); p >= 0; p = e.postings[p].next {
		position := e.postings[p].position
		chunk := &t.chunks[e.order[position]]
		limit := min(n.placed+perChunk, maxPlaces)
		for o := e.postings[p].first; o >= 0 && n.placed < limit && looks > 0; o = e.occurrences[o].next {
			looks--
			place := numberPlace{position, chunk.tokens[e.occurrences[o].token].Start}
			if e.isWrittenAt(t, chunk, place.start, n, v) && e.isNear(t, place, near) {
				n.verdict = held
				n.places[n.placed] = place
				n.placed++
			}
		}
	}
	return n.placed > 0
}

func (e *evidence) headOf(class int32) int32 {
	if class < 0 {
		return -1
	}
	return e.heads[class]
}

// The text around a word that is read to tell which number it is part of.
const (
	beforeWritten = 4
	afterWritten  = 24
)

// isWrittenAt reports whether the word at start is, or starts, this number.
func (e *evidence) isWrittenAt(t *texts, chunk *passage, start int32, n *answerNumber, v float64) bool {
	s := chunk.text
	from := int(start)
	for from > max(0, int(start)-beforeWritten) && (s[from-1] >= utf8.RuneSelf || !isWordByte(s[from-1])) {
		from--
	}
	for !utf8.RuneStart(s[from]) {
		from++
	}
	to := min(len(s), int(start)+afterWritten)
	e.local = number.Append(e.local[:0], s[from:to])
	for i := range e.local {
		f := &e.local[i]
		if from+f.Start > int(start) || int(start) >= from+f.End {
			continue
		}
		if q := quantityAt(t, chunk, from+f.End); !q.agrees(n.quantity) {
			return false
		}
		sameUnit := n.value.Unit == "" || f.Unit == "" || n.value.Unit == f.Unit
		return sameUnit && math.Abs(math.Abs(f.Float)-v) <= noise*v
	}
	return false
}
