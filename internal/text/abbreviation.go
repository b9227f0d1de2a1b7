package text

type abbreviation uint8

const (
	none              abbreviation = iota
	always                         // never ends a sentence
	beforeNumber                   // an abbreviation only if a number follows
	unlessNewSentence              // may end one: a capitalised function word then follows
)

// abbreviationOf classifies the word before a point, its inner points included.
func abbreviationOf(word string) abbreviation {
	if isInitials(word) { // also U.S, U.K
		return unlessNewSentence
	}
	var buf [16]byte
	switch string(lowerShort(&buf, word)) {
	case "mr", "mrs", "ms", "dr", "prof", "rev", "gen", "gov", "sen", "rep", "hon", "capt", "col", "lt", "sgt", "st", "mt",
		"e.g", "eg", "i.e", "ie", "vs", "cf", "viz", "approx", "incl", "excl", "esp", "resp", "ca",
		"z.b", "u.a", "d.h", "bzw", "vgl", "usw", "inkl", "zzgl", "evtl", "ggf", "mme", "mlle", "sra", "srta", "p.ej", "p.ex", "т.е", "т.д":
		return always
	case "no", "nos", "nr", "num", "fig", "figs", "eq", "sec", "art", "vol", "ch", "chap", "pp", "p", "pg", "par", "para", "app", "ref", "tab", "rs",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "abs", "ziff", "núm", "стр", "рис":
		return beforeNumber
	case "inc", "corp", "ltd", "co", "cos", "llc", "plc", "bros", "jr", "sr", "esq", "etc", "al", "est", "dept", "div", "assn", "ave", "blvd", "bldg",
		"a.m", "p.m", "ph.d", "s.p.a",
		"mio", "mrd", "tsd", "min", "max", "avg", "gmbh", "млн", "млрд", "тыс", "руб", "г":
		return unlessNewSentence
	}
	return none
}

// isInitials knows "J" and "J.P": single capitals with points between.
func isInitials(word string) bool {
	for i := range len(word) {
		c := word[i]
		if i%2 == 0 && (c < 'A' || c > 'Z') || i%2 == 1 && c != '.' {
			return false
		}
	}
	return len(word)%2 == 1
}

// isMonth knows the months of languages that write a point after the day.
func isMonth(word string) bool {
	switch word {
	case "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
		"Jänner", "Jan", "Feb", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Okt", "Nov", "Dez":
		return true
	}
	return false
}
