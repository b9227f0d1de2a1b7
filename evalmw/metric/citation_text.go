package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

const (
	// maxMarker bounds a citation marker in bytes, and what one costs.
	maxMarker = 120
	// maxCited bounds the sources of a range: [1-9999] names no sources.
	maxCited = 32
	// maxCopies bounds how many unknown numbers are looked for in the chunks.
	maxCopies = 8
)

// marker is a citation written in the text; it may name several sources.
type marker struct {
	start, end  int // bytes of the answer
	first, last int // its citations in textCitations.cited
}

// citedSource is one source that a marker names.
type citedSource struct {
	chunk int    // merged chunk; -1 where the document or nothing is named
	doc   string // document, as the chunks name it
	page  string
}

func (c *citedSource) known() bool { return c.chunk >= 0 || c.doc != "" }

// textCitations are the citations written in the answer's text:
//
//	[1]  [1, 2]  [1-3]  [^1]  【1†source】  rose.¹  numbers are positions in the list of chunks
//	[doc-7]  [report.pdf, p. 5]                   ids of chunks or documents, also a file's name without its extension
//	(Source: doc-7)  [Passage 2]  (passages 1 & 3)
//
// A number in round brackets without such a word is none, nor is text in brackets
// that names nothing retrieved, unless it looks like the ids that were: [doc-99].
// Numbers beyond the list are unknown sources unless the chunks hold the same
// marker, which is then copied from there. Code is passed over.
type textCitations struct {
	markers []marker
	cited   []citedSource

	ids    idIndex
	key    []byte
	copies int
}

var turnCitations = rag.NewShared(func(v *rag.View, c *textCitations) {
	clear(c.cited)
	c.markers, c.cited, c.copies = c.markers[:0], c.cited[:0], 0
	c.ids.forget()
	c.parse(v, v.Sample().Answer.Text)
})

// markedWords says for each word of the answer whether it is part of a citation.
func (c *textCitations) markedWords(dst []bool, tokens []text.Token) []bool {
	dst = fill(dst, len(tokens), false)
	for i := range c.markers {
		at := wordsWithin(tokens, c.markers[i].start, c.markers[i].end)
		for j := at.from; j < at.to; j++ {
			dst[j] = true
		}
	}
	return dst
}

// anyKnown reports whether a citation names something retrieved.
func (c *textCitations) anyKnown() bool {
	for i := range c.cited {
		if c.cited[i].known() {
			return true
		}
	}
	return false
}

func (c *textCitations) parse(v *rag.View, s string) {
	for i := 0; i < len(s); {
		end := i + 1
		switch s[i] {
		case '`':
			end = skipCode(s, i)
		case '[':
			end = c.scan(v, s, i, "[", "]")
		case '(':
			end = c.scan(v, s, i, "(", ")")
		case "【"[0]:
			if strings.HasPrefix(s[i:], "【") {
				end = c.scan(v, s, i, "【", "】")
			}
		case "¹"[0], "⁴"[0]:
			end = c.scanSuperscript(v, s, i)
		}
		i = end
	}
}

// skipCode returns the end of the code that starts with the back quotes at i.
func skipCode(s string, i int) int {
	n := i
	for n < len(s) && s[n] == '`' {
		n++
	}
	fence := s[i:n]
	if at := strings.Index(s[n:min(len(s), n+maxCode)], fence); at >= 0 {
		return n + at + len(fence)
	}
	return n
}

// maxCode bounds how far the end of code is looked for.
const maxCode = 1 << 12

// scan reads the marker that starts at i and returns where to go on.
func (c *textCitations) scan(v *rag.View, s string, i int, opening, closing string) int {
	body := s[i+len(opening) : min(len(s), i+maxMarker)]
	length := strings.Index(body, closing)
	if length <= 0 || strings.ContainsAny(body[:length], "\n[") {
		return i + len(opening)
	}
	body = body[:length]
	end := i + len(opening) + length + len(closing)
	isLink := opening == "[" && end < len(s) && s[end] == '('
	if opening == "[" && i > 0 && s[i-1] == '!' {
		return end
	}
	from := len(c.cited)
	r := itemReader{c: c, v: v, round: opening == "(", marker: s[i:end]}
	if !r.read(body) || len(c.cited) == from {
		clear(c.cited[from:])
		c.cited = c.cited[:from]
		return i + len(opening)
	}
	if isLink {
		if length := strings.IndexByte(s[end:min(len(s), end+4*maxMarker)], ')'); length >= 0 {
			end += length + 1
		}
	}
	c.markers = append(c.markers, marker{start: i, end: end, first: from, last: len(c.cited)})
	return end
}

// scanSuperscript reads ¹ and ²³ behind a word or a stop. After a digit or a short
// word they are exponents: 10³, km².
func (c *textCitations) scanSuperscript(v *rag.View, s string, i int) int {
	n, end := 0, i
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		digit := superscriptDigit(r)
		if digit < 0 {
			break
		}
		n = min(n*10+digit, 1000)
		end += size
	}
	if end == i {
		return i + 1
	}
	letters := 0
	for j := i; j > 0 && letters < 4; letters++ {
		r, size := utf8.DecodeLastRuneInString(s[:j])
		if !unicode.IsLetter(r) {
			break
		}
		j -= size
	}
	isStop := i > 0 && strings.IndexByte(".,;:!?)\"'", s[i-1]) >= 0
	if chunk, ok := v.ChunkNumber(n); ok && (isStop || letters == 4) {
		c.cited = append(c.cited, citedSource{chunk: chunk})
		c.markers = append(c.markers, marker{start: i, end: end, first: len(c.cited) - 1, last: len(c.cited)})
	}
	return end
}

func superscriptDigit(r rune) int {
	switch r {
	case '¹':
		return 1
	case '²':
		return 2
	case '³':
		return 3
	case '⁰', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹':
		return int(r - '⁰')
	}
	return -1
}
