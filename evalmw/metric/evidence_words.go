package metric

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// The classes of words that are none of the answer's. From firstCompound down they
// are indexes of wordClasses.compounds.
const (
	noClass       int32 = -1 // content, but no word of the answer
	functionClass int32 = -2
	firstCompound int32 = -3
)

const (
	stemLetters  = 5 // that two light forms of a word share at least
	endLetters   = 3 // by which each may differ at most
	maxNamesakes = 8 // words with the same start that are tried
)

// wordClasses joins the words of the chunks with those of the answer in their
// light forms: the same word; plural and simple endings ("price", "prices",
// "priced"); a long common start with short ends ("increase", "increasing"); two
// neighbouring words of the answer written as one ("wi-fi", "WiFi"); either of
// these at the end of a longer word ("OutdoorSeating", "RestaurantsTakeOut").
// Words with digits match as they are.
type wordClasses struct {
	of        []int32     // by word: the class, which is a word of the answer, or one of the constants
	compounds [][2]uint32 // classes of two neighbours in the answer; twice the same for a single word

	starts text.Table // start of a word → the first answer word that has it, plus 1
	next   []int32    // by word of the answer: the next one with the same start, or -1
	joined text.Table // hash of a long word or of two neighbours joined → index in spans, plus 1
	ends   [64]uint64 // bits for the hashes of the last letters of these, which most words fail
	spans  [][2]int
	bytes  []byte
}

func (c *wordClasses) build(t *texts) {
	c.of = c.of[:0]
	c.starts.Reset()
	c.next = fill(c.next, t.answerWords, -1)
	words := &t.words
	for id := range uint32(t.answerWords) {
		class := functionClass
		if words.IsContent(id) {
			if class = c.find(words, id); class == noClass {
				class = int32(id)
				c.note(words, id)
			}
		}
		c.of = append(c.of, class)
	}
	c.join(t)
	for id := uint32(t.answerWords); int(id) < words.Len(); id++ {
		class := functionClass
		if words.IsContent(id) {
			if class = c.find(words, id); class == noClass {
				class = c.findJoined(words.Text(id))
			}
		}
		c.of = append(c.of, class)
	}
}

// each calls yield with the classes of the answer that a word stands for.
func (c *wordClasses) each(id uint32, yield func(class uint32)) {
	switch class := c.of[id]; {
	case class >= 0:
		yield(uint32(class))
	case class <= firstCompound:
		yield(c.compounds[firstCompound-class][0])
		yield(c.compounds[firstCompound-class][1])
	}
}

// find returns the class of an earlier word of the answer in another light form.
func (c *wordClasses) find(words *text.Vocabulary, id uint32) int32 {
	if words.Flags(id)&text.Digit != 0 {
		return noClass
	}
	word := words.Text(id)
	first, ok := c.starts.Get(startOf(word))
	if !ok {
		return noClass
	}
	other := int32(first) - 1
	for range maxNamesakes {
		if isLightForm(word, words.Text(uint32(other))) {
			return other
		}
		if other = c.next[other]; other < 0 {
			break
		}
	}
	return noClass
}

func (c *wordClasses) note(words *text.Vocabulary, id uint32) {
	if words.Flags(id)&text.Digit != 0 {
		return
	}
	first, _ := c.starts.At(startOf(words.Text(id)))
	c.next[id] = int32(*first) - 1
	*first = id + 1
}

// startOf packs the first letters of a word, a plural s aside.
func startOf(word []byte) uint64 {
	if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' {
		word = word[:n-1]
	}
	n := 4
	if word[0] >= utf8.RuneSelf {
		n = 8
	}
	var key uint64
	for i := range min(n, len(word)) {
		key = key<<8 | uint64(word[i])
	}
	return key
}

func isLightForm(a, b []byte) bool {
	shared := 0
	for shared < len(a) && shared < len(b) && a[shared] == b[shared] {
		shared++
	}
	restA, restB := a[shared:], b[shared:]
	unit := 1
	if a[0] >= utf8.RuneSelf {
		unit = 2
	}
	if shared >= stemLetters*unit {
		return len(restA) <= endLetters*unit && len(restB) <= endLetters*unit
	}
	return shared >= 3 && unit == 1 && isEnding(restA) && isEnding(restB)
}

func isEnding(s []byte) bool {
	switch string(s) {
	case "", "s", "es", "d", "ed", "e", "ing", "y", "ies", "ied", "'s", "n", "en", "er", "ly":
		return true
	}
	return false
}

const (
	minTail  = 5 // letters of a word of the answer that a longer word may end with
	minFront = 4 // letters of that longer word before it
)

// join notes the words of the answer that may end longer ones, and the neighbours
// that may be one word elsewhere.
func (c *wordClasses) join(t *texts) {
	c.joined.Reset()
	c.ends = [64]uint64{}
	c.compounds, c.spans, c.bytes = c.compounds[:0], c.spans[:0], c.bytes[:0]
	tokens := t.answer.tokens
	for i := range tokens {
		b := tokens[i]
		if c.of[b.ID] < 0 || t.words.Flags(b.ID)&text.Digit != 0 {
			continue
		}
		class := uint32(c.of[b.ID])
		if len(t.words.Text(b.ID)) >= minTail {
			c.addJoined(t.words.Text(b.ID), nil, [2]uint32{class, class})
		}
		if i == 0 {
			continue
		}
		a := tokens[i-1]
		gap := t.answer.text[a.End]
		if b.Start == a.End+1 && (gap == ' ' || gap == '-') && c.of[a.ID] >= 0 {
			c.addJoined(t.words.Text(a.ID), t.words.Text(b.ID), [2]uint32{uint32(c.of[a.ID]), class})
		}
	}
}

func (c *wordClasses) addJoined(a, b []byte, classes [2]uint32) {
	from := len(c.bytes)
	c.bytes = append(append(c.bytes, a...), b...)
	h := hashSeed
	for i := len(c.bytes) - 1; i >= from; i-- {
		h = hashByte(h, c.bytes[i])
		if len(c.bytes)-i == minTail {
			c.ends[h>>58] |= 1 << (h >> 52 & 63)
		}
	}
	index, fresh := c.joined.At(h)
	if !fresh && *index > 0 {
		c.bytes = c.bytes[:from]
		return
	}
	c.spans = append(c.spans, [2]int{from, len(c.bytes)})
	c.compounds = append(c.compounds, classes)
	*index = uint32(len(c.spans))
}

// findJoined hashes a word from its end, so that all its ends are looked up on the
// way; the longest that is known wins.
func (c *wordClasses) findJoined(word []byte) int32 {
	class := noClass
	if len(word) < minTail || len(c.spans) == 0 {
		return class
	}
	h := hashSeed
	for i, b := range slices.Backward(word) {
		h = hashByte(h, b)
		if len(word)-i == minTail && c.ends[h>>58]&(1<<(h>>52&63)) == 0 {
			return class
		}
		if len(word)-i < minTail || i > 0 && i < minFront {
			continue
		}
		if index := c.lookUp(h, word[i:]); index >= 0 {
			class = firstCompound - index
		}
	}
	return class
}

func (c *wordClasses) lookUp(h uint64, tail []byte) int32 {
	index, ok := c.joined.Get(h)
	if !ok {
		return -1
	}
	span := c.spans[index-1]
	if !bytes.Equal(c.bytes[span[0]:span[1]], tail) {
		return -1
	}
	return int32(index - 1)
}

// The hash is FNV-1a, which is the same on every platform.
const hashSeed uint64 = 14695981039346656037

func hashByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * 1099511628211 }

// hasCapital reports whether a word starts with a capital or has one inside.
func hasCapital(word string) bool {
	for _, r := range word {
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				return true
			}
		} else if unicode.IsUpper(r) {
			return true
		}
	}
	return false
}
