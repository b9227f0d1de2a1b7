package index

import (
	"context"
	"math"
	"slices"
)

const (
	lsaOversample = 16
	lsaRounds     = 4 // of subspace iteration
	lsaSeed       = 1
)

// LSA embeds texts by latent semantic analysis: TF-IDF vectors projected on
// the strongest right singular directions of the matrix of all texts it was
// trained on. It needs no model, and the same texts give the same bytes on
// every run. It is read-only and safe for concurrent use.
type LSA struct {
	ids   map[string]int // by term
	idf   []float64
	basis matrix // terms × dimensions
}

// entry is a non-zero of a sparse vector.
type entry struct {
	id     int
	weight float64
}

// TrainLSA learns the vocabulary and at most dims directions of a set of texts.
// Words that stand in one text only relate it to no other and are left out.
func TrainLSA(texts []string, dims int) *LSA {
	df := make(map[string]int)
	terms := make([][]string, len(texts))
	for i, text := range texts {
		terms[i] = Terms(text)
		for _, term := range slices.Compact(slices.Sorted(slices.Values(terms[i]))) {
			df[term]++
		}
	}
	vocabulary := make([]string, 0, len(df))
	for term, n := range df {
		if n > 1 {
			vocabulary = append(vocabulary, term)
		}
	}
	slices.Sort(vocabulary) // map order must not reach the floating-point sums

	l := &LSA{ids: make(map[string]int, len(vocabulary)), idf: make([]float64, len(vocabulary))}
	for id, term := range vocabulary {
		l.ids[term] = id
		l.idf[id] = math.Log(float64(1+len(texts)) / float64(1+df[term]))
	}
	rows := make([][]entry, len(texts))
	for i := range terms {
		rows[i] = l.weigh(terms[i])
	}
	l.basis = rightSingularVectors(rows, len(vocabulary), dims)
	return l
}

// weigh returns the TF-IDF vector of a text, of length 1 and sorted by term.
func (l *LSA) weigh(terms []string) []entry {
	var vector []entry
	ids := make([]int, 0, len(terms))
	for _, term := range terms {
		if id, ok := l.ids[term]; ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	norm := 0.0
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && ids[n] == ids[0] {
			n++
		}
		weight := float64((1 + math.Log(float64(n))) * l.idf[ids[0]])
		norm += float64(weight * weight)
		vector = append(vector, entry{ids[0], weight})
		ids = ids[n:]
	}
	for i := range vector {
		vector[i].weight /= math.Sqrt(norm)
	}
	return vector
}

// Embed implements [Embedder]. A text without a known word has a zero vector.
func (l *LSA) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	sum := make([]float64, l.basis.cols)
	for i, text := range texts {
		clear(sum)
		for _, e := range l.weigh(Terms(text)) {
			addScaled(sum, e.weight, l.basis.row(e.id))
		}
		if norm := math.Sqrt(dot(sum, sum)); norm > 0 {
			scale(sum, 1/norm)
		}
		vectors[i] = make([]float32, len(sum))
		for d, x := range sum {
			vectors[i][d] = float32(x)
		}
	}
	return vectors, nil
}
