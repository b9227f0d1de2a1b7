package metric

import (
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	fewCount     = 3  // of which a second and third still say something
	typicalTerms = 50 // of an answer
)

// riskFeatureNames are the features of support_risk, in their order. A higher
// value means a higher risk, length aside.
var riskFeatureNames = [...]string{
	"novel_words",          // share of the answer's words that stand in no chunk, function words too
	"novel_terms",          // share of the claims' terms that no chunk holds in any form
	"worst_claim",          // share of its terms that the best window lacks, of the claim where that is highest
	"last_claim",           // share of its terms that no chunk holds, of the last claim
	"unsupported_claims",   // n/(n+3), n of the claims without support
	"unsupported_names",    // n/(n+3), n of the names that stand nowhere
	"contradicted_details", // n/(n+3), n of the numbers, dates, times and attributes that the chunks do not have, or deny
	"length",               // n/(n+50), n of the claims' terms
}

// RiskFeatureNames returns the names of the features that support_risk is made
// of, in the order of [AppendRiskFeatures].
func RiskFeatureNames() []string { return slices.Clone(riskFeatureNames[:]) }

// AppendRiskFeatures appends the features of a turn to dst, as many as
// [RiskFeatureNames] has names, and returns the extended slice. All are
// from 0 to 1. A turn without answer or chunks has features too, which mean
// nothing. Warm, it allocates nothing if dst has room.
//
// "length" is no sign of anything by itself: long answers say more, and so more
// that can be wrong. The weights that come with this package leave it out; those
// that are fitted to one's own traffic may use it.
func AppendRiskFeatures(dst []float64, v *rag.View) []float64 {
	e := turnEvidence.Of(v)
	var terms, missing, worst, last, unsupported, names, contradicted float64
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general || c.terms == 0 {
			continue
		}
		terms += float64(c.terms)
		missing += float64(c.terms - c.inUnion)
		worst = max(worst, smoothedShare(c.terms-c.inWindow, c.terms))
		last = smoothedShare(c.terms-c.inUnion, c.terms)
		names += float64(c.namesMissing)
		contradicted += float64(c.denied)
		if !c.supported {
			unsupported++
		}
	}
	for i := range e.numbers {
		if e.numbers[i].verdict == fabricated {
			contradicted++
		}
	}
	return append(dst,
		novelWords(v),
		missing/max(terms, 1),
		worst,
		last,
		saturating(unsupported, fewCount),
		saturating(names, fewCount),
		saturating(contradicted, fewCount),
		saturating(terms, typicalTerms),
	)
}

// saturating brings a count to 0..1: the first few say the most. It is half at
// typical. Unlike a logarithm it has the same digits on every platform.
func saturating(n, typical float64) float64 { return n / (n + typical) }

// smoothedShare draws the shares of short claims to the middle: one word of two
// says less than ten of twenty.
func smoothedShare(part, whole int) float64 {
	return (float64(part) + 0.5) / (float64(whole) + 1)
}

// heldWords tells, for each word of the answer, whether a chunk has it.
var heldWords = rag.NewShared(func(v *rag.View, held *[]bool) {
	t := turnTexts.Of(v)
	*held = fill(*held, t.answerWords, false)
	for i := range t.chunks {
		for _, k := range t.chunks[i].tokens {
			if int(k.ID) < len(*held) {
				(*held)[k.ID] = true
			}
		}
	}
})

// novelWords returns the share of the claims' words that stand in no chunk.
func novelWords(v *rag.View) float64 {
	t, e, held := turnTexts.Of(v), turnEvidence.Of(v), *heldWords.Of(v)
	words, novel := 0, 0
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general {
			continue
		}
		for at := c.body; at < c.to; at++ {
			if e.skip[at] {
				continue
			}
			words++
			if !held[t.answer.tokens[at].ID] {
				novel++
			}
		}
	}
	return float64(novel) / float64(max(words, 1))
}
