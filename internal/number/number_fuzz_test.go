package number_test

import (
	"math"
	"testing"

	"github.com/touchstone-rag/touchstone/internal/number"
)

func seed(f *testing.F) {
	for _, s := range []string{
		"", "$  1,452.4 | (22)% | —", "1.234.567,89 EUR", "two hundred and five thousand", "1e400", "((((((", "$$$$", "-+-5", "1,2,3,4,5",
		"12,34,567 crore", "３億円", "١٬٢٣٤٫٥٪", "\xff5\x00(6", "USD USD 5", "Rs.5", "2019-09-30", "Q3 2019", "03/04/2019", "1 234 567,8", "5 million million million",
		"September 30, 2019", "v1.2.3 10-K COVID-19 10:30", "2019年9月30日", ".5.5", "9999999999999999999999e290", "a hundred and", "twenty-", "(5-", "5--",
	} {
		f.Add(s)
	}
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := number.Parse(s)
		if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			t.Fatalf("%q: not finite", s)
		}
		if ok && !number.Equal(v, v) {
			t.Fatalf("%q: not equal to itself", s)
		}
	})
}

func FuzzAppend(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, found := range number.Append(nil, s) {
			if found.Start < last || found.End <= found.Start || found.End > len(s) {
				t.Fatalf("%q: span %d:%d after %d", s, found.Start, found.End, last)
			}
			if math.IsNaN(found.Float) || math.IsInf(found.Float, 0) {
				t.Fatalf("%q: not finite", s)
			}
			last = found.End
		}
	})
}

func FuzzParseDate(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		if d, ok := number.ParseDate(s); ok && !d.Equal(d) {
			t.Fatalf("%q: not equal to itself", s)
		}
		last := 0
		for _, d := range number.AppendDates(nil, s) {
			if d.Start < last || d.End <= d.Start || d.End > len(s) {
				t.Fatalf("%q: span %d:%d after %d", s, d.Start, d.End, last)
			}
			last = d.End
		}
	})
}
