package redact

// ssn finds a United States social security number, or a taxpayer number of the same form. The areas 000, 666 and 900
// to 999, the group 00 and the serial number 0000 were never issued (Social Security Administration, POMS RM 10201.035).
// Only hyphens make the form certain.
func (sc *scanner) ssn(d *digits) bool {
	var end int
	switch {
	case d.plus || d.bracket:
		return false
	case d.n >= 3 && d.size(0) == 3 && d.size(1) == 2 && d.size(2) == 4 && d.uniform(1, 2):
		end = d.groups[2].end
		if d.groups[1].sep != '-' && cueNear(sc.s, d.start, end, ssnCue, otherCue, phoneCue) != ssnCue {
			return false
		}
	case d.size(0) == 9 && cueNear(sc.s, d.start, d.groups[0].end, ssnCue, otherCue, phoneCue) == ssnCue:
		end = d.groups[0].end
	default:
		return false
	}
	area, group, serial := atoi(d.value[:3]), atoi(d.value[3:5]), atoi(d.value[5:9])
	if !endsNumber(sc.s, end) || area == 0 || area == 666 || group == 0 || serial == 0 {
		return false
	}
	if area < 900 {
		return sc.add(SSN, d.start, end)
	}
	issued := group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90 && group <= 92 || group >= 94
	return issued && sc.add(TaxID, d.start, end)
}

// card finds the number of a payment card by the check digit of ISO/IEC 7812. One number in ten has it by chance: so the
// number must be one that an issuer uses, or a word beside it must say what it is.
func (sc *scanner) card(d *digits) bool {
	if d.plus || d.bracket || d.len < 12 || isByte(sc.s, d.start-1, '-') {
		return false
	}
	for last := d.n - 1; last >= 0; last-- {
		n := d.groups[last].sum
		if n < 12 {
			return false
		}
		if n > 19 || last > 0 && (last > 5 || !cardGroups(d, last)) || !endsNumber(sc.s, d.groups[last].end) {
			continue
		}
		if !luhn(d.value[:n]) {
			continue
		}
		unlikely := !isIssued(d.value[:n]) || last > 0 && amongFours(sc.s, d.start, d.groups[last].end)
		if unlikely && cueNear(sc.s, d.start, d.groups[last].end, cardCue, phoneCue) != cardCue {
			continue
		}
		return sc.add(Card, d.start, d.groups[last].end)
	}
	return false
}

// cardGroups reports whether the groups up to last are how a card shows its number: by fours, or as 4-6-4 and 4-6-5.
func cardGroups(d *digits, last int) bool {
	if !d.uniform(1, last) || d.groups[1].sep == '/' || d.groups[1].sep == '(' || d.size(0) != 4 {
		return false
	}
	if last == 2 && d.size(1) == 6 {
		return d.size(2) == 4 || d.size(2) == 5
	}
	for i := 1; i < last; i++ {
		if d.size(i) != 4 {
			return false
		}
	}
	return d.size(last) <= 4
}

// amongFours reports whether more groups of four stand right beside s[start:end], as in a row of years or amounts.
func amongFours(s string, start, end int) bool {
	four := func(from, to int) bool { return to-from == 4 && !is(s, from-1, word) && !is(s, to, word|slash) }
	before := runBack(s, start-1, digit, 5)
	behind := run(s, end+1, digit, 5)
	return isByte(s, start-1, ' ') && four(before, start-1) || isByte(s, end, ' ') && four(end+1, behind)
}

// isIssued reports whether a network has issued numbers that begin so, with this length, and few others do.
func isIssued(v []byte) bool {
	n := len(v)
	two, three, four := atoi(v[:2]), atoi(v[:3]), atoi(v[:4])
	switch {
	case v[0] == '4': // Visa
		return n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720, // Mastercard
		four >= 2200 && four <= 2204,                          // Mir
		four >= 3528 && four <= 3589,                          // JCB
		four == 6011, three >= 644 && three <= 649, two == 65, // Discover
		two == 81,                          // UnionPay
		two == 60, two == 82, four == 9792: // RuPay, Troy
		return n == 16
	case two == 62: // UnionPay
		return n == 16 || n == 19
	case two == 34, two == 37, // American Express
		four == 2131, four == 1800: // JCB
		return n == 15
	case three >= 300 && three <= 305, three == 309, two == 36, two == 38, two == 39: // Diners Club
		return n == 14 || n == 16
	}
	return false
}

func luhn(v []byte) bool {
	sum := 0
	for i, c := range v {
		n := int(c - '0')
		if (len(v)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0 && !allSame(v)
}

func allSame(v []byte) bool {
	for _, c := range v {
		if c != v[0] {
			return false
		}
	}
	return true
}

// ibanLengths are the countries of the SWIFT IBAN registry, each with the length of its numbers.
const ibanLengths = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27" +
	"GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20" +
	"MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29" +
	"VA22VG24XK20YE30"

func ibanLength(a, b byte) int {
	for i := 0; i < len(ibanLengths); i += 4 {
		if ibanLengths[i] == a && ibanLengths[i+1] == b {
			return int(ibanLengths[i+2]-'0')*10 + int(ibanLengths[i+3]-'0')
		}
	}
	return 0
}

// iban finds the international bank account number that starts at i, written in one piece or in groups, by its country's
// length and the checksum of ISO 13616.
func (sc *scanner) iban(i int) {
	s := sc.s
	if !is(s, i+1, letter) || !isDigitAt(s, i+2) || !isDigitAt(s, i+3) {
		return
	}
	length := ibanLength(s[i]&^0x20, s[i+1]&^0x20)
	var v [34]byte
	n, j := 0, i
	for j < len(s) && n < length {
		switch {
		case is(s, j, alnum):
			v[n] = s[j]
			if v[n] >= 'a' {
				v[n] -= 'a' - 'A'
			}
			n++
		default:
			_, size := blankOrHyphen(s, j)
			if n%4 != 0 || size == 0 {
				return
			}
			j += size - 1
		}
		j++
	}
	if n == 0 || n < length || is(s, j, word) || ibanRemainder(v[:n]) != 1 {
		return
	}
	sc.add(IBAN, i, j)
}

func ibanRemainder(v []byte) int {
	r := 0
	for k := range v {
		switch c := v[(k+4)%len(v)]; {
		case isDigit(c):
			r = (r*10 + int(c-'0')) % 97
		default:
			r = (r*100 + int(c-'A') + 10) % 97
		}
	}
	return r
}
