package metric

import (
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/text"
)

const (
	codeDigits = 3  // that a word has at least to be a code; "CO2" and "MP3" are names
	codeBytes  = 64 // that it has at most: it is looked for anew at every place
	maxCodes   = 8  // of an answer that are looked for inside other words
)

// readCodes adds the words with digits of a statement that are no numbers, dates
// or times: v2.14.1, 10.0.4.17, AB-4012. The statement's numbers are those from
// index from on, in order.
func (e *evidence) readCodes(t *texts, statement, from int) {
	k := &e.statements[statement]
	known := len(e.numbers)
	for i := k.body; i < k.to; i++ {
		token := t.answer.tokens[i]
		if t.words.Flags(token.ID)&text.Digit == 0 || e.skip[i] || !isCode(t.answer.text[token.Start:token.End]) ||
			overlaps(e.numbers[from:known], int(token.Start), int(token.End)) {
			continue
		}
		e.numbers = append(e.numbers, answerNumber{start: int(token.Start), end: int(token.End), statement: statement, kind: code})
	}
	if len(e.numbers) > known {
		slices.SortFunc(e.numbers[from:], byStart)
	}
}

func isCode(word string) bool {
	if len(word) > codeBytes {
		return false
	}
	digits := 0
	for i := range len(word) {
		if isDigit(word[i]) {
			digits++
		}
	}
	return digits >= codeDigits && (isDigit(word[len(word)-1]) || !isOrdinal(word))
}

// isOrdinal reports whether a word ends like 101st or 1920s.
func isOrdinal(word string) bool {
	ending := strings.ToLower(strings.TrimLeft(word, "0123456789"))
	return ending == "st" || ending == "nd" || ending == "rd" || ending == "th" || ending == "s"
}

// lookUpCode holds a code that a chunk or the query has, be it inside a longer
// word or behind other letters: v2.14.1 is 2.14.1.
func (e *evidence) lookUpCode(t *texts, n *answerNumber) {
	id := t.answer.tokens[wordsWithin(t.answer.tokens, n.start, n.end).from].ID
	class := e.classes.of[id]
	for p := e.headOf(class); p >= 0 && n.placed < maxPlaces; p = e.postings[p].next {
		at := &e.postings[p]
		token := e.occurrences[at.first].token
		n.places[n.placed] = numberPlace{at.position, t.chunks[e.order[at.position]].tokens[token].Start}
		n.placed++
	}
	if n.placed > 0 || class >= 0 && e.inQuery[class] {
		n.verdict = held
		return
	}
	if e.codes == maxCodes {
		n.verdict = misplaced
		return
	}
	e.codes++
	core := t.answer.text[n.start:n.end]
	core = core[strings.IndexAny(core, "0123456789"):]
	if holdsCode(t.query.text, core) {
		n.verdict = held
		return
	}
	for _, chunk := range e.order {
		if holdsCode(t.chunks[chunk].text, core) {
			n.verdict = held
			return
		}
	}
}

// holdsCode reports whether s has these digits with no others around them.
func holdsCode(s, core string) bool {
	for from := 0; ; from++ {
		i := strings.Index(s[from:], core)
		if i < 0 {
			return false
		}
		from += i
		end := from + len(core)
		if (from == 0 || !isDigit(s[from-1])) && (end == len(s) || !isDigit(s[end])) {
			return true
		}
	}
}
