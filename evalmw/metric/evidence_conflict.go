package metric

import "strings"

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

// read moves on to word i of a claim that starts with word from.
func (p *polarity) read(t *texts, cues cue, i, from int) {
	tokens := t.answer.tokens
	if i > from && endsClause(t, i) || cues&turns != 0 {
		p.negated = false
	}
	p.negated = p.negated || isNegation(t.words.Text(tokens[i].ID))
}

// isDenied reports whether word i of a claim is denied: by a word before it, or by
// one that only function words and other keys part from it, as in "outdoor seating
// is not offered".
func (e *evidence) isDenied(t *texts, p *polarity, i, to int) bool {
	if p.negated {
		return true
	}
	for j := i + 1; j < to && !endsClause(t, j); j++ {
		id := t.answer.tokens[j].ID
		if isNegation(t.words.Text(id)) {
			return true
		}
		isKey := e.classes.of[id] >= 0 && e.keys[e.classes.of[id]] != 0
		if t.words.IsContent(id) && (!isKey || j-i > maxKeyWords) || e.splitter.cues[id]&joins != 0 {
			return false
		}
	}
	return false
}

// maxKeyWords is how many words of keys may part one from its negation.
const maxKeyWords = 4

func endsClause(t *texts, i int) bool {
	return strings.ContainsAny(t.answer.text[t.answer.tokens[i-1].End:t.answer.tokens[i].Start], ";:.")
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
