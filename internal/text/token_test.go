package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/text"
)

// words returns the normal forms of the words of s, with bars between.
func words(s string) string {
	var v text.Vocabulary
	var out []string
	for _, t := range v.Append(nil, s) {
		out = append(out, string(v.Text(t.ID)))
	}
	return strings.Join(out, "|")
}

func TestAppendSplitsWordsInManyLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"only signs", " .,;— ", ""},
		{"English", "Don't stop, the company's Q3-results!", "don't|stop|the|company's|q3|results"},
		{"typographic apostrophe", "don’t", "don't"},
		{"quoted", "'quoted' \"words\"", "quoted|words"},
		{"long words", "Internationalization of COUNTERREVOLUTIONARIES", "internationalization|of|counterrevolutionaries"},
		{"eight letters", "abcdefgh ABCDEFGHI", "abcdefgh|abcdefghi"},
		{"numbers", "$1,452.4, 3.14. 10%", "1,452.4|3.14|10"},
		{"snake case", "net_income rag-eval", "net|income|rag|eval"},
		{"French", "L'année dernière, l’été où ça coûtait", "l'année|dernière|l'été|où|ça|coûtait"},
		{"German", "Die GRÖSSE der Straßen ÜBERTRIFFT", "die|grösse|der|straßen|übertrifft"},
		{"Spanish", "¿Qué año? ¡Mañana!", "qué|año|mañana"},
		{"Polish", "Zażółć GĘŚLĄ jaźń", "zażółć|gęślą|jaźń"},
		{"Turkish", "İstanbul ISPARTA ılık", "istanbul|isparta|ilik"},
		{"Catalan", "col·lecció", "col·lecció"},
		{"Greek", "ΟΔΟΣ οδός σας", "οδοσ|οδόσ|σασ"},
		{"Russian", "Выручка ВЫРОСЛА на 5%", "выручка|выросла|на|5"},
		{"Vietnamese", "Doanh thu của CÔNG TY", "doanh|thu|của|công|ty"},
		{"Arabic", "ارتفعت الإيرادات ١٢٣", "ارتفعت|الإيرادات|123"},
		{"Hebrew", "הכנסות החברה", "הכנסות|החברה"},
		{"Hindi", "कंपनी की आय", "कंपनी|की|आय"},
		{"Thai", "ที่นี่", "ที่|นี่"},
		{"Chinese", "公司收入2019年", "公|司|收|入|2019|年"},
		{"Japanese", "売上はｶﾞｽです", "売|上|は|ガ|ス|で|す"},
		{"Korean", "한국어 문장", "한국어|문장"},
		{"full width", "ＡＢＣ１２３", "abc123"},
		{"mixed", "GPU市場 naïveté", "gpu|市|場|naïveté"},
		{"emoji", "growth🚀fast", "growth|fast"},
		{"soft hyphen", "co\u00adoperate zero\u200bwidth", "cooperate|zerowidth"},
		{"mathematical", "𝟏𝟐", "12"},
		{"NUL", "a\x00b", "a|b"},
		{"invalid", "a\xffb\xc3", "a|b"},
		{"invalid after letter", "é\xc3\x28x", "é|x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, words(tt.in))
		})
	}
}

func TestDecomposedTextEqualsComposedText(t *testing.T) {
	t.Parallel()
	for decomposed, composed := range map[string]string{
		"cafe\u0301":         "café",
		"CAFE\u0301":         "café",
		"u\u0308ber":         "über",
		"и\u0306":            "й",
		"ế":                  "e\u0302\u0301",
		"か\u3099":            "が",
		"\u1112\u1161\u11ab": "한",
		"S\u030ca":           "ša",
	} {
		assert.Equal(t, words(composed), words(decomposed))
		assert.Equal(t, text.AppendKey(nil, composed), text.AppendKey(nil, decomposed))
	}
}

func TestSpansPointAtTheWords(t *testing.T) {
	t.Parallel()
	s := "Über\u00adgabe, ＡＢ 年 x."
	var v text.Vocabulary
	var got []string
	for _, tok := range v.Append(nil, s) {
		got = append(got, s[tok.Start:tok.End])
	}
	assert.Equal(t, []string{"Über\u00adgabe", "ＡＢ", "年", "x"}, got)
}

func TestEveryRuneSplitsAlikeInEveryCase(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsUpper(r) && !unicode.IsLower(r) && !unicode.IsTitle(r) {
			continue
		}
		want := words("a" + string(r) + "b")
		for _, c := range []rune{unicode.ToUpper(r), unicode.ToLower(r), unicode.ToTitle(r)} {
			require.Equal(t, want, words("a"+string(c)+"b"), "%U and %U", r, c)
		}
	}
}

func TestIdsAreDenseInOrderOfAppearance(t *testing.T) {
	t.Parallel()
	var v text.Vocabulary
	for range 3 {
		var ids []uint32
		for _, tok := range v.Append(nil, "The cat, the extraordinarily big CAT; EXTRAORDINARILY") {
			ids = append(ids, tok.ID)
		}
		assert.Equal(t, []uint32{0, 1, 0, 2, 3, 1, 2}, ids)
		assert.Equal(t, 4, v.Len())
		v.Reset()
		assert.Zero(t, v.Len())
	}
}

func TestVocabularyTellsManyWordsApart(t *testing.T) {
	t.Parallel()
	var v text.Vocabulary
	var tokens []text.Token
	for i := range 50_000 {
		tokens = v.Append(tokens, fmt.Sprintf("w%d averyverylongword%d é%d ", i, i, i))
	}
	assert.Equal(t, 150_000, v.Len())
	for i, tok := range tokens {
		require.Equal(t, uint32(i), tok.ID)
	}
}

func TestFlagsKnowFunctionWordsAndDigits(t *testing.T) {
	t.Parallel()
	var v text.Vocabulary
	for _, tok := range v.Append(nil, "The it’s not q3 revenue") {
		word := string(v.Text(tok.ID))
		assert.Equal(t, word == "the" || word == "it's", !v.IsContent(tok.ID), word)
		assert.Equal(t, word == "q3", v.Flags(tok.ID)&text.Digit != 0, word)
		assert.Equal(t, text.IsStopWord(word), v.Flags(tok.ID)&text.Stop != 0, word)
	}
}

func TestTableNumbersKeysDensely(t *testing.T) {
	t.Parallel()
	var table text.Table
	for range 2 {
		for i := range uint64(5000) {
			id, fresh := table.Intern(i << 32)
			require.True(t, fresh)
			require.Equal(t, uint32(i), id)
		}
		id, fresh := table.Intern(7 << 32)
		assert.False(t, fresh)
		assert.Equal(t, uint32(7), id)
		assert.Equal(t, 5000, table.Len())
		table.Reset()
	}
}

func TestTableLooksUpWithoutAdding(t *testing.T) {
	t.Parallel()
	var table text.Table
	_, ok := table.Get(7)
	require.False(t, ok, "an empty table")
	for key := range uint64(1000) {
		value, _ := table.At(key * 3)
		*value = uint32(key)
	}
	for key := range uint64(3000) {
		value, ok := table.Get(key)
		require.Equal(t, key%3 == 0, ok)
		if ok {
			require.Equal(t, uint32(key/3), value)
		}
	}
	require.Equal(t, 1000, table.Len())
	table.Reset()
	_, ok = table.Get(3)
	require.False(t, ok, "what was forgotten")
}

func TestTableGivesUpStorageBeyondItsBound(t *testing.T) {
	t.Parallel()
	var table text.Table
	for i := range uint64(200_000) {
		table.Intern(i)
	}
	table.Reset()
	assert.Zero(t, table.Len())
	_, fresh := table.Intern(1)
	assert.True(t, fresh)
}

func TestWarmCallsAllocateNothing(t *testing.T) {
	s := strings.Repeat("The company’s revenue rose 15% to $2.3 billion. L'été dernier, 売上は internationalization! ", 20)
	var v text.Vocabulary
	var c text.Comparer
	var tokens []text.Token
	var key []byte
	sentences := 0
	run := func() {
		v.Reset()
		tokens = v.Append(tokens[:0], s)
		key = text.AppendKey(key[:0], s)
		c.Contains(s, "l’été DERNIER")
		c.Overlap(s, "revenue of the company")
		for range text.Sentences(s) {
			sentences++
		}
	}
	run()
	assert.Zero(t, testing.AllocsPerRun(50, run))
}
