package redact

import "strings"

// digits are the groups of digits that may be one number: "0494 92 82 32" has four. Other than digits they hold at most
// one separator between two groups, and brackets.
type digits struct {
	start   int // with the plus or the bracket that belongs to it
	plus    bool
	bracket bool // an opening bracket stands before the first group
	n       int
	groups  [maxGroups]group
	value   [maxDigits]byte // of all groups
	len     int
}

type group struct {
	at, end int  // in the text
	sum     int  // digits up to its end
	sep     byte // what stands before it: one of " -./", '(' for a bracket, 0 for the first
}

const (
	maxGroups = 8
	maxDigits = 24
)

// size returns the number of digits in group i.
func (d *digits) size(i int) int {
	if i == 0 {
		return d.groups[0].sum
	}
	return d.groups[i].sum - d.groups[i-1].sum
}

// text returns the digits of group i.
func (d *digits) text(i int) []byte { return d.value[d.groups[i].sum-d.size(i) : d.groups[i].sum] }

// number looks at the number whose first digit stands at i. Everything that it can be is tried, the most certain first.
func (sc *scanner) number(i int) {
	s := sc.s
	if !startsNumber(s, i) {
		return
	}
	first := run(s, i, digit, maxDigits+1)
	if first-i > maxDigits {
		return
	}
	if isByte(s, first, '.') && first-i <= 3 && sc.ip4(i, first) {
		return
	}
	if sep, _ := separator(s, first); first-i < 7 && sep == 0 {
		return
	}
	var d digits
	d.read(s, max(i, sc.done), sc.done)
	if sc.ssn(&d) || sc.card(&d) || sc.birthDate(&d) {
		return
	}
	sc.phone(&d)
}

// startsNumber reports whether the digit at i is the first of a number, and not a piece of a word, a code, an amount or
// a fraction.
func startsNumber(s string, i int) bool {
	if i == 0 {
		return true
	}
	switch c := s[i-1]; c {
	case '.', ',':
		return !isDigitAt(s, i-2)
	case '-', '/':
		return !is(s, i-2, word)
	case '$', '_':
		return false
	default:
		if classes[c]&letter != 0 {
			return false
		}
	}
	return !strings.HasSuffix(s[:i], "€") && !strings.HasSuffix(s[:i], "£") && !strings.HasSuffix(s[:i], "¥")
}

// endsNumber reports whether a number may end at i.
func endsNumber(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	switch c := s[i]; c {
	case '.', ',', ':':
		return !isDigitAt(s, i+1)
	case '-', '/':
		return !is(s, i+1, alnum)
	case '%', '@', '_':
		return false
	default:
		return classes[c]&alnum == 0
	}
}

// read takes the groups that start at i. It does not reach back before from.
func (d *digits) read(s string, i, from int) {
	d.start = i
	if i > from && s[i-1] == '(' {
		d.start, d.bracket = i-1, true
	}
	if d.start > from && s[d.start-1] == '+' {
		d.start, d.plus = d.start-1, true
		if d.start > from && s[d.start-1] == '(' && isByte(s, run(s, i, digit, 4), ')') {
			d.start--
		}
	}
	var sep byte
	for d.n < maxGroups {
		end := run(s, i, digit, maxDigits-d.len)
		if end == i || isDigitAt(s, end) {
			return
		}
		d.len += copy(d.value[d.len:], s[i:end])
		d.groups[d.n] = group{at: i, end: end, sum: d.len, sep: sep}
		d.n++
		if sep, i = separator(s, end); sep == 0 {
			return
		}
	}
}

// separator returns what stands between the group that ends at i and the next one, and where that starts.
func separator(s string, i int) (byte, int) {
	sep := byte(0)
	if isByte(s, i, ')') {
		sep = '('
		i++
	}
	switch {
	case i >= len(s):
		return 0, i
	case s[i] == '.' || s[i] == '/':
		if sep == 0 {
			sep = s[i]
		}
		i++
	default:
		c, size := blankOrHyphen(s, i)
		if sep == 0 {
			sep = c
		}
		i += size
	}
	if isByte(s, i, '(') {
		sep = '('
		i++
	}
	if sep == 0 || !isDigitAt(s, i) {
		return 0, i
	}
	return sep, i
}

// blankOrHyphen returns ' ' or '-' for what typesetters put in their place too, and its size; 0 for anything else.
func blankOrHyphen(s string, i int) (sep byte, size int) {
	switch {
	case i >= len(s):
	case s[i] == ' ' || s[i] == '-':
		return s[i], 1
	case s[i] == 0xC2 && isByte(s, i+1, 0xA0): // no-break space
		return ' ', 2
	case s[i] == 0xE2 && isByte(s, i+1, 0x80) && i+2 < len(s):
		switch s[i+2] {
		case 0x87, 0x89, 0xAF: // figure space, thin space, narrow no-break space
			return ' ', 3
		case 0x90, 0x91, 0x92, 0x93: // hyphen, non-breaking hyphen, figure dash, en dash
			return '-', 3
		}
	}
	return 0, 0
}

// uniform reports whether the same separator stands before the groups from i to j.
func (d *digits) uniform(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if d.groups[k].sep != d.groups[i].sep {
			return false
		}
	}
	return true
}

// looksLikeDate reports whether the first groups are a calendar date in figures.
func (d *digits) looksLikeDate() bool {
	if d.plus || d.n < 3 || !d.uniform(1, 2) {
		return false
	}
	a, b, c := d.size(0), d.size(1), d.size(2)
	return b <= 2 && (a == 4 && c <= 2 && isYear(d.text(0)) || a <= 2 && (c == 4 && isYear(d.text(2)) || c == 2 && d.groups[1].sep == '/'))
}

func isYear(b []byte) bool {
	return len(b) == 4 && (b[0] == '1' && b[1] >= '5' || b[0] == '2' && b[1] <= '1')
}

func atoi(b []byte) int {
	n := 0
	for _, c := range b {
		n = n*10 + int(c-'0')
	}
	return n
}

// birthDate finds a date that is called a date of birth.
func (sc *scanner) birthDate(d *digits) bool {
	if !d.looksLikeDate() || cueNear(sc.s, d.start, d.start, birthCue) == noCue {
		return false
	}
	return sc.add(BirthDate, d.start, d.groups[2].end)
}
