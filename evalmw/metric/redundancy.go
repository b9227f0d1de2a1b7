package metric

import (
	"cmp"
	"log/slog"
	"math/bits"
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// reasonNoText says that chunks were recorded without their text.
const reasonNoText rag.Reason = "no_text"

const (
	// redundantShare is the part of a chunk's n-grams that one other chunk must
	// hold to make it redundant. The overlap that splitters leave between
	// neighbours, a tenth to a fifth, is below; a chunk of which another holds
	// the greater part adds less than it repeats.
	redundantShare = 0.5
	// pairedChunks bounds the chunks that are compared pair by pair for the
	// details: pairs grow with the square.
	pairedChunks = 64
	// wordBits is how many bits of an n-gram each of its three words takes. Words
	// beyond the first two million of a turn count as one.
	wordBits = 21
)

// RedundancyNgram returns the metric redundancy_ngram: how much the chunks repeat
// each other word for word. It is the mean over all pairs of chunks of
//
//	|ngrams(a) ∩ ngrams(b)| / min(|ngrams(a)|, |ngrams(b)|)
//
// with the sets of three successive words. A chunk of one or two words has one
// n-gram, all of it. Chunks without words are left out; with fewer than two others
// the metric is not measured.
//
// The label is "good" below the limit, else "redundant". The limit is .2; where
// the sample's tag query_type states what is asked for, it is .4 for "faq" (one
// topic, so that little diversity is expected), .2 for "comparison" and .1 for
// "research".
//
// Details: the limit; the pairs; the share of redundant chunks, of whose n-grams
// at least half stand in one other chunk; the overlap of the pair that overlaps
// most, and the ids of its chunks, empty if none does. What concerns single pairs
// is told of the first 64 chunks with words. The value is of all chunks, in time
// linear in their words. Options change nothing.
//
// Definition: the catalogue, docs/metrics.md, "Context quality".
func RedundancyNgram(...Option) rag.Metric {
	return rag.Metric{
		Name:  "redundancy_ngram",
		Doc:   "How much the chunks repeat each other word for word.",
		Kind:  rag.KindScore,
		Score: redundancyNgram,
	}
}

func redundancyNgram(v *rag.View) rag.Result {
	g := turnGrams.Of(v)
	n := len(g.chunks)
	if why := incomparable(v, n); why != "" {
		return rag.Unmeasured(why)
	}
	limit := redundancyLimit(v)
	pairs := n * (n - 1) / 2
	value := g.overlaps / float64(pairs)
	m := g.comparePairs()
	idA, idB := "", ""
	if m.overlap > 0 {
		idA, idB = v.Chunks()[g.chunks[m.a].merged].ID, v.Chunks()[g.chunks[m.b].merged].ID
	}
	return rag.Scored(value, v.Details(
		slog.Float64("limit", limit),
		slog.Int("pairs", pairs),
		slog.Float64("redundant_chunks", m.redundant),
		slog.Float64("max_overlap", m.overlap),
		slog.String("max_chunk_a", idA),
		slog.String("max_chunk_b", idB),
	)...).WithLabel(redundancyLabel(value < limit))
}

// incomparable returns why chunks, of which so many have words, cannot be
// compared with each other.
func incomparable(v *rag.View, withWords int) rag.Reason {
	switch {
	case len(v.Chunks()) == 0:
		return rag.ReasonNoChunks
	case withWords == 0:
		return reasonNoText
	case withWords == 1:
		return rag.ReasonNotApplicable
	}
	return ""
}

func redundancyLimit(v *rag.View) float64 {
	switch v.Sample().Tags["query_type"] {
	case "faq":
		return 0.4
	case "research":
		return 0.1
	}
	return 0.2
}

func redundancyLabel(good bool) string {
	if good {
		return "good"
	}
	return "redundant"
}

// grams are the sets of n-grams of a turn's chunks.
type grams struct {
	ids    text.Table
	known  []gram
	chunks []gramSet // of chunks with words
	lists  []uint32  // the sets, end to end, without what is unique
	once   []bool    // by word: whether it stands once in all chunks

	order    []int    // chunks, those with the most n-grams first
	overlaps float64  // of all pairs, added up
	shared   []uint32 // by pair of the first chunks: n-grams in both
}

type gram struct {
	in    uint64 // which of the first chunks hold it
	last  int32  // the last chunk that was found to
	count uint32 // of the chunks added up so far
}

type gramSet struct {
	merged   int // of View.Chunks
	from, to int // of grams.lists
	unique   int // n-grams with a word that stands nowhere else: no other set has them
}

func (s *gramSet) size() int { return s.to - s.from + s.unique }

var turnGrams = rag.NewShared(func(v *rag.View, g *grams) {
	g.ids.Reset()
	g.known, g.chunks, g.lists = reuse(g.known), reuse(g.chunks), reuse(g.lists)
	g.once = turnWords.Of(v).appendOnce(reuse(g.once))
	for i, p := range turnTexts.Of(v).chunks {
		if len(p.tokens) == 0 {
			continue
		}
		from := len(g.lists)
		unique := g.read(p.tokens)
		g.chunks = append(g.chunks, gramSet{merged: i, from: from, to: len(g.lists), unique: unique})
	}
	g.addOverlaps()
})

// read adds the set of the next chunk to lists, and counts what it left out as
// unique.
func (g *grams) read(tokens []text.Token) (unique int) {
	const short = 1 << (3 * wordBits)
	switch len(tokens) {
	case 1:
		g.add(short | wordKey(tokens[0]))
		return 0
	case 2:
		g.add(short | wordKey(tokens[0])<<wordBits | wordKey(tokens[1]) | 1<<(2*wordBits))
		return 0
	}
	var key uint64
	complete := 2 // how many words are to come until three stand together that recur
	for i, t := range tokens {
		key = key<<wordBits&(short-1) | wordKey(t)
		switch {
		case g.once[t.ID]:
			complete = 3
		case complete > 0:
			complete--
		}
		switch {
		case i < 2:
		case complete > 0:
			unique++
		default:
			g.add(key)
		}
	}
	return unique
}

func wordKey(t text.Token) uint64 { return min(uint64(t.ID), 1<<wordBits-1) }

func (g *grams) add(key uint64) {
	chunk := len(g.chunks)
	id, fresh := g.ids.Intern(key)
	if fresh {
		g.known = append(g.known, gram{last: -1})
	}
	k := &g.known[id]
	if k.last == int32(chunk) {
		return
	}
	k.last = int32(chunk)
	if chunk < pairedChunks {
		k.in |= 1 << chunk
	}
	g.lists = append(g.lists, id)
}

// addOverlaps adds up the overlaps of all pairs without looking at pairs. Going
// from the largest set to the smallest, the set at hand is the smaller one of all
// its pairs so far: each of its n-grams adds 1/size for every set before that
// holds it. Sets of one size are added up in whole numbers, so that the sum does
// not depend on the order of the chunks.
func (g *grams) addOverlaps() {
	g.order = reuse(g.order)
	for i := range g.chunks {
		g.order = append(g.order, i)
	}
	slices.SortFunc(g.order, func(a, b int) int { return cmp.Compare(g.chunks[b].size(), g.chunks[a].size()) })
	sum := 0.0
	hits, size := uint64(0), 1
	for _, i := range g.order {
		s := &g.chunks[i]
		if s.size() != size {
			sum += float64(hits) / float64(size)
			hits, size = 0, s.size()
		}
		for _, id := range g.lists[s.from:s.to] {
			k := &g.known[id]
			hits += uint64(k.count)
			k.count++
		}
	}
	g.overlaps = sum + float64(hits)/float64(size)
}

// gramPairs is what comparing the first chunks pair by pair shows.
type gramPairs struct {
	redundant float64 // share of these chunks
	overlap   float64 // the highest
	a, b      int     // of which chunks with words
}

func (g *grams) comparePairs() (m gramPairs) {
	n := min(len(g.chunks), pairedChunks)
	g.countPairs(n)
	redundant := 0
	for a := range n {
		most := uint32(0)
		size := g.chunks[a].size()
		for b := range n {
			shared := g.shared[a*n+b]
			most = max(most, shared)
			if b > a {
				if o := float64(shared) / float64(min(size, g.chunks[b].size())); o > m.overlap {
					m.overlap, m.a, m.b = o, a, b
				}
			}
		}
		if float64(most) >= redundantShare*float64(size) {
			redundant++
		}
	}
	m.redundant = float64(redundant) / float64(n)
	return m
}

// countPairs fills shared for the first n chunks, both ways round.
func (g *grams) countPairs(n int) {
	g.shared = slices.Grow(g.shared[:0], n*n)[:n*n]
	clear(g.shared)
	for i := range g.known {
		in := g.known[i].in
		for in&(in-1) != 0 {
			a := bits.TrailingZeros64(in)
			in &= in - 1
			for rest := in; rest != 0; rest &= rest - 1 {
				g.shared[a*n+bits.TrailingZeros64(rest)]++
			}
		}
	}
	for a := range n {
		for b := range a {
			g.shared[a*n+b] = g.shared[b*n+a]
		}
	}
}
