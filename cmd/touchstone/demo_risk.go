package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// A ratedAnswer is an answer whose risk was measured and whose official score
// is known.
type ratedAnswer struct {
	id     string // the request's, see requestID
	risk   float64
	length int // of the answer in characters
}

// requestID names a recorded answer, so that the summary can look its official
// score up; the service passes the id on to the evaluation.
func requestID(question, system string) string { return question + "/" + system }

// rate notes the risk of an answer, if it was measured.
func (r *results) rate(s *rag.Sample, e *rag.Evaluation) {
	if risk, ok := e.Find("support_risk"); ok && risk.Measured() {
		r.rated = append(r.rated, ratedAnswer{strings.Clone(s.ID), risk.Value, utf8.RuneCountInString(s.Answer.Text)})
	}
}

// answerKind is a kind of answers whose risks are compared with official scores.
type answerKind struct {
	name           string
	risks, lengths []float64
	wrong          []bool
	documents      []string
}

func (k *answerKind) add(a ratedAnswer, official corpus.Answer, document string) {
	k.risks, k.lengths = append(k.risks, a.risk), append(k.lengths, float64(a.length))
	k.wrong = append(k.wrong, official.OfficialF1 < wrongBelow)
	k.documents = append(k.documents, document)
}

// wrongBelow is the official F1, word by word, under which an answer counts as
// wrong. Exact match would count what quotes a word too many.
const wrongBelow = .5

// risk compares the order that support_risk puts the recorded answers in with
// the scores that the official scorer gave them.
func (s *summary) risk() {
	// By name, so that the figures do not depend on which answer came first.
	slices.SortFunc(s.results.rated, func(a, b ratedAnswer) int { return cmp.Compare(a.id, b.id) })
	kinds := [2]answerKind{{name: "computed from the report"}, {name: "quoted from the report"}}
	for _, a := range s.results.rated {
		official, question, ok := recordedAnswer(s.corpus, a.id)
		if !ok {
			continue
		}
		kind := &kinds[1]
		if question.AnswerType == "arithmetic" || question.AnswerType == "count" {
			kind = &kinds[0]
		}
		kind.add(a, official, question.Filters.DocID)
	}
	s.line("\n%s", s.bold("Does support_risk find the wrong answers?"))
	t := tabwriter.NewWriter(&s.buf, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  answers\tn\twrong\twrong in each fifth, the riskiest first\tAUROC\tthe riskiest fifth holds\tthe longest fifth")
	for i := range kinds {
		kinds[i].row(t)
	}
	_ = t.Flush() // into a buffer
	s.line("  %s", s.dim("wrong: an official F1 below .5. A wrong passage, quoted faithfully, is supported: only answers that say what"))
	s.line("  %s", s.dim("no chunk says are risky. docs/accuracy.md: how the risk agrees with people who checked answers against sources."))
}

func (k *answerKind) row(t *tabwriter.Writer) {
	byRisk, byLength := stats.Rank(k.risks, k.wrong), stats.Rank(k.lengths, k.wrong)
	n, wrong := byRisk.Len(), byRisk.Positives()
	if wrong == 0 || wrong == n {
		return
	}
	prevalence := float64(wrong) / float64(n)
	var shares [fifths]string
	for i, share := range wrongByFifth(byRisk, prevalence) {
		shares[i] = fmt.Sprintf("%2.0f%%", 100*share)
	}
	within := stats.Bootstrap{Resamples: 500}.Interval(k.documents, byRisk.AUROC)
	fmt.Fprintf(t, "  %s\t%d\t%.0f%%\t%s\t%.2f [%.2f, %.2f]\t%.0f%% of the wrong ones\t%.0f%%\n", k.name, n, 100*prevalence,
		strings.Join(shares[:], " "), byRisk.AUROC(nil), within.Low, within.High,
		100*byRisk.Capture(1./fifths, nil), 100*byLength.Capture(1./fifths, nil))
}

// fifths is into how many parts the answers are cut by their risk.
const fifths = 5

// wrongByFifth returns the share of the wrong answers in each fifth, from the
// riskiest on.
func wrongByFifth(byRisk *stats.Ranking, prevalence float64) (shares [fifths]float64) {
	before := 0.
	for i := range shares {
		upTo := byRisk.Capture(float64(i+1)/fifths, nil)
		shares[i] = (upTo - before) * prevalence * fifths
		before = upTo
	}
	return shares
}

func recordedAnswer(c *corpus.Corpus, id string) (corpus.Answer, corpus.Question, bool) {
	question, system, _ := strings.Cut(id, "/")
	q, ok := c.Question(question)
	if !ok {
		return corpus.Answer{}, corpus.Question{}, false
	}
	a, ok := c.Recorded(question, system)
	return a, q, ok
}
