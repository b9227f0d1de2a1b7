// Package redact finds what a text should not show: personal data, secrets, and internal metadata.
//
// It recognises forms, not meanings: what has a checksum is computed, what has a known prefix is matched, and what only
// looks like any other number counts when a word beside it says what it is. Names and postal addresses have no form, so
// they are not found. Detection and false positives on text written by others are measured in the package's tests.
//
// All functions take any bytes, are safe for concurrent use, and take time linear in the length of the text.
package redact

import "strings"

// Types is a set of what to look for. The zero value looks for nothing.
type Types uint8

// What can be looked for.
const (
	PII      Types = 1 << iota // e-mail addresses, phone, card and account numbers, …
	Secrets                    // keys, tokens, passwords
	Metadata                   // internal ids, hosts, paths, and pieces of prompts
)

// String returns the name that a single type has in the wire form, such as "pii_exposure", and "" for a set.
func (t Types) String() string {
	switch t {
	case PII:
		return "pii_exposure"
	case Secrets:
		return "secret_exposure"
	case Metadata:
		return "metadata_exposure"
	}
	return ""
}

// Kind is what was found.
type Kind uint8

// The kinds, in the order of their types.
const (
	Email Kind = iota + 1
	Phone
	SSN
	TaxID // a United States individual taxpayer number
	Card
	IBAN
	IP
	BirthDate

	AWSKey
	GitHubToken
	GitLabToken
	SlackToken
	StripeKey
	OpenAIKey
	AnthropicKey
	GoogleKey
	NPMToken
	PyPIToken
	ProviderToken // one of another provider
	JWT
	PrivateKey
	Webhook
	URLPassword
	AuthHeader
	AssignedSecret // a value beside a word such as password or token

	InternalID
	InternalHost
	FilePath
	PromptMarker
)

var kinds = [...]struct {
	name, mark string
	is         Types
}{
	Email:     {"email", "[EMAIL]", PII},
	Phone:     {"phone", "[PHONE]", PII},
	SSN:       {"us_ssn", "[SSN]", PII},
	TaxID:     {"us_itin", "[TAX_ID]", PII},
	Card:      {"card", "[CARD]", PII},
	IBAN:      {"iban", "[IBAN]", PII},
	IP:        {"ip", "[IP]", PII},
	BirthDate: {"birth_date", "[BIRTH_DATE]", PII},

	AWSKey:         {"aws_key", "[SECRET]", Secrets},
	GitHubToken:    {"github_token", "[SECRET]", Secrets},
	GitLabToken:    {"gitlab_token", "[SECRET]", Secrets},
	SlackToken:     {"slack_token", "[SECRET]", Secrets},
	StripeKey:      {"stripe_key", "[SECRET]", Secrets},
	OpenAIKey:      {"openai_key", "[SECRET]", Secrets},
	AnthropicKey:   {"anthropic_key", "[SECRET]", Secrets},
	GoogleKey:      {"google_key", "[SECRET]", Secrets},
	NPMToken:       {"npm_token", "[SECRET]", Secrets},
	PyPIToken:      {"pypi_token", "[SECRET]", Secrets},
	ProviderToken:  {"provider_token", "[SECRET]", Secrets},
	JWT:            {"jwt", "[SECRET]", Secrets},
	PrivateKey:     {"private_key", "[SECRET]", Secrets},
	Webhook:        {"webhook", "[SECRET]", Secrets},
	URLPassword:    {"url_password", "[SECRET]", Secrets},
	AuthHeader:     {"auth_header", "[SECRET]", Secrets},
	AssignedSecret: {"assigned_secret", "[SECRET]", Secrets},

	InternalID:   {"internal_id", "[INTERNAL_ID]", Metadata},
	InternalHost: {"internal_host", "[INTERNAL_HOST]", Metadata},
	FilePath:     {"file_path", "[PATH]", Metadata},
	PromptMarker: {"prompt_marker", "[PROMPT]", Metadata},
}

// String returns the kind's name in the wire form, such as "email"; "" for the zero Kind.
func (k Kind) String() string { return kinds[k].name }

// Type returns the one type that the kind belongs to.
func (k Kind) Type() Types { return kinds[k].is }

// Mark returns what stands for a value of this kind in a redacted text, such as "[EMAIL]". All secrets share one.
func (k Kind) Mark() string { return kinds[k].mark }

// A Finding is one value found in a text, at s[Start:End]. Offsets are in bytes; see [CodePoints].
type Finding struct {
	_ struct{}

	Kind       Kind
	Start, End int
}

// Append appends what it finds in s to dst, in the order of the text and without overlap. It allocates only where dst
// must grow.
func Append(dst []Finding, s string, look Types) []Finding {
	sc := scanner{s: s, look: look, found: dst}
	sc.run()
	return sc.found
}

// Redact returns s with a mark in the place of each value found, or s itself, without allocation, if there is none. Equal
// values get equal marks, so that redacted texts can still be compared.
func Redact(s string, look Types) string {
	found := Append(nil, s, look)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8*len(found))
	from := 0
	for _, f := range found {
		b.WriteString(s[from:f.Start])
		b.WriteString(f.Kind.Mark())
		from = f.End
	}
	b.WriteString(s[from:])
	return b.String()
}

// CodePoints changes the offsets of findings in s, as Append left them, from bytes to Unicode code points. An invalid byte
// counts as one.
func CodePoints(s string, found []Finding) {
	bytes, points := 0, 0
	at := func(offset int) int {
		for range s[bytes:offset] {
			points++
		}
		bytes = offset
		return points
	}
	for i := range found {
		found[i].Start = at(found[i].Start)
		found[i].End = at(found[i].End)
	}
}
