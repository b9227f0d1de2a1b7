package redact

import "strings"

// scanner goes through a text once. Words between spaces that hold nothing of note are passed at the cost of a table
// look-up per byte; only the others are looked at, from left to right. A detector reads at most a bounded number of
// bytes around the one that called it, unless it finds something, and then the scan goes on behind that.
type scanner struct {
	s     string
	look  Types
	found []Finding
	done  int // the end of the last finding
	tried int // the end of the last values tried,
	tries int // and how many there were
}

// notable returns what makes a word worth a look.
func (t Types) notable() class {
	var c class
	if t&PII != 0 {
		c |= digit | at
	}
	if t&Secrets != 0 {
		c |= digit | equals | colon | underscore
	}
	if t&Metadata != 0 {
		c |= digit | equals | colon | slash | open | dot
	}
	return c
}

// longWord is the length from which a word is worth a look whatever it is made of: no secret that is a word of
// letters alone is shorter.
const longWord = 20

// shortToken is the length of the shortest token with a prefix of its own.
const shortToken = 14

func (sc *scanner) run() {
	s, notable := sc.s, sc.look.notable()
	long := len(s) + 1
	if sc.look&Secrets != 0 {
		long = longWord
	}
	if notable == 0 {
		return
	}
	for i := 0; i < len(s); i++ {
		start := i
		var seen class
		for i < len(s) {
			c := classes[s[i]]
			seen |= c
			if c&space != 0 {
				break
			}
			i++
		}
		switch {
		case seen&notable != 0 || i-start >= long:
			sc.word(start, i)
		case seen&hyphen != 0 && i-start >= len(beginKey) && sc.look&Secrets != 0:
			if at := strings.Index(s[start:i], beginKey); at >= 0 {
				sc.privateKey(start + at)
			}
		}
		if sc.done > i {
			i = sc.done - 1 // the loop steps on
		}
	}
}

// word looks at s[from:to], which holds no space. What it finds may reach beyond.
func (sc *scanner) word(from, to int) {
	s := sc.s
	pii, secrets, metadata := sc.look&PII != 0, sc.look&Secrets != 0, sc.look&Metadata != 0
	for i := max(from, sc.done); i < to; i = max(i+1, sc.done) {
		c := classes[s[i]]
		before := sc.done
		if c&alnum != 0 && !is(s, i-1, word) {
			if secrets && to-i >= shortToken {
				sc.knownToken(i)
			}
			if secrets && sc.done == before && opensValue(s, i-1) {
				sc.saidSecret(i)
			}
			if pii && sc.done == before && c&letter != 0 {
				sc.iban(i)
			}
			if metadata && sc.done == before {
				sc.internalToken(i)
			}
			if sc.done > before {
				continue
			}
		}
		switch {
		case c&digit != 0:
			if !isDigitAt(s, i-1) {
				if pii {
					sc.number(i)
				}
				if secrets && sc.done == before {
					sc.numberedToken(i)
				}
				if sc.done == before {
					i = run(s, i, digit, len(s)) - 1
				}
			}
		case c&at != 0 && pii:
			sc.email(i)
		case c&colon != 0:
			if secrets {
				sc.credentials(i)
			}
			if secrets && sc.done == before {
				sc.assignment(i, i+1)
			}
			if metadata && sc.done == before {
				sc.internalAssignment(i)
			}
			if pii && sc.done == before {
				sc.ip6(i)
			}
		case c&equals != 0 || s[i] == '>' || s[i] == ',':
			if secrets {
				sc.assignment(i, i+1)
			}
			if metadata && sc.done == before {
				sc.internalAssignment(i)
			}
		case s[i] == wideColon[0] && secrets && strings.HasPrefix(s[i:], wideColon):
			sc.assignment(i, i+len(wideColon))
		case s[i] == '-' && secrets:
			if strings.HasPrefix(s[i:], beginKey) {
				sc.privateKey(i)
			}
		case c&(slash|open) != 0 && metadata:
			sc.internalMark(i)
		}
	}
}

func isDigitAt(s string, i int) bool { return i >= 0 && i < len(s) && isDigit(s[i]) }

// add notes a finding, unless it reaches back into the last one.
func (sc *scanner) add(k Kind, start, end int) bool {
	if start < sc.done || end <= start {
		return false
	}
	sc.found = append(sc.found, Finding{Kind: k, Start: start, End: end})
	sc.done = end
	return true
}
