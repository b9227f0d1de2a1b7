package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// LabelUncalibrated is the label of a support_risk that ranks but is no
// probability on the traffic at hand: its model has seen fewer than
// [RiskLabelsNeeded] labels of it.
const LabelUncalibrated = "uncalibrated"

// SupportRisk returns the metric support_risk: how likely it is, 0..1, that the
// answer says something that the chunks do not support.
//
// It is made for routing: the riskiest answers are worth a second look. It is no
// verdict on any one of them. The probability comes from a logistic regression of
// features that cost microseconds (see [AppendRiskFeatures]); docs/accuracy.md
// says how well it ranks on answers that people have judged. Until the model is
// calibrated on 25 labels of one's own traffic ([WithRiskModel]) the label is
// [LabelUncalibrated], and only the order of two risks means something.
//
// The details name the model and up to three features that raise the risk most
// above that of an average answer, with what they add to the log-odds before
// calibration; a place without a feature has the name "" and 0.
//
// An answer that declines, or says nothing that chunks could hold, is
// not_applicable: it cannot be unsupported. A question is measured. Declining is known from
// [rag.Answer].Abstained, or by its words in English.
func SupportRisk(opts ...Option) rag.Metric {
	var c config
	for _, o := range opts {
		c = o.apply(c)
	}
	model := c.riskModel
	if model == nil {
		model = DefaultRiskModel()
	}
	return rag.Metric{
		Name:  "support_risk",
		Doc:   "The probability that the answer says something that the chunks do not support, for routing.",
		Kind:  rag.KindScore,
		Score: func(v *rag.View) rag.Result { return supportRisk(v, model) },
	}
}

// riskVector is the storage of a turn's features.
type riskVector struct{ features []float64 }

var turnRisk = rag.NewShared(func(v *rag.View, r *riskVector) {
	r.features = AppendRiskFeatures(r.features[:0], v)
})

func supportRisk(v *rag.View, model *RiskModel) rag.Result {
	answer := &v.Sample().Answer
	switch {
	case !isText(answer.Text):
		return rag.Unmeasured(rag.ReasonNoAnswer)
	case !anyText(v.Chunks()):
		return rag.Unmeasured(rag.ReasonNoChunks)
	case answer.Abstained.Valid && answer.Abstained.V || !statesAnything(turnTexts.Of(v), turnEvidence.Of(v)):
		return rag.Unmeasured(rag.ReasonNotApplicable, v.Details(slog.Bool("abstained", answer.Abstained.V))...)
	}
	features := turnRisk.Of(v).features
	top := model.reasons(features)
	r := rag.Scored(model.Risk(features), v.Details(
		slog.String("model", model.Version),
		slog.Bool("calibrated", model.Calibrated()),
		slog.String("reason_1", top[0].feature), slog.Float64("log_odds_1", top[0].logOdds),
		slog.String("reason_2", top[1].feature), slog.Float64("log_odds_2", top[1].logOdds),
		slog.String("reason_3", top[2].feature), slog.Float64("log_odds_3", top[2].logOdds),
	)...)
	if !model.Calibrated() {
		return r.WithLabel(LabelUncalibrated)
	}
	return r
}

// statesAnything reports whether something is said with a word or number that
// chunks could hold, be it a claim or not: a bare "No." has none, no more than a bare "Yes.".
func statesAnything(t *texts, e *evidence) bool {
	for i := range e.claims {
		c := &e.claims[i]
		if c.silent {
			continue
		}
		if c.numbersFrom < c.numbersTo {
			return true
		}
		for at := c.body; at < c.to; at++ {
			id := t.answer.tokens[at].ID
			if !e.skip[at] && t.words.IsContent(id) && !isNegation(t.words.Text(id)) {
				return true
			}
		}
	}
	return false
}

// riskReason is what a feature adds to the log-odds of an average answer.
type riskReason struct {
	feature string
	logOdds float64
}

// reasons returns the features that add most, in descending order, equal ones in
// the order of the model. Fewer than three that add anything leave empty ones.
func (m *RiskModel) reasons(features []float64) (top [3]riskReason) {
	for i := range m.Features {
		f := &m.Features[i]
		reason := riskReason{f.Name, float64(f.Weight * ((features[m.index[i]] - f.Mean) / f.Scale))}
		if !isFinite(reason.logOdds) {
			continue // as in LogOdds
		}
		for k := range top {
			if reason.logOdds > top[k].logOdds {
				copy(top[k+1:], top[k:])
				top[k] = reason
				break
			}
		}
	}
	return top
}
