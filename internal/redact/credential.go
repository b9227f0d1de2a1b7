package redact

import "strings"

// headerValue finds the credentials of an Authorization header, whose value starts at i.
func (sc *scanner) headerValue(i int) {
	s := sc.s
	i = run(s, i, space, 4)
	for isQuote(s, i) {
		i++
	}
	i = run(s, i, space, 4)
	for _, scheme := range [...]string{"bearer", "basic", "token", "apikey", "api-key", "api-token", "key", "negotiate"} {
		if foldPrefix(s[i:], scheme) && is(s, i+len(scheme), space) {
			i = run(s, i+len(scheme), space, 4)
			break
		}
	}
	limit := min(len(s), i+maxToken)
	end := i
	for end < limit && (classes[s[end]]&(tokenDot|base64|tilde|at|colon) != 0) {
		end++
	}
	if v := s[i:end]; isCredential(v) {
		end = run(s, end, base64u|dot|plusSlash, len(s))
		before := sc.done
		if sc.knownToken(i); sc.done == before {
			sc.add(AuthHeader, i, trimToken(s, i, end))
		}
	}
}

// isCredential reports whether v can be what a header or a URL presents, not a word that stands for it.
func isCredential(v string) bool {
	if len(v) < 8 || isDummy(v) || strings.Contains(v, "://") || strings.Contains(v, "..") {
		return false
	}
	sh := shapeOf(v)
	return sh.entropy >= 2.7 && (sh.digits > 0 || sh.turns > 2 || sh.unspoken())
}

// credentials finds the user and the password in scheme://user:password@host, whose first colon stands at i, and in
// curl's -u user:password.
func (sc *scanner) credentials(i int) {
	s := sc.s
	if strings.HasPrefix(s[i:], "://") {
		sc.urlPassword(i + 3)
		return
	}
	sc.userFlag(i)
}

// isChosen reports whether v is somebody's name or password, and not what stands for one.
func isChosen(v string) bool {
	if len(v) < 3 || strings.ContainsAny(v, "${}<>()%*") && strings.IndexByte("${<(%*", v[0]) >= 0 || isDummy(v) || allSame([]byte(v)) {
		return false
	}
	switch {
	case foldPrefix(v, "password"), foldPrefix(v, "passwd"), foldPrefix(v, "your"), foldPrefix(v, "username"):
		return shapeOf(v).digits > 1
	case strings.EqualFold(v, "pass"), strings.EqualFold(v, "pwd"), strings.EqualFold(v, "secret"), strings.EqualFold(v, "token"):
		return false
	}
	return true
}

// maxAuthority bounds the user and the password of a URL.
const maxAuthority = 4 * maxToken

// urlPassword finds the password of the URL whose authority starts at i. The user stands for nothing without it, so
// both are taken.
func (sc *scanner) urlPassword(i int) {
	s := sc.s
	separator, end := -1, -1
	for j := i; j < min(len(s), i+maxAuthority); j++ {
		switch c := s[j]; {
		case c == ':' && separator < 0:
			separator = j
		case c == '@':
			end = j
		case c == '/' && end < 0 && (separator < 0 || run(s, separator+1, digit, 6) == j):
			return // the path begins, and there was at most a port
		case c == '/' && end >= 0, c == '?', c == '#', c == '"', c == '<', c == '>', c == '|', classes[c]&space != 0:
			j = len(s)
		}
	}
	if separator < 0 || end <= separator+1 || !isChosen(s[separator+1:end]) {
		return
	}
	sc.add(URLPassword, i, end)
}

// secretData finds the values of a Kubernetes secret, whose data begin with the colon at i. They are passwords as often
// as keys, so nothing is asked of them but that they are there. It
// reports whether there were any.
func (sc *scanner) secretData(i int) bool {
	s := sc.s
	from := max(0, i-300)
	if document := strings.LastIndex(s[from:i], "\n---"); document >= 0 {
		from += document
	}
	around := s[from:min(len(s), i+600)]
	if document := strings.Index(around[i-from:], "\n---"); document >= 0 {
		around = around[:i-from+document]
	}
	kind := foldIndex(around, "kind:")
	if kind < 0 {
		return false
	}
	if rest := strings.TrimLeft(around[kind+len("kind:"):], " \t\"'"); !foldPrefix(rest, "secret") || is(rest, len("secret"), word) {
		return false
	}
	before, j := sc.done, i+1
	for range 32 {
		j = run(s, j, space, 64)
		if isByte(s, j, '#') {
			for j < len(s) && s[j] != '\n' && j-i < 2*maxToken {
				j++
			}
			continue
		}
		name := run(s, j, tokenDot, maxName)
		if name == j || !isByte(s, name, ':') {
			break
		}
		v := run(s, name+1, space, 32)
		if isByte(s, v, '|') || isByte(s, v, '>') {
			v = run(s, v+1, hyphen, 1)
			v = run(s, v, space, 32)
		}
		if isQuote(s, v) {
			v++
		}
		j = run(s, v, base64, len(s))
		if j-v >= 10 && !isByte(s, j, ':') {
			sc.add(AssignedSecret, v, j)
		}
		for j < len(s) && s[j] != '\n' && j-v < maxToken {
			j++
		}
	}
	return sc.done > before
}

const (
	beginKey = "-----BEGIN"
	endKey   = "-----END"
	leastKey = 64 // characters of an encoded key
)

// privateKey finds the key in PEM armour (RFC 7468, and PGP's) whose first hyphen stands at i. A key whose end was cut
// off is one too.
func (sc *scanner) privateKey(i int) {
	s := sc.s
	label := i + len(beginKey)
	labelEnd := run(s, label, alnum|space|underscore, 100)
	what := s[label:labelEnd]
	if !strings.HasPrefix(s[labelEnd:], "-----") || !strings.HasSuffix(what, "PRIVATE KEY") && !strings.HasSuffix(what, "PRIVATE KEY BLOCK") {
		return
	}
	body := labelEnd + len("-----")
	end := body
	for end < len(s) && isArmour(s[end]) && (s[end] != '-' || !strings.HasPrefix(s[end:], "-----")) {
		end++
	}
	if end-body < leastKey {
		return
	}
	if strings.HasPrefix(s[end:], endKey) {
		label := s[end+len(endKey) : min(len(s), end+maxName+len(endKey))]
		if dashes := strings.Index(label, "-----"); dashes >= 0 {
			end += len(endKey) + dashes + len("-----")
		}
	}
	sc.add(PrivateKey, i, end)
}

// isArmour reports whether c can stand within a key: in its lines, its headers, and in the quotes and escapes of the
// source that holds it.
func isArmour(c byte) bool {
	return classes[c]&(base64|tokenDot|space|slash|colon) != 0 || c == ',' || c == '"' || c == '\'' || c == '(' || c == ')'
}
