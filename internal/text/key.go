package text

import (
	"bytes"
	"unicode/utf8"
)

// AppendKey appends the form of s in which short values are compared, and returns
// the extended slice: letters and digits as in the normal form of words, quotes
// and dashes plain, runs of white space and control characters one blank, none at
// the ends, invisible characters gone. Other punctuation stays. Values are the
// same if their keys are the same bytes.
func AppendKey(dst []byte, s string) []byte {
	start := len(dst)
	blank := false
	last, lastOffset := rune(0), start
	for i := 0; i < len(s); {
		r, size := decode(s, i)
		i += size
		r, c := foldRune(r)
		if c == ignored {
			continue
		}
		if r <= ' ' || r == 0x7F || r == utf8.RuneError {
			blank = true
			continue
		}
		if blank && len(dst) > start {
			dst = append(dst, ' ')
			last = ' '
		}
		blank = false
		if r < utf8.RuneSelf {
			last, lastOffset = r, len(dst)
			dst = append(dst, byte(r))
			continue
		}
		if composed := composeIfMark(last, r, c); composed != 0 {
			dst, r = dst[:lastOffset], composed
		}
		last, lastOffset = r, len(dst)
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// ContainsKey reports whether needle stands in haystack on word boundaries, where
// both are keys made by [AppendKey]: "3 million" does not stand in "2.3 million"
// nor in "3 millions". Closing punctuation and quotes around the needle do not
// count. A needle with nothing else in it stands nowhere.
func ContainsKey(haystack, needle []byte) bool {
	needle = bytes.Trim(needle, `"' `)
	needle = bytes.TrimRight(needle, `.,;:!?"' `)
	if len(needle) == 0 {
		return false
	}
	// Hits off a boundary are rare in text. Input built of nothing else would
	// make searching for each hit anew quadratic; then one pass finds them all.
	const patience = 32
	from := 0
	for range patience {
		i := bytes.Index(haystack[from:], needle)
		if i < 0 {
			return false
		}
		if from += i; onBoundaries(haystack, from, from+len(needle)) {
			return true
		}
		from++
	}
	return containsLinear(haystack[:], needle, from)
}

// containsLinear is Knuth, Morris and Pratt's search from offset on.
func containsLinear(haystack, needle []byte, offset int) bool {
	border := make([]int, len(needle)+1)
	border[0] = -1
	for i, k := 0, -1; i < len(needle); {
		for k >= 0 && needle[i] != needle[k] {
			k = border[k]
		}
		i++
		k++
		border[i] = k
	}
	for i, k := offset, 0; i < len(haystack); {
		for k >= 0 && haystack[i] != needle[k] {
			k = border[k]
		}
		i++
		k++
		if k == len(needle) {
			if onBoundaries(haystack, i-k, i) {
				return true
			}
			k = border[k]
		}
	}
	return false
}

func onBoundaries(key []byte, start, end int) bool {
	return isBoundary(key, start) && isBoundary(key, end)
}

// isBoundary reports whether no word and no number of the key spans i.
func isBoundary(key []byte, i int) bool {
	if i == 0 || i == len(key) {
		return true
	}
	before, size := utf8.DecodeLastRune(key[:i])
	after, afterSize := utf8.DecodeRune(key[i:])
	_, b := foldRune(before)
	_, a := foldRune(after)
	switch {
	case a == mark:
		return false
	case before == '.' || before == ',':
		return a != digit || i == size || !isDigit(key[i-size-1])
	case after == '.' || after == ',':
		return b != digit || i+afterSize == len(key) || !isDigit(key[i+afterSize])
	case a == separator || b == separator || a == single || b == single:
		return true
	}
	return false
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func composeIfMark(base, r rune, c class) rune {
	if c == mark || r >= 0x1161 && r <= 0x11C2 {
		return compose(base, r)
	}
	return 0
}
