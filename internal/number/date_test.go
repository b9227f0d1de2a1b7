package number_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/number"
)

func day(year, month, d int) number.Date {
	return number.Date{Kind: number.Day, Year: year, Month: month, Day: d}
}

func TestParseDateReadsTheUsualForms(t *testing.T) {
	t.Parallel()
	september30 := day(2019, 9, 30)
	q3 := number.Date{Kind: number.Quarter, Year: 2019, Quarter: 3}
	fy := number.Date{Kind: number.FiscalYear, Year: 2019}
	month := number.Date{Kind: number.Month, Year: 2019, Month: 9}
	tests := map[string]number.Date{
		"2019-09-30": september30, "2019/09/30": september30, "2019.9.30": september30,
		"30.09.2019": september30, "30/09/2019": september30, "09/30/2019": september30, "9/30/19": september30, "30-09-2019": september30,
		"30 September 2019": september30, "30. September 2019": september30, "30th September 2019": september30, "30th of September, 2019": september30,
		"September 30, 2019": september30, "Sept. 30 2019": september30, "SEPTEMBER 30th, 2019": september30, "september 30 2019": september30,
		"30-Sep-2019": september30, "30 septembre 2019": september30, "30 de septiembre de 2019": september30, "30 settembre 2019": september30,
		"2019年9月30日": september30, " 2019-09-30\n": september30, "２０１９-09-30": september30,
		"1. März 2020": day(2020, 3, 1), "29 février 2020": day(2020, 2, 29), "1er août 2019": day(2019, 8, 1), "5 may 2019": day(2019, 5, 5),
		"December 31, 1999": day(1999, 12, 31), "12/31/99": day(1999, 12, 31), "04/04/2019": day(2019, 4, 4),
		"03/04/2019": {Kind: number.Day, Year: 2019, Month: 3, Day: 4, Ambiguous: true},
		"03.04.2019": day(2019, 4, 3),
		"Q3 2019":    q3, "2019-Q3": q3, "2019 Q3": q3, "2019Q3": q3, "Q3-2019": q3, "Q3'19": q3, "Q3 FY2019": q3, "Q3 FY19": q3, "3Q19": q3, "3Q 2019": q3, "q3 2019": q3,
		"third quarter of 2019": q3, "Third quarter 2019": q3, "third quarter of fiscal 2019": q3, "third fiscal quarter of 2019": q3,
		"FY2019": fy, "FY 2019": fy, "FY19": fy, "fiscal 2019": fy, "fiscal year 2019": fy, "Fiscal Year 2019": fy,
		"September 2019": month, "Sept. 2019": month, "September, 2019": month, "2019-09": month, "2019年9月": month, "September of 2019": month,
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got, ok := number.ParseDate(in)
			require.True(t, ok)
			assert.Equal(t, want, got)
		})
	}
}

func TestParseDateRefusesWhatIsNoDate(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", "2019", "Feb 30, 2019", "30.02.2019", "29 February 2019", "2019-02-29", "2019-13-01", "2019-00-10", "2019-01-00", "13/13/2019", "00/10/2019",
		"Q5 2019", "Q0 2019", "Q3", "FY", "September", "September 30", "30 September", "10.0.0.1", "1.2.3", "2019-09-30-01x", "99999-01-01", "0000-01-01",
		"2019-09-30 and more", "Sunday 2019", "Q33 2019", "may", "\x00", "2018-19", "12-5",
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got, ok := number.ParseDate(in)
			assert.False(t, ok, "%+v", got)
		})
	}
}

func TestAmbiguousDatesEqualBothReadings(t *testing.T) {
	t.Parallel()
	ambiguous, ok := number.ParseDate("03/04/2019")
	require.True(t, ok)
	assert.True(t, ambiguous.Equal(day(2019, 3, 4)))
	assert.True(t, day(2019, 4, 3).Equal(ambiguous))
	assert.True(t, ambiguous.Equal(ambiguous))
	assert.False(t, ambiguous.Equal(day(2019, 4, 4)))
	assert.False(t, day(2019, 4, 3).Equal(day(2019, 3, 4)))
	assert.False(t, day(2019, 9, 30).Equal(number.Date{Kind: number.Month, Year: 2019, Month: 9}))
}

func TestAppendDatesFindsEveryDateWithItsSpan(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"Years Ended September 30, 2019 and 2018":          {"September 30, 2019"},
		"from 2019-09-30T10:00:00Z to 30.09.2020, Q3 2019": {"2019-09-30", "30.09.2020", "Q3 2019"},
		"they may 5 2019":                {},
		"In May 2019 and FY2018/FY2019.": {"May 2019", "FY2018", "FY2019"},
		"于2019年9月30日发布":                  {"2019年9月30日"},
		"am 3. März 2020 war":            {"3. März 2020"},
		"10.0.0.1, 5 September, 1/2":     {},
		"\xff2019-09-30\xff":             {"2019-09-30"},
	}
	for in, want := range tests {
		got := []string{}
		for _, d := range number.AppendDates(nil, in) {
			got = append(got, in[d.Start:d.End])
		}
		assert.Equal(t, want, got, in)
	}
}
