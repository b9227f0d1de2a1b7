package number

import (
	"unicode"
	"unicode/utf8"
)

// scanNumber reads the number whose sign, bracket, currency or first digit stands
// at i. With whole set it takes the notations that only a lone value can have.
func scanNumber(s string, i int, whole bool) (Found, bool) {
	p := prefix{}
	j, ok := p.scan(s, i, whole)
	if !ok {
		return Found{}, false
	}
	n, ok := scanDigits(s, j, whole)
	if !ok || !whole && isClock(s, n.end) {
		return Found{}, false
	}
	end, attached, ok := scanAttached(s, n.end, p.unit != "")
	if !ok {
		return Found{}, false
	}
	x := suffix{open: p.open, unit: p.unit}
	if attached {
		end = x.scan(s, end)
	}
	if x.open || p.open && !whole && x.bare && looksLikeYear(&n) {
		return Found{}, false
	}
	if whole && end < len(s) && !p.negative && isMinus(s, end) {
		_, size := decode(s, end)
		p.negative = true
		end += size
	}
	float, ok := n.float(x.exponent)
	if !ok {
		return Found{}, false
	}
	if p.negative || p.open {
		float = -float
	}
	return Found{
		Value: Value{Float: float + 0, Unit: x.unit, Scaled: x.scaled, Decimals: n.decimals},
		Start: i, End: end,
	}, true
}

// prefix is what may stand before the digits, in any order, each at most once.
type prefix struct {
	negative, open bool
	unit           Unit
}

func (p *prefix) scan(s string, i int, whole bool) (int, bool) {
	signed := false
	for start := i; ; {
		if digitAt(s, i) >= 0 || i < len(s) && s[i] == '.' && digitAt(s, i+1) >= 0 {
			glued := i == start && s[i] == '.' && i > 0 && !isOpening(s[i-1])
			return i, !glued
		}
		r, size := decode(s, i)
		switch {
		case size == 0:
			return i, false
		case r == '(' && !p.open && !signed:
			p.open = true
		case (r == '+' || isMinus(s, i)) && !signed:
			if i == start && i > 0 && !whole && !isOpening(s[i-1]) || !whole && unicode.IsSpace(runeAt(s, i+size)) {
				return i, false
			}
			signed = true
			p.negative = r != '+'
		case i > start && unicode.IsSpace(r):
			if size = skipBlanks(s, i) - i; size == 0 {
				return i, false
			}
			if after := runeAt(s, i+size); unicode.IsSpace(after) {
				return i, false
			}
		default:
			if p.unit != "" {
				return i, false
			}
			if p.unit, size = currencyBefore(s[i:]); size == 0 {
				return i, false
			}
		}
		i += size
	}
}

func runeAt(s string, i int) rune {
	r, _ := decode(s, i)
	return r
}

// isOpening reports whether a sign after c belongs to what follows it: after a
// word, a digit or a closing bracket it is a dash or an operator.
func isOpening(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '(', '[', '{', '|', '"', '\'', '=', ':', ';', ',', '/', '~', '<', '>', '*', 0xA0:
		return true
	}
	return false
}

func isMinus(s string, i int) bool {
	switch r, _ := decode(s, i); r {
	case '-', '−', '–', '－', '﹣':
		return true
	}
	return false
}

// scanDigits is scanNumeral with a leading point (".5").
func scanDigits(s string, i int, whole bool) (numeral, bool) {
	if s[i] != '.' {
		return scanNumeral(s, i, whole)
	}
	g := scanGroup(s, i+1)
	if r := runeAt(s, g.end); r == '.' && digitAt(s, g.end+1) >= 0 {
		return numeral{}, false
	}
	n := numeral{end: g.end}
	n.appendDigits(s[g.start:g.end], true)
	n.scanExponent(s)
	return n, true
}

// isClock knows the minutes of 10:30 behind the hour.
func isClock(s string, i int) bool {
	return i < len(s) && s[i] == ':' && digitAt(s, i+1) >= 0 && digitAt(s, i+2) >= 0 && digitAt(s, i+3) < 0
}

// scanAttached looks at the letters directly after the digits. They are a scale or
// unit that we know (suffixes is true), a unit that we do not know (the number ends
// before it), or make the whole an identifier (ok is false).
func scanAttached(s string, i int, money bool) (end int, suffixes, ok bool) {
	r, size := decode(s, i)
	switch {
	case r == '_':
		return i, false, false
	case r == '-':
		next := runeAt(s, i+size)
		_, nextSize := decode(s, i+size)
		identifier := unicode.IsUpper(next) && !letterAt(s, i+size+nextSize)
		return i, !identifier, !identifier
	case !isLetter(r) || isUnspaced(r):
		return i, true, true
	}
	word := letters(s, i)
	if digitAt(s, i+len(word)) >= 0 {
		return i, false, false
	}
	if n, _ := scaleAfter(s[i:], true, money); n > 0 {
		return i, true, true
	}
	if n, _ := percentAfter(s[i:]); n > 0 {
		return i, true, true
	}
	if _, n := currencyAfter(s[i:]); n > 0 {
		return i, true, true
	}
	return i, false, isUnitWord(word)
}

// isUnitWord tells "5kg", "3.5x" and "20MW" from "2D", "4Q" and "21st".
func isUnitWord(word string) bool {
	switch word {
	case "st", "nd", "rd", "th":
		return false
	case "x", "X", "g", "h", "s", "GB", "MB", "TB", "KB", "MW", "GW", "kW", "kWh", "MWh", "GWh", "TWh", "Hz", "MHz", "GHz", "C", "F", "V", "W":
		return true
	}
	for i := range len(word) {
		if word[i] >= 'A' && word[i] <= 'Z' {
			return false
		}
	}
	return len(word) > 1
}

// suffix is what may stand after the digits.
type suffix struct {
	open     bool // a bracket waits to be closed
	bare     bool // nothing but that bracket was found
	unit     Unit
	exponent int
	scaled   bool
	scales   int
	after    bool // the unit was found behind the number
}

// scan reads scale, unit and closing bracket from i on and returns the end.
func (x *suffix) scan(s string, i int) int {
	x.bare = x.unit == ""
	for {
		next := x.scanOne(s, i, true)
		if next == i {
			blank := skipBlanks(s, i)
			if blank == i && i < len(s) && s[i] == '-' {
				blank = i + 1 // 5-million
			}
			if blank == i {
				return i
			}
			if next = x.scanOne(s, blank, false); next == blank {
				return i
			}
		}
		i = next
	}
}

func (x *suffix) scanOne(s string, i int, attached bool) int {
	if i >= len(s) {
		return i
	}
	if c := s[i]; c < utf8.RuneSelf && c != ')' && c != '%' && c != '$' && !isLetter(rune(c)) || !maySuffix(s, i) {
		return i
	}
	if x.open && s[i] == ')' {
		x.open = false
		return i + 1
	}
	if x.scales < 2 && !x.after {
		if size, exponent := scaleAfter(s[i:], attached && x.scales == 0, x.unit != "" && x.unit != Percent && x.scales == 0); size > 0 {
			x.scales++
			x.exponent += exponent
			x.scaled, x.bare = true, false
			return i + size
		}
	}
	if x.unit == "" {
		if size, exponent := percentAfter(s[i:]); size > 0 {
			x.unit, x.after, x.bare = Percent, true, false
			x.exponent += exponent
			x.scaled = x.scaled || exponent != 0
			return i + size
		}
		// A sign before digits opens the next amount: "5 $3".
		if unit, size := currencyAfter(s[i:]); size > 0 && digitAt(s, skipBlanks(s, i+size)) < 0 {
			x.unit, x.after, x.bare = unit, true, false
			return i + size
		}
	}
	return i
}

func looksLikeYear(n *numeral) bool {
	return n.plain && n.digits == 4 && n.mantissa >= 1900 && n.mantissa <= 2100
}
