package metric

import (
	"math"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// numberSources are the numbers, dates and times that those of the answer are
// compared with. Each kind is read when it is first needed.
type numberSources struct {
	values      []chunkNumber
	byMagnitude []uint64 // magnitudeKey and index in values, in order
	valuesRead  bool
	local       []number.Found // around one word

	dates, chunkDates []number.FoundDate
	datesRead         bool

	clocks, chunkClocks []clock
	clocksRead          bool

	beside  []uint32 // words beside a number of the answer
	counted int32    // what it counts, where the chunks count that too; else noClass
	unit    measure  // that a converted number is sought in

	operands    []operand
	derivations int  // numbers that were tried
	codes       int  // that were looked for inside words
	asksResult  bool // the query asks for a computed number
	items       int  // that the answer lists
}

func (s *numberSources) reset() {
	s.valuesRead, s.datesRead, s.clocksRead, s.derivations, s.codes = false, false, false, 0, 0
}

// lookUp decides on each number of the answer. The words of the chunks are indexed by then.
func (e *evidence) lookUp(t *texts) {
	if len(e.numbers) == 0 {
		return
	}
	e.asksResult = announcesResult(t, t.query.tokens)
	e.items = countItems(t, e.statements)
	for i := range e.numbers {
		n := &e.numbers[i]
		switch n.kind {
		case dated:
			e.lookUpDate(t, n)
		case timeOfDay:
			e.lookUpClock(t, n)
		case code:
			e.lookUpCode(t, n)
		default:
			e.lookUpNumber(t, n)
			if n.verdict == misplaced && e.unitOf(t, n) >= 0 {
				n.verdict = fabricated
			}
		}
	}
}

// unitOf returns the class of the word right behind the number that says what it
// counts or measures, as in "12 employees", or a negative number.
func (e *evidence) unitOf(t *texts, n *answerNumber) int32 {
	at := wordsWithin(t.answer.tokens, n.start, n.end)
	if isLikelyYear(n.value) || at.to == len(t.answer.tokens) {
		return noClass
	}
	next := t.answer.tokens[at.to]
	between := t.answer.text[n.end:next.Start]
	if between != " " && between != "-" || t.words.Flags(next.ID)&text.Digit != 0 {
		return noClass
	}
	return e.classes.of[next.ID]
}

// isCounted reports whether the chunks have this word right behind a number: then
// one that stands elsewhere counts something else.
func (e *evidence) isCounted(t *texts, class int32) bool {
	looks := maxLooks
	for p := e.heads[class]; p >= 0; p = e.postings[p].next {
		chunk := &t.chunks[e.order[e.postings[p].position]]
		for o := e.postings[p].first; o >= 0 && looks > 0; o = e.occurrences[o].next {
			looks--
			if i := e.occurrences[o].token; i > 0 && t.words.Flags(chunk.tokens[i-1].ID)&text.Digit != 0 &&
				chunk.text[chunk.tokens[i-1].End:chunk.tokens[i].Start] == " " {
				return true
			}
		}
	}
	return false
}

// readValues sorts the numbers of the chunks by magnitude, when they are first needed.
func (e *evidence) readValues(t *texts) {
	if e.valuesRead {
		return
	}
	e.valuesRead = true
	e.values = e.values[:0]
	e.byMagnitude = e.byMagnitude[:0]
	for position, chunk := range e.order {
		for _, f := range t.numbers(&t.chunks[chunk]) {
			if len(e.values) == maxValues {
				break
			}
			k := chunkNumber{magnitude: math.Abs(f.Float), unit: f.Unit, scaled: f.Scaled, position: int32(position), start: int32(f.Start), end: int32(f.End)}
			e.addValue(k)
			if mayGroup(&f.Value) && len(e.values) < maxValues {
				k.magnitude *= 1000
				e.addValue(k)
			}
		}
	}
	slices.Sort(e.byMagnitude)
}

func (e *evidence) addValue(k chunkNumber) {
	e.byMagnitude = append(e.byMagnitude, magnitudeKey(k.magnitude)|uint64(len(e.values)))
	e.values = append(e.values, k)
}

// mayGroup reports whether a point before three digits may be one between
// thousands, as in "2.300 Millionen".
func mayGroup(v *number.Value) bool { return v.Decimals == 3 }

// maxValues bounds the numbers of the chunks that are looked at, and is what the
// low bits of a key have room for.
const maxValues = 1 << 20

// magnitudeKey puts magnitudes in order by their bits, the lowest of which give
// way to an index: ten digits are left.
func magnitudeKey(magnitude float64) uint64 {
	return math.Float64bits(max(magnitude, 0)) &^ (maxValues - 1)
}

// lookUpNumber looks for the number as it is, then rounded, then in another
// scale: tables state theirs in a heading.
func (e *evidence) lookUpNumber(t *texts, n *answerNumber) {
	v := math.Abs(n.value.Float)
	near := e.wordsBeside(t, n)
	e.counted = noClass
	isBare := n.value.Unit == "" && n.quantity.unit.dimension == 0
	if unit := e.unitOf(t, n); isBare && unit >= 0 && e.isCounted(t, unit) {
		e.counted = unit
	}
	if e.standsWritten(t, n, v, near) {
		return
	}
	e.readValues(t)
	if e.placesOf(t, n, v, 0, near, anyScale) {
		return
	}
	if e.standsAsWord(t, n) || e.isAsked(t, n, v) {
		return
	}
	if mayGroup(&n.value) && e.placesOf(t, n, v*1000, 0, near, anyScale) {
		return
	}
	// A number of one digit is seldom a rounded one.
	if (significant(v) > 1 || n.rounded || n.multiple > 1) && e.placesOf(t, n, v, n.step/2, near, anyScale) {
		return
	}
	for _, scale := range [...]float64{1e3, 1e6, 1e9} {
		if (n.multiple > 1 || significant(v) >= 3) && e.placesOf(t, n, v/scale, n.step/2/scale, near, unscaledOnly) {
			return
		}
		if n.multiple == 1 && significant(v) >= 3 && e.placesOf(t, n, v*scale, n.step/2*scale, near, scaledOnly) {
			return
		}
	}
	for _, factor := range measures[n.quantity.unit.dimension] {
		if e.unit = (measure{n.quantity.unit.dimension, factor}); e.unit == n.quantity.unit {
			continue
		}
		ratio, tolerance := n.quantity.unit.factor/factor, n.step/2
		if significant(v) == 1 && !n.rounded {
			tolerance = 0
		}
		if e.placesOf(t, n, v*ratio, tolerance*ratio, near, converted) {
			return
		}
	}
	if n.value.Unit == number.Percent && significant(v) >= 2 {
		e.placesOf(t, n, v/100, n.step/2/100, near, bareOnly)
	}
}

type scaleFilter uint8

const (
	anyScale scaleFilter = iota
	unscaledOnly
	scaledOnly
	bareOnly  // without scale and unit
	converted // in evidence.unit
)

// noise is what arithmetic on binary fractions leaves, relative to the value.
const noise = 1e-9

// placesOf looks for the numbers of chunks within tolerance of v, and settles the
// verdict if there is one.
func (e *evidence) placesOf(t *texts, n *answerNumber, v, tolerance float64, near []uint32, filter scaleFilter) bool {
	tolerance += float64(noise * v)
	from, _ := slices.BinarySearch(e.byMagnitude, magnitudeKey(v-tolerance))
	found := false
	n.placed = 0
	for looked := 0; from < len(e.byMagnitude) && looked < maxLooks && n.placed < maxPlaces; from++ {
		k := &e.values[e.byMagnitude[from]&(maxValues-1)]
		if k.magnitude > v+tolerance {
			break
		}
		looked++
		switch {
		case k.magnitude < v-tolerance:
			continue
		case filter == unscaledOnly && (k.scaled || k.unit == number.Percent), filter == scaledOnly && !k.scaled, filter == bareOnly && (k.scaled || k.unit != ""):
			continue
		case filter != bareOnly && n.value.Unit != "" && k.unit != "" && n.value.Unit != k.unit:
			continue
		}
		if sought := quantityAt(t, &t.chunks[e.order[k.position]], int(k.end)); filter == converted && sought.unit != e.unit || filter != converted && !sought.agrees(n.quantity) {
			continue
		}
		found = true
		if isLikelyYear(n.value) {
			near = nil
		}
		place := numberPlace{k.position, k.start}
		if e.isNear(t, place, near) {
			n.verdict = held
			n.places[n.placed] = place
			n.placed++
		} else if n.verdict != held {
			n.verdict = misplaced
		}
	}
	return found
}

// wordsBeside returns the classes of the words beside a number of the answer.
func (e *evidence) wordsBeside(t *texts, n *answerNumber) []uint32 {
	k := &e.statements[n.statement]
	at := wordsWithin(t.answer.tokens, n.start, n.end)
	e.beside = e.beside[:0]
	take := func(from, to, step int) {
		taken := 0
		for i := from; i != to && taken < besides && (i-from)*step < maxBeside; i += step {
			if class := e.classes.of[t.answer.tokens[i].ID]; class >= 0 && !e.skip[i] && t.words.Flags(t.answer.tokens[i].ID)&text.Digit == 0 {
				e.beside = append(e.beside, uint32(class))
				taken++
			}
		}
	}
	take(at.from-1, min(k.body, at.from)-1, -1)
	take(at.to, max(k.to, at.to), 1)
	return e.beside
}

// isNear reports whether one of the words stands near the place. A number
// without words is near everywhere.
func (e *evidence) isNear(t *texts, at numberPlace, words []uint32) bool {
	if len(words) == 0 {
		return true
	}
	tokens := t.chunks[e.order[at.position]].tokens
	middle := wordsWithin(tokens, int(at.start), int(at.start)+1).from
	if e.counted >= 0 {
		return e.countsSame(t, at.position, middle)
	}
	for _, k := range tokens[max(0, middle-nearWords):min(len(tokens), middle+nearWords)] {
		near := false
		e.classes.each(k.ID, func(class uint32) { near = near || slices.Contains(words, class) })
		if near {
			return true
		}
	}
	return false
}

// countsSame reports whether the number at word i of a chunk counts what the number of
// the answer does: the word for that stands behind it, or names it:
// "Employees: 400".
func (e *evidence) countsSame(t *texts, position int32, i int) bool {
	chunk := &t.chunks[e.order[position]]
	is := func(j int) bool {
		same := false
		e.classes.each(chunk.tokens[j].ID, func(class uint32) { same = same || class == uint32(e.counted) })
		return same
	}
	if i > 0 && i < len(chunk.tokens) && is(i-1) && strings.ContainsAny(chunk.text[chunk.tokens[i-1].End:chunk.tokens[i].Start], ":=|\t") {
		return true
	}
	words := false // of content: "10 to 15 guests" is a range, "10 rooms and 15 guests" is not
	for j := i + 1; j < min(len(chunk.tokens), i+1+unitWords); j++ {
		isNumber := t.words.Flags(chunk.tokens[j].ID)&text.Digit != 0
		switch {
		case is(j):
			return true
		case isNumber && words:
			return false
		}
		words = words || !isNumber && t.words.IsContent(chunk.tokens[j].ID)
	}
	return false
}

// standsAsWord knows the digits that stand in a chunk as part of a date, a time
// or a name.
func (e *evidence) standsAsWord(t *texts, n *answerNumber) bool {
	at := wordsWithin(t.answer.tokens, n.start, n.end)
	if at.to-at.from != 1 || n.value.Unit != "" || n.quantity.unit.dimension != 0 {
		return false
	}
	class := e.classes.of[t.answer.tokens[at.from].ID]
	if class < 0 || e.heads[class] < 0 {
		return false
	}
	n.verdict = held
	return true
}

func (e *evidence) isAsked(t *texts, n *answerNumber, v float64) bool {
	for _, f := range t.numbers(&t.query) {
		if math.Abs(math.Abs(f.Float)-v) <= float64(n.step/2)+float64(noise*v) {
			n.verdict = asked
			return true
		}
	}
	return false
}

// significant counts the digits of v from the first to the last that is not zero.
func significant(v float64) int {
	if v == 0 {
		return 1
	}
	digits := math.Abs(v)
	n := 0
	for digits >= 1 && math.Mod(digits, 10) == 0 && digits < 1e15 {
		digits /= 10
	}
	for digits != math.Trunc(digits) && n < 6 {
		digits *= 10
		n++
	}
	return int(math.Log10(max(digits, 1))) + 1
}
