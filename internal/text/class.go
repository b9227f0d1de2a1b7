package text

import "unicode"

// class says what a rune does to the word around it.
type class uint8

const (
	separator class = iota
	letter
	digit
	mark    // continues the word or single that it stands on
	single  // a word by itself: scripts that write no spaces between words
	ignored // invisible; neither part of a word nor its end
)

// lowLimit is the end of the runes that are looked up: Latin, Greek, Cyrillic,
// Hebrew, Arabic, the scripts of India, Thai. Asking package unicode about a rune
// costs ten times as much.
const lowLimit = 0x1000

type lowRune struct {
	fold  uint16
	class class
}

var low = func() (t [lowLimit]lowRune) {
	for r := range rune(lowLimit) {
		f := foldCase(r)
		t[r] = lowRune{fold: uint16(f), class: classify(f)}
	}
	return t
}()

// foldRune returns the normal form of r and its class.
func foldRune(r rune) (rune, class) {
	switch {
	case r < lowLimit:
		e := &low[r]
		return rune(e.fold), e.class
	case r >= 0x4E00 && r <= 0x9FFF:
		return r, single
	case r >= 0xAC00 && r <= 0xD7A3:
		return r, letter
	case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
		e := &low[r-0xFEE0]
		return rune(e.fold), e.class
	case r >= 0xFF65 && r <= 0xFF9F: // half-width katakana
		r = halfKana[r-0xFF65]
		return r, classify(r)
	}
	r = foldCase(r)
	return r, classify(r)
}

// halfKana holds the usual forms of U+FF65 to U+FF9F.
var halfKana = [...]rune{
	'・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
	'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ',
	'タ', 'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ',
	'マ', 'ミ', 'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン',
	0x3099, 0x309A,
}

// foldCase maps all case forms of a letter to one rune (going through upper case
// also joins ς with σ, ſ with s, and the four forms of the Turkish i), the digits
// of all scripts to ASCII, and typographic signs to their plain ones.
func foldCase(r rune) rune {
	switch r {
	case '’', '‘', '‛', 'ʼ', '′':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣':
		return '-'
	case '٫':
		return '.'
	case '٬':
		return ','
	case '٪':
		return '%'
	}
	if r >= 0x80 && unicode.IsDigit(r) {
		return '0' + digitValue(r)
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// digitValue uses that Unicode's decimal digits come in runs from zero to nine.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// IsInvisible reports whether r is a sign that shows nothing and does not end a
// word, such as a soft hyphen or a zero-width space.
func IsInvisible(r rune) bool {
	_, c := foldRune(r)
	return c == ignored
}

// classify takes folded runes.
func classify(r rune) class {
	switch {
	case r >= '0' && r <= '9':
		return digit
	case r == 0xAD, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064,
		r >= 0x2066 && r <= 0x2069, r == 0xFEFF, r == 0x61C, r == 0x640, r >= 0xFE00 && r <= 0xFE0F:
		return ignored
	case unicode.IsMark(r):
		return mark
	case !unicode.IsLetter(r):
		return separator
	case unspaced(r):
		return single
	}
	return letter
}

// unspaced reports whether r belongs to a script that writes no spaces between
// words: Han, kana, Thai, Lao, Myanmar, Khmer.
func unspaced(r rune) bool {
	switch {
	case r >= 0x3005 && r <= 0x3007, r >= 0x3041 && r <= 0x30FF, r >= 0x31F0 && r <= 0x31FF,
		r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF, r >= 0x20000 && r <= 0x3FFFF:
		return true
	case r >= 0x0E00 && r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF:
		return true
	}
	return false
}
