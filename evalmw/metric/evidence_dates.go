package metric

import (
	"cmp"
	"slices"

	"github.com/touchstone-rag/touchstone/internal/number"
)

// lookUpDate holds a date if all its words stand in one chunk, or if a chunk
// states the same date in another notation.
func (e *evidence) lookUpDate(t *texts, n *answerNumber) {
	at := wordsWithin(t.answer.tokens, n.start, n.end)
	e.hits = fill(e.hits, len(e.order), 0)
	words := int32(0)
	for _, k := range t.answer.tokens[at.from:at.to] {
		class := e.classes.of[k.ID]
		if class < 0 {
			continue
		}
		words++
		for p := e.heads[class]; p >= 0; p = e.postings[p].next {
			e.hits[e.postings[p].position]++
		}
	}
	if words > 0 && slices.Contains(e.hits, words) {
		n.verdict = held
		return
	}
	date, ok := number.ParseDate(t.answer.text[n.start:n.end])
	if !ok {
		return
	}
	e.readDates(t)
	from, _ := slices.BinarySearchFunc(e.chunkDates, date.Year, func(d number.FoundDate, year int) int { return cmp.Compare(d.Year, year) })
	for i := from; i < len(e.chunkDates) && e.chunkDates[i].Year == date.Year; i++ {
		d := &e.chunkDates[i]
		if d.Date.Equal(date) || date.Kind == number.FiscalYear || date.Kind == number.Month && d.Month == date.Month {
			n.verdict = held
			return
		}
	}
}

func (e *evidence) readDates(t *texts) {
	if e.datesRead {
		return
	}
	e.datesRead = true
	e.chunkDates = e.chunkDates[:0]
	for _, chunk := range e.order {
		e.chunkDates = number.AppendDates(e.chunkDates, t.chunks[chunk].text)
	}
	e.chunkDates = number.AppendDates(e.chunkDates, t.query.text)
	// Each once, by year: many dates have little to compare with.
	slices.SortFunc(e.chunkDates, func(a, b number.FoundDate) int { return compareDates(&a.Date, &b.Date) })
	e.chunkDates = slices.CompactFunc(e.chunkDates, func(a, b number.FoundDate) bool { return a.Date == b.Date })
}

func compareDates(a, b *number.Date) int {
	return cmp.Or(
		cmp.Compare(a.Year, b.Year), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Quarter, b.Quarter),
		cmp.Compare(a.Month, b.Month), cmp.Compare(a.Day, b.Day), compareBool(a.Ambiguous, b.Ambiguous),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (e *evidence) lookUpClock(t *texts, n *answerNumber) {
	if !e.clocksRead {
		e.clocksRead = true
		e.chunkClocks = appendClocks(e.chunkClocks[:0], t.query.text)
		for _, chunk := range e.order {
			e.chunkClocks = appendClocks(e.chunkClocks, t.chunks[chunk].text)
		}
		slices.SortFunc(e.chunkClocks, func(a, b clock) int { return cmp.Or(cmp.Compare(a.minute, b.minute), cmp.Compare(a.second, b.second)) })
		e.chunkClocks = slices.CompactFunc(e.chunkClocks, func(a, b clock) bool { return a.minute == b.minute && a.second == b.second && a.halfDay == b.halfDay })
	}
	for _, half := range [...]int16{0, halfDay} {
		minute := n.clock.minute%halfDay + half
		i, _ := slices.BinarySearchFunc(e.chunkClocks, minute, func(k clock, minute int16) int { return cmp.Compare(k.minute, minute) })
		for ; i < len(e.chunkClocks) && e.chunkClocks[i].minute == minute; i++ {
			if n.clock.isSameTime(e.chunkClocks[i]) {
				n.verdict = held
				return
			}
		}
	}
}
