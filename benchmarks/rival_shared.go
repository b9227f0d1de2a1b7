package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// sharedSame computes the same as naiveSame from words that are cut out once, by
// hand, without regular expressions on the text of the chunks.
func sharedSame(s *rag.Sample) scores {
	out, _ := sharedContext(s)
	return out
}

// sharedContext returns how often each chunk has each word, too.
func sharedContext(s *rag.Sample) (scores, []map[string]int) {
	out := newScores()
	out.retrieval(s)
	out.citations(s)
	out.confidence(s)
	out.validation(s)
	out.agreement(s)

	n := len(s.Retrieval.Chunks)
	sets, counts := make([]map[gram]bool, n), make([]map[string]int, n)
	distinct, total := make(map[string]bool, 1024), 0
	for i, c := range s.Retrieval.Chunks {
		words := sharedWords(c.Text)
		sets[i], counts[i] = gramSet(words), countWords(words)
		total += len(words)
		for w := range counts[i] {
			distinct[w] = true
		}
	}
	out.numbers["redundancy_ngram"] = meanOverlap(sets)
	out.numbers["redundancy_tfidf"] = meanCosine(counts)
	out.numbers["unique_token_ratio"] = float64(len(distinct)) / float64(total)
	return out, counts
}

// sharedAll adds what stands on claims and numbers, in its plainest form.
func sharedAll(s *rag.Sample) scores {
	out, counts := sharedContext(s)
	claims := sharedClaims(s.Answer.Text)
	out.numbers["claim_support_rate"], out.numbers["unsupported_claim_count"] = supportRate(claims, counts)
	out.numbers["citation_validity_content"] = citationsThatHold(s, claims, counts)
	held := map[float64]bool{}
	for _, c := range s.Retrieval.Chunks {
		for number := range sharedNumbers(c.Text) {
			held[number] = true
		}
	}
	fabricated := 0
	for number := range sharedNumbers(s.Answer.Text) {
		if !held[number] {
			fabricated++
		}
	}
	out.numbers["numeric_fabrication_count"] = float64(fabricated)
	return out
}

// sharedWords cuts words out of one lower-cased copy of s.
func sharedWords(s string) []string {
	s = strings.ToLower(s)
	words := make([]string, 0, len(s)/5)
	start := -1
	var last rune
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case start >= 0 && joinsWord(last, r, s[i+utf8.RuneLen(r):]):
		case start >= 0:
			words = append(words, s[start:i])
			start = -1
		}
		last = r
	}
	if start >= 0 {
		words = append(words, s[start:])
	}
	return words
}

// joinsWord reports whether a sign stands inside a word or a number.
func joinsWord(before, sign rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch sign {
	case '\'', '’':
		return (unicode.IsLetter(before) || unicode.IsDigit(before)) && (unicode.IsLetter(next) || unicode.IsDigit(next))
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(next)
	}
	return false
}

// sharedNumbers yields the numbers of s; the pattern is asked only where a digit
// stands.
func sharedNumbers(s string) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		for {
			i := strings.IndexAny(s, "0123456789")
			if i < 0 {
				return
			}
			at := numberPattern.FindStringIndex(s[i:])
			if n, ok := plainNumber(s[i+at[0] : i+at[1]]); ok && !yield(n) {
				return
			}
			s = s[i+at[1]:]
		}
	}
}

func sharedClaims(answer string) (claims []map[string]bool) {
	for _, claim := range strings.FieldsFunc(answer, func(r rune) bool { return r == '.' || r == '!' || r == '?' }) {
		if content := contentOf(sharedWords(claim)); len(content) > 0 {
			claims = append(claims, content)
		}
	}
	return claims
}
