package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

func chunked(chunks ...string) *rag.Sample {
	s := new(rag.Sample)
	for i, c := range chunks {
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{ID: strconv.Itoa(i + 1), Text: c})
	}
	return s
}

func asked(queryType string, s *rag.Sample) *rag.Sample {
	s.Tags = map[string]string{"query_type": queryType}
	return s
}

func TestRedundancyNgram(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    *rag.Sample
		want string
	}{
		{"no chunks", chunked(), "no_chunks"},
		{"chunks without text", chunked("", ""), "no_text"},
		{"signs only", chunked("--", "!"), "no_text"},
		{"one chunk", chunked("one two three"), "not_applicable"},
		{"one chunk with text", chunked("", "one two three", "..."), "not_applicable"},
		{"one chunk, twice found", &rag.Sample{Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "a", Text: "one two three"}, {ID: "a", Text: "one two three"}}}}, "not_applicable"},
		{"nothing shared", chunked("a b c d", "e f g h"), "0 good limit=0.2 pairs=1 redundant_chunks=0 max_overlap=0 max_chunk_a= max_chunk_b="},
		{"alike", chunked("a b c d", "A, b; c d."), "1 redundant limit=0.2 pairs=1 redundant_chunks=1 max_overlap=1 max_chunk_a=1 max_chunk_b=2"},
		{"one in the other", chunked("a b c d e f g h i j k l", "d e f g"), "1 redundant limit=0.2 pairs=1 redundant_chunks=0.5 max_overlap=1 max_chunk_a=1 max_chunk_b=2"},
		{"order matters", chunked("a b c d", "d c b a"), "0 good limit=0.2 pairs=1 redundant_chunks=0 max_overlap=0 max_chunk_a= max_chunk_b="},
		{"repeated inside", chunked("a b c a b c a b c", "x a b c y"), "0.3333 redundant limit=0.2 pairs=1 redundant_chunks=0 max_overlap=0.3333 max_chunk_a=1 max_chunk_b=2"},
		{"a third that is like no other", chunked("a b c d", "a b c d", "", "e f g h"), "0.3333 redundant limit=0.2 pairs=3 redundant_chunks=0.6667 max_overlap=1 max_chunk_a=1 max_chunk_b=2"},
		{"two words", chunked("a b", "a b", "a", "a b c"), "0.1667 good limit=0.2 pairs=6 redundant_chunks=0.5 max_overlap=1 max_chunk_a=1 max_chunk_b=2"},
		{"one word", chunked("a", "a"), "1 redundant limit=0.2 pairs=1 redundant_chunks=1 max_overlap=1 max_chunk_a=1 max_chunk_b=2"},
		{"faq", asked("faq", chunked("a b c d e", "a b c x y")), "0.3333 good limit=0.4 pairs=1 redundant_chunks=0 max_overlap=0.3333 max_chunk_a=1 max_chunk_b=2"},
		{"comparison", asked("comparison", chunked("a b c d e", "a b c x y")), "0.3333 redundant limit=0.2 pairs=1 redundant_chunks=0 max_overlap=0.3333 max_chunk_a=1 max_chunk_b=2"},
		{"research", asked("research", chunked("a b c d e f g h i", "a b c x y z u v w")), "0.1429 redundant limit=0.1 pairs=1 redundant_chunks=0 max_overlap=0.1429 max_chunk_a=1 max_chunk_b=2"},
		{"another type", asked("x", chunked("a b c d e", "a b c x y")), "0.3333 redundant limit=0.2 pairs=1 redundant_chunks=0 max_overlap=0.3333 max_chunk_a=1 max_chunk_b=2"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, show(one(t, tt.s, metric.RedundancyNgram()))) })
	}
}

func TestRedundancyTFIDF(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    *rag.Sample
		want string
	}{
		{"no chunks", chunked(), "no_chunks"},
		{"chunks without text", chunked(""), "no_text"},
		{"one chunk", chunked("revenue rose"), "not_applicable"},
		{"nothing shared", chunked("revenue rose", "costs fell"), "0 good limit=0.2 pairs=1"},
		{"in another order", chunked("the revenue rose", "Rose: revenue!"), "1 redundant limit=0.2 pairs=1"},
		{"function words alone", chunked("it is the", "it is the"), "0 good limit=0.2 pairs=1"},
		{"faq", asked("faq", chunked("revenue of Spain", "revenue of France")), "0.3361 good limit=0.4 pairs=1"},
		{"no query type", chunked("revenue of Spain", "revenue of France"), "0.3361 redundant limit=0.2 pairs=1"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, show(one(t, tt.s, metric.RedundancyTFIDF()))) })
	}
}

func TestUniqueTokenRatio(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    *rag.Sample
		want string
	}{
		{"no chunks", chunked(), "no_chunks"},
		{"chunks without text", chunked("", "-"), "no_text"},
		{"one chunk", chunked("the cat and The dog"), "0.8 good limit=0.7 tokens=5 unique_tokens=4"},
		{"across chunks", chunked("a b", "a b", "a c"), "0.5 redundant limit=0.7 tokens=6 unique_tokens=3"},
		{"words of the answer do not count", func() *rag.Sample {
			s := chunked("a b")
			s.Query, s.Answer.Text = "x y z", "u v w"
			return s
		}(), "1 good limit=0.7 tokens=2 unique_tokens=2"},
		{"faq", asked("faq", chunked("a b c a b")), "0.6 good limit=0.5 tokens=5 unique_tokens=3"},
		{"research", asked("research", chunked("a b c d a")), "0.8 redundant limit=0.8 tokens=5 unique_tokens=4"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, show(one(t, tt.s, metric.UniqueTokenRatio()))) })
	}
}

// plainRedundancy computes the three metrics as the catalogue writes them down,
// pair by pair.
func plainRedundancy(chunks []string) (ngram, tfidf, unique float64) {
	var vocabulary text.Vocabulary
	var tokens [][]string
	distinct, total := map[string]bool{}, 0
	for _, c := range chunks {
		var words []string
		for _, t := range vocabulary.Append(nil, c) {
			words = append(words, string(vocabulary.Text(t.ID)))
			distinct[words[len(words)-1]] = true
		}
		if len(words) > 0 {
			tokens = append(tokens, words)
			total += len(words)
		}
	}
	df := map[string]int{}
	for _, words := range tokens {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			df[w]++
		}
	}
	pairs := 0
	for i, a := range tokens {
		for _, b := range tokens[:i] {
			pairs++
			ngram += plainOverlap(a, b)
			tfidf += plainCosine(a, b, df, len(tokens))
		}
	}
	return ngram / float64(pairs), tfidf / float64(pairs), float64(len(distinct)) / float64(total)
}

func plainOverlap(a, b []string) float64 {
	sets := [2]map[string]bool{{}, {}}
	for i, words := range [][]string{a, b} {
		n := min(3, len(words))
		for j := range len(words) - n + 1 {
			sets[i][strings.Join(words[j:j+n], " ")] = true
		}
	}
	shared := 0
	for g := range sets[0] {
		if sets[1][g] {
			shared++
		}
	}
	return float64(shared) / float64(min(len(sets[0]), len(sets[1])))
}

func plainCosine(a, b []string, df map[string]int, n int) float64 {
	vector := func(words []string) map[string]float64 {
		v := map[string]float64{}
		for _, w := range words {
			if !text.IsStopWord(w) {
				v[w] += 1 + math.Log(float64(1+n)/float64(1+df[w]))
			}
		}
		return v
	}
	dot := func(x, y map[string]float64) (sum float64) {
		for _, w := range slices.Sorted(func(yield func(string) bool) {
			for w := range x {
				if !yield(w) {
					return
				}
			}
		}) {
			sum += x[w] * y[w]
		}
		return sum
	}
	va, vb := vector(a), vector(b)
	if norms := math.Sqrt(dot(va, va) * dot(vb, vb)); norms > 0 {
		return dot(va, vb) / norms
	}
	return 0
}

// drawChunks draws chunks that share passages.
func drawChunks(rng *rand.Rand) []string {
	words := strings.Fields("a b c d e f g h revenue rose the of in was выручка выросла 收 入 Ärger 3.5 2019 l'été x y z")
	var chunks []string
	for range rng.IntN(9) {
		var c []string
		for range rng.IntN(40) {
			c = append(c, words[rng.IntN(len(words))])
		}
		if len(chunks) > 0 && rng.IntN(3) == 0 {
			c = append(c, strings.Fields(chunks[rng.IntN(len(chunks))])...)
		}
		chunks = append(chunks, strings.Join(c, []string{" ", ", ", " - "}[rng.IntN(3)]))
	}
	return chunks
}

func TestRedundancyIsThatOfTheCatalogue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	measured := 0
	for range 3000 {
		chunks := drawChunks(rng)
		ev := evaluate(t, chunked(chunks...), metric.RedundancyNgram(), metric.RedundancyTFIDF(), metric.UniqueTokenRatio())
		ngram, tfidf, unique := plainRedundancy(chunks)
		for name, want := range map[string]float64{"redundancy_ngram": ngram, "redundancy_tfidf": tfidf, "unique_token_ratio": unique} {
			r, ok := ev.Find(name)
			require.True(t, ok)
			require.Equal(t, !math.IsNaN(want), r.Measured(), "%s of %q", name, chunks)
			if r.Measured() {
				measured++
				require.InDelta(t, want, r.Value, 1e-12, "%s of %q", name, chunks)
			}
		}
	}
	require.Greater(t, measured, 5000)
}

func TestRedundancyDoesNotDependOnTheOrderOfChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		chunks := drawChunks(rng)
		before := evaluate(t, chunked(chunks...), metric.RedundancyNgram(), metric.RedundancyTFIDF(), metric.UniqueTokenRatio()).Clone()
		rng.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
		after := evaluate(t, chunked(chunks...), metric.RedundancyNgram(), metric.RedundancyTFIDF(), metric.UniqueTokenRatio())
		for i, r := range before.Results {
			require.Equal(t, r.Reason, after.Results[i].Reason)
			require.InDelta(t, r.Value, after.Results[i].Value, 1e-12, r.Name)
			require.Equal(t, r.Label, after.Results[i].Label, r.Name)
		}
	}
}

func TestRedundancyOfManyChunks(t *testing.T) {
	const n = 2000
	same, distinct := make([]string, n), make([]string, n)
	for i := range n {
		same[i] = strings.Repeat("the very same words every time ", 20)
		distinct[i] = fmt.Sprintf("w%d x%d y%d z%d", i, i, i, i)
	}
	assert.Equal(t, "1 redundant limit=0.2 pairs=1999000 redundant_chunks=1 max_overlap=1 max_chunk_a=1 max_chunk_b=2",
		show(one(t, chunked(same...), metric.RedundancyNgram())))
	assert.Equal(t, "1 redundant limit=0.2 pairs=1999000", show(one(t, chunked(same...), metric.RedundancyTFIDF())))
	assert.Equal(t, "0 good limit=0.2 pairs=1999000 redundant_chunks=0 max_overlap=0 max_chunk_a= max_chunk_b=",
		show(one(t, chunked(distinct...), metric.RedundancyNgram())))
	assert.Equal(t, "0 good limit=0.2 pairs=1999000", show(one(t, chunked(distinct...), metric.RedundancyTFIDF())))
}
