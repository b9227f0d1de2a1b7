package metric

import (
	"cmp"
	"slices"
)

// index lists where the chunks hold the words and numbers of the answer.
func (e *evidence) index(t *texts) {
	n := t.answerWords + len(e.numbers)
	e.heads = fill(e.heads, n, -1)
	e.tails = fill(e.tails, n, -1)
	e.lastIn = fill(e.lastIn, n, -1)
	e.postings, e.occurrences = e.postings[:0], e.occurrences[:0]
	e.inQuery = append(e.inQuery[:0], make([]bool, t.answerWords)...)
	for _, token := range t.query.tokens {
		e.classes.each(token.ID, func(class uint32) { e.inQuery[class] = true })
	}
	e.keys = fill(e.keys, t.answerWords, 0)
	for position, chunk := range e.order {
		s := t.chunks[chunk].text
		for i, token := range t.chunks[chunk].tokens {
			class := e.classes.of[token.ID]
			switch {
			case class >= 0:
				e.add(uint32(class), int32(position), int32(i))
				if uint32(class) == token.ID {
					e.keys[class] |= valueAt(s, int(token.End))
				}
			case class <= firstCompound:
				pair := e.classes.compounds[firstCompound-class]
				e.add(pair[0], int32(position), int32(i))
				e.add(pair[1], int32(position), int32(i))
				value := valueAt(s, int(token.End))
				e.keys[pair[0]] |= value
				e.keys[pair[1]] |= value
			}
		}
	}
}

func (e *evidence) add(term uint32, position, token int32) {
	at := e.tails[term]
	if at < 0 || e.postings[at].position != position {
		e.postings = append(e.postings, termPosting{position: position, first: -1, last: -1, next: -1})
		last := int32(len(e.postings) - 1)
		if at < 0 {
			e.heads[term] = last
		} else {
			e.postings[at].next = last
		}
		e.tails[term] = last
		at = last
	}
	p := &e.postings[at]
	if p.n == maxOccurrences {
		return
	}
	p.n++
	e.occurrences = append(e.occurrences, occurrence{token: token, next: -1})
	last := int32(len(e.occurrences) - 1)
	if p.first < 0 {
		p.first = last
	} else {
		e.occurrences[p.last].next = last
	}
	p.last = last
}

// addNumbers lists the numbers of the answer that chunks hold, at the words where
// they start.
func (e *evidence) addNumbers(t *texts) {
	for i := range e.numbers {
		n := &e.numbers[i]
		places := n.places[:n.placed]
		slices.SortFunc(places, func(a, b numberPlace) int {
			return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.start, b.start))
		})
		for _, at := range places {
			word := wordsWithin(t.chunks[e.order[at.position]].tokens, int(at.start), int(at.start)+1).from
			if word < len(t.chunks[e.order[at.position]].tokens) {
				e.add(e.numberTermAt(t, i), at.position, int32(word))
			}
		}
	}
}
