package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// claimKind says how strictly a claim is held to the chunks.
type claimKind uint8

const (
	assertion claimKind = iota // states something: its words must stand there
	inference                  // concludes or hedges: part of them is enough
	general                    // states nothing that chunks could hold
)

// statement is a claim's place in the answer, before any evidence is looked for.
type statement struct {
	start, end int // bytes of the answer
	from, to   int // its words among the answer's
	body       int // the first word behind a preamble such as "According to the passages,"
	kind       claimKind
	silent     bool // it says nothing of the matter: it declines, greets or announces
}

// minClause is the number of words that each part of a split sentence must have.
const minClause = 4

// longSentence is the number of words from which a sentence is split at its
// conjunctions too.
const longSentence = 24

// claimSplitter cuts an answer into claims and types them.
//
// A claim is a sentence, an item of a list or a row of a table; a sentence with
// semicolons, and a long one with conjunctions behind commas, is several. The cues
// that tell inferences and talk about the answer are English: a claim of another
// language is an assertion unless its form (question, heading, lead of a list)
// says otherwise.
type claimSplitter struct {
	cues []cue // by word of the answer
}

// appendClaims appends the claims of t's answer to dst. Words for which skip is
// set (citation markers) count for nothing.
func (c *claimSplitter) appendClaims(dst []statement, t *texts, skip []bool) []statement {
	c.cues = c.cues[:0]
	for id := range t.answerWords {
		c.cues = append(c.cues, cueOf(t.words.Text(uint32(id))))
	}
	s, tokens := t.answer.text, t.answer.tokens
	next := 0
	for start, end := range text.Sentences(s) {
		for next < len(tokens) && int(tokens[next].Start) < start {
			next++
		}
		from := next
		for next < len(tokens) && int(tokens[next].Start) < end {
			next++
		}
		if from == next {
			continue
		}
		last := len(dst)
		if led := attachMarkers(dst, s, tokens, skip, from, next); led > from {
			if from = led; from == next {
				continue
			}
			start = int(tokens[from].Start)
		}
		dst = c.appendClauses(dst, t, statement{start: start, end: end, from: from, to: next})
		form := formOf(s, start, end, next == len(tokens))
		for i := last; i < len(dst); i++ {
			dst[i].body = c.preamble(t, &dst[i])
			if k := &dst[i]; k.body == k.from && isLabel(t, k, k.from) {
				k.body++
			}
			dst[i].kind, dst[i].silent = c.kindOf(t, &dst[i], skip, form)
		}
	}
	return dst
}

// attachMarkers gives the citation markers that lead a sentence on the same line
// to the claim before: "It rose. [1] It fell." cites [1] for the first.
func attachMarkers(claims []statement, s string, tokens []text.Token, skip []bool, from, to int) int {
	if len(claims) == 0 || !skip[from] || strings.ContainsAny(s[claims[len(claims)-1].end:tokens[from].Start], "\n\r") {
		return from
	}
	before := &claims[len(claims)-1]
	for from < to && skip[from] {
		before.end, before.to = int(tokens[from].End), from+1
		from++
	}
	for strings.HasPrefix(s[before.end:], "]") || strings.HasPrefix(s[before.end:], ")") {
		before.end++
	}
	return from
}

// appendClauses appends the sentence or its parts.
func (c *claimSplitter) appendClauses(dst []statement, t *texts, whole statement) []statement {
	s, tokens := t.answer.text, t.answer.tokens
	if s[whole.start] == '|' || whole.to-whole.from < 2*minClause {
		return append(dst, whole)
	}
	long := whole.to-whole.from >= longSentence
	part := whole
	for i := whole.from + minClause; i+minClause <= whole.to; i++ {
		if i-part.from < minClause {
			continue
		}
		gap := s[tokens[i-1].End:tokens[i].Start]
		if !strings.Contains(gap, ";") && !(long && strings.HasPrefix(gap, ",") && c.cues[tokens[i].ID]&joins != 0) {
			continue
		}
		part.end, part.to = int(tokens[i-1].End), i
		dst = append(dst, part)
		part.start, part.from = int(tokens[i].Start), i
	}
	part.end, part.to = whole.end, whole.to
	return append(dst, part)
}

// form is what the layout of a sentence says about it.
type form uint8

const (
	prose    form = iota
	lead          // announces what follows
	question      // asks
	heading       // names what follows
)

func formOf(s string, start, end int, isLast bool) form {
	body := strings.TrimRight(s[start:end], "*_ \t\"'”)")
	if body == "" {
		return prose
	}
	last, _ := utf8.DecodeLastRuneInString(body)
	switch last {
	case ':', '：':
		return lead
	case '?', '？', '؟':
		return question
	}
	atLine := start == 0 || strings.HasSuffix(strings.TrimRight(s[:start], " \t"), "\n")
	switch {
	case !atLine:
		return prose
	case body[0] == '#', strings.HasPrefix(body, "**") && !strings.Contains(body[2:], "**") && strings.HasSuffix(strings.TrimSpace(s[start:end]), "**"):
		return heading
	case body[0] == '|' && isTableHead(s[end:]):
		return heading
	case !isLast && !isStop(last) && !hasWords(body, 5) && strings.HasPrefix(strings.TrimLeft(s[end:], " \t\r"), "\n"):
		return heading
	}
	return prose
}

// hasWords reports whether s has at least n words.
func hasWords(s string, n int) bool {
	for range strings.FieldsSeq(s) {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// isTableHead reports whether the line below is a table's rule: |---|---|.
func isTableHead(rest string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(rest, " \t\r\n|"), "\n")
	return strings.HasPrefix(strings.TrimLeft(line, ": "), "--")
}

func isStop(r rune) bool { return unicode.IsPunct(r) && r != ')' && r != '"' }

// minSaid is how many content words behind a "but" make more of a sentence than
// the denial before it: "I do not know him, but he graduated from Mississippi State".
const minSaid = 3

// kindOf types a claim by its form and its cues, and tells whether it is silent.
func (c *claimSplitter) kindOf(t *texts, k *statement, skip []bool, f form) (kind claimKind, silent bool) {
	tokens := t.answer.tokens
	var all, before cue
	content, talk, digits, said := 0, 0, 0, 0
	turned, unknown, absent, inside := false, false, false, false
	for i := k.body; i < k.to; i++ {
		id := tokens[i].ID
		if skip[i] || isLabel(t, k, i) {
			continue
		}
		cues := c.cues[id]
		if i == k.body && strings.HasPrefix(t.answer.text[tokens[i].End:], ",") {
			cues &^= denies // "No, the article says that it rained."
		}
		switch {
		case all&denies != 0 && cues&reports != 0, // "do not mention"
			before&reports != 0 && cues&denies != 0, // "mention no", but not "states that nobody was hurt"
			absent && inside && cues&holds != 0:     // "there is no price in the documents"
			unknown = true
		}
		absent = absent || content == 0 && cues&denies != 0
		inside = cues&within != 0 || inside && (cues&sources != 0 || !t.words.IsContent(id))
		turned = turned || all&denies != 0 && cues&turns != 0
		all, before = all|cues, cues
		if t.words.Flags(id)&text.Digit != 0 {
			digits++
		}
		if t.words.IsContent(id) {
			content++
			if cues&(talks|sources|reports|denies|first) != 0 {
				talk++
			} else if turned {
				said++
			}
		}
	}
	switch {
	case content == 0, isFootnote(t, k, skip):
		return general, true
	case (f == lead || f == question) && all&announces != 0, f == lead && digits == 0:
		return general, true
	case talk == content && digits == 0:
		return general, true
	case unknown && all&(sources|first) != 0 && digits == 0 && said < minSaid:
		return general, true
	case (f == question || f == heading || all&generalises != 0) && digits == 0:
		return general, false
	case all&concludes != 0:
		return inference, false
	}
	return assertion, false
}

// isFootnote reports whether a claim is what a footnote says: "[^1]: Annual report".
func isFootnote(t *texts, k *statement, skip []bool) bool {
	return skip[k.from] && strings.HasPrefix(t.answer.text[k.start:], "[^")
}

// maxPreamble is how many words "Based on the passages provided," may have.
const maxPreamble = 8

// preamble returns the first word of a claim behind what only says that the
// chunks say so.
func (c *claimSplitter) preamble(t *texts, k *statement) int {
	tokens := t.answer.tokens
	named := false
	for i := k.from; i < k.to && i-k.from < maxPreamble; i++ {
		cues := c.cues[tokens[i].ID]
		if i == k.from && cues&refers == 0 {
			return k.from
		}
		named = named || cues&sources != 0
		if named && i+1 < k.to && strings.HasPrefix(t.answer.text[tokens[i].End:], ",") {
			return i + 1
		}
	}
	return k.from
}

// isLabel reports whether word i is a number that names a part of the text: "1."
// or "2)" at the start of a claim, the "3." that ends one in a list on one line,
// the "4" of "Step 4".
func isLabel(t *texts, k *statement, i int) bool {
	token := t.answer.tokens[i]
	if t.words.Flags(token.ID)&text.Digit == 0 || token.End-token.Start > 2 {
		return false
	}
	if i > k.from {
		switch string(t.words.Text(t.answer.tokens[i-1].ID)) {
		case "step", "steps", "question", "passage", "passages", "option", "item", "tip", "method", "reason", "figure", "point":
			return true
		}
	}
	s := t.answer.text
	end := int(token.End)
	if end >= len(s) || s[end] != '.' && s[end] != ')' && s[end] != ':' {
		return false
	}
	switch i {
	case k.from:
		return i+1 < k.to || s[end] == '.'
	case k.to - 1:
		return s[end] == '.' && end+1 < len(s) && s[end+1] == ' ' && continuesList(t, i)
	}
	return false
}

// listItemWords bounds how far back the number before is looked for.
const listItemWords = 64

// continuesList reports whether word i is the next number of a list on one line,
// "1. Smoking 2. Radiation 3.", or its first.
func continuesList(t *texts, i int) bool {
	s, tokens := t.answer.text, t.answer.tokens
	before := strings.TrimRight(s[:tokens[i].Start], " ")
	n := listNumber(s[tokens[i].Start:tokens[i].End])
	if n <= 1 {
		return n == 1 && strings.HasSuffix(before, ":")
	}
	for j := i - 1; j >= 0 && i-j <= listItemWords; j-- {
		end := int(tokens[j].End)
		if listNumber(s[tokens[j].Start:end]) == n-1 && strings.HasPrefix(s[end:], ".") {
			return true
		}
	}
	return false
}

// listNumber reads the number of an item, or 0.
func listNumber(word string) (n int) {
	for i := range len(word) {
		if word[i]-'0' > 9 || i > 2 {
			return 0
		}
		n = n*10 + int(word[i]-'0')
	}
	return n
}

// countItems counts the items that the answer lists, by number or bullet.
func countItems(t *texts, statements []statement) int {
	items := 0
	for i := range statements {
		k := &statements[i]
		start := int(t.answer.tokens[k.from].Start)
		line := strings.TrimRight(t.answer.text[max(0, start-8):start], " ")
		if isLabel(t, k, k.from) || line != "" && strings.IndexByte("-*+", line[len(line)-1]) >= 0 || strings.HasSuffix(line, "•") {
			items++
		}
	}
	return items
}
