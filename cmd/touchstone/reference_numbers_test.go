package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// equalValues and differentValues are pairs on which the catalogue leaves no
// choice: equal after normalising scale, currency, percent, separators,
// parentheses for negatives, and after parsing dates.
var equalValues = [][2]string{
	{"$2.3 billion", "2,300 million"},
	{"$2.3 billion", "$2,300,000,000"},
	{"2.3 billion", "2300 million"},
	{"4.5 trillion", "4,500 billion"},
	{"12 thousand", "12,000"},
	{"USD 5 million", "$5 million"},
	{"5 million dollars", "$5,000,000"},
	{"$2.3B", "$2.3 billion"},
	{"$2.3bn", "$2,300 million"},
	{"7.5M", "7.5 million"},
	{"40k", "40,000"},
	{"£1,250", "£1250.00"},
	{"€ 3.50", "€3.5"},
	{"1,000", "1000"},
	{"1,234,567.80", "1234567.8"},
	{"0.50", ".5"},
	{"+17", "17"},
	{"007", "7"},
	{"15%", "15 percent"},
	{"15 %", "15.0%"},
	{"(15)%", "-15%"},
	{"(12.3)", "-12.3"},
	{"$ (12.3) million", "-$12.3 million"},
	{"$(12.3) million", "(12,300,000)"},
	{"($4.5 million)", "-4,500,000"},
	{"\u22128", "-8"}, // the typographic minus
	{"１２３", "123"},    // full-width digits
	{"2025-06-30", "June 30, 2025"},
	{"30 June 2025", "Jun 30, 2025"},
	{"2024-02-29", "29 February 2024"},
	{"June 30 2025", "2025-06-30"},
	{"Clay Tile", "clay  tile"},
	{"Größe", "größe"},
	{"clay\u00a0tile", "clay tile"},
	{"cafe\u0301", "caf\u00e9"},
}

var differentValues = [][2]string{
	{"$2.3 billion", "$2.3 million"},
	{"1,000", "1,001"},
	{"1,000", "1.001"},
	{"12.3", "-12.3"},
	{"(12.3) million", "12.3 million"},
	{"15%", "16%"},
	{"15%", "15.4%"},
	{"23", "123"},
	{"23", "2.3"},
	{"5", "15"},
	{"1,234,567", "1,234,568"},
	{"9007199254740993", "9007199254740995"},
	{"0", "0.001"},
	{"2025-06-30", "2025-06-29"},
	{"June 30, 2025", "June 30, 2024"},
	{"31 December 2024", "31 December 2025"},
	{"2024-12-31", "31 January 2024"},
	{"10 years", "10 months"},
	{"5 apples", "5 pears"},
	{"clay tile", "slate tile"},
	{"4000123456", "4000123457"},
	{"123456789012", "123456789013"},
}

func agreementAndValidation(t *testing.T, a, b string) (agreement, validation string) {
	t.Helper()
	raw, err := json.Marshal(object{"id": "x", "extractions": []object{
		{"field": "agreement", "value": a},
		{"field": "agreement", "value": b},
		{"field": "validation", "value": a, "evidence": "The filing states " + b + " for that year."},
	}})
	require.NoError(t, err)
	stdout, stderr, code := scoreInProcess(t, string(raw), "--metrics", "multi_source_agreement,semantic_validation")
	require.Equal(t, exitOK, code, stderr)
	got, err := scoredLines(t, stdout)[0].results()
	require.NoError(t, err)
	require.NotNil(t, got[refKey{"multi_source_agreement", "agreement"}].value)
	return fmt.Sprint(*got[refKey{"multi_source_agreement", "agreement"}].value), got[refKey{"semantic_validation", "validation"}].category
}

func TestScoreComparesValuesAsTheCatalogueSays(t *testing.T) {
	for _, pair := range equalValues {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			agreement, validation := agreementAndValidation(t, p[0], p[1])
			assert.Equal(t, "1", agreement, "%q and %q are equal", p[0], p[1])
			assert.Equal(t, "pass", validation, "%q stands in a text as %q", p[0], p[1])
		}
	}
	for _, pair := range differentValues {
		agreement, validation := agreementAndValidation(t, pair[0], pair[1])
		assert.Equal(t, "0.5", agreement, "%q and %q differ", pair[0], pair[1])
		assert.Equal(t, "fail", validation, "%q does not stand in a text with %q", pair[0], pair[1])
	}
}

func TestScoreValidatesLongValuesByOverlap(t *testing.T) {
	const value = "The insured building has a steep gabled roof covered with grey natural slate laid over timber boards"
	words := strings.Fields(value)
	halves := strings.Join(append(words[9:len(words):len(words)], words[:9]...), " ")
	for evidence, want := range map[string]string{
		"Inspection: " + value + ", as seen.":            "pass",
		"Inspection: " + strings.ToUpper(value):          "pass",
		"Inspection: " + halves + ".":                    "pass",
		"Quarterly revenue rose because demand was firm": "fail",
	} {
		raw, err := json.Marshal(object{"id": "x", "extractions": []object{{"field": "f", "value": value, "evidence": evidence}}})
		require.NoError(t, err)
		stdout, _, _ := scoreInProcess(t, string(raw), "--metrics", "semantic_validation")
		got, err := scoredLines(t, stdout)[0].results()
		require.NoError(t, err)
		assert.Equal(t, want, got[refKey{"semantic_validation", "f"}].category, "evidence %q", evidence)
	}
}
