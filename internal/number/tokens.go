package number

import (
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// AppendTokens is [Append] for a text whose words are known: it finds the same
// numbers, but looks only around the words at which one may start, so that a text
// without numbers costs next to nothing. The tokens are those of s, and starts
// tells by their id what [MayStart] says of a word.
//
// It relies on what Append does between numbers: it stands at every place that
// follows white space or a sign which belongs to no number and no identifier.
// From there on it reads alike, whatever came before.
func AppendTokens(dst []Found, s string, tokens []text.Token, starts []bool) []Found {
	next := 0 // what stands before was read
	for k, t := range tokens {
		if int(t.Start) >= next && !starts[t.ID] || int(t.End) <= next {
			continue
		}
		from := t.Start
		if k > 0 { // a currency, an article
			from = tokens[k-1].Start
		}
		dst, next = appendFrom(dst, s, resumable(s, next, int(from)), int(t.End))
	}
	return dst
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

// MayStart reports whether a number or a date may start in a word, given in the
// normal form of package text. Where it reports false, none does.
func MayStart(word []byte) bool {
	plain := true // letters of ASCII alone
	for _, c := range word {
		if c-'0' <= 9 {
			return true
		}
		plain = plain && c|0x20-'a' <= 'z'-'a'
	}
	if plain {
		return startsValue(word)
	}
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		end := 0
		for isLetter(r) && end < len(word) {
			end += size
			r, size = utf8.DecodeRune(word[end:])
		}
		if end > 0 && startsValue(word[:end]) {
			return true
		}
		word = word[min(end+size, len(word)):]
	}
	return false
}

// startsValue reports whether a number or a date may start with these letters, or
// with an article in front of them.
func startsValue(letters []byte) bool {
	const longest = 16 // of all words that we know
	if len(letters) < 3 || len(letters) > longest {
		return string(letters) == "fy"
	}
	if ascii := (letters[0] | letters[1] | letters[2]) < utf8.RuneSelf; ascii && !knownStarts[startHash(letters)] {
		return false
	}
	word := string(letters)
	switch word {
	case "first", "second", "third", "fourth", "fiscal":
		return true
	}
	_, kind := spelledWord(word)
	return kind == small || kind == hundred || kind == scale || monthOf(word) != 0
}
