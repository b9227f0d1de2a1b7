package metric_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// grounded are the metrics of groundedness and citations.
func grounded() []rag.Metric {
	return []rag.Metric{
		metric.ClaimSupportRate(), metric.UnsupportedClaimCount(), metric.NumericFabricationCount(),
		metric.CitationValidityForm(), metric.CitationValidityContent(), metric.CitationCoverage(),
	}
}

// spans cuts the claims that a result lists out of the answer.
func spans(r rag.Result, key, answer string) (list []string) {
	runes := []rune(answer)
	for _, d := range r.Details {
		if d.Key != key {
			continue
		}
		for _, claim := range d.Value.Group() {
			start, end := claim.Value.Group()[0].Value.Int64(), claim.Value.Group()[1].Value.Int64()
			list = append(list, string(runes[start:end]))
		}
	}
	return list
}

func counts(r rag.Result) string {
	r.Details = r.Details[:min(len(r.Details), 4)]
	return show(r)
}

func TestAnswersAreSplitIntoClaims(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		claims       []string // in order; none of them stands in the chunk
	}{
		{"sentences", "Cats sleep. Dogs bark!", []string{"Cats sleep.", "Dogs bark!"}},
		{"items of a list", "- Cats sleep\n- Dogs bark", []string{"Cats sleep", "Dogs bark"}},
		{"numbered items", "1. Cats sleep.\n2. Dogs bark.", []string{"1. Cats sleep.", "2. Dogs bark."}},
		{"rows of a table", "| Pet | Sound |\n|---|---|\n| dog | barks |", []string{"| dog | barks |"}},
		{"parts at a semicolon", "Cats sleep all day long; dogs bark all night long.", []string{"Cats sleep all day long", "dogs bark all night long."}},
		{"short parts stay", "Cats; dogs.", []string{"Cats; dogs."}},
		{
			"long sentences at conjunctions",
			"Cats sleep all day long in the warm kitchen of our old neighbour, but dogs bark all night long in the cold garden behind the house.",
			[]string{"Cats sleep all day long in the warm kitchen of our old neighbour", "but dogs bark all night long in the cold garden behind the house."},
		},
		{"a marker behind the stop", "Cats sleep. [1] Dogs bark. [1]", []string{"Cats sleep. [1]", "Dogs bark. [1]"}},
		{"German", "Katzen schlafen. Hunde bellen.", []string{"Katzen schlafen.", "Hunde bellen."}},
		{"Chinese", "猫睡觉。狗叫。", []string{"猫睡觉。", "狗叫。"}},
		{"Hindi", "बिल्लियाँ सोती हैं। कुत्ते भौंकते हैं।", []string{"बिल्लियाँ सोती हैं।", "कुत्ते भौंकते हैं।"}},
		{"Arabic", "القطط تنام. الكلاب تنبح.", []string{"القطط تنام.", "الكلاب تنبح."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: chunks(rag.Chunk{Text: "Nothing."}), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.claims, spans(one(t, &s, metric.ClaimSupportRate()), "unsupported_claims", c.answer))
		})
	}
}

func TestClaimsAreTyped(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"an assertion", "Cats sleep.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"an inference", "Cats may sleep.", "0 claims=1 unsupported=1 inferences=1 general=0"},
		{"a closing", "Cats sleep. Let me know if there's anything else you need!", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"an opening", "Great question! Cats sleep.", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"a footnote", "Cats sleep.[^1]\n\n[^1]: Annual report", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"a conclusion", "Therefore cats sleep.", "0 claims=1 unsupported=1 inferences=1 general=0"},
		{"common knowledge", "Generally, cats sleep.", "no_claims"},
		{"but not with a number", "Typically cats sleep 15 hours.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"a question back", "Which cat do you mean?", "no_claims"},
		{"a greeting", "Sure! I hope this helps.", "no_claims"},
		{"a lead", "Here is a summary in 82 words:", "no_claims"},
		{"a heading", "# Sleeping cats\n\nDogs bark.", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"a bold heading", "**Sleeping cats**\nDogs bark.", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"a title", "Sleeping cats\n\nDogs bark all night.", "0 claims=1 unsupported=1 inferences=0 general=1"},
		{"a short answer is a claim", "Sleeping cats", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"abstention", "The provided documents do not mention cats.", "no_claims"},
		{"abstention by what there is not", "There is no information about cats in the context.", "no_claims"},
		{"abstention in few words", "No relevant details about cats in the documents.", "no_claims"},
		{"abstention in plain words", "The passages don't say how old cats get.", "no_claims"},
		{"in the first person", "I am unable to answer this question.", "no_claims"},
		{"what a source denies is a claim", "The article states that nobody was injured in the crash.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"a source that has nothing", "The article provides no details of the crash.", "no_claims"},
		{"no, and then a claim", "No, I like hound dogs by nature.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"no, and what a source says", "No, the article states that cats killed the mayor.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"nothing there", "There is no cat in the provided documents.", "no_claims"},
		{"not clear from there", "It is not clear from the passages whether cats sleep.", "no_claims"},
		{"no growth in a given year is a claim", "There was no growth in the given year.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"a refusal", "I'm sorry, but I can't help with that.", "no_claims"},
		{"nothing but a hedge", "It seems likely.", "no_claims"},
		{"a denial and then a claim", "I do not know much, but he graduated from Mississippi State University.", "0 claims=1 unsupported=1 inferences=0 general=0"},
		{"a question in Chinese", "你说的是哪只猫？", "no_claims"},
		{"hedging in German is an assertion", "Katzen schlafen vielleicht.", "0 claims=1 unsupported=1 inferences=0 general=0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: chunks(rag.Chunk{Text: "Nothing."}), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.want, counts(one(t, &s, metric.ClaimSupportRate())))
		})
	}
}

func TestClaimsStandInAWindowOfAChunk(t *testing.T) {
	for _, c := range []struct {
		name, chunk, answer string
		unsupported         float64
	}{
		{"its words", "The old cat sleeps in the warm kitchen.", "The old cat sleeps in the kitchen.", 0},
		{"half of them", "The cat sleeps.", "The cat sleeps on sofas daily.", 0},
		{"less than half", "The cat sleeps.", "The cat chases green mice daily.", 1},
		{"an inference needs less", "The cat sleeps.", "Perhaps the cat sleeps and likely dreams of mice.", 0},
		{"far apart they are not its words", "Cats purr. " + strings.Repeat(filler+" ", 4) + "Mice eat. " + strings.Repeat(filler+" ", 4) + "Ovens bake.", "Cats mice ovens.", 1},
		{"plural and endings", "Prices are increasing.", "The price increased.", 0},
		{"compounds", "It has Wi-Fi and a healthcare plan. WiFi is good.", "The wi-fi is good.", 0},
		{"a hyphen less", `{"OutdoorSeating": true}`, "It has outdoor seating.", 0},
		{"a record says the opposite", `{"OutdoorSeating": false}`, "It has outdoor seating.", 1},
		{"and is right", `{"OutdoorSeating": false}`, "It does not offer outdoor seating.", 0},
		{"a negation over a list", `{"WiFi": "no", "OutdoorSeating": false, "Reservations": false}`, "It does not offer WiFi, outdoor seating, or reservations.", 0},
		{"a negation behind the word", `{"OutdoorSeating": false}`, "Outdoor seating is not offered.", 0},
		{"the reverse", `{"OutdoorSeating": true}`, "It has no outdoor seating.", 1},
		{"a fabricated number", "The old cat sleeps 15 hours.", "The old cat sleeps 16 hours.", 1},
		{"an invented name", "The old cat met Anna Smith in the hall.", "The old cat met Peter Smith.", 0},
		{"an invented name and little else", "The old cat met Anna in the hall.", "The grey old cat met Peter Quist.", 1},
		{"a preamble does not count", "Cats sleep.", "According to the passages provided, cats sleep.", 0},
		{"German", "Die Katze schläft in der warmen Küche.", "Die Katze schläft in der Küche.", 0},
		{"German, not there", "Die Katze schläft in der warmen Küche.", "Zwölf Hunde bellen nachts laut.", 1},
		{"Chinese", "猫在厨房里睡觉。", "猫在厨房睡觉。", 0},
		{"Chinese, not there", "猫在厨房里睡觉。", "公司收入增长迅速。", 1},
		{"Japanese", "猫は台所で寝ています。", "猫は台所で寝ています。", 0},
		{"Russian", "Кошка спит на тёплой кухне.", "Кошка спит на кухне.", 0},
		{"Russian endings", "Компания увеличила продажи автомобилей.", "Продажи автомобиля компании.", 0},
		{"Arabic", "القطة تنام في المطبخ.", "القطة تنام في المطبخ.", 0},
		{"Korean", "고양이가 부엌에서 잔다.", "고양이가 부엌에서 잔다.", 0},
		{"Thai", "แมวนอนในครัว", "แมวนอนในครัว", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Retrieval: chunks(rag.Chunk{Text: c.chunk}), Answer: rag.Answer{Text: c.answer}}
			assert.Equal(t, c.unsupported, one(t, &s, metric.UnsupportedClaimCount()).Value)
		})
	}
}

func TestSupportIsListedWithItsPlace(t *testing.T) {
	s := rag.Sample{
		Retrieval: chunks(rag.Chunk{ID: "a", Text: "Nothing."}, rag.Chunk{ID: "b", Text: "Ää. Cats sleep all day."}),
		Answer:    rag.Answer{Text: "Ö: cats sleep. Dogs bark."},
	}
	assert.Equal(t, "0.5 claims=2 unsupported=1 inferences=0 general=0 "+
		"unsupported_claims=[1=[start=15 end=25 coverage=0]] "+
		"supported_claims=[1=[start=0 end=14 coverage=0.6666666666666666 chunk_id=b chunk=2 chunk_start=4 chunk_end=14]]",
		show(one(t, &s, metric.ClaimSupportRate())))
}

func TestListsOfClaimsAreBounded(t *testing.T) {
	s := rag.Sample{Retrieval: chunks(rag.Chunk{Text: "Cats sleep."}), Answer: rag.Answer{Text: strings.Repeat("Cats sleep. Dogs bark. ", 50)}}
	r := one(t, &s, metric.ClaimSupportRate())
	assert.Len(t, spans(r, "supported_claims", s.Answer.Text), 8)
	assert.Len(t, spans(r, "unsupported_claims", s.Answer.Text), 8)
}

func TestGroundednessNeedsAnswerAndChunks(t *testing.T) {
	for _, m := range []rag.Metric{metric.ClaimSupportRate(), metric.UnsupportedClaimCount()} {
		assert.Equal(t, "no_answer", show(one(t, &rag.Sample{Retrieval: library()}, m)))
		assert.Equal(t, "no_chunks", show(one(t, &rag.Sample{Answer: rag.Answer{Text: "Cats sleep."}}, m)))
		assert.Equal(t, "no_claims", show(one(t, &rag.Sample{Retrieval: library(), Answer: rag.Answer{Text: "Hello!"}}, m)))
	}
}

func TestGroundednessIsSoundOnAnySample(t *testing.T) {
	warm, err := rag.NewEvaluator(rag.Config{Metrics: grounded()})
	require.NoError(t, err)
	d := drawer{rand.New(rand.NewPCG(7, 8))}
	ev := new(rag.Evaluation)
	for range 3000 {
		s := d.sample()
		if d.IntN(2) == 0 {
			s.Answer.Text += d.pick(" [1]", " [2, 3] x", " (Source: d1, p. 1).", " 5%", " [a]¹")
		}
		ev.Reset()
		warm.Score(s, rag.PhaseAnswer, ev)
		requireCounts(t, ev)
		require.Equal(t, showAll(evaluate(t, s, grounded()...), anyField), showAll(ev, anyField), "memory of earlier samples shows")
	}
}

// requireCounts is requireSound with metrics that count.
func requireCounts(t *testing.T, ev *rag.Evaluation) {
	t.Helper()
	require.Empty(t, ev.Errs)
	for _, r := range ev.Results {
		require.True(t, r.Reason != "" || r.Value >= 0 && (r.Range == rag.Count || r.Value <= 1), "%s is %v", r.Name, r.Value)
	}
}

func TestTheOrderOfTheChunksDoesNotMatter(t *testing.T) {
	d := drawer{rand.New(rand.NewPCG(9, 10))}
	metrics := []rag.Metric{metric.ClaimSupportRate(), metric.UnsupportedClaimCount(), metric.NumericFabricationCount()}
	values := func(s *rag.Sample) (list []float64) {
		for _, r := range evaluate(t, s, metrics...).Results {
			list = append(list, r.Value)
		}
		return list
	}
	for range 500 {
		s := d.sample()
		s.Retrieval.Chunks = s.Retrieval.Chunks[:min(len(s.Retrieval.Chunks), 4)]
		for i := range s.Retrieval.Chunks {
			s.Retrieval.Chunks[i].ID = ""
		}
		want := values(s)
		d.Shuffle(len(s.Retrieval.Chunks), func(i, j int) {
			c := s.Retrieval.Chunks
			c[i], c[j] = c[j], c[i]
		})
		require.Equal(t, want, values(s), "%q", s.Answer.Text)
	}
}

func TestHostileTextIsSound(t *testing.T) {
	for name, s := range hostileText(2000) {
		t.Run(name, func(t *testing.T) { requireCounts(t, evaluate(t, s, grounded()...)) })
	}
}

func FuzzGroundedness(f *testing.F) {
	f.Add("Revenue rose 15% to $2.3 billion [1].", "Revenue rose from 2,000 million to 2,300 million.", "By how much?")
	f.Add("【1†source】 [^1] (Source: a, p. 5)¹ at 5:30 p.m. on 2019-09-30", `{"Outdoor": false, "Hours": "17:30-2:0"}`, "\xff")
	f.Add("| a | b |\n|---|---|\n| 1 | 2 |\n```\n[1]", "猫在厨房里睡觉。", "")
	e, err := rag.NewEvaluator(rag.Config{Metrics: grounded()})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, answer, chunk, query string) {
		s := &rag.Sample{Query: query, Answer: rag.Answer{Text: answer}}
		s.Retrieval.Chunks = []rag.Chunk{{ID: "a", DocID: "x/a.pdf", Text: chunk}, {ID: "b", Text: answer}, {ID: query, Text: query}}
		ev := new(rag.Evaluation)
		e.Score(s, rag.PhaseAnswer, ev)
		requireCounts(t, ev)
	})
}

func TestWarmGroundednessDoesNotAllocate(t *testing.T) {
	marked := bare()
	marked.Answer.Text += " Growth was 15% [1, 2]. It rose (passage 3). At 5:30 pm on 30 September 2019, 99% [c4]. Total: 7,123."
	for name, s := range map[string]*rag.Sample{"extractions": typical(), "citations": cited(), "lexical": bare(), "marked": marked} {
		t.Run(name, func(t *testing.T) {
			e, err := rag.NewEvaluator(rag.Config{Metrics: grounded()})
			require.NoError(t, err)
			ev := new(rag.Evaluation)
			score := func() {
				ev.Reset()
				e.Score(s, rag.PhaseAnswer, ev)
			}
			score()
			allocs := testing.AllocsPerRun(200, score)
			if !raceEnabled {
				assert.Zero(t, allocs)
			}
		})
	}
}

func BenchmarkGroundedness(b *testing.B) {
	for _, m := range grounded() {
		b.Run(m.Name, func(b *testing.B) { benchmark(b, bare(), m) })
	}
	b.Run("all", func(b *testing.B) { benchmark(b, bare(), grounded()...) })
}

// hostileText are samples on which careless matching is quadratic.
func hostileText(n int) map[string]*rag.Sample {
	repeated := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("Word word word. ", n/4)}}
	for range min(n, 256) {
		repeated.Retrieval.Chunks = append(repeated.Retrieval.Chunks, rag.Chunk{Text: strings.Repeat("word ", max(1, n/64))})
	}
	numbers := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("The total of 7.123 was 5. ", n/4)}}
	numbers.Retrieval.Chunks = []rag.Chunk{{Text: strings.Repeat("total 5 and 31, ", n)}, {Text: strings.Repeat("5 ", n)}}
	brackets := &rag.Sample{Answer: rag.Answer{Text: strings.Repeat("[1-32] [doc-1] (Source: x, p. 3) [[[", n/8)}}
	for range 256 {
		brackets.Retrieval.Chunks = append(brackets.Retrieval.Chunks, rag.Chunk{DocID: "doc-1", Text: "x"})
	}
	var b strings.Builder
	for i := range n {
		b.WriteString("aaaa")
		for k := i; k > 0; k /= 26 {
			b.WriteByte('a' + byte(k%26))
		}
		b.WriteByte(' ')
	}
	starts := &rag.Sample{Answer: rag.Answer{Text: b.String()}}
	starts.Retrieval.Chunks = []rag.Chunk{{Text: strings.ToUpper(b.String())}, {Text: strings.ReplaceAll(b.String(), " ", "z ")}}
	return map[string]*rag.Sample{"one word": repeated, "numbers": numbers, "brackets": brackets, "one start": starts}
}

// BenchmarkHostileText shows by ns/item whether cost grows faster than the input.
func BenchmarkHostileText(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		for name, s := range hostileText(n) {
			b.Run(name+"/"+strings.Repeat("x", n/1000), func(b *testing.B) {
				benchmark(b, s, grounded()...)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
			})
		}
	}
}
