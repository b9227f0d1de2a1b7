package number

// scanSpelled reads an English number in words at i: "twenty-two", "two hundred
// and five thousand", "a million", with what may follow digits.
func scanSpelled(s string, i int) (Found, bool) {
	var total, current float64
	words, end := 0, i
	lastScale := 1e18
	scaled := false
	for next := i; ; {
		word := letters(s, next)
		if len(word) < 1 || digitAt(s, next+len(word)) >= 0 {
			break
		}
		value, kind := spelledWord(word)
		switch kind {
		case small:
			below := int(current) % 100
			if words > 0 && (current == 0 && total == 0 || below != 0 && (below < 20 || below%10 != 0 || value >= 10)) {
				kind = notNumber
				break
			}
			current += value
		case hundred:
			if current < 1 || current > 99 {
				kind = notNumber
				break
			}
			current *= value
		case scale:
			if current == 0 || value >= lastScale {
				kind = notNumber
				break
			}
			total += float64(current * value)
			current, lastScale, scaled = 0, value, true
		case article:
			following := skipBlanks(s, next+len(word))
			if _, k := spelledWord(letters(s, following)); words > 0 || following == next+len(word) || k != hundred && k != scale {
				kind = notNumber
				break
			}
			current = 1
		case and:
			following := skipBlanks(s, next+len(word))
			if _, k := spelledWord(letters(s, following)); words == 0 || k != small || following == next+len(word) || current == 0 && total == 0 || current != 0 && int(current)%100 != 0 {
				kind = notNumber
			}
		}
		if kind == notNumber {
			break
		}
		words++
		end = next + len(word)
		next = skipBlanks(s, end)
		if next == end && next < len(s) && s[next] == '-' {
			next++
		}
		if next == end {
			break
		}
	}
	if words == 0 {
		return Found{}, false
	}
	x := suffix{scales: 2, scaled: scaled}
	end = x.scan(s, end)
	float := total + current
	if x.exponent == -2 {
		float /= 100
	}
	return Found{Value: Value{Float: float, Unit: x.unit, Scaled: x.scaled}, Start: i, End: end, Spelled: true}, true
}

type wordKind uint8

const (
	notNumber wordKind = iota
	small              // zero to nineteen and the tens
	hundred
	scale
	article
	and
)

func spelledWord(word string) (float64, wordKind) {
	var buf [24]byte
	if len(word) > 9 {
		return 0, notNumber
	}
	switch string(lowerShort(&buf, word)) {
	case "a", "an":
		return 1, article
	case "and":
		return 0, and
	case "zero":
		return 0, small
	case "one":
		return 1, small
	case "two":
		return 2, small
	case "three":
		return 3, small
	case "four":
		return 4, small
	case "five":
		return 5, small
	case "six":
		return 6, small
	case "seven":
		return 7, small
	case "eight":
		return 8, small
	case "nine":
		return 9, small
	case "ten":
		return 10, small
	case "eleven":
		return 11, small
	case "twelve":
		return 12, small
	case "thirteen":
		return 13, small
	case "fourteen":
		return 14, small
	case "fifteen":
		return 15, small
	case "sixteen":
		return 16, small
	case "seventeen":
		return 17, small
	case "eighteen":
		return 18, small
	case "nineteen":
		return 19, small
	case "twenty":
		return 20, small
	case "thirty":
		return 30, small
	case "forty":
		return 40, small
	case "fifty":
		return 50, small
	case "sixty":
		return 60, small
	case "seventy":
		return 70, small
	case "eighty":
		return 80, small
	case "ninety":
		return 90, small
	case "hundred":
		return 100, hundred
	case "thousand":
		return 1e3, scale
	case "lakh":
		return 1e5, scale
	case "million":
		return 1e6, scale
	case "crore":
		return 1e7, scale
	case "billion":
		return 1e9, scale
	case "trillion":
		return 1e12, scale
	}
	return 0, notNumber
}
