package redact

import "math"

// shape is what tells a random value from one that somebody named.
type shape struct {
	n        int
	letters  int
	digits   int
	others   int
	turns    int     // changes between letters and digits, and from lower to upper case
	entropy  float64 // bits per character
	rough    int     // consonants beyond the fourth in a row, in lower case
	pairs    int     // letters behind a letter of the same word
	odd      int     // pairs that hardly stand in words
	longest  int     // the longest run of one character
	alphabet int     // distinct characters
}

// maxValue bounds what is looked at of a value. What is longer is judged by its beginning.
const maxValue = 256

func shapeOf(v string) shape {
	v = v[:min(len(v), maxValue)]
	var count [256]uint16
	sh := shape{n: len(v)}
	same, consonants := 0, 0
	var prev class
	for i := range len(v) {
		c := classes[v[i]]
		count[v[i]]++
		switch {
		case c&letter != 0:
			sh.letters++
		case c&digit != 0:
			sh.digits++
		default:
			sh.others++
		}
		if c&digit != 0 && prev&letter != 0 || c&letter != 0 && prev&digit != 0 || c&upper != 0 && prev&lower != 0 {
			sh.turns++
		}
		if c&letter != 0 && prev&letter != 0 && (c&upper == 0 || prev&upper != 0) {
			sh.pairs++
			if oddPairs[letterOf(v[i-1])]>>letterOf(v[i])&1 != 0 {
				sh.odd++
			}
		}
		if consonants++; c&lower == 0 || isVowel(v[i]) {
			consonants = 0
		} else if consonants > 4 {
			sh.rough++
		}
		if i > 0 && v[i] == v[i-1] {
			same++
		} else {
			same = 1
		}
		sh.longest = max(sh.longest, same)
		prev = c
	}
	sum := 0.0
	for _, k := range count {
		if k > 0 {
			sh.alphabet++
			sum += timesLog[k]
		}
	}
	if sh.n > 0 {
		sh.entropy = (timesLog[sh.n] - sum) / float64(sh.n)
	}
	return sh
}

// followers are, for each letter from a to z, those behind it in English words and in the names of programs. The pairs
// left out are one in forty there, and nearly half of what is drawn.
var followers = [26]string{
	"abcdefghiklmnprstuvwxyz", "abcdefijlmoprstuy", "abcdefghiklmnoprstuvy", "abcdefghilmnoprstuy", "abcdefghiklmnopqrstuvwxyz",
	"abcdefilmnoprstuy", "aceghilmnoprstu", "adeilmnorstuy", "abcdefgjklmnoprstuvxz", "aeiosu", "aehilmnorstu", "abcdefgiklmnoprstuvy",
	"abcdefilmnoprstuy", "abcdefghiklmnoprstuvwyz", "abcdefghijklmnoprstuvwxy", "acdefghilmnoprstuvy", "u", "abcdefghiklmnoprstuvwy",
	"abcdefghiklmnopqrstuvwy", "abcdefghiklmnoprstuvwxyz", "abcdefgiklmnoprstx", "aceios", "acehinors", "acefimpst", "acegilmnoprst", "aeio",
}

// oddPairs has, by the first letter as letterOf numbers it, a bit for each letter that is not among its followers.
var oddPairs = func() (t [27]uint32) {
	for i, after := range followers {
		t[i+1] = 1<<27 - 2
		for j := range len(after) {
			t[i+1] &^= 1 << letterOf(after[j])
		}
	}
	return t
}()

// timesLog holds n·log₂n.
var timesLog = func() (t [maxValue + 1]float64) {
	for n := range t[1:] {
		t[n+1] = float64(n+1) * math.Log2(float64(n+1))
	}
	return t
}()

func isVowel(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'
}

// random reports whether a value of this shape was drawn rather than written: names and words turn from letters to
// digits or to upper case once in six characters or less, random ones once in three, and they cannot be spoken. Values of hexadecimal digits in blocks are in between.
func (sh shape) random() bool {
	least := 3.0
	if sh.n < 24 {
		least = 2.7
	}
	return sh.entropy >= least && (sh.turns+sh.rough >= max(3, sh.n/10) && (sh.digits > 0 || sh.rough > 2) || sh.unspoken())
}

// unspoken reports whether the letters follow each other as in no language.
func (sh shape) unspoken() bool { return sh.odd >= 4 && sh.odd*4 >= sh.pairs }

// dummies are pieces of values that stand for a real one.
var dummies = [...]string{
	"example", "placeholder", "changeme", "change_me", "change-me", "redacted", "dummy", "xxxx", "****", "....", "your_", "your-",
	"yourtoken", "yourkey", "yourpass", "my_token", "insert", "goes_here", "goes-here", "goeshere", "todo", "undefined", "abcdefgh", "0123456789abcdef", "1234567890123",
}

var dummiesBy = byLetter(len(dummies), func(i int) string { return dummies[i] })

// isDummy reports whether v stands for a value instead of being one.
func isDummy(v string) bool {
	v = v[:min(len(v), maxValue)]
	for i := range len(v) {
		switch v[i] {
		case '<', '>', '{', '}':
			return true
		}
		for _, k := range dummiesBy[letterOf(v[i])] {
			if foldPrefix(v[i:], dummies[k]) {
				return true
			}
		}
	}
	return false
}

// isUUID reports whether s[i:] begins with 8-4-4-4-12 hexadecimal digits and goes no further.
func isUUID(s string, i int) bool {
	const size = 36
	if i+size > len(s) || is(s, i+size, word|hyphen) {
		return false
	}
	for k := range size {
		switch k {
		case 8, 13, 18, 23:
			if s[i+k] != '-' {
				return false
			}
		default:
			if classes[s[i+k]]&hex == 0 {
				return false
			}
		}
	}
	return true
}
