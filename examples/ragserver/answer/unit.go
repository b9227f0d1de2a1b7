package answer

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
)

// unit is the least that can be quoted: a sentence, or the row of a table.
type unit struct {
	chunk int      // its place in the request's list
	text  string   // verbatim
	cells []string // of a row, the first is its label; nil for a sentence
	words tokens
}

// tokens are the content of a text: stemmed words, and numbers in one spelling.
type tokens struct {
	words   map[string]bool
	numbers map[string]bool
}

func (t tokens) has(token string) bool { return t.words[token] || t.numbers[token] }

func unitsOf(chunks []corpus.Chunk) []unit {
	var units []unit
	for i, c := range chunks {
		pieces := sentences(c.Text)
		if c.Kind == corpus.KindTable {
			pieces = strings.Split(c.Text, "\n")
		}
		for _, piece := range pieces {
			u := unit{chunk: i, text: strings.TrimSpace(piece), words: tokensOf(piece)}
			if c.Kind == corpus.KindTable {
				u.cells = strings.Split(piece, " | ")
			}
			units = append(units, u)
		}
	}
	return units
}

// sentences splits a text behind a full stop that a capital, a digit or a
// quotation mark follows.
func sentences(text string) []string {
	var list []string
	start := 0
	runes := []rune(text)
	for i := 1; i+1 < len(runes); i++ {
		if runes[i] != ' ' || !strings.ContainsRune(".!?\n", runes[i-1]) {
			continue
		}
		if next := runes[i+1]; unicode.IsUpper(next) || unicode.IsDigit(next) || strings.ContainsRune("“\"(", next) {
			list = append(list, string(runes[start:i]))
			start = i + 1
		}
	}
	return append(list, string(runes[start:]))
}

func tokensOf(text string) tokens {
	t := tokens{words: make(map[string]bool), numbers: make(map[string]bool)}
	for _, n := range numbersIn(text) {
		t.numbers[n] = true
	}
	for _, word := range index.Terms(text) {
		if !unicode.IsDigit(rune(word[0])) && !slices.Contains(scaleTerms, word) {
			t.words[word] = true
		}
	}
	return t
}

// scaleTerms say how to read a number, not what it counts.
var scaleTerms = index.Terms("thousand thousands million millions billion billions percent hundred")

var numberPattern = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)

// numbersIn returns the numbers of a text without their sign, thousands
// separators and closing zeros, rounded to four decimals.
func numbersIn(text string) []string {
	found := numberPattern.FindAllString(text, -1)
	for i, s := range found {
		x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		if err == nil {
			found[i] = strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64)
		}
	}
	return found
}

// overlap is the share of a's content that stands in b, from 0 to 1; a number
// counts as much as three words.
func overlap(a, b tokens) float64 {
	have, all := 0.0, 0.0
	for word := range a.words {
		all++
		if b.words[word] {
			have++
		}
	}
	for number := range a.numbers {
		all += 3
		if b.numbers[number] {
			have += 3
		}
	}
	if all == 0 {
		return 0
	}
	return have / all
}

// shares reports whether two sets have a key in common.
func shares(a, b map[string]bool) bool {
	for key := range a {
		if b[key] {
			return true
		}
	}
	return false
}
