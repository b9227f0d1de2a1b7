package number_test

import (
	"strings"
	"testing"

	"github.com/touchstone-rag/touchstone/internal/number"
)

func BenchmarkAppend(b *testing.B) {
	for _, s := range []struct{ name, text string }{
		{"prose", "Sales by Contract Type: Substantially all of our contracts are fixed-price type contracts. Net sales rose 15% to $1,452.4 million in fiscal 2019. "},
		{"table", "Fixed Price | $  1,452.4 | $  1,146.2 | (22)% | — | 1,036.9\n"},
		{"russian", "Выручка компании выросла на 15% по сравнению с прошлым годом и составила 1 234,5 млн рублей. "},
		{"chinese", "公司2019年收入与去年相比增长了15％，达到12万元。"},
	} {
		text := strings.Repeat(s.text, 15_000/len(s.text)+1)
		b.Run(s.name, func(b *testing.B) {
			var found []number.Found
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				found = number.Append(found[:0], text)
			}
		})
		b.Run("tokens/"+s.name, func(b *testing.B) {
			var words vocabulary
			words.read(text)
			var found []number.Found
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				found = number.AppendTokens(found[:0], text, words.tokens, words.starts)
			}
		})
		b.Run("dates/"+s.name, func(b *testing.B) {
			var found []number.FoundDate
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				found = number.AppendDates(found[:0], text)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		number.Parse("$ (1,234.5) million")
	}
}
