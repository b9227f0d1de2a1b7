// Package text splits text into words and sentences and compares short values,
// in time linear in the bytes and without allocating once its storage is warm.
//
// A word is a run of letters, marks and digits. Apostrophes stay inside words
// ("don't", "l'année"), points and commas inside digits ("1,452.4"); hyphens and
// underscores separate. Scripts that write no spaces between words (Han, kana,
// Thai, Lao, Myanmar, Khmer) give one word per character with its marks, so that
// containment and n-grams work there without a dictionary. The normal form of a
// word is lower case (simple folding), composed, with full-width and half-width
// forms, typographic apostrophes and the digits of all scripts mapped to their
// plain ones, without invisible characters. Accents are kept.
//
// Bytes that are not UTF-8 separate words. No function panics on any input.
package text

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// Token is one word of a text: its byte span and its id in a [Vocabulary].
type Token struct {
	Start, End int32
	ID         uint32
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Append splits s into words, appends them to dst in order and returns the
// extended slice. Spans are not empty, increase and do not overlap. Text beyond
// 2 GiB is not looked at.
func (v *Vocabulary) Append(dst []Token, s string) []Token {
	if len(s) > math.MaxInt32 {
		s = s[:math.MaxInt32]
	}
	for i := 0; i < len(s); {
		if c := s[i]; c >= utf8.RuneSelf {
			dst, i = v.appendRunes(dst, s, i)
			continue
		} else if low[c].class == separator {
			i++
			continue
		}
		folded, n := foldASCII(load(s, i))
		end := i + n
		if n == 8 {
			end = asciiWordEnd(s, end)
		}
		if end < len(s) && s[end] != ' ' && mayJoin(s, end) {
			dst, i = v.appendRunes(dst, s, i)
			continue
		}
		var id uint32
		if n = end - i; n <= 8 {
			id = v.internShort(folded & (math.MaxUint64 >> (64 - 8*n)))
		} else {
			start := len(v.bytes)
			v.bytes = appendFolded(v.bytes, s[i:end])
			id = v.internTail(start)
		}
		dst = append(dst, Token{Start: int32(i), End: int32(end), ID: id})
		i = end
	}
	return dst
}

// mayJoin reports whether the word that ends before the byte at i, which is no
// ASCII letter or digit, may go on there. The rune path decides.
func mayJoin(s string, i int) bool {
	switch c := s[i]; c {
	case '\'', '.', ',':
		return i+1 < len(s) && (s[i+1] >= utf8.RuneSelf || low[s[i+1]].class != separator)
	default:
		return c >= utf8.RuneSelf
	}
}

// load returns up to eight bytes of s from i on, the first one lowest.
func load(s string, i int) uint64 {
	if i+8 <= len(s) {
		_ = s[i+7]
		return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
	}
	return loadTail(s[i:])
}

func loadTail(s string) (x uint64) {
	for j := len(s) - 1; j >= 0; j-- {
		x = x<<8 | uint64(s[j])
	}
	return x
}

// foldASCII lower-cases the ASCII letters among eight bytes and counts the bytes
// before the first that is no ASCII letter or digit.
func foldASCII(x uint64) (folded uint64, n int) {
	plain := x &^ highs
	lower := plain | 0x20*ones
	letters := (lower + (0x80-'a')*ones) &^ (lower + (0x80-'z'-1)*ones) &^ x & highs
	digits := (plain + (0x80-'0')*ones) &^ (plain + (0x80-'9'-1)*ones) &^ x & highs
	other := ^(letters | digits) & highs
	return x | letters>>2, bits.TrailingZeros64(other) / 8
}

func asciiWordEnd(s string, i int) int {
	for {
		_, n := foldASCII(load(s, i))
		i += n
		if n < 8 {
			return i
		}
	}
}

func appendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); i += 8 {
		folded, _ := foldASCII(load(s, i))
		dst = binary.LittleEndian.AppendUint64(dst, folded)
	}
	return dst[:len(dst)-(-len(s)&7)]
}

// appendRunes appends the words of the run of word characters that starts at i,
// and returns where the run ends. It is the full definition of a word; the ASCII
// path above is its short cut.
func (v *Vocabulary) appendRunes(dst []Token, s string, i int) ([]Token, int) {
	w := pending{v: v, dst: dst, start: len(v.bytes)}
	for i < len(s) {
		if i = w.addHan(s, i); i == len(s) {
			break
		}
		r, size := decode(s, i)
		r, c := foldRune(r)
		switch c {
		case separator:
			if !w.joins(r, s, i+size) {
				w.flush()
				return w.dst, i + size
			}
			w.add(r, c, i, i+size)
		case ignored:
		default:
			if c == single || (w.last == single && c != mark) {
				w.flush()
			}
			w.add(r, c, i, i+size)
			if c == letter {
				i = w.addLetters(s, i+size)
				continue
			}
		}
		i += size
	}
	w.flush()
	return w.dst, i
}

// pending is the word that the rune path is reading.
type pending struct {
	v          *Vocabulary
	dst        []Token
	from, to   int   // its span in the text
	start      int   // of its normal form in v.bytes
	last       class // of the word's last rune, marks aside
	lastRune   rune
	lastOffset int // of lastRune in v.bytes
}

func (w *pending) add(r rune, c class, from, to int) {
	if len(w.v.bytes) == w.start {
		w.from = from
	}
	if c == mark || r >= 0x1161 && r <= 0x11C2 {
		if composed := compose(w.lastRune, r); composed != 0 && len(w.v.bytes) > w.start {
			w.v.bytes = w.v.bytes[:w.lastOffset]
			r = composed
		}
	}
	if c != mark || w.last == separator {
		w.last = c
	}
	w.lastRune, w.lastOffset = r, len(w.v.bytes)
	w.v.bytes = utf8.AppendRune(w.v.bytes, r)
	w.to = to
}

// addLetters adds the letters of one or two bytes that follow a letter, as add
// would, and returns where they end. Nearly all of Latin, Greek, Cyrillic, Hebrew
// and Arabic text goes this way.
func (w *pending) addLetters(s string, i int) int {
	b := w.v.bytes
	for ; i < len(s); i++ {
		r := rune(s[i])
		if r >= utf8.RuneSelf {
			if r < 0xC2 || r >= 0xE0 || i+1 == len(s) || s[i+1]&0xC0 != 0x80 {
				break
			}
			r = r&0x1F<<6 | rune(s[i+1]&0x3F)
		}
		e := low[r]
		if e.class != letter {
			break
		}
		w.lastRune, w.lastOffset = rune(e.fold), len(b)
		switch {
		case e.fold < utf8.RuneSelf:
			b = append(b, byte(e.fold))
		case e.fold < 0x800:
			b = append(b, 0xC0|byte(e.fold>>6), 0x80|byte(e.fold&0x3F))
		default:
			b = utf8.AppendRune(b, rune(e.fold))
		}
		if r >= utf8.RuneSelf {
			i++
		}
		w.to = i + 1
	}
	w.v.bytes = b
	return i
}

// addHan adds the words that the characters at i are, as long as they are of the
// main block of Han and no mark can follow.
func (w *pending) addHan(s string, i int) int {
	for i+3 < len(s) && isHan(s, i) && (s[i+3] < utf8.RuneSelf || isHan(s, i+3)) {
		w.flush()
		id := w.v.internShort(uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16)
		w.dst = append(w.dst, Token{Start: int32(i), End: int32(i + 3), ID: id})
		w.start = len(w.v.bytes)
		i += 3
	}
	return i
}

// isHan reports whether a character from U+4E00 to U+9FFF is at i.
func isHan(s string, i int) bool {
	return i+2 < len(s) && s[i] >= 0xE4 && s[i] <= 0xE9 && (s[i] > 0xE4 || s[i+1] >= 0xB8) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80
}

// joins reports whether the sign r, with the text going on at next, stands inside
// the word.
func (w *pending) joins(r rune, s string, next int) bool {
	if (r != '\'' && r != '.' && r != ',' && r != '·') || len(w.v.bytes) == w.start || next >= len(s) {
		return false
	}
	following, _ := decode(s, next)
	_, c := foldRune(following)
	switch r {
	case '.', ',':
		return w.last == digit && c == digit
	default:
		return (w.last == letter || w.last == digit || w.last == mark) && (c == letter || c == digit)
	}
}

func (w *pending) flush() {
	if len(w.v.bytes) == w.start {
		return
	}
	id := w.v.internTail(w.start)
	w.dst = append(w.dst, Token{Start: int32(w.from), End: int32(w.to), ID: id})
	w.start = len(w.v.bytes)
	w.last, w.lastRune = separator, 0
}

// decode is utf8.DecodeRuneInString with a short cut for ASCII.
func decode(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}
