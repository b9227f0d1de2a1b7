package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/redact"
)

const all = redact.PII | redact.Secrets | redact.Metadata

// join keeps secret scanners from raising an alarm on this file.
func join(parts ...string) string { return strings.Join(parts, "") }

func TestPersonalDataIsReplaced(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"email":                      {"Write to jane.doe+x@mail.example.co.uk.", "Write to [EMAIL]."},
		"email in a link":            {"[us](mailto:us@example.com)", "[us](mailto:[EMAIL])"},
		"email of another alphabet":  {"Пишите на иван@пример.рф!", "Пишите на [EMAIL]!"},
		"email in Chinese":           {"请联系wang@example.cn谢谢", "请联系[EMAIL]谢谢"},
		"email of digits":            {"10012345678@qq.com", "[EMAIL]"},
		"international phone":        {"at +49 (0)89 636 48018, or", "at [PHONE], or"},
		"American phone":             {"(212) 555-0123 x45", "[PHONE]"},
		"glued extension":            {"930.167.3943x674", "[PHONE]"},
		"Russian phone":              {"8 (495) 123-45-67", "[PHONE]"},
		"Australian phone":           {"(06).4586.5285", "[PHONE]"},
		"undivided, by a weak word":  {"Contact: 08294747226", "Contact: [PHONE]"},
		"dotted phone":               {"930.167.3943.", "[PHONE]."},
		"phone with zeros":           {"001-518-640-0854", "[PHONE]"},
		"British phone":              {"020 7946 0958", "[PHONE]"},
		"French phone":               {"01 42 68 53 00", "[PHONE]"},
		"phone by its word":          {"Tel.: 5551234", "Tel.: [PHONE]"},
		"phone in German":            {"Rufnummer 89 6364 80", "Rufnummer [PHONE]"},
		"phone by the word behind":   {"416 60 039 office", "[PHONE] office"},
		"phone on a line of its own": {"Phone:\n781 1704", "Phone:\n[PHONE]"},
		"social security number":     {"SSN 536-22-1234", "SSN [SSN]"},
		"undivided, by its word":     {"social security number: 536221234", "social security number: [SSN]"},
		"taxpayer number":            {"900-70-1234", "[TAX_ID]"},
		"card":                       {"4111 1111 1111 1111", "[CARD]"},
		"American Express":           {"3782-822463-10005", "[CARD]"},
		"card of an odd network":     {"card 501864667909", "card [CARD]"},
		"IBAN":                       {"DE89 3704 0044 0532 0130 00.", "[IBAN]."},
		"IBAN in lower case":         {"gb82west12345698765432", "[IBAN]"},
		"IPv4":                       {"from 203.0.113.77:8080", "from [IP]:8080"},
		"IPv6":                       {"[2001:db8::8a2e:370:7334]:443", "[[IP]]:443"},
		"IPv6 in full":               {"6e40:4041:c617:e898:c11:40d2:c669:2eb4", "[IP]"},
		"date of birth":              {"DOB: 04/12/1975", "DOB: [BIRTH_DATE]"},
		"two in a row":               {"a@b.de, c@d.de", "[EMAIL], [EMAIL]"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Redact(tt.text, redact.PII))
		})
	}
}

func TestOtherNumbersAreLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"year":                      "in 2019 2020 2021",
		"years after a call":        "the earnings call 2019 2020",
		"date":                      "2024-01-15 10:30:00, 15.01.2024, 1/15/2024",
		"amount":                    "$4,111,111.11 and €536221234",
		"fraction":                  "0.09999999999999998 of 3.14159265358979",
		"order":                     "order number 781 1704, invoice 4155551234",
		"account beside a call":     "call about account 41660039",
		"ZIP code":                  "Boston, MA 02110-1301",
		"license":                   "my driver's license number is 2270-66-1551",
		"never issued":              "666-12-3456, 000-12-3456, 123-00-4567, 123-45-0000, 950-20-1234",
		"wrong check digit":         "4111 1111 1111 1112",
		"short card without a word": "501864667909",
		"ISBN":                      "978-3-16-148410-0",
		"IBAN with a wrong check":   "DE88 3704 0044 0532 0130 00",
		"version":                   "version 12.34.56.78, v10.20.30.40",
		"section":                   "see 4.2.1.12 and Section 10.20.30.40",
		"mask and loopback":         "127.0.0.1 255.255.255.0 0.0.0.0",
		"name in C++":               "std::vector, abc::def, Fcntl::ab",
		"time and MAC":              "12:30:45 and 00:1b:44:11:3a:b7",
		"file name":                 "logo@2x.png",
		"mention":                   "@someone and some@one",
		"limits":                    "number: from -2147483648 to 2147483647, digits 0123456789",
		"table":                     "1 234 567 890 | 12 345 678 | 200 300 400",
		"hexadecimal dump":          "e8 00 00 00 00 01 02 03 04 05 ff",
		"piece of a code":           "a1-415-555-1234 X4111111111111111 4111111111111111abc",
		"range of pages":            "pp. 1023-1045",
		"memory of text":            "the compass, the monkey: both passed",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, text, redact.Redact(text, redact.PII|redact.Secrets))
		})
	}
}

func TestSecretsAreReplaced(t *testing.T) {
	const drawn = "Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB"
	for name, tt := range map[string]struct{ text, want string }{
		"AWS":                 {join("id AKIA", "QYLPMN5HHHFPZAM2,"), "id [SECRET],"},
		"GitHub":              {join("ghp_", drawn, "7f2Q."), "[SECRET]."},
		"web token":           {join("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", drawn), "[SECRET]"},
		"private key":         {join("-----BEGIN RSA PRIVATE ", "KEY-----\n", drawn, drawn, drawn, "\n-----END RSA PRIVATE KEY----- x"), "[SECRET] x"},
		"private key cut off": {join("k=-----BEGIN PRIVATE ", "KEY-----\\n", drawn, drawn, drawn), "k=[SECRET]"},
		"URL":                 {"postgres://app:h4rdToGuess@db/x", "postgres://[SECRET]@db/x"},
		"curl":                {"curl -u 'kim:pQ9wTxu4Fg' x", "curl -u '[SECRET]' x"},
		"header":              {"Authorization: Bearer " + drawn, "Authorization: Bearer [SECRET]"},
		"webhook":             {join("https://hooks.slack.com/", "services/T024TTTTT/BBB72BBL/AZAAA9u0pA4ad666eMgbi555"), "https://[SECRET]"},
		"assignment":          {"API_KEY=" + drawn + "\nX=1", "API_KEY=[SECRET]\nX=1"},
		"JSON":                {`{"clientSecret": "` + drawn + `"}`, `{"clientSecret": "[SECRET]"}`},
		"JSON in a string":    {`{\"access-key\": \"` + drawn + `\"}`, `{\"access-key\": \"[SECRET]\"}`},
		"escaped line end":    {`"x.ini": "TOKEN=` + drawn + `\nBACKUP=true"`, `"x.ini": "TOKEN=[SECRET]\nBACKUP=true"`},
		"raw string":          {"token = r'" + drawn + "'", "token = r'[SECRET]'"},
		"user and password":   {"BUNDLE_GEMS__CONTRIBSYS__COM=cafebabe:deadbeef", "BUNDLE_GEMS__CONTRIBSYS__COM=[SECRET]"},
		"hash rocket":         {"'token' => '" + drawn + "'", "'token' => '[SECRET]'"},
		"Go":                  {"token := `" + drawn + "`", "token := `[SECRET]`"},
		"element":             {"<password>hunter2!</password>", "<password>[SECRET]</password>"},
		"attributes":          {`<add key="Password" value="s3cr3tWord" />`, `<add key="Password" value="[SECRET]" />`},
		"sentence":            {"the password is hunter2.", "the password is [SECRET]."},
		"query of a URL":      {"https://a.b/c?access_token=" + drawn + "&x=1", "https://a.b/c?access_token=[SECRET]&x=1"},
		"provider":            {"datadog: " + drawn, "datadog: [SECRET]"},
		"UUID of a service":   {"SNYK_TOKEN=0afae57f-3ccf-4d7f-8767-067bc48b30f7", "SNYK_TOKEN=[SECRET]"},
		"argument":            {`setenv("API_TOKEN", "` + drawn + `")`, `setenv("API_TOKEN", "[SECRET]")`},
		"Kubernetes": {
			"kind: Secret\ndata:\n  # of the user\n  user: \"YWRtaW5pc3Q=\"\n  password: |\n    cGFzc3dvcmQ=\n  none: {{ .Values.x }}\n",
			"kind: Secret\ndata:\n  # of the user\n  user: \"[SECRET]\"\n  password: |\n    [SECRET]\n  none: {{ .Values.x }}\n",
		},
		"Kubernetes, kind last": {"data:\n  user: YWRtaW5pc3Q=\nkind: 'Secret'\n", "data:\n  user: [SECRET]\nkind: 'Secret'\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Redact(tt.text, redact.Secrets))
		})
	}
}

func TestWhatStandsForASecretIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"variable":         "password=${DB_PASSWORD} token=$TOKEN key={{ .Key1 }}",
		"call":             "token = getToken2(x) secret = os.Getenv(KEY1)",
		"reference":        "apiKey: process.env.API_KEY1 key = win32api.OpenKeyEx password=this.pass1+x",
		"example":          join("AKIA", "IOSFODNN7EXAMPLE"),
		"crossed out":      "Authorization: Bearer xxxxxxxxxxxxxxxx1 token=********",
		"shortened":        "token=Zf3D0LXCM3EIMbgJp...",
		"placeholder":      "Authorization: Bearer <your token 1>",
		"user and host":    "postgres://user:password@localhost/db",
		"name of a secret": "secret_name: db-credentials-v2",
		"path":             "key_file=/etc/ssl/private/server1.key",
		"public key":       "public_key = Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB",
		"hash":             "commit 0afae57f3ccfd9d7f5767067bc48b30f719e271b",
		"id":               "credentialsId: 0afae57f-3ccf-4d7f-8767-067bc48b30f7",
		"prose":            "The key: patience. A token of respect, the secret to success: hardworking2",
		"empty key":        "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
		"other document":   "kind: Secret\n---\nkind: ConfigMap\ndata:\n  user: YWRtaW5pc3Q=\n",
		"sealed secret":    "kind: SealedSecret\ndata:\n  user: YWRtaW5pc3Q=\n",
		"config map":       "kind: ConfigMap\ndata:\n  user: YWRtaW5pc3Q=\n",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, text, redact.Redact(text, redact.Secrets))
		})
	}
}

func TestInternalMetadataIsReplaced(t *testing.T) {
	const id = "0afae57f-3ccf-4d7f-8767-067bc48b30f7"
	for name, tt := range map[string]struct{ text, want string }{
		"chunk id":       {`{"chunk_id": "annual-report#12"}`, `{"chunk_id": "[INTERNAL_ID]"}`},
		"tenant":         {"tenantId=acme-7,", "tenantId=[INTERNAL_ID],"},
		"UUID":           {"from chunk " + id + ".", "from chunk [INTERNAL_ID]."},
		"other UUID":     {"model " + id, "model " + id},
		"host":           {"see http://search-1.prod.internal:9200/x", "see http://[INTERNAL_HOST]:9200/x"},
		"public host":    {"see www.example.com", "see www.example.com"},
		"path":           {"in /var/lib/rag/index.db.", "in [PATH]."},
		"Windows path":   {`at C:\Users\kim\doc.txt`, `at [PATH]`},
		"bucket":         {"s3://corpus/2024/a.pdf", "[PATH]"},
		"URL path":       {"https://example.com/home/page", "https://example.com/home/page"},
		"prompt":         {"<|im_start|>system", "[PROMPT]system"},
		"instruction":    {"[INST] be brief [/INST]", "[PROMPT] be brief [PROMPT]"},
		"either slash":   {"and/or his/her", "and/or his/her"},
		"ordinary colon": {"the document: a story", "the document: a story"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Redact(tt.text, redact.Metadata))
		})
	}
}

func TestIDsOfTheSampleAreFoundAsWordsOfTheirOwn(t *testing.T) {
	const text = "[doc-12#3] says so, doc-12#34 and budget do not."
	found := redact.AppendIDs(nil, text, []string{"doc-12#3", "budget", "absent-1"})
	require.Len(t, found, 1)
	assert.Equal(t, "doc-12#3", text[found[0].Start:found[0].End])
	assert.Equal(t, redact.InternalID, found[0].Kind)
}

func TestOffsetsBecomeCodePoints(t *testing.T) {
	const text = "Grüße\xff an müller@example.de und a@b.de"
	found := redact.Append(nil, text, redact.PII)
	redact.CodePoints(text, found)
	require.Len(t, found, 2)
	points := []rune(text)
	assert.Equal(t, "müller@example.de", string(points[found[0].Start:found[0].End]))
	assert.Equal(t, "a@b.de", string(points[found[1].Start:found[1].End]))
}

func TestOnlyWhatIsLookedForIsFound(t *testing.T) {
	text := "a@b.de password=hunter2! chunk_id=abc-1 /var/lib/x"
	for look, want := range map[redact.Types]string{
		redact.PII:      "[EMAIL] password=hunter2! chunk_id=abc-1 /var/lib/x",
		redact.Secrets:  "a@b.de password=[SECRET] chunk_id=abc-1 /var/lib/x",
		redact.Metadata: "a@b.de password=hunter2! chunk_id=[INTERNAL_ID] [PATH]",
		all:             "[EMAIL] password=[SECRET] chunk_id=[INTERNAL_ID] [PATH]",
		0:               text,
	} {
		assert.Equal(t, want, redact.Redact(text, look))
	}
}

func TestEveryKindHasANameATypeAndAMark(t *testing.T) {
	names := map[string]bool{}
	for k := redact.Email; k <= redact.PromptMarker; k++ {
		assert.NotEmpty(t, k.Type().String())
		assert.Regexp(t, `^\[[A-Z_]+\]$`, k.Mark())
		assert.False(t, names[k.String()], k.String())
		names[k.String()] = true
	}
}

func TestCleanTextIsReturnedWithoutAllocation(t *testing.T) {
	text := english
	found := make([]redact.Finding, 0, 8)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		found = redact.Append(found[:0], text, all)
		redact.Redact(text, all)
	}))
	dirty := strings.Repeat("call 212-555-0123 or a@b.de, password=hunter2! ", 2)
	assert.Zero(t, testing.AllocsPerRun(100, func() { found = redact.Append(found[:0], dirty, all) }))
	require.Len(t, found, 6)
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		english, "a@b.de +49 (0)89 636 48018 536-22-1234 4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00 2001:db8::1 1.2.3.4",
		"password=hunter2! Authorization: Bearer abc123def456 https://u:p4ss@h/", join("-----BEGIN PRIVATE ", "KEY-----"), "kind: Secret\ndata:\n a: YWRtaW5pc3Q=",
		"chunk_id=1 <|im_start|> C:\\x \\\\s\\x s3://a/b 123456789:AAbc 1|2", "\xff\xfe@\xc2\xa0(((+++00:::===...---", "the password is ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for look := redact.Types(0); look <= all; look++ {
			end := 0
			found := redact.Append(nil, s, look)
			for _, x := range found {
				require.GreaterOrEqual(t, x.Start, end, "in order, without overlap")
				require.Less(t, x.Start, x.End)
				require.LessOrEqual(t, x.End, len(s))
				require.NotZero(t, x.Kind.Type()&look)
				end = x.End
			}
			if got := redact.Redact(s, look); len(found) == 0 {
				require.Equal(t, s, got)
			}
			redact.CodePoints(s, found)
		}
		redact.AppendIDs(nil, s, []string{s, s[:len(s)/2]})
	})
}
