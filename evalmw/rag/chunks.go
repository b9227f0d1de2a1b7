package rag

import (
	"math"
	"slices"
)

// A MergedChunk is a chunk after merging those with the same id.
type MergedChunk struct {
	// Chunk is the first of the merged chunks in the list as given, or the
	// first that has a text.
	*Chunk
	// Rank is the best rank, 1-based.
	Rank int
	// Score is the highest score after normalising, 0..1.
	Score Opt[float64]
	// Methods is the union of the methods, in order of appearance.
	Methods []string

	last int // position of the latest of the merged chunks
}

// chunkMerge merges chunks by id, in time linear in their number.
type chunkMerge struct {
	merged        []MergedChunk
	byID          map[string]int // chunk id → index in merged
	byNumber      []int          // position in the list as given → index in merged
	next          []int          // position → next position of the same chunk, or -1
	first         []int          // index in merged → its first position
	methods       []string       // storage for the unions
	inUnion       map[string]int // method → the union it was last added to, plus 1
	ranges        map[string]ScoreRange
	ignoredScores int
}

func (m *chunkMerge) merge(chunks []Chunk, by map[string]Normalizer) {
	m.merged, m.byNumber, m.next, m.first = m.merged[:0], m.byNumber[:0], m.next[:0], m.first[:0]
	m.methods, m.ignoredScores = m.methods[:0], 0
	if m.byID == nil {
		m.byID = make(map[string]int)
	}
	clear(m.byID)
	clear(m.inUnion)
	m.measure(chunks, by)
	for i := range chunks {
		m.add(i, &chunks[i], by)
	}
	for at := range m.merged {
		m.unionMethods(at, chunks)
	}
}

func (m *chunkMerge) add(i int, c *Chunk, by map[string]Normalizer) {
	at, seen := m.byID[c.ID]
	if !seen || c.ID == "" {
		at = len(m.merged)
		m.merged = append(m.merged, MergedChunk{Chunk: c, Rank: math.MaxInt})
		m.first = append(m.first, i)
		if c.ID != "" {
			m.byID[c.ID] = at
		}
	} else {
		m.next[m.merged[at].last] = i
	}
	m.byNumber = append(m.byNumber, at)
	m.next = append(m.next, -1)

	k := &m.merged[at]
	k.last = i
	if k.Text == "" && c.Text != "" {
		k.Chunk = c
	}
	rank := c.Rank
	if rank < 1 {
		rank = i + 1
	}
	k.Rank = min(k.Rank, rank)
	if s := m.normalised(c, by); s.Valid && (!k.Score.Valid || s.V > k.Score.V) {
		k.Score = s
	}
}

// fewMethods is how many are searched one by one; more are looked up.
const fewMethods = 8

// unionMethods runs after merging, so that each union is contiguous in the
// shared storage.
func (m *chunkMerge) unionMethods(at int, chunks []Chunk) {
	from := len(m.methods)
	for i := m.first[at]; i >= 0; i = m.next[i] {
		for _, method := range chunks[i].Methods {
			if method != "" && !m.unionHas(m.methods[from:], method, at) {
				m.methods = append(m.methods, method)
			}
		}
	}
	m.merged[at].Methods = m.methods[from:len(m.methods):len(m.methods)]
}

func (m *chunkMerge) unionHas(union []string, method string, at int) bool {
	if len(union) < fewMethods {
		return slices.Contains(union, method)
	}
	if m.inUnion == nil {
		m.inUnion = make(map[string]int)
	}
	if len(union) == fewMethods {
		for _, u := range union {
			m.inUnion[u] = at + 1
		}
	}
	had := m.inUnion[method] == at+1
	m.inUnion[method] = at + 1
	return had
}

func (m *chunkMerge) release() {
	clear(m.merged)
	clear(m.methods)
	clear(m.byID)
	clear(m.inUnion)
}
