package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest parts that an address may have (RFC 5321, 4.5.3.1).
const (
	maxLocal  = 64
	maxDomain = 255
)

// email finds the address around the @ at i.
func (sc *scanner) email(i int) {
	s := sc.s
	start := i
	for start > max(sc.done, i-maxLocal) {
		size := localBefore(s, start)
		if size == 0 {
			break
		}
		start -= size
	}
	for start < i && (s[start] == '.' || s[start] == '\'' || s[start] == '-') {
		start++
	}
	end := domainEnd(s, i+1)
	if start == i || s[i-1] == '.' || end == 0 || s[start:i] == "git" && (isByte(s, end, ':') || isByte(s, start-1, '/')) {
		return
	}
	sc.add(Email, start, end)
}

// localBefore returns the size of the character before i if it can be part of a local part, else 0. Letters of other
// alphabets can, but only of those that put spaces between words.
func localBefore(s string, i int) int {
	c := s[i-1]
	if c < utf8.RuneSelf {
		if classes[c]&(token|dot) != 0 || c == '+' || c == '%' || c == '\'' || c == '&' {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeLastRuneInString(s[:i])
	if r < 0x800 && unicode.IsLetter(r) {
		return size
	}
	return 0
}

// domainEnd returns the end of the domain name that starts at i, or 0 if there is none with a top level of letters.
func domainEnd(s string, i int) int {
	end, label, limit := 0, i, min(len(s), i+maxDomain)
	for j := i; ; j++ {
		if size := labelAt(s, j, limit); size > 0 {
			j += size - 1
			continue
		}
		if j == label {
			break
		}
		if top := s[label:j]; label > i && isTopLevel(top) {
			end = j
		}
		if j >= limit || s[j] != '.' {
			break
		}
		label = j + 1
	}
	return end
}

// labelAt returns the size of the character at i if it can be part of a label, else 0.
func labelAt(s string, i, limit int) int {
	switch {
	case i >= limit:
		return 0
	case is(s, i, alnum|hyphen):
		return 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if r < 0x800 && unicode.IsLetter(r) {
		return size
	}
	return 0
}

// isTopLevel reports whether a domain can end so: two letters or more, but not as the names of images do.
func isTopLevel(label string) bool {
	if len(label) < 2 || len(label) > 24 {
		return false
	}
	for i := range len(label) {
		if classes[label[i]]&letter == 0 && label[i] < utf8.RuneSelf {
			return strings.HasPrefix(label, "xn--")
		}
	}
	switch label {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "css", "html":
		return false
	}
	return true
}

// ip4 finds the address of four numbers whose first stands at s[i:first].
func (sc *scanner) ip4(i, first int) bool {
	s := sc.s
	var part [4]int
	end, n, small := first, 0, 0
	for j := i; ; {
		if end == j || end-j > 3 || end-j > 1 && s[j] == '0' {
			return false
		}
		part[n] = atoi4(s[j:end])
		if part[n] < 10 {
			small++
		}
		if n++; n == 4 {
			break
		}
		if !isByte(s, end, '.') {
			return false
		}
		j = end + 1
		end = run(s, j, digit, 4)
	}
	for _, p := range part {
		if p > 255 {
			return false
		}
	}
	switch part[0] {
	case 0, 127, 255: // nobody's: this network, this host, a mask
		return false
	}
	if is(s, end, alnum) || isByte(s, end, '.') && isDigitAt(s, end+1) || isByte(s, end, '-') && is(s, end+1, alnum) {
		return false
	}
	switch cueNear(s, i, i, ipCue, partCue) {
	case partCue:
		return false
	case noCue:
		if small > 2 { // a section, an object identifier
			return false
		}
	}
	return sc.add(IP, i, end)
}

func atoi4(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// ip6 finds the address whose first colon stands at i. Unless all eight parts are written out, three and a digit are
// asked for: a::b is a name in many programming languages.
func (sc *scanner) ip6(i int) {
	s := sc.s
	start := runBack(s, i, hex, 4)
	if is(s, start-1, word|colon|dot) || start < sc.done {
		return
	}
	groups, gap, end, digits := 0, false, start, false
	for j := start; groups < 8; {
		e := run(s, j, hex, 5)
		if e-j > 4 {
			return
		}
		if e > j {
			groups++
			end = e
			for _, c := range []byte(s[j:e]) {
				digits = digits || isDigit(c)
			}
		}
		switch {
		case !isByte(s, e, ':'):
			j = -1
		case isByte(s, e+1, ':'):
			if gap {
				return
			}
			gap, j, end = true, e+2, e+2
		case e > j:
			j = e + 1
		default:
			j = -1
		}
		if j < 0 {
			break
		}
	}
	if is(s, end, word|colon) || !digits || gap && groups < 3 || !gap && groups != 8 {
		return
	}
	sc.add(IP, start, end)
}
