package metric

import (
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// maxRetainedTokens bounds the tokens that an idle evaluator keeps, and the entries
// of whatever grows with them.
const maxRetainedTokens = 1 << 18

// reuse empties s, whose storage is worth keeping unless one turn made it huge.
func reuse[T any](s []T) []T {
	if cap(s) > maxRetainedTokens {
		return nil
	}
	return s[:0]
}

// texts is the text of a turn, read once: all passages are tokens of one
// vocabulary, the answer's words first. Metrics that compare texts share it, so
// that no text is read twice however many of them run.
type texts struct {
	words       text.Vocabulary
	answerWords int // ids below it are words of the answer
	answer      passage
	query       passage
	chunks      []passage // by merged chunk, as View.Chunks; all of them

	tokens []text.Token   // of all passages, end to end
	starts []number.Start // by word
	found  []number.Found // the numbers of those passages that were asked for
}

// passage is one text with its words.
type passage struct {
	text    string
	tokens  []text.Token
	numbers []number.Found
	scanned bool
}

// turnTexts reads the texts of the turn. Between turns the passages still hold
// strings of the sample before, whose memory may be in use again: nothing reads
// them.
var turnTexts = rag.NewShared(func(v *rag.View, t *texts) {
	s, chunks := v.Sample(), v.Chunks()
	t.words.Reset()
	t.tokens, t.starts, t.found = reuse(t.tokens), reuse(t.starts), reuse(t.found)
	clear(t.chunks)
	t.chunks = reuse(t.chunks)

	t.answer = t.read(s.Answer.Text)
	t.answerWords = t.words.Len()
	t.query = t.read(s.Query)
	for i := range chunks {
		t.chunks = append(t.chunks, t.read(chunks[i].Text))
	}
})

func (t *texts) read(s string) passage {
	from := len(t.tokens)
	t.tokens = t.words.Append(t.tokens, s)
	to := len(t.tokens)
	return passage{text: s, tokens: t.tokens[from:to:to]}
}

// numbers returns the numbers of a passage of t, in order. They are looked for
// when first asked for.
func (t *texts) numbers(p *passage) []number.Found {
	if !p.scanned {
		for id := len(t.starts); id < t.words.Len(); id++ {
			t.starts = append(t.starts, number.StartOf(t.words.Text(uint32(id))))
		}
		from := len(t.found)
		t.found = number.AppendTokens(t.found, p.text, p.tokens, t.starts)
		to := len(t.found)
		p.numbers, p.scanned = t.found[from:to:to], true
	}
	return p.numbers
}
