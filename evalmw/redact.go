package evalmw

import (
	"fmt"
	"unsafe"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/redact"
)

// Redact returns text with marks such as [EMAIL] and [SECRET] in the place of
// personal data and secrets, for [WithRedaction]. It is [RedactPII] and
// [RedactSecrets] in one pass; text without any is returned as it is, without
// allocation.
func Redact(text string) string { return redact.Redact(text, redact.PII|redact.Secrets) }

// RedactPII replaces personal data that has a form: e-mail addresses, phone
// numbers, United States social security and taxpayer numbers, payment cards,
// IBANs, IP addresses, and dates that are called a date of birth. Names and postal
// addresses have none and stay; so does a value of which the limit of
// [WithMaxSampleBytes] cut off a part.
func RedactPII(text string) string { return redact.Redact(text, redact.PII) }

// RedactSecrets replaces credentials: the keys and tokens of well-known
// providers, private keys, passwords in URLs and headers, and random values that
// are assigned to names such as api_key or stand right behind one. What looks like
// any other word stays.
func RedactSecrets(text string) string { return redact.Redact(text, redact.Secrets) }

// redact runs how on the user's function, and reports false if that panicked.
func (p *Pipeline) redact(how func(func(string) string)) (ok bool) {
	if p.cfg.redact == nil {
		return true
	}
	defer func() {
		if v := recover(); v != nil {
			p.report("redaction", fmt.Errorf("evalmw.WithRedaction: expected a function that returns, found a panic with a value of type %T", v))
			ok = false
		}
	}()
	how(p.cfg.redact)
	return true
}

// redactRetrieval changes the snapshot of the retrieval, whose chunks are those of
// the turn unless the request has replaced them.
func (t *turn) redactRetrieval(f func(string) string) {
	made := replace(&t.first.Query, f) + redactChunks(t.first.Retrieval.Chunks, f)
	t.made.Store(int64(made))
	t.redacted = true
}

// redactAll changes all texts of the turn.
func (t *turn) redactAll(f func(string) string) {
	s := &t.sample
	replace(&s.Query, f)
	if !t.redacted || !sameChunks(&t.first, s) {
		redactChunks(s.Retrieval.Chunks, f)
	}
	for i := range s.Extractions {
		replace(&s.Extractions[i].Value, f)
		replace(&s.Extractions[i].Evidence, f)
	}
	replace(&s.Answer.Text, f)
	for i := range s.Answer.Speakers {
		replace(&s.Answer.Speakers[i].Name, f)
		replace(&s.Answer.Speakers[i].Role, f)
	}
}

func redactChunks(chunks []rag.Chunk, f func(string) string) (made int) {
	for i := range chunks {
		made += replace(&chunks[i].Text, f)
		made += replace(&chunks[i].HeadingPath, f)
	}
	return made
}

// replace returns the bytes of text that f has made anew.
func replace(text *string, f func(string) string) (made int) {
	old := *text
	if old == "" {
		return 0
	}
	*text = f(old)
	if unsafe.StringData(*text) == unsafe.StringData(old) {
		return 0
	}
	return len(*text)
}
