package redact

import "strings"

// form is how a provider's credentials look: a prefix that nothing else has, and what follows.
type form struct {
	prefix  string
	body    class
	least   int     // characters of the body
	entropy float64 // bits per character of the body, 0 for any
	kind    Kind
}

// forms are documented by their providers, mostly for secret scanners. The lengths are lower bounds, a little below what
// is issued: a longer token must not pass because the provider has made it so.
var forms = [...]form{
	{"AKIA", upper | digit, 16, 3, AWSKey},
	{"ASIA", upper | digit, 16, 3, AWSKey},
	{"ABIA", upper | digit, 16, 3, AWSKey},
	{"ACCA", upper | digit, 16, 3, AWSKey},
	{"A3T", upper | digit, 17, 3, AWSKey},
	{"ABSK", base64, 100, 3, AWSKey},
	{"bedrock-api-key-", base64, 20, 3, AWSKey},
	{"ghp_", alnum, 36, 3, GitHubToken},
	{"gho_", alnum, 36, 3, GitHubToken},
	{"ghu_", alnum, 36, 3, GitHubToken},
	{"ghs_", alnum, 36, 3, GitHubToken},
	{"ghr_", alnum, 36, 3, GitHubToken},
	{"github_pat_", word, 60, 3, GitHubToken},
	{"glpat-", tokenDot, 20, 3, GitLabToken},
	{"glptt-", token, 20, 3, GitLabToken},
	{"gldt-", token, 20, 3, GitLabToken},
	{"glrt-", tokenDot, 20, 3, GitLabToken},
	{"glcbt-", token, 20, 3, GitLabToken},
	{"glffct-", token, 20, 3, GitLabToken},
	{"glft-", token, 20, 3, GitLabToken},
	{"glimt-", token, 20, 3, GitLabToken},
	{"glagent-", token, 20, 3, GitLabToken},
	{"gloas-", token, 20, 3, GitLabToken},
	{"glsoat-", token, 20, 3, GitLabToken},
	{"GR1348941", token, 20, 3, GitLabToken},
	{"xoxb-", token, 17, 2.5, SlackToken},
	{"xoxp-", token, 17, 2, SlackToken},
	{"xoxe-", token, 17, 2, SlackToken},
	{"xoxe.xox", token, 100, 3, SlackToken},
	{"xoxo-", token, 10, 2, SlackToken},
	{"xoxs-", token, 10, 2, SlackToken},
	{"xoxa-", token, 8, 2, SlackToken},
	{"xoxr-", token, 8, 2, SlackToken},
	{"xapp-", token, 16, 2, SlackToken},
	{"sk_live_", alnum, 10, 2, StripeKey},
	{"sk_test_", alnum, 10, 2, StripeKey},
	{"sk_prod_", alnum, 10, 2, StripeKey},
	{"rk_live_", alnum, 10, 2, StripeKey},
	{"rk_test_", alnum, 10, 2, StripeKey},
	{"rk_prod_", alnum, 10, 2, StripeKey},
	{"whsec_", base64, 24, 3, StripeKey},
	{"sk-ant-", token, 40, 3, AnthropicKey},
	{"sk-proj-", token, 40, 3, OpenAIKey},
	{"sk-svcacct-", token, 40, 3, OpenAIKey},
	{"sk-admin-", token, 40, 3, OpenAIKey},
	{"sk-or-", token, 40, 3, ProviderToken},
	{"sk-", alnum, 32, 3, OpenAIKey},
	{"AIza", token, 35, 3.5, GoogleKey},
	{"ya29.", token, 30, 3, GoogleKey},
	{"GOCSPX-", token, 24, 3, GoogleKey},
	{"npm_", alnum, 36, 2, NPMToken},
	{"pypi-AgEI", token, 50, 3, PyPIToken},
	{"ZXlK", base64u | plusSlash | slash, 40, 3, JWT}, // encoded once more
	{"A3-", upper | digit | hyphen, 30, 3.5, ProviderToken},
	{"ops_eyJ", base64, 100, 3.5, ProviderToken},
	{"p8e-", alnum, 32, 2, ProviderToken},
	{"AGE-SECRET-KEY-1", upper | digit, 50, 3, ProviderToken},
	{"LTAI", alnum, 16, 3, ProviderToken},
	{"AKCp", alnum, 60, 4, ProviderToken},
	{"cmVmd", alnum, 55, 4, ProviderToken},
	{"ATATT3", base64u, 100, 3.5, ProviderToken},
	{"ATCTT3", base64u, 100, 3.5, ProviderToken},
	{"4b1d", alnum, 38, 3, ProviderToken},
	{"CLOJARS_", alnum, 60, 2, ProviderToken},
	{"v1.0-", hex | hyphen, 150, 2, ProviderToken},
	{"dapi", hex | hyphen, 32, 3, ProviderToken},
	{"dop_v1_", hex, 64, 3, ProviderToken},
	{"doo_v1_", hex, 64, 3, ProviderToken},
	{"dor_v1_", hex, 64, 3, ProviderToken},
	{"dp.pt.", alnum, 40, 2, ProviderToken},
	{"dp.st.", tokenDot, 40, 2, ProviderToken},
	{"duffel_live_", base64u, 40, 2, ProviderToken},
	{"duffel_test_", base64u, 40, 2, ProviderToken},
	{"dt0c01.", alnum | dot, 80, 3.5, ProviderToken},
	{"dnkey-", base64u, 60, 3, ProviderToken},
	{"EZAK", alnum, 54, 2, ProviderToken},
	{"EZTK", alnum, 54, 2, ProviderToken},
	{"EAAA", token, 22, 2, ProviderToken},
	{"EAAM", alnum, 80, 3.5, ProviderToken},
	{"EAAC", alnum, 80, 3.5, ProviderToken},
	{"EAAB", alnum, 80, 3.5, ProviderToken},
	{"sq0atp-", token, 22, 2, ProviderToken},
	{"sq0csp-", token, 40, 2, ProviderToken},
	{"FLWSECK_TEST-", token, 12, 2, ProviderToken},
	{"FLWSECK-", token, 12, 2, ProviderToken},
	{"FLWPUBK_TEST-", token, 32, 2, ProviderToken},
	{"fo1_", token, 43, 3.5, ProviderToken},
	{"fm1a_", base64, 100, 3.5, ProviderToken},
	{"fm1r_", base64, 100, 3.5, ProviderToken},
	{"fm2_", base64, 100, 3.5, ProviderToken},
	{"fio-u-", base64u, 60, 2, ProviderToken},
	{"eyJrIjoi", base64, 70, 3, ProviderToken},
	{"glc_", base64, 32, 3, ProviderToken},
	{"glsa_", word, 40, 3, ProviderToken},
	{"pat.", tokenDot, 60, 3, ProviderToken},
	{"sat.", tokenDot, 60, 3, ProviderToken},
	{"pat", alnum | dot, 70, 3.5, ProviderToken},
	{"atlasv1.", base64u, 60, 3, ProviderToken},
	{"HRKU-", token, 36, 3, ProviderToken},
	{"hf_", alnum, 34, 2, ProviderToken},
	{"api_org_", alnum, 34, 2, ProviderToken},
	{"ico-", alnum, 32, 3, ProviderToken},
	{"s-s4t2ud-", hex, 60, 2, ProviderToken},
	{"s-s4t2af-", hex, 60, 2, ProviderToken},
	{"lin_api_", alnum, 38, 2, ProviderToken},
	{"live_", hex, 35, 2, ProviderToken},
	{"test_", hex, 35, 2, ProviderToken},
	{"live_", base64u, 40, 3.5, ProviderToken},
	{"sc_", base64u | dot | plusSlash, 60, 4, ProviderToken},
	{"ext_", base64u | dot | plusSlash, 60, 4, ProviderToken},
	{"scauth_", base64u | dot | plusSlash, 60, 4, ProviderToken},
	{"authress_", base64u | dot | plusSlash, 60, 4, ProviderToken},
	{"live_pub_", hex, 30, 2, ProviderToken},
	{"test_pub_", hex, 30, 2, ProviderToken},
	{"NRAK-", upper | digit, 26, 2, ProviderToken},
	{"NRJS-", hex, 19, 2, ProviderToken},
	{"NRII-", token, 30, 2, ProviderToken},
	{"NRIQ-", token, 30, 2, ProviderToken},
	{"ntn_", alnum, 43, 3, ProviderToken},
	{"secret_", alnum, 43, 4, ProviderToken},
	{"API-", upper | digit, 26, 3, ProviderToken},
	{"sha256~", token, 43, 3.5, ProviderToken},
	{"pplx-", alnum, 48, 3.5, ProviderToken},
	{"gsk_", alnum, 48, 3.5, ProviderToken},
	{"r8_", alnum, 37, 3.5, ProviderToken},
	{"xai-", alnum, 64, 3.5, ProviderToken},
	{"nvapi-", token, 60, 3.5, ProviderToken},
	{"tgp_v1_", token, 40, 3.5, ProviderToken},
	{"pcsk_", word, 60, 3.5, ProviderToken},
	{"lsv2_pt_", word, 40, 3, ProviderToken},
	{"lsv2_sk_", word, 40, 3, ProviderToken},
	{"tvly-", token, 30, 3, ProviderToken},
	{"access-sandbox-", hex | hyphen, 36, 2, ProviderToken},
	{"access-development-", hex | hyphen, 36, 2, ProviderToken},
	{"access-production-", hex | hyphen, 36, 2, ProviderToken},
	{"pscale_tkn_", base64u | dot, 32, 3, ProviderToken},
	{"pscale_pw_", base64u | dot, 32, 3, ProviderToken},
	{"pscale_oauth_", base64u | dot, 32, 3, ProviderToken},
	{"PMAK-", hex | hyphen, 58, 3, ProviderToken},
	{"pnu_", alnum, 36, 2, ProviderToken},
	{"pul-", hex, 40, 2, ProviderToken},
	{"rdme_", alnum, 70, 2, ProviderToken},
	{"rubygems_", hex, 48, 2, ProviderToken},
	{"tk-us-", token, 48, 2, ProviderToken},
	{"SG.", base64u | dot, 60, 3, ProviderToken},
	{"xkeysib-", token, 64, 2, ProviderToken},
	{"xsmtpsib-", token, 64, 2, ProviderToken},
	{"sntrys_", base64 | underscore, 80, 3.5, ProviderToken},
	{"sntryu_", hex, 64, 3, ProviderToken},
	{"sm_aat_", alnum, 16, 3, ProviderToken},
	{"sm_pat_", alnum, 16, 3, ProviderToken},
	{"sm_sat_", alnum, 16, 3, ProviderToken},
	{"shippo_live_", hex, 40, 2, ProviderToken},
	{"shippo_test_", hex, 40, 2, ProviderToken},
	{"shpat_", hex, 32, 2, ProviderToken},
	{"shpca_", hex, 32, 2, ProviderToken},
	{"shppa_", hex, 32, 2, ProviderToken},
	{"shpss_", hex, 32, 2, ProviderToken},
	{"sgp_", alnum | underscore, 40, 3, ProviderToken},
	{"squ_", alnum, 40, 3, ProviderToken},
	{"sqp_", alnum, 40, 3, ProviderToken},
	{"sqa_", alnum, 40, 3, ProviderToken},
	{"SK", hex, 32, 3, ProviderToken},
	{"key-", hex, 32, 3, ProviderToken},
	{"sl.", base64u, 120, 3.5, ProviderToken},
	{"tfp_", base64u | dot, 50, 3, ProviderToken},
	{"hvs.", token, 24, 3.5, ProviderToken},
	{"hvb.", token, 100, 3.5, ProviderToken},
	{"hvr.", token, 24, 3.5, ProviderToken},
	{"s.", alnum, 24, 3.5, ProviderToken},
	{"t1.", base64u | dot, 80, 3.5, ProviderToken},
	{"y0_", token, 50, 3.5, ProviderToken},
	{"AQVN", token, 35, 3, ProviderToken},
	{"YC", token, 38, 3.5, ProviderToken},
	{"dckr_pat_", token, 24, 3, ProviderToken},
	{"oy2", lower | digit, 43, 3, ProviderToken},
	{"figd_", token, 40, 3, ProviderToken},
	{"phc_", alnum, 40, 3, ProviderToken},
	{"sbp_", hex, 40, 3, ProviderToken},
	{"vercel_", alnum, 24, 3, ProviderToken},
	{"CFPAT-", token, 40, 3, ProviderToken},
	{"tskey-", token, 30, 3, ProviderToken},
	{"phx_", alnum, 40, 3, ProviderToken},
	{"bkua_", hex, 40, 3, ProviderToken},
	{"cio", alnum, 32, 3.5, ProviderToken},
	{"1//0", token, 40, 3.5, GoogleKey},
	{"outlook.office.com/webhook/", base64 | hyphen | at, 80, 3, Webhook},
	{"hooks.slack.com/services/", base64, 30, 3, Webhook},
	{"hooks.slack.com/workflows/", base64, 30, 3, Webhook},
	{"hooks.slack.com/triggers/", base64, 30, 3, Webhook},
	{"webhook.office.com/webhookb2/", base64 | hyphen | at, 80, 3, Webhook},
	{"discord.com/api/webhooks/", base64u | plusSlash, 60, 3, Webhook},
	{"discordapp.com/api/webhooks/", base64u | plusSlash, 60, 3, Webhook},
	{"hooks.zapier.com/hooks/catch/", base64u | plusSlash, 12, 2.5, Webhook},
}

// formsBy holds the indexes of the forms by the first byte of their prefix.
var formsBy = func() (t [256][]uint16) {
	for i, f := range forms {
		t[f.prefix[0]] = append(t[f.prefix[0]], uint16(i))
	}
	return t
}()

// maxToken bounds what is read of a token before it is known to be one.
const maxToken = 512

// knownToken finds the credential that starts at i and shows by its form whose it is.
func (sc *scanner) knownToken(i int) {
	s := sc.s
	for _, k := range formsBy[s[i]] {
		f := &forms[k]
		if !strings.HasPrefix(s[i:], f.prefix) || len(f.prefix) < 4 && is(s, i-1, plusSlash) { // amid base64
			continue
		}
		body := i + len(f.prefix)
		end := run(s, body, f.body, maxToken)
		if end-body < f.least || end-body < maxToken && is(s, end, word) || !f.issued(s[body:end]) {
			continue
		}
		sc.add(f.kind, i, trimToken(s, i, run(s, end, f.body, len(s))))
		return
	}
	switch s[i] {
	case 'e':
		sc.webToken(i)
	case '-', '_':
		return
	}
	if before := sc.done; !sc.prefixedToken(i) && sc.done == before {
		sc.oddToken(i)
	}
}

// The least lengths of what prefixedToken finds.
const (
	maxPrefix    = 16
	leastUnknown = 36
)

// prefixedToken finds a token of a provider that is not listed: most have come to write a prefix, an underscore, and a
// long random value of digits, lower and upper case, which no name and no hash has.
func (sc *scanner) prefixedToken(i int) bool {
	s := sc.s
	prefix := i
	for {
		next := run(s, prefix, lower|digit, maxPrefix)
		if next == prefix || next-i > maxPrefix || !isByte(s, next, '_') {
			break
		}
		prefix = next + 1
	}
	if prefix == i || classes[s[i]]&lower == 0 {
		return false
	}
	end := run(s, prefix, alnum, maxToken)
	if end-prefix < leastUnknown || end-prefix == maxToken || is(s, end, token|base64) {
		return false
	}
	body := s[prefix:end]
	sh := shapeOf(body)
	cases := 0
	for j := range len(body) {
		if classes[body[j]]&upper != 0 {
			cases++
		}
	}
	if cases < 6 || sh.letters-cases < 6 || sh.digits < 3 || sh.entropy < 4 || sh.turns*4 < sh.n || isDummy(body) {
		return false
	}
	return sc.add(ProviderToken, i, end)
}

// issued reports whether a body of the right length was drawn by the provider and not written by a person.
func (f *form) issued(body string) bool {
	sh := shapeOf(body)
	switch {
	case sh.entropy < f.entropy:
		return false
	case sh.digits == 0 && (len(body) != f.least || len(f.prefix) < 3) && !sh.unspoken(): // a long name
		return false
	case len(f.prefix) < 4 && sh.digits > 0 && (!sh.random() || isNamed(body, sh)): // that can be the beginning of a word
		return false
	case f.kind == SlackToken && sh.digits < 4 && f.least > 8 && !sh.unspoken():
		return false
	}
	return !isDummy(body[:min(len(body), 64)])
}

// trimToken leaves out what ends the sentence and not the token.
func trimToken(s string, start, end int) int {
	for end > start && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	return end
}

// webToken finds a JSON web token: three parts, of which the first two are encoded objects (RFC 7519).
func (sc *scanner) webToken(i int) {
	s := sc.s
	if !strings.HasPrefix(s[i:], "ey") {
		return
	}
	first := run(s, i, base64u|plusSlash, maxToken)
	if first-i < 18 || !strings.HasPrefix(s[first:], ".ey") {
		return
	}
	second := run(s, first+1, base64u|plusSlash|slash, len(s))
	if second-first < 18 {
		return
	}
	end := second
	if isByte(s, second, '.') {
		end = run(s, second+1, base64u|plusSlash, len(s))
	}
	sc.add(JWT, i, end)
}

// oddToken finds credentials that have their mark elsewhere than in front.
func (sc *scanner) oddToken(i int) {
	s := sc.s
	switch {
	case isDigitAt(s, i+3) && strings.HasPrefix(s[i+4:], "Q~"): // Azure
		if end := run(s, i, tokenDot|tilde, 64); end-i >= 34 && end-i <= 42 && shapeOf(s[i:end]).entropy > 3 {
			sc.add(ProviderToken, i, trimToken(s, i, end))
		}
	case isQuote(s, i-1) && isByte(s, i+32, s[i-1]) && strings.HasPrefix(s[i:], "sk_"): // Freemius
		if v := s[i+3 : i+32]; !strings.ContainsAny(v, " \t\n") && shapeOf(v).random() {
			sc.add(ProviderToken, i, i+32)
		}
	case isByte(s, i+6, '_') && i+40 <= len(s) && strings.HasPrefix(s[i+36:], "_mmk"): // MaxMind
		if run(s, i, word, 41) == i+40 {
			sc.add(ProviderToken, i, i+40)
		}
	case isByte(s, i+32, '-') && strings.HasPrefix(s[i+33:], "us"): // Mailchimp
		if end := run(s, i+35, digit, 3); run(s, i, hex, 33) == i+32 && end > i+35 && !is(s, end, word) {
			sc.add(ProviderToken, i, end)
		}
	case isByte(s, i+14, '.') && strings.HasPrefix(s[i+15:], "atlasv1."): // HashiCorp
		if end := run(s, i+23, base64u, maxToken); end-i >= 80 {
			sc.add(ProviderToken, i, end)
		}
	}
}

// numberedToken finds the credentials that begin with the number, at i, of whom they belong to.
func (sc *scanner) numberedToken(i int) {
	s := sc.s
	if is(s, i-1, word) {
		return
	}
	id := run(s, i, digit, 20)
	var end, least int
	switch {
	case strings.HasPrefix(s[id:], ":A") && id-i >= 5: // Telegram
		end, least = run(s, id+1, token, 64), 35
	case (isByte(s, id, '|') || isByte(s, id, '%')) && id-i >= 15: // Facebook
		end, least = run(s, id+1, token, 64), 27
	default:
		return
	}
	if end-id-1 >= least && end-id-1 <= 45 && shapeOf(s[id+1:end]).entropy >= 3 {
		sc.add(ProviderToken, i, end)
	}
}
