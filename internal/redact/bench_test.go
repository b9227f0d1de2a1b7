package redact_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/touchstone-rag/touchstone/internal/redact"
)

var english = strings.Repeat("Sales by contract type: substantially all of our contracts are fixed-price type contracts. Net sales rose "+
	"15% to $1,452.4 million in fiscal 2019, mainly because of strong demand in Europe, and the board's report says so. ", 70)

// hostile are texts that keep the detectors busy without a finding.
var hostile = map[string]string{
	"operators": "key:token=", "digits": "1234567 ", "groups": "1 ", "prefixes": "glpat-", "ats": "a@a", "colons": "ab:", "dots": "1.2.3.",
	"schemes": "http://a:b", "quotes": `password="`, "data": "kind: Secret\ndata:", "keys": "-----BEGIN PRIVATE KEY-----", "web": "eyaaaaaaaaaaaaaaaaaaaa.ey",
	"names": "password x1 ", "rows": "1\u00a0", "underscores": "a1_",
}

func BenchmarkAppend(b *testing.B) {
	bench := func(name, text string, look redact.Types) {
		b.Run(name, func(b *testing.B) {
			var found []redact.Finding
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				found = redact.Append(found[:0], text, look)
			}
		})
	}
	bench("english/pii", english, redact.PII)
	bench("english/secrets", english, redact.Secrets)
	bench("english/both", english, redact.PII|redact.Secrets)
	bench("english/all", english, all)
	for name, piece := range hostile {
		bench("hostile/"+name+"/16K", strings.Repeat(piece, 16<<10/len(piece)), all)
		bench("hostile/"+name+"/256K", strings.Repeat(piece, 256<<10/len(piece)), all) // at the same speed
	}
}

// BenchmarkRegexp is the plain way, with a handful of the patterns.
func BenchmarkRegexp(b *testing.B) {
	patterns := []*regexp.Regexp{
		regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`),
		regexp.MustCompile(`(?:\+\d{1,3}[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}`),
		regexp.MustCompile(`\b\d{3}-\d{2}-\d{4}\b`),
		regexp.MustCompile(`\b(?:\d[ -]?){13,19}\b`),
		regexp.MustCompile(`(?i)(?:key|secret|token|password)["' ]*[:=]["' ]*[\w.+/-]{10,}`),
	}
	b.SetBytes(int64(len(english)))
	for b.Loop() {
		for _, p := range patterns {
			p.FindAllStringIndex(english, -1)
		}
	}
}
