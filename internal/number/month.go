package number

// monthOf returns the month of a name or its usual abbreviation in English, German,
// French, Spanish, Italian or Portuguese, or 0.
func monthOf(name string) int {
	var buf [24]byte
	if len(name) < 3 {
		return 0
	}
	switch string(lowerShort(&buf, name)) {
	case "january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "gennaio", "gen", "janeiro":
		return 1
	case "february", "feb", "februar", "février", "févr", "febrero", "febbraio", "fevereiro", "fev":
		return 2
	case "march", "mar", "märz", "mär", "mars", "marzo", "março":
		return 3
	case "april", "apr", "avril", "avr", "abril", "abr", "aprile":
		return 4
	case "may", "mai", "mayo", "maggio", "mag", "maio":
		return 5
	case "june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho":
		return 6
	case "july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho":
		return 7
	case "august", "aug", "août", "agosto", "ago":
		return 8
	case "september", "sept", "sep", "septembre", "septiembre", "setiembre", "settembre", "setembro", "set":
		return 9
	case "october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out":
		return 10
	case "november", "nov", "novembre", "noviembre", "novembro":
		return 11
	case "december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dic", "dicembre", "dezembro":
		return 12
	}
	return 0
}
