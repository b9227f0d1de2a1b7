package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

const (
	// attributionCoverage is the share of a sentence's terms that a chunk must
	// hold to count as its source.
	attributionCoverage = 0.5
	// attributionChunks bounds the chunks that are looked at, the best ranked
	// ones: a word common to all chunks costs one step for each of them every time
	// the answer uses it.
	attributionChunks = 256
)

// attribution finds, for each sentence of the answer, the chunk that it was most
// likely taken from: the one that holds the largest share of the sentence's
// terms, at least half; among equals the best ranked one.
//
// Terms are the distinct words of the sentence that carry content, and its
// numbers by their value, so that "$2.3 billion" stands in a chunk that says
// "2,300 million". Sign and unit do not count: texts state losses as negative
// numbers and in words. A sentence without terms has no source.
//
// The work is linear in the tokens of answer and chunks.
type attribution struct {
	values text.Table // the magnitudes of numbers, the answer's first

	terms     []uint32 // of the answer, sentence by sentence, each once per sentence
	sentences []int    // end of each sentence's terms
	lastIn    []int32  // by term: the last sentence, then the last chunk, that had it

	order    []int // merged chunks by rank
	heads    []int32
	postings []posting // which of order hold a term
	hits     []int32   // by position in order: terms of the sentence found
}

// posting is an entry of a term's list; next is -1 at its end.
type posting struct{ position, next int32 }

// each calls yield with the merged chunk of every sentence that has one.
func (a *attribution) each(v *rag.View, yield func(chunk int)) {
	t := turnTexts.Of(v)
	a.readAnswer(t)
	if len(a.terms) == 0 {
		return
	}
	a.readChunks(t, v.Chunks())
	from := 0
	for _, to := range a.sentences {
		if best := a.source(a.terms[from:to]); best >= 0 {
			yield(a.order[best])
		}
		from = to
	}
}

// Words and numbers share one space of terms.
func wordTerm(id uint32) uint32   { return id * 2 }
func numberTerm(id uint32) uint32 { return id*2 + 1 }

func (a *attribution) readAnswer(t *texts) {
	a.values.Reset()
	a.terms, a.sentences = a.terms[:0], a.sentences[:0]
	tokens, numbers := t.answer.tokens, t.numbers(&t.answer)
	for i := range numbers {
		a.values.Intern(magnitude(&numbers[i]))
	}
	a.forgetTerms(t)
	inNumber := 0 // where the span of the last number ends
	sentence := int32(0)
	for _, end := range text.Sentences(t.answer.text) {
		for len(tokens) > 0 && int(tokens[0].Start) < end {
			word := tokens[0]
			for len(numbers) > 0 && numbers[0].Start <= int(word.Start) {
				if inNumber = numbers[0].End; isPronoun(&numbers[0]) {
					inNumber = 0
				} else {
					id, _ := a.values.Intern(magnitude(&numbers[0]))
					a.addTerm(numberTerm(id), sentence)
				}
				numbers = numbers[1:]
			}
			if int(word.Start) >= inNumber && t.words.IsContent(word.ID) {
				a.addTerm(wordTerm(word.ID), sentence)
			}
			tokens = tokens[1:]
		}
		a.sentences = append(a.sentences, len(a.terms))
		sentence++
	}
}

func (a *attribution) addTerm(term uint32, sentence int32) {
	if a.lastIn[term] != sentence {
		a.lastIn[term] = sentence
		a.terms = append(a.terms, term)
	}
}

// forgetTerms makes room for the terms of the answer.
func (a *attribution) forgetTerms(t *texts) {
	n := 2 * max(t.answerWords, a.values.Len())
	a.lastIn = append(a.lastIn[:0], make([]int32, n)...)
	for i := range a.lastIn {
		a.lastIn[i] = -1
	}
}

// readChunks lists, for each term of the answer, the chunks that hold it.
func (a *attribution) readChunks(t *texts, chunks []rag.MergedChunk) {
	a.order = a.order[:0]
	for i := range chunks {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(x, y int) int { return cmp.Compare(chunks[x].Rank, chunks[y].Rank) })
	a.order = a.order[:min(len(a.order), attributionChunks)]

	values := a.values.Len()
	a.forgetTerms(t)
	a.heads = append(a.heads[:0], a.lastIn...)
	a.postings = a.postings[:0]
	for position, chunk := range a.order {
		p := &t.chunks[chunk]
		for _, word := range p.tokens {
			if int(word.ID) < t.answerWords {
				a.addPosting(wordTerm(word.ID), int32(position))
			}
		}
		if values == 0 {
			continue
		}
		numbers := t.numbers(p)
		for i := range numbers {
			if id, _ := a.values.Intern(magnitude(&numbers[i])); int(id) < values {
				a.addPosting(numberTerm(id), int32(position))
			}
		}
	}
}

func (a *attribution) addPosting(term uint32, position int32) {
	if a.lastIn[term] == position {
		return
	}
	a.lastIn[term] = position
	a.postings = append(a.postings, posting{position: position, next: a.heads[term]})
	a.heads[term] = int32(len(a.postings) - 1)
}

// source returns the position of the chunk with the largest share of the terms,
// or -1.
func (a *attribution) source(terms []uint32) int {
	if len(terms) == 0 {
		return -1
	}
	a.hits = append(a.hits[:0], make([]int32, len(a.order))...)
	for _, term := range terms {
		for p := a.heads[term]; p >= 0; p = a.postings[p].next {
			a.hits[a.postings[p].position]++
		}
	}
	best, most := -1, int32(0)
	for position, n := range a.hits {
		if n > most {
			best, most = position, n
		}
	}
	if float64(most) < attributionCoverage*float64(len(terms)) {
		return -1
	}
	return best
}

// isPronoun reports whether a number is the bare word "one", which seldom counts.
func isPronoun(n *number.Found) bool { return n.Spelled && n.Float == 1 && n.Unit == "" }

func magnitude(n *number.Found) uint64 { return math.Float64bits(math.Abs(n.Float)) }
