package main

import (
	"regexp"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// naiveSame computes every metric on its own, as it is first written: with regular
// expressions and maps.
func naiveSame(s *rag.Sample) scores {
	out := newScores()
	out.retrieval(s)
	out.citations(s)
	out.confidence(s)
	out.validation(s)
	out.agreement(s)
	out.numbers["redundancy_ngram"] = naiveNgram(s)
	out.numbers["redundancy_tfidf"] = naiveTFIDF(s)
	out.numbers["unique_token_ratio"] = naiveUnique(s)
	return out
}

// naiveAll adds what stands on claims and numbers, in its plainest form.
func naiveAll(s *rag.Sample) scores {
	out := naiveSame(s)
	out.numbers["claim_support_rate"], out.numbers["unsupported_claim_count"] = naiveSupport(s)
	out.numbers["citation_validity_content"] = naiveCitations(s)
	out.numbers["numeric_fabrication_count"] = naiveFabrication(s)
	return out
}

var wordPattern = regexp.MustCompile(`\d+(?:[.,]\d+)+[\p{L}\p{N}]*|[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*`)

func naiveWords(s string) []string { return wordPattern.FindAllString(strings.ToLower(s), -1) }

func naiveNgram(s *rag.Sample) float64 {
	var sets []map[gram]bool
	for _, c := range s.Retrieval.Chunks {
		sets = append(sets, gramSet(naiveWords(c.Text)))
	}
	return meanOverlap(sets)
}

func naiveTFIDF(s *rag.Sample) float64 { return meanCosine(naiveCounts(s)) }

func naiveUnique(s *rag.Sample) float64 {
	distinct, total := map[string]bool{}, 0
	for _, c := range s.Retrieval.Chunks {
		for _, w := range naiveWords(c.Text) {
			distinct[w] = true
			total++
		}
	}
	return float64(len(distinct)) / float64(total)
}

var sentencePattern = regexp.MustCompile(`[^.!?]+[.!?]*`)

// naiveSupport is the plainest form of claim_support_rate: a sentence is supported
// if half of its content words and all its numbers stand in one chunk.
func naiveSupport(s *rag.Sample) (rate, unsupported float64) {
	return supportRate(naiveClaims(s.Answer.Text), naiveCounts(s))
}

func naiveCitations(s *rag.Sample) float64 {
	return citationsThatHold(s, naiveClaims(s.Answer.Text), naiveCounts(s))
}

func naiveClaims(answer string) (claims []map[string]bool) {
	for _, claim := range sentencePattern.FindAllString(answer, -1) {
		if content := contentOf(naiveWords(claim)); len(content) > 0 {
			claims = append(claims, content)
		}
	}
	return claims
}

func naiveCounts(s *rag.Sample) (counts []map[string]int) {
	for _, c := range s.Retrieval.Chunks {
		counts = append(counts, countWords(naiveWords(c.Text)))
	}
	return counts
}

// naiveFabrication is the plainest form of numeric_fabrication_count: numbers of
// the answer that are in no chunk.
func naiveFabrication(s *rag.Sample) float64 {
	held := map[float64]bool{}
	for _, c := range s.Retrieval.Chunks {
		for _, found := range numberPattern.FindAllString(c.Text, -1) {
			if n, ok := plainNumber(found); ok {
				held[n] = true
			}
		}
	}
	fabricated := 0
	for _, found := range numberPattern.FindAllString(s.Answer.Text, -1) {
		if n, ok := plainNumber(found); ok && !held[n] {
			fabricated++
		}
	}
	return float64(fabricated)
}
