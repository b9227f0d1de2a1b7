package number

import "strings"

// scanPeriod reads Q3 2019, FY2019, fiscal year 2019, third quarter of fiscal 2019.
func scanPeriod(s string, i int, word string) (Date, int, bool) {
	var buf [24]byte
	i += len(word)
	switch string(lowerShort(&buf, word)) {
	case "q":
		n, digits, end := integer(s, i)
		if digits != 1 {
			return Date{}, 0, false
		}
		return quarterOf(s, n, end)
	case "first":
		return quarterWord(s, 1, i)
	case "second":
		return quarterWord(s, 2, i)
	case "third":
		return quarterWord(s, 3, i)
	case "fourth":
		return quarterWord(s, 4, i)
	case "fy":
		if year, end, ok := scanYear(s, skipPeriodSigns(s, i)); ok {
			return checked(Date{Kind: FiscalYear, Year: year}, end)
		}
	case "fiscal":
		if year, end, ok := scanFullYear(s, skipWords(s, i, "year")); ok {
			return checked(Date{Kind: FiscalYear, Year: year}, end)
		}
	}
	return Date{}, 0, false
}

func quarterWord(s string, n, i int) (Date, int, bool) {
	if next := skipWords(s, i, "fiscal"); next > i {
		i = next
	}
	if next := skipWords(s, i, "quarter"); next > skipBlanks(s, i) {
		return quarterOf(s, n, next)
	}
	return Date{}, 0, false
}

func quarterOf(s string, n, i int) (Date, int, bool) {
	i = skipWords(s, skipPeriodSigns(s, i), "of", "FY", "fiscal", "year")
	year, end, ok := scanYear(s, skipPeriodSigns(s, i))
	if !ok {
		return Date{}, 0, false
	}
	return quarter(n, year, end)
}

func quarter(n, year, end int) (Date, int, bool) {
	if n < 1 || n > 4 {
		return Date{}, 0, false
	}
	return checked(Date{Kind: Quarter, Year: year, Quarter: n}, end)
}

func skipPeriodSigns(s string, i int) int {
	i = skipBlanks(s, i)
	for _, sign := range [...]string{"-", "/", "'", "’", ","} {
		if strings.HasPrefix(s[i:], sign) {
			return skipBlanks(s, i+len(sign))
		}
	}
	return i
}

// skipWords passes blanks and, in this order, those of the words that follow, in
// any case.
func skipWords(s string, i int, words ...string) int {
	i = skipBlanks(s, i)
	for _, word := range words {
		end := i + len(word)
		if end <= len(s) && strings.EqualFold(s[i:end], word) && (word == "-" || !letterAt(s, end)) {
			i = skipBlanks(s, end)
		}
	}
	return i
}
