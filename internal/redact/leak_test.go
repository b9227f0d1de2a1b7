package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/internal/redact"
)

// What is found is found whole: no rest of it stays in the text.
func TestNothingOfALongSecretStays(t *testing.T) {
	long := strings.Repeat("aZ3k9QvT7x", 64)
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEow"+"IBAAKCAQ", 12) + "\n-----END RSA " + "PRIVATE KEY-----"
	for name, in := range map[string]string{
		"two keys without a line between": key + key,
		"a password behind -u":            "curl -u bob:" + long + " https://example.org",
		"a password in a URL":             "postgres://bob:" + long + "@db.internal/app",
	} {
		t.Run(name, func(t *testing.T) {
			out := redact.Redact(in, redact.Secrets)
			assert.NotContains(t, out, "aZ3k9QvT7x")
			assert.NotContains(t, out, "IBAAKCAQ")
		})
	}
}
