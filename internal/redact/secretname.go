package redact

import "strings"

// secrecy is how much a name says that its value is secret.
type secrecy uint8

const (
	notSecret   secrecy = iota
	maybeSecret         // "key", "auth": random values only
	tokenLike           // "api_key", "token": also UUIDs
	password            // also values that people choose
	header              // "Authorization": the scheme comes first
)

// secretWords are the words that make a name secret, the surest first.
var secretWords = [...]struct {
	word string
	is   secrecy
}{
	{"authorization", header},
	{"password", password},
	{"passwd", password},
	{"passphrase", password},
	{"passwort", password},
	{"kennwort", password},
	{"contraseña", password},
	{"pwd", password},
	{"pass", password},
	{"secret", tokenLike},
	{"token", tokenLike},
	{"apikey", tokenLike},
	{"credential", tokenLike},
	{"creds", tokenLike},
	{"key", maybeSecret},
	{"auth", maybeSecret},
	{"api", maybeSecret},
	{"access", maybeSecret},
	{"session", maybeSecret},
	{"bearer", tokenLike},
	{"webhook", maybeSecret},
	{"pat", maybeSecret}, // a personal access token
	{"sig", maybeSecret},
	{"mot de passe", password},
	{"wachtwoord", password},
	{"senha", password},
	{"parola", password},
	{"hasło", password},
	{"lösenord", password},
	{"adgangskode", password},
	{"passord", password},
	{"salasana", password},
	{"heslo", password},
	{"şifre", password},
	{"jelszó", password},
	{"пароль", password},
	{"Пароль", password},
	{"κωδικός", password},
	{"סיסמה", password},
	{"كلمة المرور", password},
	{"密码", password},
	{"密碼", password},
	{"口令", password},
	{"パスワード", password},
	{"비밀번호", password},
}

// letterOf returns 1 to 26 for a letter in any case, 0 for other bytes.
func letterOf(c byte) byte {
	if classes[c]&letter == 0 {
		return 0
	}
	return c & 0x1F
}

// byLetter returns the indexes of words by their first letter.
func byLetter(n int, word func(int) string) (t [27][]uint8) {
	for i := range n {
		c := letterOf(word(i)[0])
		t[c] = append(t[c], uint8(i))
	}
	return t
}

var (
	secretWordsBy = byLetter(len(secretWords), func(i int) string { return secretWords[i].word })
	providersBy   = byLetter(len(providers), func(i int) string { return providers[i] })
)

// harmless are words that, right before or behind one of secretWords, make the name that of something public.
var harmless = [...]string{
	"public", "pub", "primary", "foreign", "natural", "sort", "partition", "cache", "idempotency", "object", "row", "index", "csrf", "xsrf",
	"hot", "issuer", "schema", "sequence", "bucket", "random", "next", "page", "continuation", "tokenizer", "registry", "pass-through",
}

var harmlessAfter = [...]string{
	"id", "ids", "name", "names", "length", "len", "size", "type", "file", "path", "url", "uri", "endpoint", "alias", "version", "count",
	"expir", "algorithm", "store", "ring", "pair", "word", "board", "code", "frame", "hash", "host", "fingerprint", "vault", "tab",
	"ibility", "or", "ors", "ority", "entic", "usage", "limit", "policy", "issuer", "age", "at", "for", "of", "to", "press", "up", "down",
	"mgr", "manager", "field", "input", "form", "prompt", "hint", "reset", "ion", "engine", "phrasehash", "key id", "keyid", "selector", "stone", "note", "mode", "role", "level",
}

// siblingSecrecy reads the name out of <add key="Password" value="…"/>.
func siblingSecrecy(s string, i int) secrecy {
	i = runBack(s, i, space, 16)
	if !isQuote(s, i-1) {
		return notSecret
	}
	return nameSecrecy(s, max(0, i-maxName), i-1)
}

// nameSecrecy judges the words that end at to, from the last one back.
func nameSecrecy(s string, from, to int) secrecy {
	start := to
	for start > from && (classes[s[start-1]]&tokenDot != 0 || s[start-1] == ' ' || s[start-1] >= 0x80) {
		start--
	}
	name := s[start:to]
	for at := len(name) - 1; at >= 0; at-- {
		for _, k := range secretWordsBy[letterOf(name[at])] {
			w := secretWords[k]
			if !foldPrefix(name[at:], w.word) {
				continue
			}
			end := at + len(w.word)
			if len(name)-end > maxGap || !endsWord(name, end) || !beginsWord(name, at) && w.is == maybeSecret && !glued(name[:at]) ||
				!beginsWord(name, at) && w.word == "pass" || strings.IndexByte(name[end:], ' ') >= 0 && strings.Count(name[end:], " ") > 2 {
				continue
			}
			if isHarmless(name[:at], name[end:]) {
				return providerSecrecy(name)
			}
			if w.is == maybeSecret && providerSecrecy(name) != notSecret || w.word == "key" && glued(strings.TrimRight(name[:at], "_-. ")) {
				return tokenLike
			}
			return w.is
		}
	}
	return providerSecrecy(name)
}

// endsInSecretWord reports whether one of secretWords stands at the very end of s. A pass is not only a password.
func endsInSecretWord(s string) bool {
	for _, w := range secretWords {
		if w.word != "pass" && foldSuffix(s, w.word) {
			return true
		}
	}
	return false
}

// providers are services whose name alone makes a random value beside it one of their keys.
var providers = [...]string{
	"adafruit", "adobe", "airtable", "algolia", "alibaba", "anthropic", "artifactory", "asana", "atlassian", "beamer", "bitbucket", "bittrex",
	"clojars", "contribsys", "cloudflare", "codecov", "cohere", "coinbase", "confluence", "confluent", "contentful", "databricks", "datadog", "discord",
	"doppler", "drone", "droneci", "dropbox", "dynatrace", "easypost", "etsy", "facebook", "fastly", "figma", "finicity", "finnhub", "flickr",
	"flutterwave", "freshbooks", "gitter", "gocardless", "grafana", "heroku", "hubspot", "huggingface", "infracost", "intercom", "jfrog",
	"jira", "kraken", "kucoin", "launchdarkly", "linear", "linkedin", "looker", "mailchimp", "mailgun", "mapbox", "mattermost", "maxmind", "meraki",
	"messagebird", "mistral", "netlify", "newrelic", "new_relic", "new-relic", "new relic", "notion", "nytimes", "okta", "openai", "pagerduty", "pinecone",
	"plaid", "privateai", "planetscale", "postman", "pulumi", "rapidapi", "rollbar", "rubygems", "sendbird", "sendgrid", "sendinblue", "sentry", "shippo",
	"shopify", "sidekiq", "slack", "snyk", "sonar", "sourcegraph", "squarespace", "stripe", "sumologic", "sumo", "supabase", "telegram", "travis",
	"trello", "twilio", "twitch", "twitter", "typeform", "yandex", "zendesk",
}

// providerSecrecy judges a name by the service that it speaks of.
func providerSecrecy(name string) secrecy {
	if isPublicID(name) {
		return notSecret
	}
	for at := range name {
		if !beginsWord(name, at) {
			continue
		}
		for _, k := range providersBy[letterOf(name[at])] {
			w := providers[k]
			end := at + len(w)
			if foldPrefix(name[at:], w) && len(name)-end <= maxGap && (len(w) > 5 || endsWord(name, end)) {
				return tokenLike
			}
		}
	}
	return notSecret
}

// publicIDs are what services number and show to everybody.
var publicIDs = [...]string{
	"channel", "team", "workspace", "project", "event", "page", "post", "board", "card", "issue", "user", "build", "job", "domain", "region",
}

// isPublicID reports whether name is that of a thing at a service, as in slack_channel_id.
func isPublicID(name string) bool {
	for _, ending := range [...]string{"id", "name"} {
		if foldSuffix(name, ending) {
			name = strings.TrimRight(name[:len(name)-len(ending)], "_-. ")
			break
		}
	}
	for _, w := range publicIDs {
		if foldSuffix(name, w) && beginsWord(name, len(name)-len(w)) {
			return true
		}
	}
	return false
}

// endsWord reports whether a word ends at i of a name: keyFile and keys do, keyboard does not.
func endsWord(name string, i int) bool {
	if i < len(name) && (name[i] == 's' || name[i] == 'S') {
		i++
	}
	return i >= len(name) || classes[name[i]]&lower == 0 && (classes[name[i]]&upper == 0 || classes[name[i-1]]&lower != 0)
}

// beginsWord reports whether a word begins at i of a name.
func beginsWord(name string, i int) bool {
	if i == 0 || classes[name[i-1]]&letter == 0 {
		return true
	}
	return classes[name[i]]&upper != 0 && classes[name[i-1]]&lower != 0
}

// glued reports whether a name ends in a word that is often written together with key or auth.
func glued(name string) bool {
	for _, w := range [...]string{"api", "access", "secret", "private", "auth", "master", "encryption", "signing", "app", "admin", "account", "license", "service", "shared", "hmac", "storage", "deploy", "client", "consumer", "subscription"} {
		if foldSuffix(name, w) {
			return true
		}
	}
	return false
}

func isHarmless(before, after string) bool {
	before = strings.TrimRight(before, "_-. ")
	for _, w := range harmless {
		if foldSuffix(before, w) && beginsWord(before, len(before)-len(w)) {
			return true
		}
	}
	if len(after) > 1 && lowered(after[0]) == 's' && endsWord(after, 1) {
		after = after[1:] // of the plural
	}
	after = strings.TrimLeft(after, "_-. ")
	for _, w := range harmlessAfter {
		if foldPrefix(after, w) && endsWord(after, len(w)) {
			return true
		}
	}
	return false
}
