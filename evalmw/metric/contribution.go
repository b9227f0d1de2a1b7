package metric

import (
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// What a contribution is told by, in this order of preference.
const (
	byExtractions = "extractions"
	byCitations   = "citations"
	byWords       = "lexical"
	noBasis       = "none"
)

// contribution says which chunks the answer was made from.
type contribution struct {
	basis    string
	chunks   int     // distinct merged chunks that contributed
	inTop    int     // those of them ranked in the top ten
	mentions int     // how often chunks were named
	rankSum  float64 // of the mentions
	ignored  int     // mentions of chunks that were not retrieved

	marked      []bool // by merged chunk
	documents   documentIndex
	attribution attribution
}

var contributions = rag.NewShared(func(v *rag.View, c *contribution) {
	s := v.Sample()
	c.chunks, c.inTop, c.mentions, c.rankSum, c.ignored = 0, 0, 0, 0, 0
	c.marked = append(c.marked[:0], make([]bool, len(v.Chunks()))...)
	switch {
	case len(s.Extractions) > 0:
		c.basis = byExtractions
		c.fromExtractions(v)
	case len(s.Answer.Citations) > 0:
		c.basis = byCitations
		c.fromCitations(v)
	case turnCitations.Of(v).anyKnown():
		c.basis = byCitations
		c.fromTextCitations(v)
	case isText(s.Answer.Text) && anyText(v.Chunks()):
		c.basis = byWords
		c.attribution.each(v, func(chunk int) { c.mention(v, chunk) })
	default:
		c.basis = noBasis
	}
})

func isText(s string) bool { return strings.TrimSpace(s) != "" }

// anyText reports whether there is a chunk to compare an answer with: services
// that record ids and scores alone leave words nothing to tell.
func anyText(chunks []rag.MergedChunk) bool {
	for i := range chunks {
		if isText(chunks[i].Text) {
			return true
		}
	}
	return false
}

func (c *contribution) fromExtractions(v *rag.View) {
	extractions := v.Sample().Extractions
	for i := range extractions {
		n := extractions[i].ChunkNumber
		if n == 0 {
			continue
		}
		if chunk, ok := v.ChunkNumber(n); ok {
			c.mention(v, chunk)
		} else {
			c.ignored++
		}
	}
}

func (c *contribution) fromCitations(v *rag.View) {
	c.documents.fresh = false
	citations := v.Sample().Answer.Citations
	for i := range citations {
		k := &citations[i]
		if k.ChunkID != "" {
			if chunk, ok := v.ChunkID(k.ChunkID); ok {
				c.mention(v, chunk)
			} else {
				c.ignored++
			}
			continue
		}
		if !c.mentionDocument(v, place{k.DocID, k.Page}) {
			c.ignored++
		}
	}
	c.documents.release()
}

// fromTextCitations takes the citations written in the answer's text. What names
// a page that was not retrieved names its document.
func (c *contribution) fromTextCitations(v *rag.View) {
	c.documents.fresh = false
	cited := turnCitations.Of(v).cited
	for i := range cited {
		k := &cited[i]
		switch {
		case k.chunk >= 0:
			c.mention(v, k.chunk)
		case !k.known():
			c.ignored++
		case !c.mentionDocument(v, place{k.doc, k.page}):
			c.mentionDocument(v, place{k.doc, ""})
		}
	}
	c.documents.release()
}

func (c *contribution) mention(v *rag.View, chunk int) {
	c.mentions++
	c.rankSum += float64(v.Chunks()[chunk].Rank)
	c.mark(v, chunk)
}

func (c *contribution) mark(v *rag.View, chunk int) {
	if c.marked[chunk] {
		return
	}
	c.marked[chunk] = true
	c.chunks++
	if v.Chunks()[chunk].Rank <= topRanks {
		c.inTop++
	}
}

// mentionDocument counts a mention of each chunk of a document or page. The
// chunks are walked the first time only, so that many citations of a document
// with many chunks stay linear.
func (c *contribution) mentionDocument(v *rag.View, at place) bool {
	if at.doc == "" {
		return false
	}
	d := &c.documents
	d.build(v)
	k, ok := d.places[at]
	if !ok {
		return false
	}
	p := &d.totals[k]
	c.mentions += p.chunks
	c.rankSum += p.rankSum
	next := d.nextOfDocument
	if at.page != "" {
		next = d.nextOfPage
	}
	for i := p.first; i >= 0; i = next[i] {
		c.mark(v, i)
	}
	p.first = -1
	return true
}

// documentIndex finds the chunks of a document, and of a page of it.
type documentIndex struct {
	fresh  bool
	places map[place]int // → index in totals
	totals []placeTotal

	nextOfDocument, nextOfPage []int // by merged chunk: the next one of the same place, or -1
}

// A place is a document, or a page of it where page is set.
type place struct{ doc, page string }

type placeTotal struct {
	first   int // of its merged chunks; -1 once they are all marked
	chunks  int
	rankSum float64
}

func (d *documentIndex) build(v *rag.View) {
	if d.fresh {
		return
	}
	d.fresh = true
	if d.places == nil {
		d.places = make(map[place]int)
	}
	d.totals, d.nextOfDocument, d.nextOfPage = d.totals[:0], d.nextOfDocument[:0], d.nextOfPage[:0]
	for i := range v.Chunks() {
		k := &v.Chunks()[i]
		d.nextOfDocument = append(d.nextOfDocument, d.add(place{k.DocID, ""}, i, k.Rank))
		before := -1
		if k.Page != "" {
			before = d.add(place{k.DocID, k.Page}, i, k.Rank)
		}
		d.nextOfPage = append(d.nextOfPage, before)
	}
}

// add puts a chunk in front of the others of its place, and returns the one that
// was in front.
func (d *documentIndex) add(at place, chunk, rank int) (before int) {
	k, seen := d.places[at]
	if !seen {
		k = len(d.totals)
		d.places[at] = k
		d.totals = append(d.totals, placeTotal{first: -1})
	}
	p := &d.totals[k]
	before = p.first
	p.first = chunk
	p.chunks++
	p.rankSum += float64(rank)
	return before
}

// release drops the strings, which belong to the sample.
func (d *documentIndex) release() { clear(d.places) }
