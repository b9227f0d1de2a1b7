package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const (
	assertionCoverage = 0.5
	inferenceCoverage = 0.4
)

// isSupported decides on a claim.
func isSupported(c *claim) bool {
	if c.terms == 0 {
		return true
	}
	need := assertionCoverage
	if c.kind == inference {
		need = inferenceCoverage
	}
	return c.fabricated+c.misplaced+c.denied == 0 && float64(c.inWindow) >= need*float64(c.terms)
}

// ClaimSupportRate returns the metric claim_support_rate.
func ClaimSupportRate(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:  "claim_support_rate",
		Doc:   "The share of the answer's claims that the chunks support.",
		Kind:  rag.KindScore,
		Score: claimSupportRate,
	}
}

func claimSupportRate(v *rag.View) rag.Result {
	claims, supported := 0, 0
	e := turnEvidence.Of(v)
	for i := range e.claims {
		if e.claims[i].kind == general {
			continue
		}
		claims++
		if e.claims[i].supported {
			supported++
		}
	}
	if claims == 0 {
		return rag.Unmeasured(rag.ReasonNotApplicable)
	}
	return rag.Scored(float64(supported)/float64(claims), v.Details(slog.Int("claims", claims))...)
}
