package metric

import (
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// itemReader reads what stands in a marker: sources, separated by commas,
// semicolons, "&" or "and".
type itemReader struct {
	c      *textCitations
	v      *rag.View
	round  bool // in round brackets, which need a word such as "source"
	marker string

	labelled bool // such a word was read
}

// read appends the sources of a marker. It reports false if the text is none.
func (r *itemReader) read(body string) bool {
	if !r.round || isIDLike(body) {
		if source, ok := r.c.resolve(r.v, strings.TrimSpace(body)); ok {
			r.c.cited = append(r.c.cited, source)
			return true
		}
	}
	for len(body) > 0 {
		item := body
		if i := strings.IndexAny(body, ",;&"); i >= 0 {
			item, body = body[:i], body[i+1:]
		} else {
			body = ""
		}
		before, after, found := strings.Cut(item, " and ")
		if !r.item(before) || found && !r.item(after) {
			return false
		}
	}
	return true
}

func (r *itemReader) item(item string) bool {
	item = strings.Trim(item, " \t*_\"'")
	item = strings.TrimPrefix(item, "and ")
	if item == "" {
		return true
	}
	colon := false
	if word, rest, ok := cutWord(item); ok {
		switch {
		case isSourceWord(word):
			r.labelled = true
			colon = strings.HasPrefix(rest, ":")
			if item = strings.TrimLeft(rest, " :#"); item == "" {
				return true
			}
		case isPlaceWord(word):
			r.page(word, rest)
			return r.labelled || len(r.c.cited) > 0
		}
	}
	item = strings.TrimLeft(item, "^#")
	if before, _, ok := strings.Cut(item, "†"); ok {
		r.labelled = true
		if message, index, ok := strings.Cut(before, ":"); ok && isDigits(message) {
			n, _, valid := leadingNumber(index)
			return valid && r.number(n+1)
		}
		item = before
	}
	if r.round && !r.labelled && !isIDLike(item) {
		return false
	}
	if n, rest, ok := leadingNumber(item); ok && (!r.round || r.labelled) {
		return r.numberOrRange(n, rest, item)
	}
	source, ok := r.c.resolve(r.v, item)
	if !ok && !colon && !r.c.looksLikeID(r.v, item) {
		return false
	}
	r.c.cited = append(r.c.cited, source)
	return true
}

// page adds the page that is stated behind a document.
func (r *itemReader) page(word, rest string) {
	if n := len(r.c.cited); n > 0 && (word[0]|0x20 == 'p') && !strings.HasPrefix(strings.ToLower(word), "para") {
		if last := &r.c.cited[n-1]; last.chunk < 0 && last.doc != "" {
			last.page = strings.Trim(rest, " .")
		}
	}
}

func (r *itemReader) numberOrRange(n int, rest, item string) bool {
	if chunk, ok := r.v.ChunkID(item); ok {
		r.c.cited = append(r.c.cited, citedSource{chunk: chunk})
		return true
	}
	last := n
	if rest != "" && !(r.labelled && rest[0] == ':') {
		rest = strings.TrimLeft(rest, " ")
		trimmed := strings.TrimLeft(rest, "-–—")
		to, tail, ok := leadingNumber(strings.TrimLeft(trimmed, " "))
		if trimmed == rest || !ok || tail != "" || to < n || to-n >= maxCited {
			source, ok := r.c.resolve(r.v, item)
			if !ok && !r.c.looksLikeID(r.v, item) {
				return false
			}
			r.c.cited = append(r.c.cited, source)
			return true
		}
		last = to
	}
	for ; n <= last; n++ {
		if !r.number(n) {
			return false
		}
	}
	return true
}

// number appends the chunk with this id or position, or an unknown source.
func (r *itemReader) number(n int) bool {
	chunk, ok := r.v.ChunkNumber(n)
	if ok {
		r.c.cited = append(r.c.cited, citedSource{chunk: chunk})
		return true
	}
	if n < 1 || n > 999 {
		return false
	}
	if !r.labelled && r.c.isCopied(r.v, r.marker) {
		return false
	}
	r.c.cited = append(r.c.cited, citedSource{chunk: -1})
	return true
}

// isCopied reports whether a chunk holds the same marker, or too many were looked for.
func (c *textCitations) isCopied(v *rag.View, marker string) bool {
	if c.copies == maxCopies {
		return true
	}
	c.copies++
	for i := range v.Chunks() {
		if strings.Contains(v.Chunks()[i].Text, marker) {
			return true
		}
	}
	return false
}

// resolve finds the chunk or document with this id.
func (c *textCitations) resolve(v *rag.View, id string) (citedSource, bool) {
	if chunk, ok := v.ChunkID(id); ok {
		return citedSource{chunk: chunk}, true
	}
	c.ids.build(v)
	c.key = text.AppendKey(c.key[:0], id)
	e, ok := c.ids.find(c.key)
	switch {
	case !ok:
		return citedSource{chunk: -1}, false
	case e.kind == chunkID:
		return citedSource{chunk: e.chunk}, true
	}
	return citedSource{chunk: -1, doc: v.Chunks()[e.chunk].DocID}, true
}

// maxShapes bounds the ids with whose form an unknown one is compared.
const maxShapes = 16

// looksLikeID reports whether an unknown id has the form of one that was
// retrieved: doc-99 where there is a doc-7. It must hold a digit.
func (c *textCitations) looksLikeID(v *rag.View, id string) bool {
	if !strings.ContainsAny(id, "0123456789") || !isIDLike(id) || isDigits(id) {
		return false
	}
	for i := range v.Chunks()[:min(maxShapes, len(v.Chunks()))] {
		if k := v.Chunks()[i].Chunk; sameShape(id, k.ID) || sameShape(id, k.DocID) {
			return true
		}
	}
	return false
}

// sameShape compares ids with every run of digits taken for the same.
func sameShape(a, b string) bool {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			a, b = strings.TrimLeft(a, "0123456789"), strings.TrimLeft(b, "0123456789")
			continue
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return a == b
}

// isIDLike tells ids from words: they have a digit or a sign inside and no blank.
func isIDLike(s string) bool {
	return !strings.ContainsAny(s, " \t") && strings.ContainsAny(s, "0123456789_-./#:")
}

// cutWord splits the letters that s starts with from the rest.
func cutWord(s string) (word, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i]|0x20-'a' <= 'z'-'a' {
		i++
	}
	isWhole := i == len(s) || strings.IndexByte(" :.#", s[i]) >= 0
	return s[:i], s[i:], i > 0 && isWhole
}

func isSourceWord(word string) bool {
	for _, w := range [...]string{
		"source", "sources", "doc", "docs", "document", "documents", "passage", "passages", "chunk", "chunks", "ref", "refs", "reference",
		"references", "context", "contexts", "snippet", "excerpt", "citation", "id", "file", "quelle", "quellen", "fuente", "fonte",
	} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

func isPlaceWord(word string) bool {
	for _, w := range [...]string{
		"p", "pp", "page", "pages", "pg", "step", "steps", "section", "sec", "line", "lines", "paragraph", "para", "table", "fig", "figure", "chapter",
	} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

// leadingNumber reads the digits that s starts with.
func leadingNumber(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		n = min(n*10+int(s[i]-'0'), 1<<20)
		i++
	}
	return n, s[i:], i > 0
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isDigit(c byte) bool { return c-'0' <= 9 }
