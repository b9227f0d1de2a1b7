package number

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind says how much of a date the text states.
type Kind uint8

// The kinds of dates.
const (
	Day Kind = iota + 1
	Month
	Quarter
	FiscalYear
)

// Date is a calendar date or period. Fields that its kind does not state are zero.
type Date struct {
	_                         struct{}
	Kind                      Kind
	Year, Quarter, Month, Day int
	// Ambiguous reports that Month and Day may also be read the other way round, as
	// in 03/04/2019; Month and Day then hold the American reading, month first.
	Ambiguous bool
}

// FoundDate is a date in a text and its byte span.
type FoundDate struct {
	_ struct{}
	Date
	Start, End int
}

// Equal reports whether d and e can be the same date: of one kind, and equal in at
// least one reading where a date is ambiguous.
func (d Date) Equal(e Date) bool {
	if d.Kind != e.Kind || d.Year != e.Year || d.Quarter != e.Quarter {
		return false
	}
	same := d.Month == e.Month && d.Day == e.Day
	return same || (d.Ambiguous || e.Ambiguous) && d.Month == e.Day && d.Day == e.Month
}

// ParseDate reads s, white space around it aside, as one date with nothing beside
// it: 2019-09-30, 30.09.2019, 9/30/2019, September 30, 2019, 30. September 2019,
// 30 de septiembre de 2019, 2019年9月30日, Sept. 2019, 2019-09, Q3 2019, 2019-Q3, 3Q19,
// third quarter of 2019, FY2019, fiscal year 2019. Month names are English, German,
// French, Spanish, Italian or Portuguese. A two-digit year below 69 is in this century. Days
// that do not exist are refused, and a bare year is a number, not a date.
func ParseDate(s string) (Date, bool) {
	s = strings.TrimFunc(s, unicode.IsSpace)
	d, end, ok := scanDate(s, 0, true)
	return d, ok && end == len(s)
}

// AppendDates appends every date in s to dst, in order, and returns the extended
// slice. Spans increase and do not overlap.
func AppendDates(dst []FoundDate, s string) []FoundDate {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c < utf8.RuneSelf && c-'0' > 9 && !isLetter(rune(c)):
			i++
			continue
		case c >= utf8.RuneSelf && digitAt(s, i) < 0:
			_, size := decode(s, i)
			if i += size; letterAt(s, i-size) {
				i = skipDateWord(s, i-size)
			}
			continue
		case c < utf8.RuneSelf && isLetter(rune(c)):
			if end := asciiLetters(s, i); !mayMatter(s, i, end) {
				i = end
				continue
			}
		}
		if d, end, ok := scanDate(s, i, false); ok {
			dst = append(dst, FoundDate{Date: d, Start: i, End: end})
			i = end
			continue
		}
		i = skipDateWord(s, i)
	}
	return dst
}

// skipDateWord passes one run of digits or of letters and digits; unlike
// skipIdentifier it stops at every sign, since dates may follow one.
func skipDateWord(s string, i int) int {
	for wordAt(s, i) {
		r, size := decode(s, i)
		i += size
		if isUnspaced(r) {
			break
		}
	}
	return i
}

func scanDate(s string, i int, whole bool) (Date, int, bool) {
	if digitAt(s, i) >= 0 {
		return scanDigitDate(s, i, whole)
	}
	word := letters(s, i)
	switch {
	case len(word) == 0:
		return Date{}, 0, false
	case word[0]|0x20 == 'q' || word[0]|0x20 == 'f' || word[0]|0x20 == 's' || word[0]|0x20 == 't':
		if d, end, ok := scanPeriod(s, i, word); ok {
			return d, end, true
		}
	}
	return scanMonthFirst(s, i, word, whole)
}

// integer reads one to four digits that no digit follows.
func integer(s string, i int) (value, digits, end int) {
	for digitAt(s, i) >= 0 {
		if digits++; digits > 4 {
			return 0, 0, i
		}
		_, size := decode(s, i)
		value = value*10 + digitAt(s, i)
		i += size
	}
	return value, digits, i
}

func scanDigitDate(s string, i int, whole bool) (Date, int, bool) {
	a, digits, end := integer(s, i)
	if digits == 0 || digits == 3 {
		return Date{}, 0, false
	}
	if digits == 4 {
		return scanYearFirst(s, a, end, whole)
	}
	if digits == 1 && end < len(s) && s[end]|0x20 == 'q' { // 3Q19
		if year, yearEnd, ok := scanYear(s, skipPeriodSigns(s, end+1)); ok {
			return quarter(a, year, yearEnd)
		}
		return Date{}, 0, false
	}
	r, size := decode(s, end)
	if r == '.' || r == '/' || r == '-' {
		if d, dateEnd, ok := scanNumericDate(s, a, end, r); ok {
			return d, dateEnd, true
		}
	}
	if r == '.' {
		end += size
	}
	return scanDayFirst(s, a, end)
}

// scanYearFirst reads what follows the year of 2019-09-30, 2019-Q3, 2019年9月30日.
func scanYearFirst(s string, year, i int, whole bool) (Date, int, bool) {
	r, size := decode(s, i)
	if r == '年' {
		return scanEastAsian(s, year, i+size)
	}
	if q := skipPeriodSigns(s, i); q < len(s) && s[q]|0x20 == 'q' {
		if n, digits, end := integer(s, q+1); digits == 1 && !letterAt(s, end) {
			return quarter(n, year, end)
		}
	}
	if r != '-' && r != '/' && r != '.' {
		return Date{}, 0, false
	}
	month, digits, end := integer(s, i+size)
	if digits < 1 || digits > 2 {
		return Date{}, 0, false
	}
	if runeAt(s, end) == r {
		if day, digits, end := integer(s, end+size); digits == 1 || digits == 2 {
			return checked(Date{Kind: Day, Year: year, Month: month, Day: day}, end)
		}
	}
	if !whole || digits != 2 || r == '.' { // elsewhere 2018-12 may be a range
		return Date{}, 0, false
	}
	return checked(Date{Kind: Month, Year: year, Month: month}, end)
}

func scanEastAsian(s string, year, i int) (Date, int, bool) {
	month, digits, end := integer(s, i)
	r, size := decode(s, end)
	if digits == 0 || digits > 2 || r != '月' {
		return Date{}, 0, false
	}
	end += size
	if day, digits, dayEnd := integer(s, end); digits == 1 || digits == 2 {
		if r, size := decode(s, dayEnd); r == '日' || r == '号' {
			return checked(Date{Kind: Day, Year: year, Month: month, Day: day}, dayEnd+size)
		}
	}
	return checked(Date{Kind: Month, Year: year, Month: month}, end)
}

// scanNumericDate reads what follows the first number of 30.09.2019 or 9/30/19.
func scanNumericDate(s string, a, i int, separator rune) (Date, int, bool) {
	b, digits, end := integer(s, i+1)
	if digits == 0 || digits > 2 || runeAt(s, end) != separator {
		return Date{}, 0, false
	}
	year, digits, end := integer(s, end+1)
	if digits != 4 && (digits != 2 || separator == '-') || wordAt(s, end) ||
		runeAt(s, end) == separator && digitAt(s, end+1) >= 0 {
		return Date{}, 0, false
	}
	if digits == 2 {
		year = century(year)
	}
	d := Date{Kind: Day, Year: year, Month: a, Day: b}
	switch {
	case separator == '.' || a > 12:
		d.Month, d.Day = b, a
	case a <= 12 && b <= 12 && a != b:
		d.Ambiguous = true
	}
	return checked(d, end)
}

// scanDayFirst reads what follows the day of "30 September 2019".
func scanDayFirst(s string, day, i int) (Date, int, bool) {
	if i = skipBlanks(s, i); i < len(s) && s[i] != '-' && !letterAt(s, i) {
		return Date{}, 0, false
	}
	i = skipWords(s, skipOrdinal(s, i), "of", "de", "-")
	name := letters(s, i)
	month := monthOf(name)
	if month == 0 {
		return Date{}, 0, false
	}
	i = skipWords(s, skipSigns(s, i+len(name)), "of", "de", "del", "-")
	year, end, ok := scanFullYear(s, i)
	if !ok {
		return Date{}, 0, false
	}
	return checked(Date{Kind: Day, Year: year, Month: month, Day: day}, end)
}

// scanMonthFirst reads "September 30, 2019" and "Sept. 2019".
func scanMonthFirst(s string, i int, name string, whole bool) (Date, int, bool) {
	month := monthOf(name)
	if month == 0 || !whole && isVerbToo(name) {
		return Date{}, 0, false
	}
	i = skipWords(s, skipSigns(s, i+len(name)), "of", "de", "del", "-")
	if year, end, ok := scanFullYear(s, i); ok {
		return checked(Date{Kind: Month, Year: year, Month: month}, end)
	}
	day, digits, end := integer(s, i)
	if digits == 0 || digits > 2 {
		return Date{}, 0, false
	}
	year, end, ok := scanFullYear(s, skipSigns(s, skipOrdinal(s, end)))
	if !ok {
		return Date{}, 0, false
	}
	return checked(Date{Kind: Day, Year: year, Month: month, Day: day}, end)
}

// isVerbToo knows the month names that, uncapitalised, are other words.
func isVerbToo(name string) bool {
	return name == "may" || name == "march" || name == "mar" || name == "set" || name == "out"
}

// scanYear reads a year of four or two digits.
func scanYear(s string, i int) (year, end int, ok bool) {
	year, digits, end := integer(s, i)
	if digits == 2 {
		year = century(year)
	}
	return year, end, (digits == 2 || digits == 4) && !letterAt(s, end)
}

func scanFullYear(s string, i int) (year, end int, ok bool) {
	i = skipBlanks(s, i)
	year, digits, end := integer(s, i)
	return year, end, digits == 4 && (!letterAt(s, end) || isUnspaced(runeAt(s, end)))
}

func century(year int) int {
	if year < 69 {
		return 2000 + year
	}
	return 1900 + year
}

// checked refuses dates that no calendar has.
func checked(d Date, end int) (Date, int, bool) {
	if d.Year < 1000 || d.Year > 2999 {
		return Date{}, 0, false
	}
	if d.Kind == Day || d.Kind == Month {
		if d.Month < 1 || d.Month > 12 {
			return Date{}, 0, false
		}
	}
	if d.Kind == Day {
		last := time.Date(d.Year, time.Month(d.Month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if d.Day < 1 || d.Day > last {
			return Date{}, 0, false
		}
	}
	return d, end, true
}

func skipOrdinal(s string, i int) int {
	for _, ending := range [...]string{"st", "nd", "rd", "th", "er"} {
		if strings.HasPrefix(s[i:], ending) && !letterAt(s, i+len(ending)) {
			return i + len(ending)
		}
	}
	return i
}

// skipSigns passes the point and comma after a month or day.
func skipSigns(s string, i int) int {
	if i < len(s) && s[i] == '.' {
		i++
	}
	if i < len(s) && s[i] == ',' {
		i++
	}
	return i
}
