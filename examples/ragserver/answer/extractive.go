package answer

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// leastCover is the share of a question's weight that a sentence or row must
// have to be its answer. On the corpus, 0.4 abstains from 99% of the questions
// about another document and from 13% of the answerable ones.
const leastCover = 0.4

// Extractive answers without a model: it quotes the sentence, or names the
// cells of the table row, that covers most of the question, and abstains when
// none covers enough. It computes nothing.
type Extractive struct{ _ struct{} }

// Answer implements [Answerer].
func (Extractive) Answer(ctx context.Context, req Request, emit func(string) error) (Answer, error) {
	q := pick(req)
	if q.cover < leastCover {
		return Answer{Abstained: true, Model: "extractive"}, ctx.Err()
	}
	if err := emitWords(ctx, q.text, emit); err != nil {
		return Answer{}, err
	}
	return Answer{
		Text: q.text, Value: q.value, Citations: []string{req.Chunks[q.unit.chunk].ID}, Model: "extractive",
	}, nil
}

// quote is the best that the chunks offer for a question.
type quote struct {
	unit        unit
	cover       float64 // share of the question's weight, 0 to 1
	text, value string
}

// headingShare is what a word of the question counts when it stands not in the
// sentence or row itself but in the title or column heads above it.
const headingShare = 0.7

func pick(req Request) quote {
	question := tokensOf(req.Question)
	units := unitsOf(req.Chunks)
	weights := rarity(question, units)
	heads := make([]tokens, len(req.Chunks))
	for i, c := range req.Chunks {
		heads[i] = tokensOf(c.Title + "\n" + strings.Join(header(c), "\n"))
	}
	var best quote
	for _, u := range units {
		var all, have float64
		for _, w := range weights {
			all += w.weight
			switch {
			case u.words.has(w.token):
				have += w.weight
			case heads[u.chunk].has(w.token):
				have += headingShare * w.weight
			}
		}
		if all == 0 || !shares(question.words, u.words.words) {
			continue // years and column heads alone name no subject
		}
		if u.cells != nil && !hasValues(u.cells) {
			continue
		}
		if cover := have / all; cover > best.cover+1e-9 {
			best = quote{unit: u, cover: cover, text: u.text, value: u.text}
		}
	}
	if best.unit.cells != nil {
		best.text, best.value = readRow(best.unit, req.Chunks[best.unit.chunk], question)
	}
	return best
}

type weighted struct {
	token  string
	weight float64
}

// rarity weighs the question's tokens, in order, so that sums over them are the
// same on every run. One that stands nowhere weighs most: that is how a
// question about something else is recognised.
func rarity(question tokens, units []unit) []weighted {
	list := make([]weighted, 0, len(question.words)+len(question.numbers))
	for _, set := range []map[string]bool{question.words, question.numbers} {
		for _, token := range slices.Sorted(maps.Keys(set)) {
			n := 0
			for _, u := range units {
				if u.words.has(token) {
					n++
				}
			}
			list = append(list, weighted{token, math.Log(1 + float64(len(units))/float64(n+1))})
		}
	}
	return list
}

// header returns the lines above a table's first row of values; none for text.
func header(c corpus.Chunk) []string {
	if c.Kind != corpus.KindTable {
		return nil
	}
	lines := strings.Split(c.Text, "\n")
	for i, line := range lines {
		if hasValues(strings.Split(line, " | ")) {
			return lines[:i]
		}
	}
	return lines
}

// hasValues reports whether a row has a label, and behind it a number that is
// not a year.
func hasValues(cells []string) bool {
	if strings.TrimSpace(cells[0]) == "" {
		return false
	}
	for _, cell := range cells[1:] {
		for _, n := range numbersIn(cell) {
			if len(n) != 4 || (!strings.HasPrefix(n, "19") && !strings.HasPrefix(n, "20")) {
				return true
			}
		}
	}
	return false
}

// readRow says a row in words: its label, and the cells whose column head the
// question names best (the first with a value if it names none).
func readRow(u unit, c corpus.Chunk, question tokens) (text, value string) {
	cells := u.cells
	heads := make([]string, len(cells))
	for _, line := range header(c) {
		above := ""
		for i, cell := range strings.Split(line, " | ") {
			if cell = strings.Trim(cell, " :"); cell != "" {
				above = cell // a head may span the empty cells to its right
			}
			if i > 0 && i < len(heads) && above != "" {
				heads[i] = strings.TrimSpace(heads[i] + " " + above)
			}
		}
	}
	var chosen []int
	most := -1
	for i := 1; i < len(cells); i++ {
		if len(numbersIn(cells[i])) == 0 {
			continue
		}
		names := count(question, tokensOf(heads[i]))
		switch {
		case names > most:
			chosen, most = []int{i}, names
		case names == most && names > 0:
			chosen = append(chosen, i)
		}
	}
	var parts, values []string
	for _, i := range chosen {
		cell := strings.Join(strings.Fields(cells[i]), " ")
		values = append(values, cell)
		parts = append(parts, strings.TrimPrefix(heads[i]+": "+cell, ": "))
	}
	if len(values) == 0 {
		return u.text, u.text
	}
	return strings.Trim(cells[0], " :") + ", " + strings.Join(parts, "; ") + ".", strings.Join(values, "; ")
}

// count returns how many tokens of a question stand in b.
func count(question, b tokens) int {
	n := 0
	for _, set := range []map[string]bool{question.words, question.numbers} {
		for token := range set {
			if b.has(token) {
				n++
			}
		}
	}
	return n
}
