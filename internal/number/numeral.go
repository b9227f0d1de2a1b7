package number

import (
	"math"
	"strconv"
	"unicode"
)

// numeral is a run of digits with its separators, before any scale.
type numeral struct {
	mantissa uint64
	exponent int // decimal
	decimals int
	digits   int
	end      int
	plain    bool // digits only
}

// float returns mantissa × 10^(exponent+scale), rounded once, and whether it is
// finite. Scaling in decimal keeps "2.3 billion" equal to "2,300 million".
func (n *numeral) float(scale int) (float64, bool) {
	e := n.exponent + scale
	if n.mantissa < 1<<53 && e >= -22 && e <= 22 {
		if e < 0 {
			return float64(n.mantissa) / pow10(-e), true
		}
		return float64(n.mantissa) * pow10(e), true
	}
	var buf [32]byte
	b := strconv.AppendUint(buf[:0], n.mantissa, 10)
	b = append(b, 'e')
	b = strconv.AppendInt(b, int64(e), 10)
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// pow10 is exact up to 10^22.
func pow10(e int) float64 {
	p := 1.0
	for range e {
		p *= 10
	}
	return p
}

// maxGroups bounds the look-ahead; what has more groups is a list.
const maxGroups = 16

type group struct {
	start, end int
	digits     int
	zero       bool // the group is "0"
	separator  rune // before the group: ',' '.' '\'' or ' ', 0 for the first
	soft       bool // separated by an ordinary blank, which in running text may part two numbers
}

// scanNumeral reads the digits at i. With whole set, an ordinary blank may group.
// If it fails, what stands at i is no number but part of an address or version.
func scanNumeral(s string, i int, whole bool) (numeral, bool) {
	var buf [maxGroups + 1]group
	groups := appendGroups(buf[:0], s, i)
	if len(groups) > maxGroups && groups[1].separator != '.' {
		groups = groups[:1]
	}
	groups = cutSoft(groups, whole)
	count, decimal, ok := interpret(groups)
	if !ok {
		return numeral{}, false
	}
	if count == 2 && decimal && groups[1].separator == ',' && i >= 2 && s[i-1] == ',' && digitAt(s, i-2) >= 0 {
		count, decimal = 1, false // the rest of a list such as 1,2,3
	}
	groups = groups[:count]
	n := numeral{end: groups[count-1].end, plain: count == 1}
	for k, g := range groups {
		n.appendDigits(s[g.start:g.end], decimal && k == count-1)
	}
	n.scanExponent(s)
	return n, true
}

// appendGroups splits the digits at i at their separators.
func appendGroups(groups []group, s string, i int) []group {
	g := scanGroup(s, i)
	groups = append(groups, g)
	for len(groups) <= maxGroups {
		r, size := decode(s, g.end)
		separator := separatorOf(r)
		if separator == 0 || digitAt(s, g.end+size) < 0 {
			break
		}
		next := scanGroup(s, g.end+size)
		next.separator, next.soft = separator, r == ' '
		// A blank or an apostrophe can only group by three.
		if (separator == ' ' || separator == '\'') && (next.digits != 3 || g.digits > 3 || (len(groups) > 1 && g.digits != 3) || g.separator == '.') {
			break
		}
		groups = append(groups, next)
		g = next
	}
	return groups
}

func scanGroup(s string, i int) group {
	g := group{start: i}
	for digitAt(s, i) >= 0 {
		_, size := decode(s, i)
		i += size
		g.digits++
	}
	g.end = i
	g.zero = g.digits == 1 && digitAt(s, g.start) == 0
	return g
}

func separatorOf(r rune) rune {
	switch r {
	case ',', '.', '\'', ' ':
		return r
	case '’', '٬', '˙':
		return '\''
	case '，':
		return ','
	case '．', '٫':
		return '.'
	}
	if r >= 0x80 && r != 0x85 && r != 0x2028 && r != 0x2029 && unicode.IsSpace(r) {
		return ' '
	}
	return 0
}

// cutSoft ends the numeral at its first ordinary blank unless the blank surely
// groups: the text is one value, or a decimal comma follows ("1 234,5").
func cutSoft(groups []group, whole bool) []group {
	last := groups[len(groups)-1]
	if whole || (last.separator == ',' && last.digits != 3) {
		return groups
	}
	for k, g := range groups {
		if g.soft {
			return groups[:k]
		}
	}
	return groups
}

// interpret decides how many of the groups belong to the number and whether the
// last of them holds decimals. It fails on versions and addresses.
func interpret(groups []group) (count int, decimal, ok bool) {
	commas, points, others := 0, 0, 0
	for _, g := range groups[1:] {
		switch g.separator {
		case ',':
			commas++
		case '.':
			points++
		default:
			others++
		}
	}
	n := len(groups)
	first, last := groups[0], groups[n-1]
	switch {
	case commas == 0 && points == 0:
		return n, false, true
	case commas > 0 && points > 0:
		if (last.separator == '.' && points == 1 || last.separator == ',' && commas == 1) && isGrouped(groups[:n-1]) {
			return n, true, true
		}
		return 1, false, points == 1
	case others > 0:
		return n, true, commas+points == 1 && (last.separator == ',' || last.separator == '.')
	case points == 1:
		return n, true, true
	case commas == 1 && (last.digits != 3 || first.digits > 3 || first.zero):
		if first.digits == 4 && last.digits == 4 { // a list of years
			return 1, false, true
		}
		return n, true, true
	case isGrouped(groups):
		return n, false, true
	}
	return 1, false, points == 0
}

// isGrouped reports whether the groups are thousands or, with commas, the Indian
// 12,34,567.
func isGrouped(groups []group) bool {
	n := len(groups)
	if n == 1 {
		return true
	}
	if groups[0].digits > 3 || groups[n-1].digits != 3 {
		return false
	}
	size := groups[n-1].digits
	if n > 2 {
		size = groups[1].digits
	}
	if size == 2 && (groups[0].digits > 2 || groups[1].separator != ',') || size != 2 && size != 3 {
		return false
	}
	for k := 1; k < n; k++ {
		if groups[k].separator != groups[1].separator || k < n-1 && groups[k].digits != size {
			return false
		}
	}
	return true
}

func (n *numeral) appendDigits(s string, decimals bool) {
	const limit = (math.MaxUint64 - 9) / 10
	for i := 0; i < len(s); {
		_, size := decode(s, i)
		d := uint64(digitAt(s, i))
		i += size
		n.digits++
		if decimals {
			n.decimals++
		}
		if n.mantissa > limit { // beyond any float's precision
			if !decimals {
				n.exponent++
			}
			continue
		}
		n.mantissa = n.mantissa*10 + d
		if decimals {
			n.exponent--
		}
	}
}

// scanExponent reads e6, E-3 and the like if nothing else follows them.
func (n *numeral) scanExponent(s string) {
	i := n.end
	if i >= len(s) || s[i]|0x20 != 'e' {
		return
	}
	i++
	negative := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		negative = s[i] == '-'
		i++
	}
	e, from := 0, i
	for i < len(s) && s[i]-'0' <= 9 && i-from < 4 {
		e = e*10 + int(s[i]-'0')
		i++
	}
	if i == from || wordAt(s, i) {
		return
	}
	if negative {
		e = -e
	}
	n.exponent += e
	n.end = i
	n.plain = false
}
