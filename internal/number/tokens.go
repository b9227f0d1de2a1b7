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
		r, size := utf8.DecodeLastRuneInString(s[floor:i])
		switch {
		case isPart(r) || isPrefix(s, i-size):
		case unicode.IsSpace(r):
			sign := prefixBefore(s, floor, i)
			if sign < 0 {
				return i
			}
			i = sign
			continue
		default:
			return i
		}
		i -= size
	}
	return max(i, floor)
}

// isPart reports whether an identifier may go on with r.
func isPart(r rune) bool {
	switch {
	case r == '_' || r == '.' || r == ':' || r == '-':
		return true
	case r < utf8.RuneSelf:
		return isLetter(r) || r-'0' <= 9 && r >= '0'
	}
	return isLetter(r) || digitValue(r) >= 0 || text.IsInvisible(r)
}

// isPrefix reports whether a sign that may stand before the digits is at i.
func isPrefix(s string, i int) bool {
	if s[i] == '(' || s[i] == '+' || isMinus(s, i) {
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
		r, size := utf8.DecodeLastRuneInString(s[floor:i])
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
	for _, c := range word {
		if c-'0' <= 9 {
			return true
		}
	}
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		if !isLetter(r) {
			word = word[size:]
			continue
		}
		end := size
		for end < len(word) {
			r, size := utf8.DecodeRune(word[end:])
			if !isLetter(r) {
				break
			}
			end += size
		}
		if startsValue(word[:end]) {
			return true
		}
		word = word[end:]
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
