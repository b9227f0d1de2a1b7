package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// rankConstant damps the lead of the first ranks (Cormack, Clarke, Büttcher:
// Reciprocal Rank Fusion, SIGIR 2009).
const rankConstant = 60

// Hit is a retrieved chunk.
type Hit struct {
	_ struct{}

	Chunk corpus.Chunk
	Score float64   // reciprocal rank fusion, scaled so that 1 is first by every method
	Found []Finding // by which methods, one or more
}

// Finding is a chunk's place in the ranking of one method.
type Finding struct {
	_ struct{}

	Method string
	Rank   int     // from 1
	Score  float64 // the method's own: BM25, or cosine
}

type ranking struct {
	method string
	found  []found
}

// found is a chunk that one method found.
type found struct {
	id    string
	score float64
}

// spare is how many more than its limit a method is asked for, so that equal
// scores at the limit are cut by [rank] and not by chance.
const spare = 16

// rank puts what a method found in an order that is the same on every run:
// libraries add up scores and order equal ones as their goroutines and maps
// happen to go.
func rank(hits []found, limit int) []found {
	for i := range hits {
		hits[i].score = math.Round(hits[i].score*1e6) / 1e6
	}
	slices.SortFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return hits[:min(limit, len(hits))]
}

// fuse merges rankings; its hits carry no more of their chunk than the id.
func fuse(rankings []ranking) []Hit {
	best := float64(len(rankings)) / (rankConstant + 1)
	var hits []Hit
	at := make(map[string]int)
	for _, r := range rankings {
		for i, f := range r.found {
			n, ok := at[f.id]
			if !ok {
				n = len(hits)
				at[f.id] = n
				hits = append(hits, Hit{Chunk: corpus.Chunk{ID: f.id}})
			}
			hits[n].Score += 1 / float64(rankConstant+i+1) / best
			hits[n].Found = append(hits[n].Found, Finding{Method: r.method, Rank: i + 1, Score: f.score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk.ID, b.Chunk.ID))
	})
	return hits
}
