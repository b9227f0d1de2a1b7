package metric

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// windowMargin is how many words before a window a negation is looked for.
const windowMargin = 2

// compare looks for words that turn the best window against the claim.
func (e *evidence) compare(t *texts, c *claim) {
	if c.chunk < 0 {
		return
	}
	window := wordsWithin(t.chunks[c.chunk].tokens, c.windowStart, c.windowEnd)
	before := window.from - min(windowMargin, window.from)
	tokens := t.chunks[c.chunk].tokens
	c.negated = deniesAny(t, t.answer.tokens[c.body:c.to]) != deniesAny(t, tokens[before:window.to])

	var missing, present polarities
	for _, k := range t.answer.tokens[c.body:c.to] {
		missing.add(t.words.Text(k.ID))
	}
	if missing == (polarities{}) {
		return
	}
	for _, k := range tokens[window.from:window.to] {
		present.add(t.words.Text(k.ID))
	}
	for group, side := range missing {
		// A claim or window with both sides compares; it does not state one.
		if side != 0 && present[group] == both&^side && side != both {
			c.opposed = true
		}
	}
}

// What the chunks say of a word that is a key in a record: "OutdoorSeating": false.
const (
	keyTrue  uint8 = 1
	keyFalse uint8 = 2
)

// valueAt reads what a record says at i, behind a key, or 0.
func valueAt(s string, i int) uint8 {
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		i++
	}
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i >= len(s) || s[i] != ':' && s[i] != '=' {
		return 0
	}
	for i++; i < len(s) && (s[i] == ' ' || s[i] == '"' || s[i] == '\''); {
		i++
	}
	end := i
	for end < len(s) && end-i < 8 && s[end]|0x20-'a' <= 'z'-'a' {
		end++
	}
	switch s[i:end] {
	case "true", "True", "yes", "Yes", "TRUE":
		return keyTrue
	case "false", "False", "no", "No", "null", "none", "None", "FALSE":
		return keyFalse
	}
	return 0
}

// polarity follows a claim from word to word: does a negation reach this far?
type polarity struct{ negated bool }

func (p *polarity) read(t *texts, cues cue, from, i int) {
	tokens := t.answer.tokens
	if i > from && strings.ContainsAny(t.answer.text[tokens[i-1].End:tokens[i].Start], ";:.") || cues&turns != 0 {
		p.negated = false
	}
	if isNegation(t.words.Text(tokens[i].ID)) {
		p.negated = true
	}
}

type wordRange struct{ from, to int }

// wordsWithin returns the words whose span lies in the bytes from start to end.
func wordsWithin(tokens []text.Token, start, end int) wordRange {
	at := func(k text.Token, offset int) int { return cmp.Compare(int(k.Start), offset) }
	from, _ := slices.BinarySearchFunc(tokens, start, at)
	to, _ := slices.BinarySearchFunc(tokens, end, at)
	return wordRange{from, to}
}

func deniesAny(t *texts, tokens []text.Token) bool {
	for _, k := range tokens {
		if isNegation(t.words.Text(k.ID)) {
			return true
		}
	}
	return false
}

func isNegation(word []byte) bool {
	switch string(word) {
	case "not", "no", "nor", "neither", "never", "none", "nothing", "nobody", "without", "cannot", "can't", "don't", "doesn't", "didn't",
		"isn't", "aren't", "wasn't", "weren't", "won't", "couldn't", "wouldn't", "shouldn't", "hasn't", "haven't", "hadn't", "unable",
		"lacks", "lack", "lacking", "false", "nicht", "kein", "keine", "keinen", "nie", "pas", "jamais", "ninguno", "nunca", "não", "не":
		return true
	}
	return false
}

// side is one of two opposites; both is no statement.
type side uint8

const (
	up   side = 1
	down side = 2
	both side = up | down
)

const opposites = 5

// polarities are the sides of opposites that a text names, by group.
type polarities [opposites]side

func (p *polarities) add(word []byte) {
	switch string(word) {
	case "increase", "increased", "increases", "increasing", "rise", "rises", "rose", "risen", "rising", "grew", "grow", "grows", "grown", "growth", "gain", "gained",
		"improved", "improve", "improvement":
		p[0] |= up
	case "decrease", "decreased", "decreases", "decreasing", "fall", "falls", "fell", "fallen", "falling", "decline", "declined", "declines",
		"declining", "drop", "dropped", "drops", "reduce", "reduced", "reduces", "reduction", "worsened":
		p[0] |= down
	case "higher", "more", "above", "greater", "exceeded", "highest", "maximum":
		p[1] |= up
	case "lower", "less", "fewer", "below", "lowest", "minimum":
		p[1] |= down
	case "before", "prior", "earlier":
		p[2] |= up
	case "after", "following", "later":
		p[2] |= down
	case "won", "win", "wins", "victory", "passed", "accepted", "approved", "success", "succeeded":
		p[3] |= up
	case "lost", "lose", "loses", "defeat", "defeated", "failed", "rejected", "refused", "denied":
		p[3] |= down
	case "best", "positive", "positively", "good":
		p[4] |= up
	case "worst", "negative", "negatively", "bad", "poor":
		p[4] |= down
	}
}
