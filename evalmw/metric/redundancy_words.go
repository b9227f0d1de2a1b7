package metric

import (
	"log/slog"
	"math"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// RedundancyTFIDF returns the metric redundancy_tfidf: how much the chunks are
// about the same, whatever the order of their words. It is the mean over all pairs
// of chunks of the cosine of their vectors, which hold for each word that carries
// content
//
//	tf × (1 + ln((1 + n) / (1 + df)))
//
// where tf is how often the chunk has the word, df how many of the n chunks have
// it (the smoothed idf that scikit-learn uses: without the smoothing, the words of
// identical chunks would weigh nothing). A chunk that has
// function words alone is like no other. Chunks without words are left out; with
// fewer than two others the metric is not measured.
//
// Label and limit are those of [RedundancyNgram]. Details: the limit and the
// pairs. Time is linear in the words. Options change nothing.
//
// Definition: the catalogue, docs/metrics.md, "Context quality".
func RedundancyTFIDF(...Option) rag.Metric {
	return rag.Metric{
		Name:  "redundancy_tfidf",
		Doc:   "How much the chunks are about the same.",
		Kind:  rag.KindScore,
		Score: redundancyTFIDF,
	}
}

func redundancyTFIDF(v *rag.View) rag.Result {
	w := turnWords.Of(v)
	n := len(w.ends)
	if why := incomparable(v, n); why != "" {
		return rag.Unmeasured(why)
	}
	limit := redundancyLimit(v)
	pairs := n * (n - 1) / 2
	value := min(w.sumOfCosines()/float64(pairs), 1)
	return rag.Scored(value, v.Details(
		slog.Float64("limit", limit),
		slog.Int("pairs", pairs),
	)...).WithLabel(redundancyLabel(value < limit))
}

// UniqueTokenRatio returns the metric unique_token_ratio: the distinct words of
// all chunks / their words. It falls with the length of the
// context, whatever is said, since every text repeats its function words: compare
// contexts of like length.
//
// The label is "good" above the limit, else "redundant". The limit is .7; where
// the sample's tag query_type states what is asked for, it is .5 for "faq", .7 for
// "comparison" and .8 for "research". Details: the limit, the words and the
// distinct ones. Without words it is not measured. Options change nothing.
//
// Definition: the catalogue, docs/metrics.md, "Context quality".
func UniqueTokenRatio(...Option) rag.Metric {
	return rag.Metric{
		Name:  "unique_token_ratio",
		Doc:   "Distinct words of the chunks / their words.",
		Kind:  rag.KindScore,
		Score: uniqueTokenRatio,
	}
}

func uniqueTokenRatio(v *rag.View) rag.Result {
	w := turnWords.Of(v)
	switch {
	case len(v.Chunks()) == 0:
		return rag.Unmeasured(rag.ReasonNoChunks)
	case w.total == 0:
		return rag.Unmeasured(reasonNoText)
	}
	limit := 0.7
	switch v.Sample().Tags["query_type"] {
	case "faq":
		limit = 0.5
	case "research":
		limit = 0.8
	}
	value := float64(w.distinct) / float64(w.total)
	return rag.Scored(value, v.Details(
		slog.Float64("limit", limit),
		slog.Int("tokens", w.total),
		slog.Int("unique_tokens", w.distinct),
	)...).WithLabel(redundancyLabel(value > limit))
}

// wordCounts says how often each chunk has each word.
type wordCounts struct {
	counts          []wordCount // chunk by chunk, words by first appearance
	ends            []int       // of each chunk with words
	total, distinct int         // words of all chunks

	words   []wordSpread // by id
	idf     []float64    // by df
	weights []float64    // by entry of counts
}

type wordCount struct {
	id      uint32
	n       int32
	content bool
}

type wordSpread struct {
	last   int32   // its latest entry of counts
	chunks int32   // that have it
	sum    float64 // of its weights in the vectors added up so far
}

var turnWords = rag.NewShared(func(v *rag.View, w *wordCounts) {
	t := turnTexts.Of(v)
	w.counts, w.ends = reuse(w.counts), reuse(w.ends)
	w.total, w.distinct = 0, 0
	w.words = append(reuse(w.words), make([]wordSpread, t.words.Len())...)
	for i := range t.chunks {
		tokens := t.chunks[i].tokens
		if len(tokens) == 0 {
			continue
		}
		from := int32(len(w.counts))
		for _, word := range tokens {
			k := &w.words[word.ID]
			if k.chunks > 0 && k.last >= from {
				w.counts[k.last].n++
				continue
			}
			if k.chunks == 0 {
				w.distinct++
			}
			k.chunks++
			k.last = int32(len(w.counts))
			w.counts = append(w.counts, wordCount{id: word.ID, n: 1, content: t.words.IsContent(word.ID)})
		}
		w.total += len(tokens)
		w.ends = append(w.ends, len(w.counts))
	}
})

// appendOnce tells by word whether it stands once in all chunks.
func (w *wordCounts) appendOnce(once []bool) []bool {
	once = append(once, make([]bool, len(w.words))...)
	for _, c := range w.counts {
		once[c.id] = c.n == 1 && w.words[c.id].chunks == 1
	}
	return once
}

// sumOfCosines adds up the cosines of all pairs without looking at pairs: the
// products of a vector with each of those before it are its product with their
// sum.
func (w *wordCounts) sumOfCosines() float64 {
	w.weigh()
	for i := range w.words {
		w.words[i].sum = 0
	}
	sum, from := 0.0, 0
	for _, to := range w.ends {
		norm := 0.0
		for _, x := range w.weights[from:to] {
			norm += float64(x * x) // float64 keeps processors that can from fusing the two
		}
		if norm = math.Sqrt(norm); norm > 0 {
			for i := from; i < to; i++ {
				x := w.weights[i] / norm
				k := &w.words[w.counts[i].id]
				sum += float64(k.sum * x)
				k.sum += x
			}
		}
		from = to
	}
	return sum
}

func (w *wordCounts) weigh() {
	w.idf = reuse(w.idf)
	for df := range len(w.ends) + 1 {
		w.idf = append(w.idf, smoothIDF(len(w.ends), df))
	}
	w.weights = reuse(w.weights)
	for _, c := range w.counts {
		x := 0.0
		if c.content {
			x = float64(c.n) * w.idf[w.words[c.id].chunks]
		}
		w.weights = append(w.weights, x)
	}
}

// smoothIDF rounds the logarithm to a multiple of 2^-40, since processors compute
// its last bits differently.
func smoothIDF(n, df int) float64 {
	const grain = 1 << 40
	return 1 + float64(math.Round(math.Log(float64(1+n)/float64(1+df))*grain)/grain)
}
