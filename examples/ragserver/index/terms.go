package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
)

const stopWordList = ` a about after all also an and any are as at be been before between both but by can could did do does
 during each for from had has have how if in into is it its many may more most much no not of on only or other our over
 respective respectively same should so some such than that the their them then there these they this those through to under
 up was we were what when where which while who whom whose why will with would you your company `

// IsStopWord reports whether a lower-case word carries no content.
func IsStopWord(word string) bool {
	return strings.Contains(stopWordList, " "+word+" ")
}

// Terms returns the content words of an English text in order: lower-cased,
// stemmed, without stop words and single characters.
func Terms(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	terms := words[:0]
	for _, word := range words {
		if utf8.RuneCountInString(word) > 1 && !IsStopWord(word) {
			terms = append(terms, porterstemmer.StemString(word))
		}
	}
	return terms
}
