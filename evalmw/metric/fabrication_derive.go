package metric

import (
	"math"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/number"
)

const (
	maxOwnOperands   = 12 // numbers of the answer that another may be computed from
	maxChunkOperands = 64 // and numbers of chunks
	maxDerivations   = 32 // numbers of an answer that are tried
	maxRun           = 6  // values in a row that are added up or averaged
	sureDigits       = 3  // significant digits that seldom come out by accident
	neighbours       = 3  // how far apart, in a row of numbers, the operands of a short result stand
)

// operand is a number that another may be computed from.
type operand struct {
	value float64
	own   bool // of the answer
}

// deriveNumbers tells computed numbers from fabricated ones: the claim's numbers
// that stand nowhere may be the sum, difference, average, ratio, share or relative
// change of numbers that stand earlier in the answer or in the best chunks.
//
// Small numbers come out of anything. One with fewer than three significant digits
// must be announced as a result ("total", "increase of") by the claim or the
// query, and its operands must be neighbours or stand in the answer.
func (e *evidence) deriveNumbers(t *texts, c *claim, best [windowChunks]int32) {
	announced := e.asksResult || announcesResult(t, t.answer.tokens[c.body:c.to])
	for i := c.numbersFrom; i < c.numbersTo && e.derivations < maxDerivations; i++ {
		n := &e.numbers[i]
		if n.verdict != fabricated || n.kind != amount {
			continue
		}
		if e.isCount(n) || e.isDenominator(t, i) {
			n.verdict = derived
			continue
		}
		v := math.Abs(n.value.Float)
		if n.spelled || v == 0 && !announced || !announced && significant(v) < sureDigits {
			continue
		}
		e.derivations++
		e.readOperands(t, i, best)
		if e.isResult(n, v) {
			n.verdict = derived
		}
	}
}

// readOperands gathers what the i-th number may be computed from.
func (e *evidence) readOperands(t *texts, i int, best [windowChunks]int32) {
	e.operands = e.operands[:0]
	for j := max(0, i-maxOwnOperands); j < i; j++ {
		if n := &e.numbers[j]; n.verdict != fabricated && n.kind == amount {
			e.operands = append(e.operands, operand{value: math.Abs(n.value.Float), own: true})
		}
	}
	limit := len(e.operands) + maxChunkOperands
	if best[0] < 0 { // a bare number: whatever was retrieved
		for position := range e.order {
			e.readChunkOperands(t, int32(position), limit)
		}
		return
	}
	for _, position := range best {
		if position >= 0 {
			e.readChunkOperands(t, position, limit)
		}
	}
}

func (e *evidence) readChunkOperands(t *texts, position int32, limit int) {
	for _, f := range t.numbers(&t.chunks[e.order[position]]) {
		if len(e.operands) == limit {
			return
		}
		if !isLikelyYear(f.Value) {
			e.operands = append(e.operands, operand{value: math.Abs(f.Float)})
		}
	}
}

// isLikelyYear tells years from other numbers of four digits: nobody adds them up.
func isLikelyYear(n number.Value) bool { return isYear(n) && n.Float >= 1900 && n.Float <= 2100 }

// isResult reports whether v is computed from two operands, or from a run of them.
func (e *evidence) isResult(n *answerNumber, v float64) bool {
	// A number stated in millions may be computed from a table in millions.
	if e.isResultOf(n, v, n.step/2) {
		return true
	}
	return n.multiple > 1 && e.isResultOf(n, v/n.multiple, n.step/n.multiple/2)
}

func (e *evidence) isResultOf(n *answerNumber, v, tolerance float64) bool {
	short := significant(v) < sureDigits
	tolerance += float64(noise * v)
	isNear := func(x float64) bool { return math.Abs(math.Abs(x)-v) <= tolerance }
	percent := n.value.Unit == number.Percent
	for i := range e.operands {
		a := &e.operands[i]
		if a.own && !short && (isNear(a.value/100) || isNear(a.value*100)) { // a share and its percentage
			return true
		}
		sum := a.value
		for j := i + 1; j < len(e.operands); j++ {
			b := &e.operands[j]
			if run := j - i; run < maxRun && a.own == b.own {
				sum += b.value
				if isNear(sum) || isNear(sum/float64(run+1)) {
					return true
				}
			}
			if short && !(a.own && b.own) && j-i > neighbours {
				continue
			}
			x, y := a.value, b.value
			if isNear(x-y) || isNear(x+y) || isNear((x+y)/2) {
				return true
			}
			if x == 0 || y == 0 {
				continue
			}
			if percent && j == i+1 && (isNear(100*x/(x+y)) || isNear(100*y/(x+y))) { // two parts of a whole
				return true
			}
			if percent && (isNear(100*(x-y)/y) || isNear(100*(x-y)/x) || isNear(100*x/y) || isNear(100*y/x)) {
				return true
			}
			if !percent && !short && (isNear(x/y) || isNear(y/x) || a.own && b.own && isNear(x*y)) {
				return true
			}
		}
	}
	return false
}

// isCount knows the number of the items that the answer lists.
func (e *evidence) isCount(n *answerNumber) bool {
	return e.items > 1 && n.value.Unit == "" && n.value.Float == float64(e.items)
}

// isDenominator knows the "5" of "4.5 out of 5".
func (e *evidence) isDenominator(t *texts, i int) bool {
	if i == 0 || e.numbers[i-1].verdict == fabricated {
		return false
	}
	between := t.answer.text[e.numbers[i-1].end:e.numbers[i].start]
	return len(between) < 24 && strings.HasSuffix(between, "out of ")
}
