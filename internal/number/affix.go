package number

import "strings"

// currencyBefore reads a currency sign or code that stands before a number.
func currencyBefore(s string) (Unit, int) {
	if unit, size := currencySign(s); size > 0 {
		return unit, size
	}
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return "", 0
	}
	for _, p := range [...]struct {
		prefix string
		unit   Unit
	}{
		{"US$", "USD"},
		{"U.S.$", "USD"},
		{"C$", "CAD"},
		{"CA$", "CAD"},
		{"A$", "AUD"},
		{"AU$", "AUD"},
		{"NZ$", "NZD"},
		{"HK$", "HKD"},
		{"S$", "SGD"},
		{"NT$", "TWD"},
		{"R$", "BRL"},
		{"MX$", "MXN"},
		{"Rs.", "INR"},
	} {
		if strings.HasPrefix(s, p.prefix) {
			return p.unit, len(p.prefix)
		}
	}
	if strings.HasPrefix(s, "Rs") && !letterAt(s, 2) {
		return "INR", 2
	}
	return currencyCode(s)
}

// currencyAfter reads a currency sign, code or name that stands after a number.
func currencyAfter(s string) (Unit, int) {
	if unit, size := currencySign(s); size > 0 {
		return unit, size
	}
	if unit, size := currencyCode(s); size > 0 {
		return unit, size
	}
	switch r, size := decode(s, 0); r {
	case '元':
		return "CNY", size
	case '円':
		return "JPY", size
	case '원':
		return "KRW", size
	}
	skipped := 0
	for _, country := range [...]string{"U.S. ", "US "} {
		if strings.HasPrefix(s, country) {
			skipped = len(country)
			break
		}
	}
	word := letters(s, skipped)
	var buf [24]byte
	var unit Unit
	switch string(lowerShort(&buf, word)) {
	case "dollar", "dollars":
		return "USD", skipped + len(word)
	case "euro", "euros":
		unit = "EUR"
	case "pound", "pounds", "sterling":
		unit = "GBP"
	case "yen":
		unit = "JPY"
	case "yuan", "renminbi":
		unit = "CNY"
	case "rupee", "rupees":
		unit = "INR"
	case "won":
		unit = "KRW"
	case "руб", "рублей", "рубля":
		unit = "RUB"
	default:
		return "", 0
	}
	if skipped > 0 {
		return "", 0
	}
	return unit, len(word)
}

func currencySign(s string) (Unit, int) {
	r, size := decode(s, 0)
	switch r {
	case '$', '＄', '﹩':
		return "USD", size
	case '€':
		return "EUR", size
	case '£', '￡':
		return "GBP", size
	case '¥', '￥':
		return "JPY", size
	case '₹', '₨':
		return "INR", size
	case '₩', '￦':
		return "KRW", size
	case '₽':
		return "RUB", size
	case '₺':
		return "TRY", size
	case '₫':
		return "VND", size
	case '₪':
		return "ILS", size
	case '₴':
		return "UAH", size
	case '₱':
		return "PHP", size
	case '฿':
		return "THB", size
	case '₦':
		return "NGN", size
	case '₸':
		return "KZT", size
	}
	return "", 0
}

// currencyCodes are those that we know, end to end.
const currencyCodes = "USDEURGBPJPYINRCNYKRWCHFCADAUDNZDHKDSGDTWD" +
	"SEKNOKDKKISKPLNCZKHUFRONBGNTRYRUBUAHKZT" +
	"BRLMXNARSCLPCOPPENZARNGNKESEGPILSSARAEDQARKWD" +
	"IDRMYRTHBVNDPHPPKRBDTLKR"

// currencyCode reads an ISO 4217 code in capitals that is a word by itself. The
// unit is no piece of s, which need not outlive what was found in it.
func currencyCode(s string) (Unit, int) {
	if len(s) < 3 || s[0]-'A' > 'Z'-'A' || s[1]-'A' > 'Z'-'A' || s[2]-'A' > 'Z'-'A' || letterAt(s, 3) {
		return "", 0
	}
	code := s[:3]
	if code == "RMB" {
		return "CNY", 3
	}
	for i := 0; i < len(currencyCodes); i += 3 {
		if known := currencyCodes[i : i+3]; known == code {
			return Unit(known), 3
		}
	}
	return "", 0
}

// percentAfter reads a percent sign or its words; exponent is -2 for basis points.
func percentAfter(s string) (size, exponent int) {
	r, n := decode(s, 0)
	switch r {
	case '%', '％', '٪', '﹪':
		return n, 0
	}
	var buf [24]byte
	word := letters(s, 0)
	n = len(word)
	switch string(lowerShort(&buf, word)) {
	case "percent", "pct", "prozent", "pourcent", "pp", "ppt", "ppts", "процент", "процента", "процентов":
		return n, 0
	case "percentage":
		for _, rest := range [...]string{" points", " point"} {
			if strings.HasPrefix(s[n:], rest) && !letterAt(s, n+len(rest)) {
				return n + len(rest), 0
			}
		}
	case "per", "pour", "por":
		for _, rest := range [...]string{" cent", " ciento", " cento"} {
			if strings.HasPrefix(s[n:], rest) && !letterAt(s, n+len(rest)) {
				return n + len(rest), 0
			}
		}
	case "bps", "bp":
		return n, -2
	case "basis":
		for _, rest := range [...]string{" points", " point"} {
			if strings.HasPrefix(s[n:], rest) && !letterAt(s, n+len(rest)) {
				return n + len(rest), -2
			}
		}
	}
	return 0, 0
}

// scaleAfter reads a scale. A single letter counts only directly after the digits
// or after an amount of money.
func scaleAfter(s string, attached, money bool) (size, exponent int) {
	if size, exponent := scaleCharacter(s); size > 0 {
		return size, exponent
	}
	word := letters(s, 0)
	size = len(word)
	if size == 1 && (attached || money) {
		switch word[0] {
		case 'k', 'K':
			return 1, 3
		case 'm', 'M':
			return 1, 6
		case 'b', 'B':
			return 1, 9
		case 't', 'T':
			if money || word[0] == 'T' {
				return 1, 12
			}
		}
		return 0, 0
	}
	var buf [24]byte
	abbreviated := false
	switch string(lowerShort(&buf, word)) {
	case "thousand", "thousands", "mil", "tausend":
		exponent = 3
	case "tsd", "тыс":
		exponent, abbreviated = 3, true
	case "lakh", "lakhs", "lac", "lacs":
		exponent = 5
	case "million", "millions", "millionen", "millones", "millón", "milhões", "milhão", "milioni", "milione", "miljoen",
		"миллион", "миллиона", "миллионов":
		exponent = 6
	case "mm":
		if attached || money {
			exponent = 6
		}
	case "mio", "mln", "mn", "млн":
		exponent, abbreviated = 6, true
	case "crore", "crores", "cr":
		exponent = 7
	case "billion", "billions", "milliard", "milliards", "milliarde", "milliarden", "miljard", "miliardi", "miliardo",
		"миллиард", "миллиарда", "миллиардов":
		exponent = 9
	case "bn", "bln", "mrd", "md", "mds", "млрд":
		exponent, abbreviated = 9, true
	case "trillion", "trillions", "billionen", "billones", "трлн":
		exponent = 12
	case "tn", "trn":
		exponent, abbreviated = 12, true
	}
	if exponent == 0 {
		return 0, 0
	}
	if abbreviated && strings.HasPrefix(s[size:], ".") {
		size++
	}
	return size, exponent
}

// scaleCharacter reads the scales of Chinese, Japanese and Korean, which need no
// blank on either side.
func scaleCharacter(s string) (size, exponent int) {
	r, size := decode(s, 0)
	switch r {
	case '千', '천':
		return size, 3
	case '万', '萬', '만':
		return size, 4
	case '百', '백':
		return size, 2
	case '十', '십':
		return size, 1
	case '億', '亿', '억':
		return size, 8
	case '兆', '조':
		return size, 12
	}
	return 0, 0
}
