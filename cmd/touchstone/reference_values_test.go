package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// refFact is a value in several spellings that the catalogue calls equal.
type refFact struct {
	kind      string // the format that it satisfies: number, currency, date or text
	spellings []string
}

// refFacts are pairwise different, and none stands inside another.
var refFacts = []refFact{
	{"currency", []string{"$2.3 billion", "$2,300 million", "$2,300,000,000"}},
	{"currency", []string{"$2.3 million", "$2,300,000", "$2,300 thousand"}},
	{"currency", []string{"$(12.3) million", "-$12.3 million", "$(12,300,000)"}},
	{"currency", []string{"€41.50", "€41.5"}},
	{"number", []string{"1,017", "1017", "1017.0"}},
	{"number", []string{"(88)", "-88", "-88.0"}},
	{"number", []string{"7.25", "7.250"}},
	{"percent", []string{"15%", "15 percent", "15.0 %"}},
	{"percent", []string{"-3.5%", "(3.5)%", "(3.5%)"}},
	{"date", []string{"2025-06-30", "June 30, 2025", "30 June 2025"}},
	{"date", []string{"2024-12-31", "December 31, 2024", "31 December 2024"}},
	{"text", []string{"asphalt shingle", "Asphalt Shingle", "asphalt  shingle", " ASPHALT SHINGLE "}},
	{"text", []string{"standing seam metal", "Standing Seam Metal"}},
	{"text", []string{"clay tile", "Clay Tile"}},
	{"text", []string{"naïve Größe", "Naïve größe"}},
}

func refWords(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}

// refNormal is what values are compared by.
func refNormal(value string) string {
	for _, fact := range refFacts {
		if slices.Contains(fact.spellings, value) {
			return "fact:" + fact.spellings[0]
		}
	}
	return refWords(value)
}

// refStands tells whether the value, in any spelling, stands in the evidence.
func refStands(value, evidence string) bool {
	spellings := []string{value}
	for _, fact := range refFacts {
		if slices.Contains(fact.spellings, value) {
			spellings = fact.spellings
		}
	}
	for _, s := range spellings {
		if refStandsAlone(refWords(s), refWords(evidence)) {
			return true
		}
	}
	return false
}

func refStandsAlone(s, in string) bool {
	for at := 0; ; {
		i := strings.Index(in[at:], s)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(in[:i])
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(in[i+len(s):], ",."))
		if !refInside(before) && !refInside(after) {
			return true
		}
		at = i + 1
	}
}

func refInside(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("$€-(", r))
}

// refFormatHolds knows the values of the table: text is no number, date or
// currency, a fact is what it is, and no value breaks no format.
func refFormatHolds(e refExtraction) bool {
	checked := e.Format == "number" || e.Format == "currency" || e.Format == "date"
	if !checked || strings.TrimSpace(e.Value) == "" {
		return true
	}
	for _, fact := range refFacts {
		if slices.Contains(fact.spellings, e.Value) {
			return fact.kind == e.Format
		}
	}
	return false
}
