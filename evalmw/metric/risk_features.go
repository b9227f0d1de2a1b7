package metric

import (
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// few is the count at which a feature that counts is half of what it can be.
const few = 3

// riskFeatureNames are the features of support_risk, in their order. A higher
// value means a higher risk.
var riskFeatureNames = [...]string{
	"novel_words",          // share of the answer's words that stand in no chunk, function words too
	"longest_novel_run",    // n/(n+3), n of the content words in a row that stand in no chunk nor in the query, in any form
	"worst_claim",          // share of its terms that the best window lacks, of the claim where that is highest
	"unsupported_claims",   // n/(n+3), n of the claims without support
	"unsupported_names",    // n/(n+3), n of the names that stand nowhere
	"contradicted_details", // n/(n+3), n of the numbers, dates, times and attributes that the chunks do not have, or deny
}

// RiskFeatureNames returns the names of the features that support_risk is made
// of, in the order of [AppendRiskFeatures].
func RiskFeatureNames() []string { return slices.Clone(riskFeatureNames[:]) }

// AppendRiskFeatures appends the features of a turn to dst, as many as
// [RiskFeatureNames] has names, and returns the extended slice. All are from 0 to
// 1. A turn without answer or chunks has features too, which mean nothing. Warm,
// it allocates nothing if dst has room.
//
// The length of the answer is not among them. Long answers say more, and so more
// that can be wrong; but what is known of the words leaves nothing to add that
// holds on other data too.
func AppendRiskFeatures(dst []float64, v *rag.View) []float64 {
	t, e, held := turnTexts.Of(v), turnEvidence.Of(v), *heldWords.Of(v)
	var worst float64
	var unsupported, names, contradicted int
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general || c.terms == 0 {
			continue
		}
		worst = max(worst, smoothedShare(c.terms-c.inWindow, c.terms))
		names += c.namesMissing
		contradicted += c.denied
		if !c.supported {
			unsupported++
		}
	}
	for i := range e.numbers {
		if e.numbers[i].verdict == fabricated {
			contradicted++
		}
	}
	novelWords, novelRun := novelty(t, e, held)
	return append(
		dst,
		novelWords,
		saturating(novelRun),
		worst,
		saturating(unsupported),
		saturating(names),
		saturating(contradicted),
	)
}

// saturating brings a count to 0..1: the first few say the most. Unlike a
// logarithm it has the same digits on every platform.
func saturating(n int) float64 { return float64(n) / float64(n+few) }

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

// novelty returns the share of the answer's words that stand in no chunk, and how
// many content words in a row neither a chunk nor the query has in any form: a
// single one is often a paraphrase, a run of them is something that was added.
// Citation markers and preambles ("Based on the passages,") are passed over.
func novelty(t *texts, e *evidence, held []bool) (share float64, longestRun int) {
	words, novel, run := 0, 0, 0
	for i := range e.claims {
		c := &e.claims[i]
		for at := c.body; at < c.to; at++ {
			if e.skip[at] {
				continue
			}
			id := t.answer.tokens[at].ID
			words++
			if !held[id] {
				novel++
			}
			class := e.classes.of[id]
			switch {
			case class < 0:
			case e.heads[class] < 0 && !e.inQuery[class]:
				run++
				longestRun = max(longestRun, run)
			default:
				run = 0
			}
		}
	}
	return float64(novel) / float64(max(words, 1)), longestRun
}
