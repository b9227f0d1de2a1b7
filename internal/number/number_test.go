package number_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/number"
)

func TestParseNormalisesNotation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in       string
		want     float64
		unit     number.Unit
		scaled   bool
		decimals int
	}{
		// Separators.
		{in: "0"},
		{in: " 42 ", want: 42},
		{in: "1,000", want: 1000},
		{in: "1,234.5", want: 1234.5, decimals: 1},
		{in: "1.234,5", want: 1234.5, decimals: 1},
		{in: "1 234,5", want: 1234.5, decimals: 1},
		{in: "1\u00a0234\u00a0567", want: 1234567},
		{in: "1\u202f234,50", want: 1234.5, decimals: 2},
		{in: "1 234 567", want: 1234567},
		{in: "1'234.5", want: 1234.5, decimals: 1},
		{in: "1’234’567", want: 1234567},
		{in: "12,34,567", want: 1234567},
		{in: "1,23,45,678.90", want: 12345678.9, decimals: 2},
		{in: "1.234", want: 1.234, decimals: 3},
		{in: "1,234", want: 1234},
		{in: "1.234.567", want: 1234567},
		{in: "1,234,567", want: 1234567},
		{in: "3,14", want: 3.14, decimals: 2},
		{in: "0,125", want: 0.125, decimals: 3},
		{in: ".5", want: 0.5, decimals: 1},
		{in: "1e6", want: 1e6},
		{in: "1.5E-3", want: 0.0015, decimals: 1},
		{in: "2019", want: 2019},
		// Signs and brackets.
		{in: "-5", want: -5},
		{in: "+5", want: 5},
		{in: "−5.5", want: -5.5, decimals: 1},
		{in: "–5", want: -5},
		{in: "5-", want: -5},
		{in: "(12.3)", want: -12.3, decimals: 1},
		{in: "( 12.3 )", want: -12.3, decimals: 1},
		{in: "$ (12.3)", want: -12.3, unit: "USD", decimals: 1},
		{in: "$(12.3)", want: -12.3, unit: "USD", decimals: 1},
		{in: "($12.3)", want: -12.3, unit: "USD", decimals: 1},
		{in: "(12.3)%", want: -12.3, unit: "%", decimals: 1},
		{in: "(22)%", want: -22, unit: "%"},
		{in: "(22 )%", want: -22, unit: "%"},
		{in: "(2.9%)", want: -2.9, unit: "%", decimals: 1},
		{in: "-$5", want: -5, unit: "USD"},
		{in: "$-5", want: -5, unit: "USD"},
		{in: "(2019)", want: -2019},
		{in: "(-3.2)", want: -3.2, decimals: 1},
		{in: "($1.2 million)", want: -1.2e6, unit: "USD", scaled: true, decimals: 1},
		{in: "($1.2) million", want: -1.2e6, unit: "USD", scaled: true, decimals: 1},
		// Currencies.
		{in: "$  1,452.4", want: 1452.4, unit: "USD", decimals: 1},
		{in: "US$ 5", want: 5, unit: "USD"},
		{in: "USD 5.00", want: 5, unit: "USD", decimals: 2},
		{in: "5 USD", want: 5, unit: "USD"},
		{in: "100USD", want: 100, unit: "USD"},
		{in: "5 €", want: 5, unit: "EUR"},
		{in: "€5", want: 5, unit: "EUR"},
		{in: "1.234.567,89 EUR", want: 1234567.89, unit: "EUR", decimals: 2},
		{in: "£3.2bn", want: 3.2e9, unit: "GBP", scaled: true, decimals: 1},
		{in: "¥500", want: 500, unit: "JPY"},
		{in: "500円", want: 500, unit: "JPY"},
		{in: "₹ 12,34,567", want: 1234567, unit: "INR"},
		{in: "Rs. 500 crore", want: 5e9, unit: "INR", scaled: true},
		{in: "₩5000", want: 5000, unit: "KRW"},
		{in: "CHF 1'234", want: 1234, unit: "CHF"},
		{in: "C$5", want: 5, unit: "CAD"},
		{in: "RMB 3 million", want: 3e6, unit: "CNY", scaled: true},
		{in: "5 dollars", want: 5, unit: "USD"},
		{in: "5 million U.S. dollars", want: 5e6, unit: "USD", scaled: true},
		{in: "20 euros", want: 20, unit: "EUR"},
		// Percent.
		{in: "15%", want: 15, unit: "%"},
		{in: "15 percent", want: 15, unit: "%"},
		{in: "15 per cent", want: 15, unit: "%"},
		{in: "15 pct", want: 15, unit: "%"},
		{in: "1.5 percentage points", want: 1.5, unit: "%", decimals: 1},
		{in: "15 Prozent", want: 15, unit: "%"},
		{in: "15 pour cent", want: 15, unit: "%"},
		{in: "25 bps", want: 0.25, unit: "%", scaled: true},
		{in: "25 basis points", want: 0.25, unit: "%", scaled: true},
		// Scales.
		{in: "$2.3 billion", want: 2.3e9, unit: "USD", scaled: true, decimals: 1},
		{in: "2,300 million", want: 2.3e9, scaled: true},
		{in: "5k", want: 5000, scaled: true},
		{in: "5m", want: 5e6, scaled: true},
		{in: "$5 m", want: 5e6, unit: "USD", scaled: true},
		{in: "5mm", want: 5e6, scaled: true},
		{in: "5 bn", want: 5e9, scaled: true},
		{in: "1.2tn", want: 1.2e12, scaled: true, decimals: 1},
		{in: "3 trillion", want: 3e12, scaled: true},
		{in: "2 lakh crore", want: 2e12, scaled: true},
		{in: "7 lakh", want: 7e5, scaled: true},
		{in: "5 Mio. €", want: 5e6, unit: "EUR", scaled: true},
		{in: "1,2 Mrd. EUR", want: 1.2e9, unit: "EUR", scaled: true, decimals: 1},
		{in: "3 milliards", want: 3e9, scaled: true},
		{in: "2 mil millones", want: 2e9, scaled: true},
		{in: "3 millones", want: 3e6, scaled: true},
		{in: "5 млн", want: 5e6, scaled: true},
		{in: "3億円", want: 3e8, unit: "JPY", scaled: true},
		{in: "12万", want: 120000, scaled: true},
		{in: "5-million", want: 5e6, scaled: true},
		// Digits of other scripts.
		{in: "１，２３４．５", want: 1234.5, decimals: 1},
		{in: "١٢٣٫٥", want: 123.5, decimals: 1},
		{in: "١٬٢٣٤", want: 1234},
		{in: "१२,३४,५६७", want: 1234567},
		{in: "٢٥٪", want: 25, unit: "%"},
		// Words.
		{in: "zero"},
		{in: "seven", want: 7},
		{in: "Twenty-two", want: 22},
		{in: "two million", want: 2e6, scaled: true},
		{in: "a hundred", want: 100},
		{in: "two hundred and five thousand", want: 205000, scaled: true},
		{in: "one million two hundred thousand", want: 1.2e6, scaled: true},
		{in: "five percent", want: 5, unit: "%"},
		{in: "three million dollars", want: 3e6, unit: "USD", scaled: true},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, ok := number.Parse(tt.in)
			require.True(t, ok)
			assert.Equal(t, number.Value{Float: tt.want, Unit: tt.unit, Scaled: tt.scaled, Decimals: tt.decimals}, got)
		})
	}
}

func TestParseRefusesWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", " ", "—", "-", "$", "$ -", "%", "()", "(", ")", "(5", "5)", "((5))", "n/a", "N/A", "Q3", "COVID-19", "A4", "v1.2.3", "1.2.3",
		"192.168.0.1", "ISO-9001", "10-K", "4Q", "21st", "10:30", "2019-09-30", "30.09.2019", "5 employees", "1,2,3", "5 6", "5 USD EUR",
		"USD", "million", "hundred", "and five", "--5", "+-5", "5 million million million", "\x00", "\xff5", "5\xff", "1..2", "1e", "NaN", "Inf", "0x10", "1_000",
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got, ok := number.Parse(in)
			assert.False(t, ok, "%+v", got)
		})
	}
}

func TestParseRefusesNumbersBeyondFloat64(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"1e999", "1e400 million", strings.Repeat("9", 400), strings.Repeat("9", 305) + " trillion", "1e9999999"} {
		_, ok := number.Parse(in)
		assert.False(t, ok, in)
	}
	got, ok := number.Parse("1e-400")
	assert.True(t, ok)
	assert.Zero(t, got.Float)
}

func TestEqualIsAboutTheNumberAndItsUnit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"1,000", "1000", true},
		{"15%", "15 percent", true},
		{"$2.3 billion", "2,300 million", true},
		{"$2.3 billion", "2300000000 USD", true},
		{"$ (12.3)", "-12.30", true},
		{"0.1", "0.10000000001", true},
		{"0.1", "0.1001", false},
		{"0", "0.000001", false},
		{"$5", "€5", false},
		{"5%", "$5", false},
		{"5", "$5", true},
		{"5", "-5", false},
		{"25 bps", "0.25%", true},
	}
	for _, tt := range tests {
		a, okA := number.Parse(tt.a)
		b, okB := number.Parse(tt.b)
		require.True(t, okA && okB)
		assert.Equal(t, tt.want, number.Equal(a, b), "%s, %s", tt.a, tt.b)
		assert.Equal(t, tt.want, number.Equal(b, a), "%s, %s", tt.b, tt.a)
	}
}

func TestAppendFindsEveryNumberWithItsSpan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want []string
	}{
		{"Revenue rose 15% to $2.3 billion in 2019.", []string{"15%", "$2.3 billion", "2019"}},
		{"Fixed Price | $  1,452.4 | $  1,146.2 | (22)% | —", []string{"$  1,452.4", "$  1,146.2", "(22)%"}},
		{"44.1 | 56.7 | 70.8", []string{"44.1", "56.7", "70.8"}},
		{"Total sales | $1,496.5 | $ (3.1) | $(4)", []string{"$1,496.5", "$ (3.1)", "$(4)"}},
		{"In Q3, COVID-19 hit A4 and v1.2.3 at 10.0.0.1 under ISO-9001.", nil},
		{"form 10-K and 8-K, the 21st, 4Q19, at 10:30", nil},
		{"the 10-year note at 5kg, 3.5x and 20MW", []string{"10", "5", "3.5", "20"}},
		{"from 10-12 people, -3 degrees", []string{"10", "12", "-3"}},
		{"1,2,3 and 2018, 2019 and 2018,2019", []string{"1", "2", "3", "2018", "2019", "2018", "2019"}},
		{"in fiscal (2019) it lost (5) million", []string{"2019", "(5) million"}},
		{"lost ( see 5 ) and (5 in 2018)", []string{"5", "5", "2018"}},
		{"on 2019-09-30, 30.09.2019, 09/30/2019 and September 30, 2019 it had 7", []string{"7"}},
		{"may 5 people come in March 2019", []string{"5"}},
		{"two million dollars, twenty-two stores", []string{"two million dollars", "twenty-two"}},
		{"120 345 220", []string{"120", "345", "220"}},
		{"CA 1 234,5 € et 3 millions d'euros", []string{"1 234,5 €", "3 millions"}},
		{"Umsatz 1.234,5 Mio. € (−3,2 %)", []string{"1.234,5 Mio. €", "(−3,2 %)"}},
		{"2019年の売上は3億円です", []string{"2019", "3億円"}},
		{"营收为12万元，增长5％", []string{"12万元", "5％"}},
		{"بلغت ١٢٣٫٥ مليون", []string{"١٢٣٫٥"}},
		{"between $5 and 10 million; $5 $6", []string{"$5", "10 million", "$5", "$6"}},
		{"p<0.05, x=.5", []string{"0.05", ".5"}},
		{"Revenue was 5.", []string{"5"}},
		{"#12 (a) 3rd 5/8", []string{"12", "5", "8"}},
		{"Inc. No. 5", []string{"5"}},
		{"\x00\xff5\xff(6)\xfe", []string{"5", "(6)"}},
		{"one of the ninety", []string{"one", "ninety"}},
		{"the FIVE-day", []string{"FIVE"}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range number.Append(nil, tt.in) {
				got = append(got, tt.in[f.Start:f.End])
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestEveryWordThatStartsANumberIsFoundInText(t *testing.T) {
	t.Parallel()
	for word := range strings.FieldsSeq("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
		"sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety") {
		assert.Len(t, number.Append(nil, "some "+word+" here"), 1, word)
	}
	for _, amount := range []string{"a million", "an hundred", "A thousand", "Rs 5", "Rs. 5", "US$5", "U.S.$5", "C$ 5", "USD 5", "CHF 5", "R$5", "HK$5"} {
		found := number.Append(nil, "some "+amount+" here")
		if assert.Len(t, found, 1, amount) {
			assert.Equal(t, 5, found[0].Start, amount)
		}
	}
	for _, date := range []string{
		"January", "enero", "gennaio", "février", "fevereiro", "March", "März", "Mars", "avril", "abril", "April", "May", "Mai", "maggio", "June", "juin",
		"giugno", "July", "luglio", "août", "August", "agosto", "September", "setembro", "October", "Oktober", "ottobre", "outubro", "November", "décembre",
		"Dezember", "diciembre", "first quarter", "second quarter of", "third quarter", "fourth quarter", "fiscal", "fiscal year", "FY", "Q1",
	} {
		assert.Len(t, number.AppendDates(nil, "some "+date+" 2019 here"), 1, date)
		assert.Empty(t, number.Append(nil, "some "+date+" 2019 here"), date)
	}
}

func TestLongListsKeepAllTheirNumbers(t *testing.T) {
	t.Parallel()
	assert.Len(t, number.Append(nil, strings.Repeat("7,", 100)), 100)
	assert.Empty(t, number.Append(nil, strings.Repeat("7.", 100)))
}

func TestAppendSaysWhichNumbersAreSpelled(t *testing.T) {
	t.Parallel()
	found := number.Append(nil, "five of 6")
	require.Len(t, found, 2)
	assert.True(t, found[0].Spelled)
	assert.False(t, found[1].Spelled)
}

func TestWarmCallsAllocateNothing(t *testing.T) {
	text := "On September 30, 2019 revenue rose 15% to $2.3 billion (2018: 12,345,678,901,234,567,890), twenty-two stores; 1,5 Mio. €"
	found := number.Append(nil, text)
	dates := number.AppendDates(nil, text)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		found = number.Append(found[:0], text)
		dates = number.AppendDates(dates[:0], text)
		number.Parse("$ (1,234.5) million")
		number.ParseDate("30 September 2019")
	}))
}
