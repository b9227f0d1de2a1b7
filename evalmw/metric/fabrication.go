package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// NumericFabricationCount returns the metric numeric_fabrication_count: how many
// numbers of the answer have no source. It is 0 for an answer without numbers.
//
// A number has a source if a chunk or the query states it after normalising
// ("1,000" is 1000, "$2.3 billion" is "2,300 million", a table "in thousands" is
// read in any scale), if a chunk's number rounds to it, or if it is derived: a sum,
// difference, average, ratio, share or relative change of numbers of the answer or
// of the two chunks that the claim stands in, or the number of the items that the
// answer lists. Small numbers come out of anything, so one of fewer than three
// digits is derived only where a word such as "total" announces a result.
// Dates need a chunk that states the same date or holds all its words, times of
// day one that states the same time. Signs do not count.
//
// The numbers of lists, steps and citations, ordinals, the pronoun "one", and
// numbers in talk about the answer ("a summary in 80 words") are no claims and do
// not count. A number with a unit of measurement has no source in the same number
// with another one, unless the amounts are equal: "90 minutes" and "1.5 hours". One
// that counts something ("12 employees") has a source only where a chunk states it
// near one of the words around it, and near that very word if the chunks count it
// elsewhere ("400 employees"): "12 countries" is none. Codes such as "v2.14.1" need
// a chunk or query that has their digits. Any other number that
// stands in a chunk, but beside none of the words that it stands beside in the
// answer, is reported as misplaced and does not count: in reports and tables most
// of these are right. It does leave its claim unsupported (see [ClaimSupportRate]).
//
// It is not measured without answer or chunks. The details count the verdicts and
// give the span of up to eight fabricated numbers in code points.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func NumericFabricationCount(...Option) rag.Metric {
	return rag.Metric{
		Name:  "numeric_fabrication_count",
		Doc:   "How many numbers of the answer neither stand in the chunks nor can be computed from them.",
		Kind:  rag.KindScore,
		Range: rag.Count,
		Score: numericFabricationCount,
	}
}

func numericFabricationCount(v *rag.View) rag.Result {
	switch {
	case !isText(v.Sample().Answer.Text):
		return rag.Unmeasured(rag.ReasonNoAnswer)
	case !anyText(v.Chunks()):
		return rag.Unmeasured(rag.ReasonNoChunks)
	}
	e := turnEvidence.Of(v)
	var verdicts [asked + 1]int
	for i := range e.numbers {
		verdicts[e.numbers[i].verdict]++
	}
	list := listFabricated(v, e)
	return rag.Scored(float64(verdicts[fabricated]), v.Details(
		slog.Int("numbers", len(e.numbers)),
		slog.Int("held", verdicts[held]+verdicts[asked]),
		slog.Int("misplaced", verdicts[misplaced]),
		slog.Int("derived", verdicts[derived]),
		list,
	)...)
}

func listFabricated(v *rag.View, e *evidence) slog.Attr {
	s := turnTexts.Of(v).answer.text
	var list [len(listed)]slog.Attr
	n, offset, points := 0, 0, 0
	for i := range e.numbers {
		k := &e.numbers[i]
		if k.verdict != fabricated {
			continue
		}
		if n == len(listed) {
			break
		}
		points += codePoints(s[offset:k.start])
		end := points + codePoints(s[k.start:k.end])
		list[n] = slog.Attr{Key: listed[n], Value: slog.GroupValue(v.Details(slog.Int("start", points), slog.Int("end", end))...)}
		n++
		offset, points = k.end, end
	}
	return slog.Attr{Key: "fabricated", Value: slog.GroupValue(v.Details(list[:n]...)...)}
}
