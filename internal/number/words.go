package number

import "unicode/utf8"

// mayStart holds the ASCII bytes that a number or a word can start with.
var mayStart = func() (t [0x80]bool) {
	for c := range byte(0x80) {
		t[c] = isLetter(rune(c)) || c-'0' <= 9 || c == '$' || c == '(' || c == '-' || c == '+' || c == '.'
	}
	return t
}()

// asciiLetters returns the end of the ASCII letters that start at i.
func asciiLetters(s string, i int) int {
	for i < len(s) && s[i]|0x20-'a' <= 'z'-'a' {
		i++
	}
	return i
}

// mayMatter reports whether the ASCII word s[i:end] can start a number or a date or
// be more than those letters. Nearly all words of a text end here.
func mayMatter(s string, i, end int) bool {
	if end < len(s) {
		if c := s[end]; c-'0' <= 9 || c == '_' || c == '-' || c == '$' || c >= utf8.RuneSelf {
			return true
		}
	}
	switch end - i {
	case 1:
		return s[i]|0x20 == 'a' || s[i]|0x20 == 'q' || s[i] == 'U'
	case 2:
		return s[i]|0x20 == 'f' || s[i] == 'R' || s[i]|0x20 == 'a'
	case 3:
		if s[i+1] < 'a' && s[i+2] < 'a' {
			return true
		}
	}
	return knownStarts[startHash(s[i:])]
}

// maySuffix reports whether a scale or a unit may stand at i. Nearly all words
// behind a number end here.
func maySuffix(s string, i int) bool {
	if i+3 > len(s) || !isLower(s[i]) || !isLower(s[i+1]) || !isLower(s[i+2]) {
		return true
	}
	return knownSuffixes[startHash(s[i:])]
}

func isLower(c byte) bool { return c-'a' <= 'z'-'a' }

// knownSuffixes marks the hashed first three letters of all lower-case words that
// may follow a number, of those that are so long.
var knownSuffixes = markStarts("thomiltautsdlaklacmiomlncrobilblnmrdmdstritrn" + // scales
	"perpctpropouporpptbpsbas" + // percent
	"doleurpousteyenyuarenrupwon") // currencies

// knownStarts marks the hashed first three letters of all words that start a
// number or a date.
var knownStarts = markStarts("zeronetwothrfoufivsixseveigninteneletwethififfor" + // numbers
	"hunthomillakcrobiltri" + // behind an article
	"janenegenfebfevmaraprabravrmaymaimagjunjuigiujullugaugagosepsetoctoktottoutnovdecdezdic" + // months
	"firsecthifoufis") // quarters, fiscal

func markStarts(starts string) (t [1 << 11]bool) {
	for i := 0; i < len(starts); i += 3 {
		t[startHash(starts[i:])] = true
	}
	return t
}

// startHash ignores case.
func startHash[T string | []byte](s T) uint32 {
	h := uint32(s[0]&0x1F)<<10 | uint32(s[1]&0x1F)<<5 | uint32(s[2]&0x1F)
	return h * 0x9E3779B1 >> 21
}
