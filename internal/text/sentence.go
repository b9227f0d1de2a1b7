package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences yields the byte spans of the sentences of s, in order, without
// overlap, without the white space and bullets around them. A span holds at least
// one letter or digit.
//
// A sentence ends at . ! ? and their like in other scripts, at a bullet, at an
// empty line, and at a line break unless the line is visibly wrapped (the next
// one goes on in lower case, or this one ends in a comma or function word). It
// does not end inside decimals, ellipses that go on in lower case, abbreviations,
// initials, or the number of a list item. It allocates nothing.
func Sentences(s string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(s); {
			start, end, next := nextSentence(s, i)
			if start < end && !yield(start, end) {
				return
			}
			i = next
		}
	}
}

// nextSentence returns the first sentence from i on (empty if there are no words
// before its end) and where to look for the one after it.
func nextSentence(s string, i int) (start, end, next int) {
	start = skipLead(s, i)
	hasWords := false
	for j := start; j < len(s); {
		r, size := decode(s, j)
		switch {
		case isWideStop(r):
			stop := skipClosers(s, j+size)
			return sentence(s, start, stop, stop, hasWords)
		case r == '.' || r == '!' || r == '?' || r == '…':
			run := skipStops(s, j+size)
			stop := skipClosers(s, run)
			if endsSentence(s, start, j, run, stop) {
				return sentence(s, start, stop, stop, hasWords)
			}
			j = stop
		case isLineBreak(r):
			after := skipSpace(s, j)
			if !isWrapped(s, start, j, after) {
				return sentence(s, start, j, after, hasWords)
			}
			j = after
		case isBullet(r):
			return sentence(s, start, j, j+size, hasWords)
		default:
			if !hasWords {
				_, c := foldRune(r)
				hasWords = c != separator && c != ignored
			}
			j += size
		}
	}
	return sentence(s, start, len(s), len(s), hasWords)
}

func sentence(s string, start, end, next int, hasWords bool) (int, int, int) {
	if !hasWords {
		return next, next, next
	}
	return start, start + len(strings.TrimRightFunc(s[start:end], unicode.IsSpace)), next
}

// endsSentence decides on the run of stops s[dot:run], which with its closing
// quotes and brackets reaches to stop.
func endsSentence(s string, start, dot, run, stop int) bool {
	after := skipSpace(s, stop)
	if after == len(s) {
		return true
	}
	following, _ := decode(s, after)
	if s[dot] == '!' || s[dot] == '?' {
		if after == stop {
			_, c := foldRune(following)
			return c == single
		}
		return run == stop || !unicode.IsLower(following)
	}
	if after == stop || unicode.IsLower(following) {
		return false
	}
	if run-dot > 1 || run != stop {
		return true
	}
	wordStart := lastWord(s, start, dot)
	switch abbreviationOf(s[wordStart:dot]) {
	case always:
		return false
	case beforeNumber:
		return !unicode.IsDigit(following)
	case unlessNewSentence:
		return startsSentence(s, after)
	}
	if number := s[wordStart:dot]; isShortNumber(number) {
		return wordStart != start && !isMonth(firstWord(s, after))
	}
	return true
}

// lastWord returns the start of the word that ends at dot, its inner points
// included. Abbreviations are short, so it does not look far.
func lastWord(s string, start, dot int) int {
	const far = 16
	i := dot
	for i > start && dot-i < far {
		c := s[i-1]
		if c <= ' ' || c == '(' || c == '[' || c == '"' || c == '\'' || c == '/' || c == '-' {
			break
		}
		i--
	}
	return i
}

// startsSentence reports whether the word at i is a capitalised function word,
// which few names start with.
func startsSentence(s string, i int) bool {
	word := firstWord(s, i)
	if word == "" || word[0] < 'A' || word[0] > 'Z' {
		return false
	}
	var buf [16]byte
	return isStopWord(lowerShort(&buf, word))
}

func firstWord(s string, i int) string {
	end := i
	for end < len(s) && end-i < 16 && (s[end] >= utf8.RuneSelf || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	return s[i:end]
}

// lowerShort lower-cases an ASCII word of at most 16 bytes; of a longer one it
// returns nothing.
func lowerShort(buf *[16]byte, word string) []byte {
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

func isShortNumber(word string) bool {
	for i := range len(word) {
		if !isDigit(word[i]) {
			return false
		}
	}
	return len(word) > 0 && len(word) <= 3
}

// isWrapped reports whether the line that breaks at i goes on at after.
func isWrapped(s string, start, i, after int) bool {
	if i == start || after == len(s) || strings.Count(s[i:after], "\n") > 1 {
		return false
	}
	line := strings.TrimRight(s[start:i], " \t\r")
	if line == "" || strings.IndexByte(":;|.!?", line[len(line)-1]) >= 0 {
		return false
	}
	following, _ := decode(s, after)
	if skipLead(s, after) > after {
		return false
	}
	if line[len(line)-1] == ',' || unicode.IsLower(following) {
		return true
	}
	var buf [16]byte
	word := line[lastWord(line, 0, len(line)):]
	return word != "" && word[0] >= 'a' && isStopWord(lowerShort(&buf, word))
}

// skipLead passes white space, bullets and list dashes.
func skipLead(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		dash := (r == '-' || r == '*' || r == '–' || r == '—' || r == '·' || r == '+' || r == '>') && i+size < len(s) && s[i+size] == ' '
		if !unicode.IsSpace(r) && !isBullet(r) && !dash {
			break
		}
		i += size
	}
	return i
}

func skipSpace(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

func skipStops(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		if r != '.' && r != '!' && r != '?' && r != '…' {
			break
		}
		i += size
	}
	return i
}

func skipClosers(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		switch r {
		case '"', '\'', ')', ']', '}', '”', '’', '»', '」', '』', '）', '】', '》', '〉':
		default:
			if !isWideStop(r) {
				return i
			}
		}
		i += size
	}
	return i
}

// isWideStop knows the stops after which no blank is needed.
func isWideStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '؟', '۔', '।', '॥', '።', '។', '။', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029
}

func isBullet(r rune) bool {
	switch r {
	case '•', '▪', '▫', '●', '○', '◦', '‣', '■', '□', '➢', '⁃', '\uF0B7', '◆':
		return true
	}
	return false
}
