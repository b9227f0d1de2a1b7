package redact

import "strings"

const (
	maxName = 64
	maxGap  = 20 // from the word to the end of the name
)

const wideColon = "："

// assignment finds the secret that the operator at s[i:behind] gives to a name: key = value, "key": "value", key => value,
// ("key", "value"), <key>value</key>, key="password" value="…".
func (sc *scanner) assignment(i, behind int) {
	s := sc.s
	if is(s, behind, equals|colon) || isByte(s, behind, '>') {
		return // the last character of := and => decides
	}
	if s[i] == ',' && !isQuote(s, i-1) || s[i] == '>' && !opensElement(s, i) {
		return
	}
	start, quote := valueStart(s, behind)
	if start < sc.done {
		return
	}
	nameEnd := i
	for nameEnd > 0 && i-nameEnd < 6 && strings.IndexByte(" \t=:?|+*\"'`\\])", s[nameEnd-1]) >= 0 {
		nameEnd--
	}
	plain := isPlain(s, start)
	if plain && classes[s[i]]&(colon|equals) != 0 && foldSuffix(s[:nameEnd], "authorization") {
		sc.headerValue(start)
		return
	}
	if s[i] == ':' && strings.HasSuffix(s[:nameEnd], "data") && sc.secretData(i) || plain {
		return // most operators stand in prose
	}
	how := nameSecrecy(s, max(sc.done, nameEnd-maxName), nameEnd)
	if how == notSecret && foldSuffix(s[:nameEnd], "value") {
		how = siblingSecrecy(s, nameEnd-len("value"))
	}
	switch how {
	case notSecret:
	case header:
		if s[i] != ',' {
			sc.headerValue(start)
		}
	default:
		sc.value(start, quote, how)
	}
}

// valueStart returns where the value behind an operator begins, and the quote before it.
func valueStart(s string, i int) (start int, quote byte) {
	i = run(s, i, space, 4)
	if is(s, i, letter) && isQuote(s, i+1) {
		i++ // r"…", b'…'
	}
	for k := 0; k < 3 && i < len(s) && (isQuote(s, i) || s[i] == '\\'); k++ {
		quote = s[i]
		i++
	}
	return i, quote
}

// isPlain reports whether a word of letters alone stands at i, or nothing. No secret does, though the scheme of a header may.
func isPlain(s string, i int) bool {
	end := run(s, i, letter, longWord)
	if end == len(s) || end-i == longWord {
		return end-i < longWord
	}
	c := s[end]
	return classes[c]&space != 0 || isQuote(s, end) || (c == '.' || c == ',' || c == ';' || c == ':') && !is(s, end+1, alnum)
}

func isQuote(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '"' || s[i] == '\'' || s[i] == '`')
}

// opensElement reports whether the > at i ends the opening tag of an element, or the operator =>.
func opensElement(s string, i int) bool {
	if isByte(s, i-1, '=') {
		return true
	}
	start := runBack(s, i, tokenDot|colon, maxName)
	return start < i && isByte(s, start-1, '<')
}

// maxTries bounds how many of the operators within one value are tried, as in a=b=c=….
const maxTries = 4

// value finds the secret that starts at start and that quote ends, or else a space.
func (sc *scanner) value(start int, quote byte, how secrecy) {
	s := sc.s
	if sc.tries++; start >= sc.tried {
		sc.tries = 0
	} else if sc.tries > maxTries {
		return
	}
	limit := min(len(s), start+maxToken)
	end := start
	for end < limit && !endsValue(s[end], quote) {
		end++
	}
	sc.tried = max(sc.tried, end)
	if quote == 0 && end < len(s) && strings.IndexByte("([{", s[end]) >= 0 || start < sc.done {
		return // a call
	}
	if strings.HasSuffix(s[start:end], "...") || strings.HasPrefix(s[end:], "…") {
		return // shortened
	}
	for end > start && strings.IndexByte(".,;:\\", s[end-1]) >= 0 {
		end--
	}
	v := s[start:end]
	if !isSecretValue(v, how, quote != 0) {
		return
	}
	if end == limit {
		for end < len(s) && !endsValue(s[end], quote) {
			end++
		}
	}
	before := sc.done
	if sc.knownToken(start); sc.done == before {
		sc.add(AssignedSecret, start, end)
	}
}

func endsValue(c, quote byte) bool {
	switch {
	case c == quote && c != 0, c == '\n', c == '\r', c == '"', c == '`', c == '<', c == '\\':
		return true
	case quote == 0:
		return classes[c]&space != 0 || strings.IndexByte("',;()[]{}&>|", c) >= 0
	}
	return classes[c]&space != 0
}

// isSecretValue reports whether v is the secret itself, and not a reference to it, a stand-in or an ordinary word.
func isSecretValue(v string, how secrecy, quoted bool) bool {
	if len(v) < 6 || strings.IndexByte("$%<{[(@*/#+:|&=?.,", v[0]) >= 0 && !isEncoded(v) || strings.Contains(v, "://") || isDummy(v) {
		return false
	}
	sh := shapeOf(v)
	if sh.alphabet < 4 || sh.longest > max(5, sh.n/2) {
		return false
	}
	if isUUID(v, 0) {
		return how >= tokenLike
	}
	if !quoted && isReference(v) {
		return false
	}
	if how >= tokenLike && isHexPair(v) {
		return true
	}
	if how == password {
		return isPassword(v, sh)
	}
	if len(v) < 10 || !quoted && !isTokenText(v) {
		return false
	}
	return sh.random() && !isNamed(v, sh)
}

// isEncoded reports whether v, which begins with a sign, is base64 that happens to: long, and no path of names.
func isEncoded(v string) bool {
	return (v[0] == '+' && len(v) >= 16 || len(v) >= 32) && run(v, 0, base64u|plusSlash, len(v)) == len(v) && strings.Count(v, "/")*12 <= len(v) && shapeOf(v).unspoken()
}

// isReference reports whether v names something, as in os.environ.token2: one of the parts between its dots is a word.
func isReference(v string) bool {
	if strings.IndexByte(v, '.') < 0 {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if len(part) > 2 && run(part, 0, letter|underscore, len(part)) == len(part) && shapeOf(part).turns*4 <= len(part) {
			return true
		}
	}
	return false
}

// isHexPair reports whether v is a user and a password of eight hexadecimal digits each, as licence servers give out.
func isHexPair(v string) bool {
	return len(v) == 17 && v[8] == ':' && run(v, 0, hex, 9) == 8 && run(v, 9, hex, 9) == 17
}

// isPassword reports whether a person or a program has chosen v so that nobody guesses it: digits or signs among its
// letters, but no path and no expression.
func isPassword(v string, sh shape) bool {
	if sh.letters == 0 || sh.digits+sh.others == 0 || sh.entropy < 2.4 {
		return false
	}
	signs := 0
	for i := range len(v) {
		switch v[i] {
		case '!', '#', '%', '^', '*', '@', '+', '=', '~', '?', '&', '$':
			signs++
		}
	}
	if sh.digits == 0 && (signs == 0 || signs == 1 && v[0] == '!') || signs == 0 && isNamed(v, sh) && run(v, 0, alnum, len(v)) < len(v) {
		return false
	}
	return !foldPrefix(v, "password") && !foldPrefix(v, "passwd") || sh.digits > 2
}

// isTokenText reports whether v has the characters of a token only.
func isTokenText(v string) bool {
	for i := range len(v) {
		if classes[v[i]]&(tokenDot|base64|tilde) == 0 && v[i] != ':' && v[i] != '%' && v[i] != '!' && v[i] != '@' && v[i] != '$' {
			return false
		}
	}
	return true
}

// isNamed reports whether v is put together of words and short numbers, as names, paths and versions are.
func isNamed(v string, sh shape) bool {
	parts, named := 0, 0
	for i := 0; i < len(v); {
		if classes[v[i]]&alnum == 0 {
			i++
			continue
		}
		end := run(v, i, alnum, len(v))
		part := v[i:end]
		parts++
		p := shapeOf(part)
		if p.turns*6 <= p.n && !p.unspoken() && (p.digits == 0 || p.digits <= 4 && (p.letters == 0 || p.letters > 4) || p.digits <= 2) {
			named++
		}
		i = end
	}
	return parts > 0 && named == parts && sh.turns*5 < sh.n
}

// saidSecret finds the value in "the password is …" and "--token …", whose first character stands at i.
func (sc *scanner) saidSecret(i int) {
	s := sc.s
	mixed, end := isMixed(s, i), i
	if !mixed && is(s, i-2, word) && strings.IndexByte(lastOfVerbs, s[i-2]) < 0 {
		return // most words in prose: all get here, so the cheap question comes first
	}
	for end > max(0, i-maxMarkup) && (classes[s[end-1]]&space != 0 || strings.IndexByte(betweenSaid, s[end-1]) >= 0) {
		end--
	}
	for _, dash := range [...]string{" —", " –", " →"} {
		if strings.HasSuffix(s[:end], dash) {
			end -= len(dash)
			break
		}
	}
	if !is(s, end-1, word) || strings.ContainsAny(s[end:i], "([>") && !strings.ContainsAny(s[end:i], " \t\n") {
		return // nothing, or the call of a function
	}
	said := false
	for _, verb := range [...]string{" is", " was", " to", " ist", " est", " es"} {
		if strings.HasSuffix(s[:end], verb) {
			end, said = end-len(verb), true
			break
		}
	}
	if !said && !(mixed && endsInSecretWord(s[:end])) {
		return
	}
	how := nameSecrecy(s, max(sc.done, end-32), end)
	if how < tokenLike || how == header || !said && !standsAlone(s[i:min(len(s), i+maxValue)], how) {
		return
	}
	sc.value(i, 0, how)
}

// What may stand between a name and the value behind it: a verb, blanks, quotes, and the markup of tables and bold words.
const (
	lastOfVerbs = "sot"
	betweenSaid = ":*|([->\"'`"
	maxMarkup   = 8
)

// opensValue reports whether a value may begin right behind i.
func opensValue(s string, i int) bool {
	return is(s, i, space) || isQuote(s, i) || isByte(s, i, '|') || isByte(s, i, '(') || isByte(s, i, '*')
}

// isMixed reports whether the word at i has letters as well as digits.
func isMixed(s string, i int) bool {
	var seen class
	for end := min(len(s), i+longWord); i < end && classes[s[i]]&space == 0; i++ {
		seen |= classes[s[i]]
	}
	return seen&letter != 0 && seen&digit != 0
}

// standsAlone reports whether the value at the start of s is so little like a word that the name right before it is
// enough: "token supply2" and "password Required!" are prose. Addresses on a block chain belong to tokens of another kind.
func standsAlone(s string, how secrecy) bool {
	end := 0
	for end < len(s) && !endsValue(s[end], 0) {
		end++
	}
	v, longest := s[:end], ""
	for i := 0; i < end; i++ {
		from := i
		if i = run(v, i, alnum, end); i-from > len(longest) {
			longest = v[from:i]
		}
	}
	if how == password {
		return shapeOf(longest).turns > 2 || shapeOf(v).digits > 0 && strings.ContainsAny(v, "!@#$%^&*?")
	}
	return isUUID(v, 0) || len(v) >= 16 && len(longest) >= 12 && !foldPrefix(v, "0x")
}
