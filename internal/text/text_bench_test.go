package text_test

import (
	"strings"
	"testing"

	"github.com/touchstone-rag/touchstone/internal/text"
)

var samples = []struct{ name, text string }{
	{"ascii", sample("Sales by Contract Type: Substantially all of our contracts are fixed-price type contracts. Net sales rose 15% to $1,452.4 million in fiscal 2019. ")},
	{"quotes", sample("The company’s revenue “rose” – substantially all of our contracts are fixed-price type contracts, the board’s report says. ")},
	{"french", sample("Le chiffre d'affaires a progressé de 15 % l'année dernière, grâce à la croissance très élevée des activités numériques. ")},
	{"russian", sample("Выручка компании выросла на пятнадцать процентов по сравнению с прошлым годом благодаря высокому спросу. ")},
	{"hindi", sample("कंपनी की आय पिछले वर्ष की तुलना में पंद्रह प्रतिशत बढ़ी और लाभ भी बढ़ा। ")},
	{"chinese", sample("公司收入与去年相比增长了百分之十五，主要得益于数字业务的快速增长。")},
}

// sample repeats s to about 15 KB.
func sample(s string) string { return strings.Repeat(s, 15_000/len(s)+1) }

func BenchmarkTokenize(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			var v text.Vocabulary
			var tokens []text.Token
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				v.Reset()
				tokens = v.Append(tokens[:0], s.text)
			}
		})
	}
}

func BenchmarkSentences(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				for range text.Sentences(s.text) {
				}
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			var c text.Comparer
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				c.Contains(s.text, "stands nowhere")
			}
		})
	}
}
