package number

import (
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// maxBlanks bounds the white space between the parts of one number: tables pad
// ("$  1,452.4"), and unbounded look-ahead would not be linear.
const maxBlanks = 8

func decode(s string, i int) (rune, int) {
	if i >= len(s) {
		return utf8.RuneError, 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

func isLetter(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r >= 0x400 && r <= 0x481: // asked often
		return true
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

func letterAt(s string, i int) bool {
	r, _ := decode(s, i)
	return isLetter(r)
}

func wordAt(s string, i int) bool { return letterAt(s, i) || digitAt(s, i) >= 0 }

// isUnspaced knows the scripts in which a number stands between characters
// without blanks.
func isUnspaced(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x0E00 && r <= 0x0E7F || r >= 0x20000 && r <= 0x3FFFF
}

// digitAt returns the value of the decimal digit of any script at i, or -1.
func digitAt(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	if c := s[i]; c < utf8.RuneSelf {
		if c-'0' <= 9 {
			return int(c - '0')
		}
		return -1
	}
	r, _ := decode(s, i)
	return digitValue(r)
}

// digitValue uses that Unicode's decimal digits come in runs from zero to nine.
func digitValue(r rune) int {
	if r < 0x660 || !unicode.IsDigit(r) {
		return -1
	}
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	return -1
}

// skipBlanks passes a few blanks on one line.
func skipBlanks(s string, i int) int {
	for range maxBlanks {
		r, size := decode(s, i)
		if r == '\n' || r == '\r' || !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

// skipIdentifier passes the word at i with the digits that belong to it: A4,
// v1.2.3, 192.168.0.1, COVID-19, ISO-9001, 10-K, 10:30.
func skipIdentifier(s string, i int) int {
	hasDigit, hasUpper := false, false
	for i < len(s) {
		r, size := decode(s, i)
		switch {
		case r >= '0' && r <= '9', r >= utf8.RuneSelf && digitValue(r) >= 0:
			hasDigit = true
		case isLetter(r):
			if isUnspaced(r) {
				// No blanks to end this word: it ends before its number.
				if i += size; digitAt(s, i) >= 0 {
					return i
				}
				i = skipInvisible(s, i)
				continue
			}
			hasUpper = hasUpper || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
			i = skipInvisible(s, i+size)
			continue
		case r == '_':
		case r == '.' || r == ':':
			if !hasDigit || digitAt(s, i+1) < 0 {
				return i
			}
		case r == '-':
			if !(hasUpper || hasDigit) || !wordAt(s, i+1) {
				return i
			}
		default:
			return i
		}
		i += size
	}
	return i
}

// lowerShort lower-cases the ASCII letters of a word of at most 24 bytes; of a
// longer one it returns nothing.
func lowerShort(buf *[24]byte, word string) []byte {
	if len(word) > len(buf) {
		return nil
	}
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return buf[:len(word)]
}

// letters returns the run of letters at i, cut where no known word is that long.
func letters(s string, i int) string {
	end := asciiLetters(s, i)
	if end == len(s) || s[end] < utf8.RuneSelf {
		return s[i:min(end, i+32)]
	}
	if end > i {
		end = skipInvisible(s, end)
	}
	for end < len(s) && end-i < 32 {
		r, size := decode(s, end)
		if !isLetter(r) {
			break
		}
		end = skipInvisible(s, end+size)
	}
	return s[i:end]
}

// skipInvisible passes the signs at i that show nothing, if the word at whose end
// it stands goes on behind them.
func skipInvisible(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch s[i] {
	case 0xC2, 0xD8, 0xD9, 0xE2, 0xEF: // what they all begin with
	default:
		return i
	}
	for end := i; ; {
		r, size := decode(s, end)
		if !text.IsInvisible(r) {
			if end > i && isLetter(r) {
				return end
			}
			return i
		}
		end += size
	}
}
