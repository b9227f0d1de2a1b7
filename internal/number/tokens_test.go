package number_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// vocabulary is what a caller of AppendTokens knows of a text.
type vocabulary struct {
	words  text.Vocabulary
	tokens []text.Token
	starts []number.Start
}

func (v *vocabulary) read(s string) {
	v.tokens = v.words.Append(v.tokens, s)
	for id := len(v.starts); id < v.words.Len(); id++ {
		v.starts = append(v.starts, number.StartOf(v.words.Text(uint32(id))))
	}
}

func byTokens(s string) []number.Found {
	var v vocabulary
	v.read(s)
	return number.AppendTokens(nil, s, v.tokens, v.starts)
}

func requireAlike(t *testing.T, s string) {
	t.Helper()
	want, got := number.Append(nil, s), byTokens(s)
	require.Equal(t, want, got, "%q", s)
}

// pieces are what numbers and their surroundings are made of.
var pieces = strings.Split(strings.Join([]string{
	" | | | |  |\t|\n|\u00a0|         |,|.|;|:|'|’|-|–|−|_|/|(|)|[|+|$|€|US$|USD|Rs.|Rs|C$|EUR|%|％|٪|¥|·",
	"1|2|12|123|1234|000|2019|19|31|9|.5|1.5|1,234|٣|３|५|1e6|10:30|Q|Q3|3Q|FY|v|A|K|x|m|k|bn|bps|per cent|percent|basis points",
	"a|an|A|one|two|twenty|hundred|thousand|million|lakh|billion|and|first|third|fourth|quarter|fiscal|year|of|st|th|de",
	"may|May|march|September|Sept|août|décembre|März|june|l'|d'|the|this|word|COVID|ISO|year's|we'll|u.s.|U.S.|U.S.$",
	"年|月|日|万|億|元|円|원|만|억|천|公司|の|株|Выручка|руб|млн|กำไร|आय|ا|\u00ad|\u200b|\u0301|\xff|\xa0|é|ſ|İ|\x00",
}, "|"), "|")

func TestTokensLeadToTheSameNumbers(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "no number", "$ 5", "( USD 5 )", "a million", "An  hundred and five", "l'a million", "COVID-19 and 19", "100june 2019",
		"5 원may 2019", "September 30, 2019 and May 5", "third quarter of 2019", "FY 2019", "FY2019", "U.S.$ 5", "$ \n 5", "$         5", "1 234 567,8 3",
		"v1.2.3 10-K 10:30 5", "A股票-5", "公司2019年收入与去年相比增长了15％，达到12万元。", "d'août 2019", "5usd'may 2019", "1,2,3,4", "1, 2, 3, 4",
	} {
		requireAlike(t, s)
	}
	rng := rand.New(rand.NewPCG(15, 4))
	for range 50_000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(3) == 0 {
				b.WriteByte(' ')
			}
		}
		requireAlike(t, b.String())
	}
}

func TestTokensLeadToTheSameNumbersInRealText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ragtruth/qa.jsonl", "ragtruth/data2txt.jsonl", "financebench/pages.jsonl", "mtrag-human/passages.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := bufio.NewScanner(shareddata.Open(t, name))
			lines.Buffer(nil, 16<<20)
			found := 0
			for n := 0; n < 500 && lines.Scan(); n++ {
				var row any
				require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
				found += requireAllAlike(t, row)
			}
			require.NoError(t, lines.Err())
			require.Positive(t, found)
		})
	}
}

// requireAllAlike compares every string of a row and counts the numbers.
func requireAllAlike(t *testing.T, row any) (found int) {
	t.Helper()
	switch row := row.(type) {
	case string:
		requireAlike(t, row)
		return len(number.Append(nil, row))
	case []any:
		for _, e := range row {
			found += requireAllAlike(t, e)
		}
	case map[string]any:
		for _, e := range row {
			found += requireAllAlike(t, e)
		}
	}
	return found
}

func FuzzAppendTokens(f *testing.F) {
	seed(f)
	f.Fuzz(requireAlike)
}

func TestEveryWordBehindANumberIsRead(t *testing.T) {
	t.Parallel()
	const words = "thousand thousands mil tausend tsd lakh lakhs lac lacs million millions millionen millones millón milhões milhão milioni milione " +
		"miljoen mio mln mn crore crores cr billion billions milliard milliards milliarde milliarden miljard miliardi miliardo bn bln mrd md mds " +
		"trillion trillions billionen billones tn trn percent pct prozent pourcent pp ppt ppts bps bp dollar dollars euro euros pound pounds " +
		"sterling yen yuan renminbi rupee rupees won руб рублей рубля млн тыс млрд трлн процентов"
	for word := range strings.FieldsSeq(words) {
		found := number.Append(nil, "It was 5 "+word+" then.")
		require.Len(t, found, 1)
		require.True(t, found[0].Scaled || found[0].Unit != "", word)
	}
	for _, words := range []string{"per cent", "percentage points", "basis points", "pour cent", "por ciento", "U.S. dollars", "US dollars"} {
		found := number.Append(nil, "It was 5 "+words+" then.")
		require.NotEmpty(t, found[0].Unit, words)
	}
}
