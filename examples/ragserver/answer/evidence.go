package answer

import "strings"

// place is where a claim was found.
type place struct {
	unit     unit
	strength float64 // share of the claim that stands there, 0.5 to 1
	relevant float64 // share of the question that stands there, 0 to 1
}

// locate searches the sentence or row that carries a claim, and of several the
// one nearest to the question. It accepts no less than half of the claim, at
// least one of its numbers if it has any, and a number as common as "2" only
// where the question is spoken of too.
func locate(claim string, question tokens, units []unit) (place, bool) {
	want := tokensOf(claim)
	var best place
	found := false
	for _, u := range units {
		strength := overlap(want, u.words)
		if strength < 0.5 {
			continue
		}
		if len(want.numbers) > 0 && !shares(want.numbers, u.words.numbers) {
			continue
		}
		relevant := overlap(question, u.words)
		if relevant == 0 && len(want.words) == 0 && !distinctive(want.numbers) {
			continue
		}
		if !found || strength+relevant > best.strength+best.relevant {
			best, found = place{u, strength, relevant}, true
		}
	}
	return best, found
}

// distinctive reports whether a number has three digits or more, years among
// them; shorter ones stand everywhere.
func distinctive(numbers map[string]bool) bool {
	for n := range numbers {
		if len(strings.ReplaceAll(n, ".", "")) >= 3 {
			return true
		}
	}
	return false
}
