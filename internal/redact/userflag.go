package redact

import "strings"

// maxUser bounds each half of a user and password.
const maxUser = 64

// userFlag finds the password whose colon stands at i in -u user:password, --user "user:password", and the token that
// stands alone in -u token: and -u :token.
func (sc *scanner) userFlag(i int) {
	s := sc.s
	from := max(0, i-maxUser-len("--user ="))
	flag := strings.LastIndex(s[from:i], "-u")
	if flag < 0 {
		return
	}
	start := from + flag + len("-u")
	if strings.HasPrefix(s[start:], "ser") {
		start += len("ser")
	}
	flag, start = start, run(s, start, space|equals, 8)
	if start == flag || start > i || strings.IndexByte(s[start:i], ':') >= 0 {
		return
	}
	first, end, quote := i+1, i+1, byte(0)
	user := s[start:i]
	switch {
	case !isQuote(s, start):
	case start+1 < i && s[i-1] == s[start]:
		start++
		user = s[start : i-1]
	default:
		quote = s[start]
		start++
		user = s[start:i]
	}
	if strings.ContainsAny(user, "\r\n") || quote == 0 && strings.ContainsAny(user, " \t'\"`") || quote != 0 && strings.IndexByte(user, quote) >= 0 {
		return
	}
	if quote == 0 && isQuote(s, end) {
		quote = s[end]
		first, end = end+1, end+1
	}
	goesOn := func() bool {
		return end < len(s) && s[end] != quote && s[end] != '\n' && (quote != 0 || !isQuote(s, end) && classes[s[end]]&space == 0)
	}
	for end-first < maxToken && goesOn() {
		end++
	}
	password := s[first:end]
	switch {
	case user == "" || password == "":
		if !isCredential(user + password) {
			return
		}
	case !isChosen(user) || !isChosen(password) || run(user+password, 0, digit, maxUser+maxToken) == len(user)+len(password):
		return // also the ids of a user and a group
	}
	for goesOn() { // no rest of a long one stays
		end++
	}
	sc.add(URLPassword, start, end)
}
