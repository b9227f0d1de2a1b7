package metric_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestAggregatedConfidence(t *testing.T) {
	own := func(confidence float64) rag.Extraction { return rag.Extraction{Confidence: rag.Some(confidence)} }
	stated := func(confidence float64) rag.Answer { return rag.Answer{Text: "x", Confidence: rag.Some(confidence)} }
	for _, c := range []struct {
		name        string
		extractions []rag.Extraction
		answer      rag.Answer
		want        string
	}{
		{"one source: its own", []rag.Extraction{own(.9)}, stated(.2), "0.9 sources=1 from=own format_failed=false"},
		{"its own may be 0", []rag.Extraction{own(0)}, stated(.2), "0 sources=1 from=own format_failed=false"},
		{"one source that states none", []rag.Extraction{{}}, stated(.75), "0.75 sources=1 from=aggregation format_failed=false"},
		{"several: the answer's", []rag.Extraction{own(.9), own(.8)}, stated(.6), "0.6 sources=2 from=aggregation format_failed=false"},
		{"several, none stated", []rag.Extraction{own(.9), own(.8)}, rag.Answer{}, "0.7 sources=2 from=default format_failed=false"},
		{"NaN is not stated", []rag.Extraction{own(math.NaN())}, stated(math.Inf(1)), "0.7 sources=1 from=default format_failed=false"},
		{"clamped above", []rag.Extraction{own(9)}, rag.Answer{}, "1 sources=1 from=own format_failed=false"},
		{"clamped below", nil, stated(-1), "0 sources=0 from=aggregation format_failed=false"},
		{"no extraction: the answer's", nil, stated(.4), "0.4 sources=0 from=aggregation format_failed=false"},
		{"no extraction, none stated", nil, rag.Answer{Text: "x"}, "no_confidence"},
		{"nothing at all", nil, rag.Answer{}, "no_answer"},
		{"NaN alone is nothing at all", nil, rag.Answer{Confidence: rag.Some(math.NaN())}, "no_answer"},
		{"a bad format caps", []rag.Extraction{{Value: "n/a", Format: "number", Confidence: rag.Some(.9)}}, rag.Answer{}, "0.5 sources=1 from=own format_failed=true"},
		{"a bad format does not lift", []rag.Extraction{{Value: "n/a", Format: "number", Confidence: rag.Some(.3)}}, rag.Answer{}, "0.3 sources=1 from=own format_failed=true"},
		{"any bad value of the field caps", []rag.Extraction{{Value: "5", Format: "number"}, {Value: "x", Format: "number"}}, rag.Answer{}, "0.5 sources=2 from=default format_failed=true"},
		{"an empty value has no format", []rag.Extraction{{Value: " ", Format: "number"}}, rag.Answer{}, "0.7 sources=1 from=default format_failed=false"},
		{"an invalid pattern checks nothing", []rag.Extraction{{Value: "x", Format: "regexp:("}}, rag.Answer{}, "0.7 sources=1 from=default format_failed=false bad_pattern=true"},
		{"nor does one that is too long", []rag.Extraction{{Value: "x", Format: "regexp:" + strings.Repeat("y", 2000)}}, rag.Answer{}, "0.7 sources=1 from=default format_failed=false bad_pattern=true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Extractions: c.extractions, Answer: c.answer}
			assert.Equal(t, c.want, show(one(t, &s, metric.AggregatedConfidence())))
		})
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format, value string
		ok            bool
	}{
		{"number", "1,234.5", true},
		{"number", "$2.3 billion", true},
		{"number", "(5)", true},
		{"number", "about 5", false},
		{"percent", "15%", true},
		{"percent", "15", true},
		{"percent", "15 percent", true},
		{"percent", "$15", false},
		{"percent", "high", false},
		{"currency", "€5 million", true},
		{"currency", "5", true},
		{"currency", "5%", false},
		{"currency", "five dollars or so", false},
		{"date", "2019-09-30", true},
		{"date", "September 30, 2019", true},
		{"date", "Q3 2019", true},
		{"date", "2019-02-30", false},
		{"date", "soon", false},
		{"enum:red|Green|blue", " green ", true},
		{"enum:red|Green|blue", "yellow", false},
		{"enum:red|Green|blue", "red|Green", false},
		{`regexp:^[A-Z]{2}-\d+$`, "AB-12", true},
		{`regexp:^[A-Z]{2}-\d+$`, "AB-12x", false},
		{`regexp:\d:\d`, "at 1:2", true},
		{"", "anything", true},
		{"unheard of", "anything", true},
	} {
		t.Run(c.format+" "+c.value, func(t *testing.T) {
			s := rag.Sample{Extractions: []rag.Extraction{{Value: c.value, Format: c.format}}}
			want := fmt.Sprintf("sources=1 from=default format_failed=%v", !c.ok)
			assert.Contains(t, show(one(t, &s, metric.AggregatedConfidence())), want)
		})
	}
}

func TestFormatPatternsAreForgottenWhenTooMany(t *testing.T) {
	var s rag.Sample
	for i := range 1000 {
		s.Extractions = append(s.Extractions, rag.Extraction{
			Field: strconv.Itoa(i), Value: strconv.Itoa(i), Format: fmt.Sprintf("regexp:^%d$", i%500),
		})
	}
	failed := 0
	for _, r := range evaluate(t, &s, metric.AggregatedConfidence()).Results {
		if r.Value == .5 {
			failed++
		}
	}
	assert.Equal(t, 500, failed)
}

func TestSemanticValidation(t *testing.T) {
	for _, c := range []struct {
		name, value, evidence, want string
	}{
		{"as it stands", "Acme Corp", "It is ACME  corp, of course.", "pass"},
		{"not there", "Acme Corp", "It is Apex Corp.", "fail"},
		{"not inside a word", "cat", "concatenate", "fail"},
		{"most words of a long value", "the quick brown fox jumped", "a brown fox, quick as the wind", "pass"},
		{"too few words of a long value", "the quick brown fox jumped", "the brown dog", "fail"},
		{"a short value has no leeway", "quick brown fox", "brown and quick fox", "fail"},
		{"scale and currency", "$2.3 billion", "revenue of 2,300 million dollars", "pass"},
		{"another number", "$2.3 billion", "revenue of 2,301 million dollars", "fail"},
		{"the next account number", "4000123456", "account 4000123457", "fail"},
		{"another currency", "$5", "we paid €5", "fail"},
		{"percent", "15%", "rose 15 percent", "pass"},
		{"negative in brackets", "-4.5", "loss (4.5)", "pass"},
		{"part of a number", "3 million", "2.3 million", "fail"},
		{"a number of a table in millions", "$1,452.4 million", "($ in millions) Revenue 1,452.4", "pass"},
		{"as the table has it", "1,452.4", "(in millions) Revenue 1,452.4", "pass"},
		{"in thousands", "1,452,400", "In thousands: 1,452.4", "pass"},
		{"in billions", "2 billion", "in billions: 2", "pass"},
		{"a percentage has no such scale", "15 million", "in millions; growth 15%", "fail"},
		{"no scale stated", "1,452.4 million", "Revenue 1,452.4", "fail"},
		{"dates", "2019-09-30", "ended September 30, 2019", "pass"},
		{"another date", "2019-09-30", "ended September 29, 2019", "fail"},
		{"a date that stands there as written", "2018-12", "period 2018-12 only", "pass"},
		{"a year in a date", "2019", "ended September 30, 2019", "pass"},
		{"another year", "2018", "ended September 30, 2019", "fail"},
		{"no value", "  ", "text", "skipped"},
		{"no evidence", "5", "\n", "skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Extractions: []rag.Extraction{{Value: c.value, Evidence: c.evidence}}}
			assert.Equal(t, c.want, one(t, &s, metric.SemanticValidation()).Category)
		})
	}
}

func TestSemanticValidationPassesAtHalf(t *testing.T) {
	good, bad, none := rag.Extraction{Value: "a", Evidence: "a"}, rag.Extraction{Value: "a", Evidence: "b"}, rag.Extraction{Value: "a"}
	for _, c := range []struct {
		in   []rag.Extraction
		want string
	}{
		{nil, "not_applicable"},
		{[]rag.Extraction{none}, "skipped passed=0 failed=0 skipped=1"},
		{[]rag.Extraction{good, bad, none}, "pass passed=1 failed=1 skipped=1"},
		{[]rag.Extraction{good, bad, bad}, "fail passed=1 failed=2 skipped=0"},
	} {
		assert.Equal(t, c.want, show(one(t, &rag.Sample{Extractions: c.in}, metric.SemanticValidation())))
	}
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		name           string
		values         []string
		score, pattern string
	}{
		{"no extractions", nil, "not_applicable", "not_applicable"},
		{"no values", []string{"", " "}, "no_values", "no_values"},
		{"one value", []string{"a", ""}, "1 values=1 unique_values=1", "unanimous values=1 unique_values=1"},
		{"case and spacing", []string{"Acme  Corp", "acme corp "}, "1 values=2 unique_values=1", "unanimous values=2 unique_values=1"},
		{"notation of numbers", []string{"$2.3 billion", "2,300 million", "2300000000"}, "1 values=3 unique_values=1", "unanimous values=3 unique_values=1"},
		{"units differ", []string{"$5", "€5", "5", "5"}, "0.5 values=4 unique_values=3", "mixed values=4 unique_values=3"},
		{"percent is a unit", []string{"5%", "$5"}, "0.5 values=2 unique_values=2", "mixed values=2 unique_values=2"},
		{"dates", []string{"2019-09-30", "Sep 30, 2019", "30.09.2019"}, "1 values=3 unique_values=1", "unanimous values=3 unique_values=1"},
		{"a quarter is no month", []string{"Q3 2019", "March 2019"}, "0.5 values=2 unique_values=2", "mixed values=2 unique_values=2"},
		{"a text is no number", []string{"5", "five-ish"}, "0.5 values=2 unique_values=2", "mixed values=2 unique_values=2"},
		{"majority", []string{"a", "b", "a", "a"}, "0.75 values=4 unique_values=2", "majority values=4 unique_values=2"},
		{".7 is mixed", []string{"a", "a", "a", "a", "a", "a", "a", "b", "c", "d"}, "0.7 values=10 unique_values=4", "mixed values=10 unique_values=4"},
		{".4 is conflicting", []string{"a", "a", "b", "c", "d"}, "0.4 values=5 unique_values=4", "conflicting values=5 unique_values=4"},
		{"zero and minus zero", []string{"0", "-0"}, "1 values=2 unique_values=1", "unanimous values=2 unique_values=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s rag.Sample
			for _, v := range c.values {
				s.Extractions = append(s.Extractions, rag.Extraction{Field: "f", Value: v})
			}
			assert.Equal(t, c.score, show(one(t, &s, metric.MultiSourceAgreement())))
			assert.Equal(t, c.pattern, show(one(t, &s, metric.AgreementPattern())))
		})
	}
}

func TestFieldsAreJudgedEachByItself(t *testing.T) {
	s := rag.Sample{Extractions: []rag.Extraction{
		{Field: "a", Value: "1"}, {Field: "b", Value: "x"}, {Field: "a", Value: "1"}, {Field: "b", Value: "y"},
	}}
	ev := evaluate(t, &s, metric.MultiSourceAgreement())
	assert.Len(t, ev.Results, 2)
	assert.Equal(t, "a 1 values=2 unique_values=1", ev.Results[0].Field+" "+show(ev.Results[0]))
	assert.Equal(t, "b 0.5 values=2 unique_values=2", ev.Results[1].Field+" "+show(ev.Results[1]))
}

func TestAgreementOfAFieldWithoutANameIsNotThatOfAllFields(t *testing.T) {
	all := metric.MultiSourceAgreement()
	all.Name, all.PerField = "overall_agreement", false
	s := &rag.Sample{Extractions: []rag.Extraction{{Value: "5"}, {Value: "5"}, {Field: "a", Value: "6"}, {Field: "a", Value: "7"}}}
	ev := evaluate(t, s, all, metric.MultiSourceAgreement(), metric.AgreementPattern())
	var got []string
	for i := range ev.Results {
		got = append(got, ev.Results[i].Name+"/"+ev.Results[i].Field+": "+show(ev.Results[i]))
	}
	assert.Equal(t, []string{
		"overall_agreement/: 0.5 values=4 unique_values=3",
		"multi_source_agreement/: 1 values=2 unique_values=1",
		"multi_source_agreement/a: 0.5 values=2 unique_values=2",
		"agreement_pattern/: unanimous values=2 unique_values=1",
		"agreement_pattern/a: mixed values=2 unique_values=2",
	}, got)
}
