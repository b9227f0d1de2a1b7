package number

import (
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// Start says whether a number or a date may start in a word.
type Start uint8

// What [StartOf] says of a word.
const (
	NoStart   Start = iota // never
	NameStart              // unless it is written as the verb or article that it also is: may, march, out
	AnyStart               // in any spelling
)

// AppendTokens is [Append] for a text whose words are known: it finds the same
// numbers, but looks only around the words at which one may start, so that a text
// without numbers costs next to nothing. The tokens are those of s, and starts
// tells by their id what [StartOf] says of a word.
//
// It relies on what Append does between numbers: it stands at every place that
// follows white space or a sign which belongs to no number and no identifier.
// From there on it reads alike, whatever came before.
func AppendTokens(dst []Found, s string, tokens []text.Token, starts []Start) []Found {
	next := 0 // what stands before was read
	for k, t := range tokens {
		start := starts[t.ID]
		if start == NoStart && int(t.Start) >= next || int(t.End) <= next {
			continue
		}
		if start == NameStart && int(t.Start) >= next && isVerbToo(s[t.Start:t.End]) {
			continue
		}
		from := t.Start
		if k > 0 && mayLead(s[tokens[k-1].Start:tokens[k-1].End]) {
			from = tokens[k-1].Start
		}
		dst, next = appendFrom(dst, s, resumable(s, next, int(from)), int(t.End))
	}
	return dst
}

// mayLead reports whether a word may end in a currency or an article, which belong
// to the number behind them.
func mayLead(word string) bool {
	if n := len(word); word[n-1]|0x20 == 'a' || word[n-1]|0x20 == 'n' {
		return true
	}
	for i := range len(word) {
		if word[i]-'A' <= 'Z'-'A' {
			return true
		}
	}
	return false
}

// resumable returns the last place from which the word at i can be read, no
// earlier than floor.
func resumable(s string, floor, i int) int {
	for i > floor {
		r, size := lastRune(s, floor, i)
		switch {
		case isPart(r) || isPrefix(s, i-size):
			i -= size
		case unicode.IsSpace(r):
			sign := prefixBefore(s, floor, i)
			if sign < 0 {
				return i
			}
			i = sign
		default:
			return i
		}
	}
	return max(i, floor)
}

func lastRune(s string, floor, i int) (rune, int) {
	if c := s[i-1]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeLastRuneInString(s[floor:i])
}

// isPart reports whether an identifier may go on with r.
func isPart(r rune) bool {
	switch {
	case isLetter(r):
		return true
	case r < utf8.RuneSelf:
		return r-'0' <= 9 && r >= '0' || r == '_' || r == '.' || r == ':' || r == '-'
	}
	return digitValue(r) >= 0 || text.IsInvisible(r)
}

// isPrefix reports whether a sign that may stand before the digits is at i.
func isPrefix(s string, i int) bool {
	if c := s[i]; c < utf8.RuneSelf {
		return c == '(' || c == '+' || c == '-' || c == '$'
	} else if isMinus(s, i) {
		return true
	}
	_, size := currencySign(s[i:])
	return size > 0
}

// prefixBefore returns where the sign stands that only blanks part from i, or -1.
func prefixBefore(s string, floor, i int) int {
	for range maxBlanks + 1 {
		if i <= floor {
			return -1
		}
		r, size := lastRune(s, floor, i)
		i -= size
		if !unicode.IsSpace(r) {
			if isPrefix(s, i) {
				return i
			}
			return -1
		}
	}
	return -1
}

// StartOf tells whether a number or a date may start in a word, given in the normal
// form of package text.
func StartOf(word []byte) Start {
	from := 0 // of the letters at hand
	for i, c := range word {
		end := i
		switch {
		case isLower(c):
			continue
		case c-'0' <= 9:
			return AnyStart
		case c == middleDot && i > 0 && word[i-1] == dotLead:
			end--
		case c != '\'':
			continue
		}
		if startsValue(word[from:end]) {
			return AnyStart
		}
		from = i + 1
	}
	switch {
	case !startsValue(word[from:]):
		return NoStart
	case from == 0 && isVerbToo(string(word)):
		return NameStart
	}
	return AnyStart
}

// The bytes of a middle dot, which stands inside Catalan words.
const dotLead, middleDot = 0xC2, 0xB7

// startsValue reports whether a number or a date may start with these letters, or
// with an article in front of them.
func startsValue(letters []byte) bool {
	const longest = 16 // of all words that we know
	if len(letters) < 3 || len(letters) > longest {
		return string(letters) == "fy"
	}
	switch {
	case letters[0] >= utf8.RuneSelf:
		return false
	case letters[1] < utf8.RuneSelf && letters[2] < utf8.RuneSelf:
		if !knownStarts[startHash(letters)] {
			return false
		}
	}
	word := string(letters)
	switch word {
	case "first", "second", "third", "fourth", "fiscal":
		return true
	}
	_, kind := spelledWord(word)
	return kind == small || kind == hundred || kind == scale || monthOf(word) != 0
}
