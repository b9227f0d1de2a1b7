package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/internal/redact"
)

func TestTokensOfOddFormsAreFound(t *testing.T) {
	assertFinds(t, redact.Secrets,
		"Use «"+join("xapp-1", "-A0RST-13107-dc30f6ab")+"» here",
		"from «"+join("xoxr-", "qnOmKqSfkFFyIIKhNuZWlDhugxPvXjoWvM")+"».",
		"cookie «"+join("ZXlK", "aGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUkx")+"»",
		`'secret_key' => '«`+join("sk_", "ubQ4y{3mzq%R2x8#P7r5&@*xC$utE")+`»',`,
		"my new relic user api id is «GdDNSOL9TPVmuh7cuN1V1mT8Eg9CzAP8»",
	)
	for _, text := range []string{"'sk_the_words_of_a_longer_key_name'", "see xapp-platform-getting-started-guide", "slack_channel: C7VLW0V78R1P"} {
		assert.Equal(t, text, redact.Redact(text, redact.Secrets))
	}
}

func TestValuesAreFoundThatTurnSeldomOrBeginWithASign(t *testing.T) {
	assertFinds(t, redact.Secrets,
		"airtable_api_key: «tqsx8aggljvxiwcbv»", `client_secret = "«qzxvbnmwkjrtpfhgdlqx»"`,
		"signing_key: «/yGqkWxJMvYjSepmHYPZLGoXUIxsDInqBJxFltNvOzPDWsbNmZnsTZhw»",
		`<ADD KEY="CLEARTEXTPASSWORD"`+"\n\t\t"+`VALUE="«UeBhDTwv052I-A»" />`,
		`-H "Authorization: Api-Token`+"\t"+`«XLBNlcNUqfjLOvq»"`,
	)
	for _, text := range []string{
		"signing_key: /usr/lib/x86_64-linux-gnu/engines/providers/legacy", "access_key_provider: jsonwebtoken:jjwt-jackson-0.11.2",
		`token = "HTTPSTransportLayer"`, `secret: "kubernetes-dashboard-csrf"`,
	} {
		assert.Equal(t, text, redact.Redact(text, redact.Secrets))
	}
}

func TestUserFlagsAreRead(t *testing.T) {
	assertFinds(t, redact.Secrets,
		`curl -u "«kim lee:pQ9 wTxu4»" x`, `curl --user="«:f7Kq2xWp9d»"`, `curl -u '«tq7Xw2mPz9:»' x`, `curl -u «kim:"pQ9w Txu4»" x`, `curl -u "«kim":pQ9wTxu4» x`,
	)
	for _, text := range []string{
		"docker run -u 1000:1000 img", "hg commit --user 'bwk' --date '2017-09-21T21:14:14-04:00'", "curl -u : x", "curl -u $USER:$PASSWORD x",
		"use -u\nnote: this", "the flag -u means: update",
	} {
		assert.Equal(t, text, redact.Redact(text, redact.Secrets))
	}
}

func TestHashesAndIdentifiersAreLeftAlone(t *testing.T) {
	const hex, base64 = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	drawn := rand.New(rand.NewPCG(3, 4))
	draw := func(from string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[drawn.IntN(len(from))]
		}
		return string(b)
	}
	for _, form := range []string{
		"commit {hex40}", "{hex64}  linux.tar.gz", "image: nginx@sha256:{hex64}", `ETag: "{hex32}"`, "request_id={hex8}-{hex4}-{hex4}-{hex4}-{hex12} ok",
		`"integrity": "sha512-{b6486}=="`, "github.com/a/b v1.2.3 h1:{b6443}=", "data:image/png;base64,iVBORw0KGgo{b64200}", "sentry event {hex32} was captured",
		"https://github.com/a/b/commit/{hex40}", "slack_channel_id: C{hex10}",
	} {
		fill := func() string {
			var b strings.Builder
			for piece := range strings.SplitSeq(form, "{") {
				class, rest, ok := strings.Cut(piece, "}")
				if !ok {
					b.WriteString(piece)
					continue
				}
				from := hex
				size, isHex := strings.CutPrefix(class, "hex")
				if !isHex {
					from, size = base64, strings.TrimPrefix(class, "b64")
				}
				n := 0
				for _, c := range size {
					n = n*10 + int(c-'0')
				}
				b.WriteString(draw(from, n) + rest)
			}
			return b.String()
		}
		for range 100 {
			text := fill()
			assert.Equal(t, text, redact.Redact(text, redact.Secrets))
		}
	}
}

func TestShortAndSignedValuesBehindSureNamesAreFound(t *testing.T) {
	assertFinds(t, redact.Secrets,
		"ACME_API_KEY=«fbf3217cc6c1d61c»", `client_secret = "«e8bf6a74fa8f4fefd7fe»"`, "deploy_key: «7c4f90e2ab61d835»",
		"https://x.io/a?app_secret=«+YxSItZnCWf4tqdWT1kDfxB1»&b=1", "- **session_secret**: `«6DwQOkG_M80Ti4pO»`", "--hmac-key «zr0vP4rg0lvbKJXtyKl60gZNtkpg62uX»",
		"AZURE_PAT=«bg55dwuzyuxn4evwz3syrk3vy5iue2»",
	)
	for _, text := range []string{"pat = regexp2.MustCompile(x)", "pat: [a-z0-9]{3}", "storageKey: 'my-settings-v2'", "phone_key: +4915112345678901", "client_key_id: 9f8e7d6c5b4a"} {
		assert.Equal(t, text, redact.Redact(text, redact.Secrets))
	}
}
