package metric

import (
	"log/slog"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

const (
	longValue       = 4   // words from which a value may stand in its evidence in other words
	longValueShared = 0.8 // share of its words that must stand there
	maxListed       = 64  // semicolons of a list: each value is another search of the evidence
)

// SemanticValidation returns the metric semantic_validation, one per field: does
// the value stand in the passage that its extraction quotes?
//
// Dates must equal a date of the evidence, numbers a number of it whatever the
// notation. Where the evidence, or else the chunk that it is quoted from, says
// "in millions" (thousands, billions), bare numbers may be meant so: a table
// states its scale once, in its heading. A year may stand in a date. Anything else must stand
// there as it is, case, spacing and signs aside, or, from four words on, with 80%
// of its words. Of a list, "2019; 2018", each value must. The field passes if at least half of its extractions do. Those
// without value or evidence do not count; it is "skipped" if none is left.
func SemanticValidation(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:     "semantic_validation",
		Doc:      "Whether the values extracted for a field stand in the evidence quoted for them.",
		Kind:     rag.KindCategorical,
		PerField: true,
		Score:    choose(opts, semanticValidation, literalSemanticValidation),
	}
}

func semanticValidation(v *rag.View) rag.Result {
	if len(v.Extractions()) == 0 {
		return rag.Unmeasured(rag.ReasonNotApplicable)
	}
	return validate(v)
}

func validate(v *rag.View) rag.Result {
	extractions := v.Extractions()
	validator := validators.Of(v)
	var passed, failed, skipped int
	for i := range extractions {
		value, evidence := strings.TrimSpace(extractions[i].Value), extractions[i].Evidence
		switch {
		case value == "" || strings.TrimSpace(evidence) == "":
			skipped++
		case validator.stands(value, evidence, func() float64 { return validator.chunkScale(v, extractions[i].ChunkNumber) }):
			passed++
		default:
			failed++
		}
	}
	verdict := "fail"
	switch {
	case passed+failed == 0:
		verdict = "skipped"
	case passed >= failed:
		verdict = "pass"
	}
	return rag.Category(verdict, v.Details(
		slog.Int("passed", passed), slog.Int("failed", failed), slog.Int("skipped", skipped))...)
}

// validator looks for values in evidence and keeps its scratch storage.
type validator struct {
	comparer   text.Comparer
	key        []byte
	vocabulary text.Vocabulary
	tokens     []text.Token
	numbers    []number.Found
	dates      []number.FoundDate
	scales     []float64 // that each chunk states; unknownScale until it is asked for
}

const unknownScale = -1

var validators = rag.NewShared(func(v *rag.View, d *validator) {
	d.scales = d.scales[:0]
	for range v.Chunks() {
		d.scales = append(d.scales, unknownScale)
	}
})

// chunkScale returns the scale that the numbered chunk states, or 0.
func (d *validator) chunkScale(v *rag.View, chunkNumber int) float64 {
	at, ok := v.ChunkNumber(chunkNumber)
	if !ok {
		return 0
	}
	if d.scales[at] == unknownScale {
		d.scales[at] = d.statedScale(v.Chunks()[at].Text)
	}
	return d.scales[at]
}

// stands takes a list, whose values semicolons separate, value by value where
// it does not stand there as a whole.
func (d *validator) stands(value, evidence string, chunkScale func() float64) bool {
	if d.standsWhole(value, evidence, chunkScale) {
		return true
	}
	if n := strings.Count(value, ";"); n == 0 || n > maxListed {
		return false
	}
	found := false
	for part := range strings.SplitSeq(value, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if found = d.standsWhole(part, evidence, chunkScale); !found {
			return false
		}
	}
	return found
}

// standsWhole asks for the chunk's scale only where the evidence alone does
// not do.
func (d *validator) standsWhole(value, evidence string, chunkScale func() float64) bool {
	if date, ok := number.ParseDate(value); ok {
		return d.holdsDate(evidence, date.Equal) || d.comparer.Contains(evidence, value)
	}
	if n, ok := number.Parse(value); ok {
		return d.holdsNumber(evidence, n, chunkScale) || isYear(n) && d.holdsDate(evidence, func(e number.Date) bool {
			return float64(e.Year) == n.Float
		})
	}
	return d.comparer.Contains(evidence, value) || d.holdsMostWords(evidence, value)
}

func (d *validator) holdsDate(evidence string, same func(number.Date) bool) bool {
	d.dates = number.AppendDates(d.dates[:0], evidence)
	for i := range d.dates {
		if same(d.dates[i].Date) {
			return true
		}
	}
	return false
}

func (d *validator) holdsNumber(evidence string, n number.Value, chunkScale func() float64) bool {
	d.numbers = number.Append(d.numbers[:0], evidence)
	for i := range d.numbers {
		// What is read is exact; Equal alone would take one account number for the next.
		if e := d.numbers[i].Value; e.Float == n.Float && number.Equal(e, n) {
			return true
		}
	}
	if len(d.numbers) == 0 {
		return false
	}
	scale := d.statedScale(evidence)
	if scale == 0 {
		scale = chunkScale()
	}
	if scale == 0 {
		return false
	}
	for i := range d.numbers {
		e := d.numbers[i].Value
		if e.Scaled || e.Unit == number.Percent {
			continue
		}
		e.Float *= scale
		if number.Equal(e, n) {
			return true
		}
	}
	return false
}

// statedScale returns the scale that the heading of a table states for its
// numbers, or 0.
func (d *validator) statedScale(evidence string) float64 {
	d.key = text.AppendKey(d.key[:0], evidence)
	switch {
	case text.ContainsKey(d.key, []byte("in thousands")):
		return 1e3
	case text.ContainsKey(d.key, []byte("in millions")):
		return 1e6
	case text.ContainsKey(d.key, []byte("in billions")):
		return 1e9
	}
	return 0
}

func (d *validator) holdsMostWords(evidence, value string) bool {
	d.vocabulary.Reset()
	d.tokens = d.vocabulary.Append(d.tokens[:0], value)
	if len(d.tokens) < longValue {
		return false
	}
	share, ok := d.comparer.Overlap(value, evidence)
	return ok && share >= longValueShared
}

func isYear(n number.Value) bool {
	return n.Unit == "" && !n.Scaled && n.Decimals == 0 && n.Float >= 1000 && n.Float <= 9999
}
