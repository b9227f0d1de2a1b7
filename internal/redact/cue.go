package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cue is what the words beside a number say about it.
type cue uint8

const (
	noCue    cue = iota
	weakCue      // could be a phone: "my number is", "at the office"
	phoneCue     // a phone
	otherCue     // some other number: of an order, an account, a year
	cardCue      // a payment card
	ssnCue       // a social security number
	birthCue     // a date of birth
	ipCue        // a network address
	partCue      // a version or a section
)

// cueOf says what a word stands for. The languages are those of the countries whose forms of numbers are
// least distinctive.
func cueOf(w string) cue {
	if w[0] >= firstIdeograph {
		return cueWithin(w)
	}
	var buf [24]byte
	n := 0
	for _, r := range w {
		if n > len(buf)-utf8.UTFMax { // an invalid byte becomes a rune of three
			return noCue
		}
		if r < utf8.RuneSelf {
			buf[n] = lowered(byte(r))
			n++
		} else {
			n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
		}
	}
	switch string(buf[:n]) {
	case "phone", "phones", "telephone", "tel", "call", "calling", "mobile", "cell", "cellphone", "fax", "faxes", "dial", "sms",
		"whatsapp", "hotline", "landline", "voicemail", "helpline", "contact", "ph", "mob", "telefax", "tollfree", "ring", "texting",
		"tél", "téléphone", "telephon", "fon", "telefon", "telefono", "teléfono", "telefone", "telefoon", "móvil", "movil", "handy",
		"mobil", "mobiltelefon", "celular", "cellulare", "portable", "rufnummer", "telefonnummer", "gsm", "puhelin", "puh", "tlf", "tlph",
		"телефон", "тел", "τηλ", "τηλέφωνο", "κινητό", "טלפון", "هاتف", "جوال":
		return phoneCue
	case "number", "numbers", "reach", "office", "home", "work", "direct", "nummer", "numéro", "numero", "número",
		"text", "line", "ext", "desk", "main", "switchboard":
		return weakCue
	case "order", "invoice", "account", "ref", "reference", "ticket", "case", "serial", "id", "zip", "postal", "postcode",
		"license", "licence", "tracking", "isbn", "issn", "sku", "part", "model", "passport", "code", "pin", "passcode", "patent",
		"docket", "file", "box", "lot", "batch", "item", "policy", "claim", "customer", "member", "doi", "pmid", "year", "years",
		"page", "pages", "usd", "eur", "gbp", "total", "price", "population", "apt", "suite", "unit", "street", "routing", "iban", "vat",
		"ein", "cik", "job", "issue", "bug", "cve", "rfc":
		return otherCue
	case "card", "cards", "visa", "mastercard", "amex", "maestro", "discover", "diners", "credit", "debit", "payment", "cc",
		"creditcard", "karte", "kreditkarte", "carte", "tarjeta", "carta", "jcb", "kort":
		return cardCue
	case "ssn", "ssns", "social", "security", "itin", "ss":
		return ssnCue
	case "birth", "dob", "birthdate", "birthday", "geboren", "geburtsdatum", "naissance", "nacimiento":
		return birthCue
	case "ip", "ips", "ipv", "address", "addresses", "host", "server", "gateway", "ping", "subnet":
		return ipCue
	case "v", "ver", "version", "versions", "release", "releases", "build", "section", "sections", "sec", "clause", "chapter", "figure", "table",
		"appendix", "firmware", "upgrade", "article", "paragraph", "exhibit":
		return partCue
	}
	return noCue
}

// firstIdeograph is the first byte of the scripts that put no space between words, and of no others with cues.
const firstIdeograph = 0xE3

// cueWithin says what a run of such a script speaks of.
func cueWithin(w string) cue {
	for _, c := range [...]struct {
		word string
		is   cue
	}{
		{"电话", phoneCue},
		{"手机", phoneCue},
		{"電話", phoneCue},
		{"携帯", phoneCue},
		{"전화", phoneCue},
		{"휴대폰", phoneCue},
		{"卡号", cardCue},
		{"カード", cardCue},
		{"카드", cardCue},
	} {
		if strings.Contains(w, c.word) {
			return c.is
		}
	}
	return noCue
}

const (
	cueBytes = 64 // how far a cue may be
	cueWords = 7
)

// cueNear returns the nearest cue for s[start:end] that is one of want: of the words before it on its line, else of the
// two words behind it. Behind a weak cue a stronger one is looked for: in "order number" the order counts.
func cueNear(s string, start, end int, want ...cue) cue {
	weak := noCue
	stop := max(0, start-cueBytes)
	for i, words := start, 0; words < cueWords; words++ {
		from, to := wordBefore(s, i, stop)
		if from == to {
			break
		}
		switch c := cueOf(s[from:to]); {
		case !slices.Contains(want, c):
		case c == weakCue:
			weak = c
		default:
			return c
		}
		i = from
	}
	if weak != noCue {
		return weak
	}
	stop = min(len(s), end+24)
	for i, words := end, 0; words < 2; words++ {
		from, to := wordBehind(s, i, stop)
		if from == to {
			break
		}
		if c := cueOf(s[from:to]); slices.Contains(want, c) {
			return c
		}
		i = to
	}
	return noCue
}

// wordBefore returns the word that ends at or before i, on the same line or on one before it that ends in a colon; an
// empty one if there is none.
func wordBefore(s string, i, stop int) (from, to int) {
	for ; i > stop && !isWordByte(s[i-1]); i-- {
		if s[i-1] == '\n' && !endsInColon(s, i-1) {
			return 0, 0
		}
	}
	to = i
	for i > stop && isWordByte(s[i-1]) {
		i--
	}
	return i, to
}

// wordBehind returns the first word behind i in the same clause, an empty one if there is none.
func wordBehind(s string, i, stop int) (from, to int) {
	for ; i < stop && !isWordByte(s[i]); i++ {
		if s[i] == '\n' || s[i] == '.' || s[i] == ';' {
			return 0, 0
		}
	}
	from = i
	for i < stop && isWordByte(s[i]) {
		i++
	}
	return from, i
}

// endsInColon reports whether the line that ends at i announces the next.
func endsInColon(s string, i int) bool {
	i = runBack(s, i, space, 8)
	return isByte(s, i-1, ':')
}

// isWordByte reports whether c belongs to a word of letters. Bytes beyond ASCII do.
func isWordByte(c byte) bool { return classes[c]&letter != 0 || c >= 0x80 }
