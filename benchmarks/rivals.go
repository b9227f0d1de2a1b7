package main

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// A scores is what the metrics written by hand return: numbers, and categories by
// their names. Metrics of a field are of the only field that the turns here have.
type scores struct {
	numbers    map[string]float64
	categories map[string]string
}

func newScores() scores {
	return scores{make(map[string]float64, 16), make(map[string]string, 4)}
}

// The metrics of this file read no text to speak of. Both rivals compute them
// alike.

func (out scores) retrieval(s *rag.Sample) {
	chunks := s.Retrieval.Chunks
	both, pages, sum := 0, map[string]bool{}, 0.0
	found := map[string]int{}
	for _, c := range chunks {
		if len(c.Methods) > 1 {
			both++
		}
		pages[c.DocID+"\x00"+c.Page] = true
		sum += c.Score.V
		for _, m := range c.Methods {
			found[m]++
		}
	}
	n := float64(len(chunks))
	out.numbers["context_relevance"] = 0.4*float64(both)/n + 0.5*sum/n + 0.1*math.Min(float64(len(pages))/5, 1)

	contributing, inTop := map[int]bool{}, 0
	for _, x := range s.Extractions {
		if x.ChunkNumber < 1 || x.ChunkNumber > len(chunks) || contributing[x.ChunkNumber] {
			continue
		}
		contributing[x.ChunkNumber] = true
		if chunks[x.ChunkNumber-1].Rank <= 10 {
			inTop++
		}
	}
	out.numbers["context_precision"] = float64(inTop) / math.Min(10, float64(len(contributing)))

	recall := float64(len(contributing)) / n
	hitLimit := false
	for method, limit := range s.Retrieval.Limits {
		hitLimit = hitLimit || found[method] >= limit
	}
	switch {
	case hitLimit:
		recall *= 0.7
		out.categories["recall_warning"] = "HIT_RETRIEVAL_LIMIT"
	case n/float64(s.Retrieval.BeforeFilter) < 0.5:
		recall *= 0.85
		out.categories["recall_warning"] = "HIGH_THRESHOLD_FILTERING"
	}
	out.numbers["context_recall_heuristic"] = recall
}

func (out scores) citations(s *rag.Sample) {
	ids := map[string]bool{}
	for _, c := range s.Retrieval.Chunks {
		ids[c.ID] = true
	}
	valid := 0
	for _, c := range s.Answer.Citations {
		if ids[c.ChunkID] {
			valid++
		}
	}
	out.numbers["citation_validity_form"] = float64(valid) / float64(len(s.Answer.Citations))
	out.numbers["citation_coverage"] = math.Min(float64(len(s.Answer.Citations)), 1)
}

func (out scores) agreement(s *rag.Sample) {
	counts, values, most := map[string]int{}, 0, 0
	for _, x := range s.Extractions {
		key := plainKey(x.Value)
		if key == "" {
			continue
		}
		values++
		counts[key]++
		most = max(most, counts[key])
	}
	share := float64(most) / float64(values)
	pattern := "conflicting"
	switch {
	case share > 0.95:
		pattern = "unanimous"
	case share > 0.7:
		pattern = "majority"
	case share > 0.4:
		pattern = "mixed"
	}
	out.numbers["multi_source_agreement"], out.categories["agreement_pattern"] = share, pattern
}

func (out scores) confidence(s *rag.Sample) {
	confidence := 0.7
	if s.Answer.Confidence.Valid {
		confidence = s.Answer.Confidence.V
	}
	for _, x := range s.Extractions {
		if _, ok := plainNumber(x.Value); !ok && x.Format == "number" {
			confidence = math.Min(confidence, 0.5)
		}
	}
	out.numbers["aggregated_confidence"] = confidence
}

// validation looks for each value in the evidence that is quoted for it.
func (out scores) validation(s *rag.Sample) {
	passed, failed := 0, 0
	for _, x := range s.Extractions {
		if standsIn(x.Value, x.Evidence) {
			passed++
		} else {
			failed++
		}
	}
	out.categories["semantic_validation"] = "fail"
	if passed >= failed {
		out.categories["semantic_validation"] = "pass"
	}
}

func standsIn(value, evidence string) bool {
	n, ok := plainNumber(value)
	if !ok {
		return strings.Contains(" "+plainText(evidence)+" ", " "+plainText(value)+" ")
	}
	for _, found := range numberPattern.FindAllString(evidence, -1) {
		if e, ok := plainNumber(found); ok && e == n {
			return true
		}
	}
	return false
}

var (
	numberPattern = regexp.MustCompile(`\$?\d+(?:,\d{3})*(?:\.\d+)?(?:\s*(?:%|percent|thousand|million|billion)\b)?`)
	signPattern   = regexp.MustCompile(`[^\p{L}\p{N}]+`)
	scaleNames    = map[string]float64{"thousand": 1e3, "million": 1e6, "billion": 1e9}
)

func plainText(s string) string {
	return strings.TrimSpace(signPattern.ReplaceAllString(strings.ToLower(s), " "))
}

func plainKey(value string) string {
	if n, ok := plainNumber(value); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return plainText(value)
}

// plainNumber reads "$2,300 million", "15%" and the like.
func plainNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if numberPattern.FindString(s) != s || s == "" {
		return 0, false
	}
	s = strings.ReplaceAll(strings.TrimPrefix(s, "$"), ",", "")
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(s, "%"), "percent"))
	scale := 1.0
	for name, by := range scaleNames {
		if rest, ok := strings.CutSuffix(s, name); ok {
			s, scale = strings.TrimSpace(rest), by
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	return n * scale, err == nil
}

// A gram is three successive words.
type gram [3]string

func gramSet(words []string) map[gram]bool {
	set := make(map[gram]bool, len(words))
	for i := 0; i+3 <= len(words); i++ {
		set[gram(words[i:i+3])] = true
	}
	return set
}

// meanOverlap is redundancy_ngram of the sets.
func meanOverlap(sets []map[gram]bool) float64 {
	sum, pairs := 0.0, 0
	for i, a := range sets {
		for _, b := range sets[:i] {
			small, large := a, b
			if len(small) > len(large) {
				small, large = large, small
			}
			shared := 0
			for g := range small {
				if large[g] {
					shared++
				}
			}
			sum += float64(shared) / float64(len(small))
			pairs++
		}
	}
	return sum / float64(pairs)
}

// meanCosine is redundancy_tfidf of chunks that have these words so often.
func meanCosine(counts []map[string]int) float64 {
	df := map[string]int{}
	for _, words := range counts {
		for w := range words {
			df[w]++
		}
	}
	vectors := make([]map[string]float64, len(counts))
	for i, words := range counts {
		vector, norm := make(map[string]float64, len(words)), 0.0
		for w, n := range words {
			if text.IsStopWord(w) {
				continue
			}
			x := float64(n) * (1 + math.Log(float64(1+len(counts))/float64(1+df[w])))
			vector[w] = x
			norm += x * x
		}
		norm = math.Sqrt(norm)
		for w := range vector {
			vector[w] /= norm
		}
		vectors[i] = vector
	}
	sum, pairs := 0.0, 0
	for i, a := range vectors {
		for _, b := range vectors[:i] {
			small, large := a, b
			if len(small) > len(large) {
				small, large = large, small
			}
			for w, x := range small {
				sum += x * large[w]
			}
			pairs++
		}
	}
	return sum / float64(pairs)
}

func countWords(words []string) map[string]int {
	counts := make(map[string]int, len(words))
	for _, w := range words {
		counts[w]++
	}
	return counts
}

func contentOf(words []string) map[string]bool {
	content := make(map[string]bool, len(words))
	for _, w := range words {
		if !text.IsStopWord(w) {
			content[w] = true
		}
	}
	return content
}

func supportRate(claims []map[string]bool, chunks []map[string]int) (rate, unsupported float64) {
	supported := 0
	for _, claim := range claims {
		if slices.ContainsFunc(chunks, func(chunk map[string]int) bool { return holds(chunk, claim) }) {
			supported++
		}
	}
	return float64(supported) / float64(max(len(claims), 1)), float64(len(claims) - supported)
}

// citationsThatHold is the plainest form of citation_validity_content: the share
// of the citations whose chunk holds a claim.
func citationsThatHold(s *rag.Sample, claims []map[string]bool, chunks []map[string]int) float64 {
	byID := map[string]int{}
	for i, c := range s.Retrieval.Chunks {
		byID[c.ID] = i
	}
	held, known := 0, 0
	for _, c := range s.Answer.Citations {
		at, ok := byID[c.ChunkID]
		if !ok {
			continue
		}
		known++
		if slices.ContainsFunc(claims, func(claim map[string]bool) bool { return holds(chunks[at], claim) }) {
			held++
		}
	}
	return float64(held) / float64(max(known, 1))
}

// holds reports whether a chunk has half of a claim's words, and all of them that
// are numbers.
func holds(chunk map[string]int, claim map[string]bool) bool {
	held := 0
	for w := range claim {
		if chunk[w] > 0 {
			held++
		} else if w[0] >= '0' && w[0] <= '9' {
			return false
		}
	}
	return 2*held >= len(claim)
}

// differing names the scores that are not alike, for tests.
func (out scores) differing(other scores) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(out.numbers)) {
		if v, ok := other.numbers[name]; !ok || math.Abs(v-out.numbers[name]) > 1e-9 {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(out.categories)) {
		if other.categories[name] != out.categories[name] {
			names = append(names, name)
		}
	}
	return names
}
