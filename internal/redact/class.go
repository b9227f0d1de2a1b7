package redact

// class is a set of what a byte can be.
type class uint16

const (
	lower class = 1 << iota
	upper
	digit
	hexLetter
	underscore
	hyphen
	dot
	plusSlash
	equals
	tilde
	at
	colon
	slash // either slash, where paths are looked for
	open  // < or [
	space

	letter   = lower | upper
	alnum    = letter | digit
	hex      = digit | hexLetter
	word     = alnum | underscore
	token    = word | hyphen
	tokenDot = token | dot
	base64   = alnum | plusSlash | equals
	base64u  = token | equals
)

var classes = func() (t [256]class) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = lower, upper
	}
	for c := byte('a'); c <= 'f'; c++ {
		t[c] |= hexLetter
		t[c-'a'+'A'] |= hexLetter
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = digit
	}
	for _, c := range []byte(" \t\n\v\f\r") {
		t[c] = space
	}
	t['_'], t['-'], t['.'], t['='], t['~'], t['@'], t[':'] = underscore, hyphen, dot, equals, tilde, at, colon
	t['+'], t['/'], t['\\'] = plusSlash, plusSlash|slash, slash
	t['<'], t['['] = open, open
	return t
}()

func isDigit(c byte) bool { return c-'0' < 10 }

// is reports whether there is a byte at i and it belongs to c.
func is(s string, i int, c class) bool { return i >= 0 && i < len(s) && classes[s[i]]&c != 0 }

func isByte(s string, i int, c byte) bool { return i >= 0 && i < len(s) && s[i] == c }

// run returns the end of the bytes of c that start at i, at most limit of them.
func run(s string, i int, c class, limit int) int {
	end := min(len(s), i+limit)
	for i < end && classes[s[i]]&c != 0 {
		i++
	}
	return i
}

// runBack returns the start of the bytes of c that end at i, at most limit of them.
func runBack(s string, i int, c class, limit int) int {
	end := max(0, i-limit)
	for i > end && classes[s[i-1]]&c != 0 {
		i--
	}
	return i
}

func lowered(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}

// foldPrefix reports whether s has the prefix, which is in lower case, in any case.
func foldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lowered(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// foldSuffix is foldPrefix for the end.
func foldSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && foldPrefix(s[len(s)-len(suffix):], suffix)
}

// foldIndex returns the first place of sub, which is in lower case, in s in any case, or -1.
func foldIndex(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if lowered(s[i]) == sub[0] && foldPrefix(s[i:], sub) {
			return i
		}
	}
	return -1
}
