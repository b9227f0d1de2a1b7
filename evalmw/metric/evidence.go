package metric

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

const (
	// maxOccurrences bounds how often a word is looked at in one chunk: a chunk
	// that repeats a word without end costs no more than one that is text.
	maxOccurrences = 32
	// A window has windowFactor times the words of its claim, and windowSlack more:
	// sources are wordier than answers.
	windowFactor = 3
	windowSlack  = 24
	// windowChunks are the chunks, those that hold most of a claim's terms, in
	// which a window is looked for.
	windowChunks = 2
	// maxRetainedEvidence bounds what an idle evaluator keeps after a hostile sample.
	maxRetainedEvidence = 1 << 19
)

// claim is a statement of the answer and what speaks for it.
//
// Terms are the distinct content words and the numbers of the claim. Words match
// in their light forms (see wordClasses), numbers by value.
type claim struct {
	statement

	terms    int // distinct content words and numbers
	inWindow int // of them, in the window that holds most of them

	chunk                  int // of the window, by merged chunk; -1 where there is none
	windowStart, windowEnd int // bytes of the chunk

	numbersFrom, numbersTo int // in evidence.numbers
	fabricated             int // of them
	misplaced              int // of them
	elsewhere              int // of them: with a source, though they stand nowhere as they are

	namesMissing int // capitalised runs with a word that is in no chunk and not in the query
	denied       int // words of which records say the opposite

	supported bool
}

// evidence is what the chunks hold for each claim of the answer. Of more chunks
// than 256 the best ranked are looked at.
//
// The work is linear in the words of answer and chunks: a claim walks the
// postings of its own words, at most one per word and chunk, and looks for a
// window in the best two chunks, among at most 32 places per word.
type evidence struct {
	claims  []claim
	numbers []answerNumber
	skip    []bool // by word of the answer: citation markers

	splitter   claimSplitter
	statements []statement
	classes    wordClasses
	numberSources

	order       []int   // merged chunks that are looked at
	positions   []int32 // in order, by merged chunk; -1 for those that are not
	heads       []int32
	tails       []int32
	postings    []termPosting
	occurrences []occurrence
	inQuery     []bool
	keys        []uint8 // by word of the answer: what records say of it
	hits        []int32 // by position in order
	lastIn      []int32 // by term: the claim that last had it
	stamp       int32   // a number that no claim has
	cited       []bool  // by position in order
	terms       []uint32
	places      []uint64
	counts      []int32 // by index in terms
}

// termPosting says that a chunk holds a term.
type termPosting struct {
	position    int32 // in order
	first, last int32 // occurrences
	n           int32
	next        int32 // posting of the same term, or -1
}

type occurrence struct{ token, next int32 }

// turnEvidence finds what speaks for each claim of the answer.
var turnEvidence = rag.NewShared(func(v *rag.View, e *evidence) {
	if cap(e.occurrences)+cap(e.values)+cap(e.classes.of) > maxRetainedEvidence {
		*e = evidence{}
	}
	t := turnTexts.Of(v)
	e.claims, e.numbers, e.stamp = e.claims[:0], e.numbers[:0], -1
	e.rank(v)
	e.skip = turnCitations.Of(v).markedWords(e.skip[:0], t.answer.tokens)
	e.statements = e.splitter.appendClaims(e.statements[:0], t, e.skip)
	if len(e.statements) == 0 {
		return
	}
	e.classes.build(t)
	e.numberSources.reset()
	e.readNumbers(t)
	e.index(t)
	e.lookUp(t)
	e.addNumbers(t)
	for i := range e.statements {
		e.claims = append(e.claims, e.judge(t, &e.statements[i], i))
	}
})

// rank orders the chunks that are looked at.
func (e *evidence) rank(v *rag.View) {
	chunks := v.Chunks()
	e.order = e.order[:0]
	for i := range chunks {
		e.order = append(e.order, i)
	}
	if len(chunks) > attributionChunks {
		slices.SortStableFunc(e.order, func(x, y int) int { return cmp.Compare(chunks[x].Rank, chunks[y].Rank) })
		e.order = e.order[:attributionChunks]
	}
	e.positions = fill(e.positions, len(chunks), -1)
	for position, chunk := range e.order {
		e.positions[chunk] = int32(position)
	}
}

// numberTermAt is the term of the answer's i-th number; words come before.
func (e *evidence) numberTermAt(t *texts, i int) uint32 { return uint32(t.answerWords + i) }

// judge gathers what speaks for one claim.
func (e *evidence) judge(t *texts, k *statement, number int) claim {
	c := claim{statement: *k, chunk: -1}
	e.collect(t, &c, int32(number))
	if c.kind == general {
		return c
	}
	e.countNames(t, &c)
	best := e.bestChunks(t)
	e.deriveNumbers(t, &c, best)
	e.countNumbers(t, &c)
	for _, position := range best {
		if position >= 0 {
			e.findWindow(t, &c, position)
		}
	}
	c.inWindow += c.elsewhere
	c.supported = isSupported(&c)
	return c
}

// collect lists the terms of a claim, each once.
func (e *evidence) collect(t *texts, c *claim, number int32) {
	e.terms = e.terms[:0]
	c.numbersFrom, _ = slices.BinarySearchFunc(e.numbers, c.start, func(n answerNumber, start int) int { return cmp.Compare(n.start, start) })
	at, inNumber := c.numbersFrom, 0
	var p polarity
	for i := c.body; i < c.to; i++ {
		token := t.answer.tokens[i]
		for at < len(e.numbers) && e.numbers[at].start <= int(token.Start) && e.numbers[at].start < c.end {
			inNumber = e.numbers[at].end
			e.terms = append(e.terms, e.numberTermAt(t, at))
			at++
		}
		p.read(t, e.splitter.cues[token.ID], i, c.body)
		class := e.classes.of[token.ID]
		if class < 0 || int(token.Start) < inNumber || e.skip[i] || e.splitter.cues[token.ID]&(concludes|generalises) != 0 ||
			isLabel(t, &c.statement, i) || e.lastIn[class] == number {
			continue
		}
		e.lastIn[class] = number
		// A word of which records say the opposite is not found.
		if key := e.keys[class]; key == keyFalse && !e.isDenied(t, &p, i, c.to) || key == keyTrue && e.isDenied(t, &p, i, c.to) {
			c.denied++
			continue
		}
		e.terms = append(e.terms, uint32(class))
	}
	c.numbersTo = at
	c.terms = len(e.terms) + c.denied
}

// bestChunks returns the positions of the chunks with most of the claim's terms,
// -1 where there is none. Among equals the text decides, so that the order of the
// chunks does not matter.
func (e *evidence) bestChunks(t *texts) (best [windowChunks]int32) {
	e.hits = fill(e.hits, len(e.order), 0)
	for _, term := range e.terms {
		for p := e.heads[term]; p >= 0; p = e.postings[p].next {
			e.hits[e.postings[p].position]++
		}
	}
	for i := range best {
		best[i] = -1
	}
	for position, n := range e.hits {
		if n == 0 {
			continue
		}
		candidate := int32(position)
		for i, other := range best {
			if other < 0 {
				best[i] = candidate
				break
			}
			if e.isBetter(t, candidate, other) {
				best[i], candidate = candidate, other
			}
		}
	}
	return best
}

func (e *evidence) isBetter(t *texts, a, b int32) bool {
	if e.hits[a] != e.hits[b] {
		return e.hits[a] > e.hits[b]
	}
	return strings.Compare(t.chunks[e.order[a]].text, t.chunks[e.order[b]].text) < 0
}

// countNumbers counts the claim's numbers without a source. Those with one that
// stand nowhere as they are count as found: derived ones, and those of the query.
func (e *evidence) countNumbers(t *texts, c *claim) {
	for i := c.numbersFrom; i < c.numbersTo; i++ {
		switch n := &e.numbers[i]; {
		case n.verdict == fabricated:
			c.fabricated++
		case n.verdict == misplaced:
			c.misplaced++
		case e.heads[e.numberTermAt(t, i)] < 0:
			c.elsewhere++
		}
	}
}

// findWindow looks in a chunk for the run of words, not much longer than the
// claim, that holds most of its terms, and keeps it if it is better than what was
// found before: more terms, else shorter.
func (e *evidence) findWindow(t *texts, c *claim, position int32) {
	e.places = e.places[:0]
	for i, term := range e.terms {
		for p := e.heads[term]; p >= 0; p = e.postings[p].next {
			if e.postings[p].position != position {
				continue
			}
			for o := e.postings[p].first; o >= 0; o = e.occurrences[o].next {
				e.places = append(e.places, uint64(e.occurrences[o].token)<<32|uint64(i))
			}
			break
		}
	}
	slices.Sort(e.places)
	e.counts = fill(e.counts, len(e.terms), 0)
	width := uint64(windowFactor*(c.to-c.from) + windowSlack)
	tokens := t.chunks[e.order[position]].tokens
	distinct, from := 0, 0
	for to, place := range e.places {
		if e.counts[uint32(place)]++; e.counts[uint32(place)] == 1 {
			distinct++
		}
		for place>>32-e.places[from]>>32 >= width || from < to && e.counts[uint32(e.places[from])] > 1 {
			if e.counts[uint32(e.places[from])]--; e.counts[uint32(e.places[from])] == 0 {
				distinct--
			}
			from++
		}
		start, end := int(tokens[e.places[from]>>32].Start), int(tokens[place>>32].End)
		if distinct > c.inWindow || distinct == c.inWindow && distinct > 0 && end-start < c.windowEnd-c.windowStart {
			c.inWindow, c.chunk, c.windowStart, c.windowEnd = distinct, e.order[position], start, end
		}
	}
}

// countNames counts the names of a claim that stand nowhere: capitalised runs with
// a word that no chunk and no query has. Its first word is capitalised anyhow.
func (e *evidence) countNames(t *texts, c *claim) {
	missing := false
	for i := c.body + 1; i < c.to; i++ {
		k := t.answer.tokens[i]
		if e.skip[i] || !e.isNameWord(t, k) {
			missing = false
			continue
		}
		class := e.classes.of[k.ID]
		if class >= 0 && e.heads[class] < 0 && !e.inQuery[class] && !missing {
			missing = true
			c.namesMissing++
		}
	}
}

// isNameWord reports whether a content word starts with a capital or has one
// inside.
func (e *evidence) isNameWord(t *texts, k text.Token) bool {
	return t.words.IsContent(k.ID) && hasCapital(t.answer.text[k.Start:k.End])
}

// wordRange is words of a text, by index.
type wordRange struct{ from, to int }

// wordsWithin returns the words whose span lies in the bytes from start to end.
func wordsWithin(tokens []text.Token, start, end int) wordRange {
	at := func(k text.Token, offset int) int { return cmp.Compare(int(k.Start), offset) }
	from, _ := slices.BinarySearchFunc(tokens, start, at)
	to, _ := slices.BinarySearchFunc(tokens, end, at)
	return wordRange{from, to}
}

// fill returns s with n elements, all of them v.
func fill[T any](s []T, n int, v T) []T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = v
	}
	return s
}
