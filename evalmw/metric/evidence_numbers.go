package metric

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// numberVerdict is what the chunks say about a number of the answer.
type numberVerdict uint8

const (
	fabricated numberVerdict = iota // it stands nowhere
	held                            // it stands in a chunk, near words that it stands beside in the answer
	misplaced                       // it stands in a chunk, beside other words only
	derived                         // it can be computed from numbers that stand there
	asked                           // it stands in the query
)

const (
	maxLooks  = 12 // at places where a number may stand
	maxPlaces = 6  // of a number that are kept
	perChunk  = 2  // of them in one chunk, where the number is written alike
	nearWords = 12 // within which a number has its words in a chunk
	unitWords = 4  // within which it has its unit there, where that counts other things too
	besides   = 4  // words on each side of a number that are its words in the answer
	maxBeside = 32 // words among which these are looked for: a list of numbers has none
)

// numberKind is what is written in digits.
type numberKind uint8

const (
	amount numberKind = iota
	dated
	timeOfDay
	code // a version, an address, the number of an order: only its digits count
)

// answerNumber is a number, date or code of the answer, one that says something: not
// the number of a list's item or of a citation, nor the pronoun "one".
type answerNumber struct {
	start, end int // bytes of the answer
	statement  int
	value      number.Value
	quantity   quantity
	multiple   float64 // what a scale such as "million" multiplied it by, else 1
	step       float64 // the value of its last digit
	kind       numberKind
	spelled    bool
	rounded    bool // the answer says so: "about"
	clock      clock
	verdict    numberVerdict

	places [maxPlaces]numberPlace
	placed int
}

type numberPlace struct{ position, start int32 }

// chunkNumber is a number of a chunk.
type chunkNumber struct {
	magnitude float64
	unit      number.Unit
	scaled    bool
	position  int32 // in evidence.order
	start     int32
	end       int32
}

// readNumbers lists the numbers, dates and times of the answer's claims.
func (e *evidence) readNumbers(t *texts) {
	found := t.numbers(&t.answer)
	e.dates, e.clocks = e.dates[:0], e.clocks[:0]
	if hasDigits(t) {
		e.dates = number.AppendDates(e.dates, t.answer.text)
		e.clocks = appendClocks(e.clocks, t.answer.text)
	}
	dates, clocks := e.dates, e.clocks
	for i := range e.statements {
		k := &e.statements[i]
		from := len(e.numbers)
		for ; len(clocks) > 0 && clocks[0].start < k.end; clocks = clocks[1:] {
			e.numbers = append(e.numbers, answerNumber{statement: i, start: clocks[0].start, end: clocks[0].end, kind: timeOfDay, clock: clocks[0]})
		}
		times := len(e.numbers) - from
		for ; len(dates) > 0 && dates[0].Start < k.end; dates = dates[1:] {
			if !overlaps(e.numbers[from:from+times], dates[0].Start, dates[0].End) {
				e.numbers = append(e.numbers, answerNumber{statement: i, start: dates[0].Start, end: dates[0].End, kind: dated})
			}
		}
		aside := len(e.numbers)
		slices.SortFunc(e.numbers[from:], byStart)
		for ; len(found) > 0 && found[0].Start < k.end; found = found[1:] {
			if found[0].Start >= k.start && !isPronoun(&found[0]) && !overlaps(e.numbers[from:aside], found[0].Start, found[0].End) {
				e.addNumber(t, i, &found[0])
			}
		}
		if k.kind == general {
			e.numbers = e.numbers[:from]
			continue
		}
		slices.SortFunc(e.numbers[from:], byStart)
		e.readCodes(t, i, from)
	}
}

func byStart(a, b answerNumber) int { return cmp.Compare(a.start, b.start) }

// overlaps reports whether one of the numbers, which are in order, shares bytes
// with a span.
func overlaps(numbers []answerNumber, start, end int) bool {
	at, _ := slices.BinarySearchFunc(numbers, start, func(n answerNumber, start int) int { return cmp.Compare(n.end, start+1) })
	return at < len(numbers) && numbers[at].start < end
}

func hasDigits(t *texts) bool {
	for id := range uint32(t.answerWords) {
		if t.words.Flags(id)&text.Digit != 0 {
			return true
		}
	}
	return false
}

func (e *evidence) addNumber(t *texts, statement int, f *number.Found) {
	k := &e.statements[statement]
	at := wordsWithin(t.answer.tokens, f.Start, f.End)
	if at.from < at.to && (e.skip[at.from] || isLabel(t, k, at.from)) {
		return
	}
	n := answerNumber{start: f.Start, end: f.End, statement: statement, value: f.Value, spelled: f.Spelled, multiple: 1}
	n.quantity = quantityAt(t, &t.answer, f.End)
	if f.Scaled && !f.Spelled {
		n.multiple = scaleOf(t.answer.text[f.Start:f.End], f.Float)
	}
	n.step = n.multiple * math.Pow10(-decimalsOf(f))
	if n.rounded = isRounded(t, k, at.from); n.rounded {
		n.step = max(n.step, trailingZeros(math.Abs(f.Float)))
	}
	e.numbers = append(e.numbers, n)
}

// decimalsOf counts the decimals of a number without those that binary fractions
// left when somebody printed them: 2 for 20.810000000000002.
func decimalsOf(f *number.Found) int {
	decimals := f.Decimals
	for decimals > 9 || decimals > 0 && f.Decimals > 9 && math.Abs(math.Remainder(f.Float*math.Pow10(decimals-1), 1)) < 1e-5 {
		decimals--
	}
	return decimals
}

// scaleOf returns what the scale of a written number multiplies its digits by.
func scaleOf(written string, value float64) float64 {
	from := strings.IndexAny(written, "0123456789")
	if from < 0 {
		return 1
	}
	to := from + strings.IndexFunc(written[from:]+" ", func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
	digits, ok := number.Parse(strings.TrimRight(written[from:to], ".,"))
	if !ok || digits.Float == 0 {
		return 1
	}
	return math.Pow10(int(math.Round(math.Log10(math.Abs(value / digits.Float)))))
}

// trailingZeros returns the value of the last digit of v that is not zero: 100 for 2,300.
func trailingZeros(v float64) float64 {
	step := 1.0
	for v != 0 && v < 1e15 && math.Mod(v, step*10) == 0 {
		step *= 10
	}
	return step
}

// isRounded reports whether a word before the number says that it is not exact.
func isRounded(t *texts, k *statement, at int) bool {
	for i := max(k.from, at-2); i < at; i++ {
		switch string(t.words.Text(t.answer.tokens[i].ID)) {
		case "about", "approximately", "around", "roughly", "nearly", "almost", "over", "than", "some", "approx", "least", "circa", "ca", "etwa", "rund":
			return true
		}
	}
	return false
}
