// Package number reads numbers and dates as people write them in reports: with
// scales, currencies, percent signs, thousands separators of several countries
// and brackets for negatives.
//
// Nothing here allocates, except to extend the slice that a caller hands in; all
// functions are pure and safe for concurrent use, take any bytes, and never
// return NaN or an infinity.
package number

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is what a number counts, where the text says so: [Percent], an ISO 4217
// code, or empty. The dollar sign alone means USD, the yen sign JPY.
type Unit string

// Percent is the unit of percentages, percentage points and basis points.
const Percent Unit = "%"

// Value is a number after normalising its notation.
type Value struct {
	_ struct{}
	// Float is the number in units of one: 2.3e9 for "$2.3 billion". Percentages
	// stay as written (15 for "15%"); basis points become percent. Always finite.
	Float float64
	Unit  Unit
	// Scaled reports whether a scale ("million", "k", "crore", "bps") was applied.
	Scaled bool
	// Decimals counts the decimals as written, before scaling: 1 for "2.3 billion".
	Decimals int
}

// Found is a number in a text, with the byte span that sign, brackets, currency,
// scale and percent sign are part of.
type Found struct {
	_ struct{}
	Value
	Start, End int
	// Spelled reports whether the number is written in words ("twenty-two
	// million"); "one" is more often a pronoun than a number.
	Spelled bool
}

// relativeNoise is the difference that arithmetic on binary fractions leaves.
const relativeNoise = 1e-9

// Equal reports whether a and b are the same number, up to float noise (1e-9
// relative), in the same unit where both state one. How often the number was
// scaled or how many decimals were written does not matter.
func Equal(a, b Value) bool {
	if a.Unit != "" && b.Unit != "" && a.Unit != b.Unit {
		return false
	}
	return a.Float == b.Float ||
		math.Abs(a.Float-b.Float) <= relativeNoise*max(math.Abs(a.Float), math.Abs(b.Float))
}

// Parse reads s, white space around it aside, as one number with nothing beside
// it. It reports false if s is anything else or too large for a float64.
//
// One comma before three digits groups ("1,234" is 1234), one point is decimal
// ("1.234" is 1.234); where a text has both, or groups of three more than once,
// the notation decides ("1.234,5", "1 234,5", "1'234.5", "12,34,567").
func Parse(s string) (Value, bool) {
	s = strings.TrimFunc(s, unicode.IsSpace)
	if s == "" {
		return Value{}, false
	}
	f, ok := scanNumber(s, 0, true)
	if !ok {
		f, ok = scanSpelled(s, 0)
	}
	return f.Value, ok && f.End == len(s)
}

// Append appends every number in s to dst, in order, and returns the extended
// slice. Spans increase and do not overlap.
//
// Parts of identifiers (Q3, COVID-19, v1.2.3, 10-K), IP addresses, ordinals, clock
// times and dates (see [AppendDates]) are no numbers; a year by itself is. A
// number alone in brackets is negative unless it looks like a year.
func Append(dst []Found, s string) []Found {
	dst, _ = appendFrom(dst, s, 0, len(s))
	return dst
}

// appendFrom reads s from i on until it has passed end, and returns where it
// stands.
func appendFrom(dst []Found, s string, i, end int) ([]Found, int) {
	for i < end {
		c := s[i]
		switch {
		case c < utf8.RuneSelf && !mayStart[c]:
			i++
			continue
		case c >= utf8.RuneSelf && letterAt(s, i): // no word that we know starts so
			i = skipIdentifier(s, i)
			continue
		case c < utf8.RuneSelf && isLetter(rune(c)):
			if end := asciiLetters(s, i); !mayMatter(s, i, end) {
				i = end
				continue
			}
			f, next, ok := scanAtWord(s, i)
			if ok {
				dst = append(dst, f)
			}
			i = next
			continue
		}
		if digitAt(s, i) >= 0 {
			if _, end, ok := scanDate(s, i, false); ok {
				i = skipIdentifier(s, end)
				continue
			}
		}
		f, ok := scanNumber(s, i, false)
		switch {
		case ok:
			dst = append(dst, f)
			i = f.End
		case digitAt(s, i) >= 0:
			i = skipIdentifier(s, i)
		default:
			_, size := decode(s, i)
			i += size
		}
	}
	return dst, i
}

// scanAtWord reads what starts at the first letter of a word: a currency code
// with its number, a spelled number, a date to pass over, or just a word.
func scanAtWord(s string, i int) (f Found, next int, ok bool) {
	if s[i] <= 'Z' {
		if _, size := currencyBefore(s[i:]); size > 0 {
			if f, ok := scanNumber(s, i, false); ok {
				return f, f.End, true
			}
		}
	}
	if f, ok := scanSpelled(s, i); ok {
		return f, f.End, true
	}
	if _, end, ok := scanDate(s, i, false); ok {
		return Found{}, end, false
	}
	return Found{}, skipIdentifier(s, i), false
}
