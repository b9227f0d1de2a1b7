package metric

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// MultiSourceAgreement returns the metric multi_source_agreement, one per field:
// do the sources state the same value?
//
// It is how often the most frequent value was found over the number of values,
// empty ones aside. Values are the same if they are the same number, the same
// date or, else, the same text without regard to case and spacing. "$5" and "5"
// are the same as long as no value of the field states another unit.
func MultiSourceAgreement(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:     "multi_source_agreement",
		Doc:      "How many of the values found for a field are the most frequent one.",
		Kind:     rag.KindScore,
		PerField: true,
		Score:    choose(opts, multiSourceAgreement, literalMultiSourceAgreement),
	}
}

func multiSourceAgreement(v *rag.View) rag.Result {
	a, reason := agreementOf(v)
	if reason != "" {
		return rag.Unmeasured(reason)
	}
	return rag.Scored(a.share(), a.details(v)...)
}

// AgreementPattern returns the metric agreement_pattern, one per field:
// multi_source_agreement in words. Above .95 it is unanimous, above .70 majority,
// above .40 mixed, else conflicting.
func AgreementPattern(opts ...Option) rag.Metric {
	return rag.Metric{
		Name:     "agreement_pattern",
		Doc:      "In a word, whether the values found for a field agree.",
		Kind:     rag.KindCategorical,
		PerField: true,
		Score:    choose(opts, agreementPattern, literalAgreementPattern),
	}
}

func agreementPattern(v *rag.View) rag.Result {
	a, reason := agreementOf(v)
	if reason != "" {
		return rag.Unmeasured(reason)
	}
	return rag.Category(a.pattern(), a.details(v)...)
}

// agreement counts the values of a field.
type agreement struct{ values, unique, most int }

func (a agreement) share() float64 { return float64(a.most) / float64(a.values) }

func (a agreement) pattern() string {
	switch share := a.share(); {
	case share > 0.95:
		return "unanimous"
	case share > 0.70:
		return "majority"
	case share > 0.40:
		return "mixed"
	}
	return "conflicting"
}

func (a agreement) details(v *rag.View) []slog.Attr {
	return v.Details(slog.Int("values", a.values), slog.Int("unique_values", a.unique))
}

// agreements are those of the fields that one of the two metrics was asked about.
// The other is asked about the same fields in the same order.
type agreements struct {
	fields []fieldAgreement
	next   int // the one that the other metric comes to next
	keys   keySet
}

// A fieldAgreement is known by where its extractions start: a field without a
// name has the same name as all fields together.
type fieldAgreement struct {
	of        *rag.Extraction
	agreement agreement
}

var turnAgreements = rag.NewShared(func(_ *rag.View, a *agreements) {
	clear(a.fields)
	a.fields, a.next = reuse(a.fields), 0
})

func agreementOf(v *rag.View) (agreement, rag.Reason) {
	extractions := v.Extractions()
	if len(extractions) == 0 {
		return agreement{}, rag.ReasonNotApplicable
	}
	a := turnAgreements.Of(v).of(extractions)
	if a.values == 0 {
		return a, rag.ReasonNoValues
	}
	return a, ""
}

func (a *agreements) of(extractions []rag.Extraction) agreement {
	if a.next < len(a.fields) && a.fields[a.next].of == &extractions[0] {
		a.next++
		return a.fields[a.next-1].agreement
	}
	found := a.keys.agreementAmong(extractions)
	a.fields = append(a.fields, fieldAgreement{&extractions[0], found})
	return found
}

func (k *keySet) agreementAmong(extractions []rag.Extraction) agreement {
	k.reset()
	withUnits := unitsDiffer(extractions)
	for i := range extractions {
		if value := strings.TrimSpace(extractions[i].Value); value != "" {
			k.bytes = appendValueKey(k.bytes, value, withUnits)
			k.end()
		}
	}
	return k.count()
}

// unitsDiffer reports whether the values state more than one unit.
func unitsDiffer(extractions []rag.Extraction) bool {
	var unit number.Unit
	for i := range extractions {
		n, ok := number.Parse(extractions[i].Value)
		if !ok || n.Unit == "" {
			continue
		}
		if unit != "" && n.Unit != unit {
			return true
		}
		unit = n.Unit
	}
	return false
}

// appendValueKey appends the form in which values are compared: those with the
// same bytes agree. The first byte keeps dates, numbers and texts apart.
func appendValueKey(dst []byte, value string, withUnit bool) []byte {
	if d, ok := number.ParseDate(value); ok {
		dst = append(dst, 'd', byte(d.Kind), byte(d.Quarter), byte(d.Month), byte(d.Day))
		return binary.BigEndian.AppendUint16(dst, uint16(d.Year))
	}
	if n, ok := number.Parse(value); ok {
		dst = append(dst, 'n')
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(n.Float))
		if withUnit {
			dst = append(dst, n.Unit...)
		}
		return dst
	}
	return text.AppendKey(append(dst, 't'), value)
}

// keySet counts equal keys by sorting them.
type keySet struct {
	bytes []byte // the keys, end to end
	spans []span
}

type span struct{ start, end int }

func (k *keySet) reset() { k.bytes, k.spans = k.bytes[:0], k.spans[:0] }

// end ends the key that was appended to bytes.
func (k *keySet) end() {
	start := 0
	if n := len(k.spans); n > 0 {
		start = k.spans[n-1].end
	}
	k.spans = append(k.spans, span{start, len(k.bytes)})
}

func (k *keySet) count() agreement {
	slices.SortFunc(k.spans, func(x, y span) int {
		return bytes.Compare(k.key(x), k.key(y))
	})
	a := agreement{values: len(k.spans)}
	run := 0
	for i, s := range k.spans {
		if i > 0 && !bytes.Equal(k.key(s), k.key(k.spans[i-1])) {
			run = 0
		}
		if run++; run == 1 {
			a.unique++
		}
		a.most = max(a.most, run)
	}
	return a
}

func (k *keySet) key(s span) []byte { return k.bytes[s.start:s.end] }
