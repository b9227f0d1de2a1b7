package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	// assertionCoverage is the share of an assertion's terms that one window must hold.
	assertionCoverage = 0.5
	// inferenceCoverage is that of an inference, which may use words of its own.
	inferenceCoverage = 0.4
	// namelessCoverage is that of a claim with a name that stands nowhere.
	namelessCoverage = 0.7
)

// isSupported decides on a claim. One without terms says nothing that could be
// missing, and is not counted.
func isSupported(c *claim) bool {
	need := assertionCoverage
	switch {
	case c.namesMissing > 0:
		need = namelessCoverage
	case c.kind == inference:
		need = inferenceCoverage
	}
	return c.fabricated+c.misplaced+c.denied == 0 && float64(c.inWindow) >= need*float64(c.terms)
}

// ClaimSupportRate returns the metric claim_support_rate: the share, 0 to 1, of
// the answer's claims that the chunks support.
//
// Claims are its sentences, list items and table rows, parted at semicolons and,
// where they are long, at conjunctions. One that hedges or concludes ("may",
// "suggests", "therefore") is an inference, one that states nothing of its own
// (questions, headings, leads, greetings, "the documents do not mention", common
// knowledge: "generally") is general and does not count; any other is an assertion.
//
// A claim is supported if one window of one chunk, of three times its words and 24 more,
// holds at least half of its terms; of an inference 40% are enough, of a claim
// with a name that is in no chunk and not in the query it takes 70%. No number of it
// may be fabricated or stand beside other words only, and no record may say the
// opposite ("OutdoorSeating": false). Terms are the distinct content words, hedges
// aside, in light forms (plural, simple endings, compounds) and the numbers by value.
// It is not measured without answer or chunks, and for answers without claims.
//
// The details list up to eight unsupported and eight supported claims with their
// span in the answer and, where there is a window, the chunk and the span in it,
// all in code points.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func ClaimSupportRate(...Option) rag.Metric {
	return rag.Metric{
		Name:  "claim_support_rate",
		Doc:   "The share of the answer's claims that the chunks support.",
		Kind:  rag.KindScore,
		Score: claimSupportRate,
	}
}

func claimSupportRate(v *rag.View) rag.Result {
	g, reason := groundsOf(v)
	if reason != "" {
		return rag.Unmeasured(reason)
	}
	unsupported, supported := listClaims(v, false), listClaims(v, true)
	return rag.Scored(float64(g.claims-g.unsupported)/float64(g.claims), v.Details(
		slog.Int("claims", g.claims),
		slog.Int("unsupported", g.unsupported),
		slog.Int("inferences", g.inferences),
		slog.Int("general", g.general),
		unsupported, supported,
	)...)
}

// UnsupportedClaimCount returns the metric unsupported_claim_count: how many
// claims of the answer the chunks do not support. See [ClaimSupportRate] for what
// that means and for a list of the claims; it is measured where that is.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func UnsupportedClaimCount(...Option) rag.Metric {
	return rag.Metric{
		Name:  "unsupported_claim_count",
		Doc:   "How many claims of the answer the chunks do not support.",
		Kind:  rag.KindScore,
		Range: rag.Count,
		Score: unsupportedClaimCount,
	}
}

func unsupportedClaimCount(v *rag.View) rag.Result {
	g, reason := groundsOf(v)
	if reason != "" {
		return rag.Unmeasured(reason)
	}
	return rag.Scored(float64(g.unsupported), v.Details(
		slog.Int("claims", g.claims), slog.Int("inferences", g.inferences), slog.Int("general", g.general))...)
}

// grounds counts the claims of an answer.
type grounds struct{ claims, inferences, general, unsupported int }

func groundsOf(v *rag.View) (grounds, rag.Reason) {
	switch {
	case !isText(v.Sample().Answer.Text):
		return grounds{}, rag.ReasonNoAnswer
	case !anyText(v.Chunks()):
		return grounds{}, rag.ReasonNoChunks
	}
	var g grounds
	e := turnEvidence.Of(v)
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general || c.terms == 0 {
			g.general++
			continue
		}
		g.claims++
		if c.kind == inference {
			g.inferences++
		}
		if !c.supported {
			g.unsupported++
		}
	}
	if g.claims == 0 {
		return g, reasonNoClaims
	}
	return g, ""
}

// reasonNoClaims says that the answer states nothing that chunks could hold.
const reasonNoClaims rag.Reason = "no_claims"
