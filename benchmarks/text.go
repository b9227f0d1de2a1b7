package main

import (
	"runtime"
	"strings"
	"unicode"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The ways to compute the text metrics. All of them do what gives the same results;
// some add what stands on claims and numbers of the answer.
const (
	naive      = "each on its own, regexp and maps"
	shared     = "words cut once by hand, maps"
	naivePlus  = naive + ", plain claims"
	sharedPlus = shared + ", plain claims"
	oursPlus   = touchstone + ", claims"
	oursRisk   = touchstone + ", claims, support_risk"

	perByte = "ns per byte"
)

// textGroup computes the metrics of a turn that need neither gold nor a model,
// beside the same written by hand.
//
// Claims, numbers and what is cited the rivals look at in the plainest way that
// deserves the name, which is less work than Touchstone's. Nobody would write
// support_risk by hand; it has a line of its own.
func textGroup() *group {
	g := &group{
		name: "text", title: "text metrics", base: shared,
		columns: []string{cpuTime, perByte, allocs, allocated},
		variants: []variant{
			{naive, rival(naiveSame)},
			{naivePlus, rival(naiveAll)},
			{shared, rival(sharedSame)},
			{sharedPlus, rival(sharedAll)},
			{touchstone, ours(newTurn, sameMetrics)},
			{oursPlus, ours(newTurn, claimMetrics)},
			{oursRisk, ours(newTurn, riskMetrics)},
		},
		goals: []goal{
			{what: "CPU of " + shared, got: ratioOf(touchstone, shared, cpuTime), limit: constant(0.10)},
			{what: "CPU of " + naive, got: ratioOf(touchstone, naive, cpuTime), limit: constant(0.05)},
			{what: "with claims, of " + sharedPlus, got: ratioOf(oursPlus, sharedPlus, cpuTime), limit: constant(0.10)},
			{what: "with claims, of " + naivePlus, got: ratioOf(oursPlus, naivePlus, cpuTime), limit: constant(0.05)},
			// Measuring allocates a little itself.
			{what: "allocations", got: valueOf(oursRisk, allocs), limit: constant(0.1), exact: true},
		},
	}
	for _, a := range alphabets {
		name := oursRisk + ", " + a.name
		g.variants = append(g.variants, variant{name, ours(a.turn, riskMetrics)})
		g.goals = append(g.goals, goal{
			what: "ns per byte, " + a.name + " to English", got: ratioOf(name, oursRisk, perByte), limit: constant(2),
		})
	}
	return g
}

// sameMetrics are those that the rivals compute to the letter.
func sameMetrics() []rag.Metric {
	return append(metric.Default(), metric.RedundancyNgram(), metric.RedundancyTFIDF(), metric.UniqueTokenRatio(),
		metric.CitationValidityForm())
}

func claimMetrics() []rag.Metric {
	return append(sameMetrics(),
		metric.ClaimSupportRate(), metric.UnsupportedClaimCount(), metric.NumericFabricationCount(),
		metric.CitationValidityContent(), metric.CitationCoverage())
}

func riskMetrics() []rag.Metric { return append(claimMetrics(), metric.SupportRisk()) }

func rival(score func(*rag.Sample) scores) func(bench) (figures, error) {
	return func(b bench) (figures, error) {
		s := newTurn()
		return b.scoring(s, func() { score(s) }), nil
	}
}

func ours(turn func() *rag.Sample, metrics func() []rag.Metric) func(bench) (figures, error) {
	return func(b bench) (figures, error) {
		s := turn()
		ev, err := rag.NewEvaluator(rag.Config{Metrics: metrics()})
		if err != nil {
			return nil, err
		}
		out := new(rag.Evaluation)
		return b.scoring(s, func() {
			out.Reset()
			ev.Score(s, rag.PhaseAnswer, out)
		}), nil
	}
}

// scoring measures op on one processor: scratch memory is kept for each, and a
// goroutine that moves to another would warm it up again.
func (b bench) scoring(s *rag.Sample, op func()) figures {
	runtime.GOMAXPROCS(1)
	f := b.loop(work{op: op})
	f[perByte] = f[cpuTime] / float64(textBytes(s))
	return f
}

func textBytes(s *rag.Sample) int {
	n := len(s.Query) + len(s.Answer.Text)
	for i := range s.Retrieval.Chunks {
		n += len(s.Retrieval.Chunks[i].Text)
	}
	return n
}

// An alphabet writes English in the letters of another language, so that words
// are as long, as frequent and as many as in the turn that it is compared with.
type alphabet struct {
	name    string
	letters string // for a to z
	blank   string // between words
}

var alphabets = []alphabet{
	{"Latin, every e accented", "abcdéfghijklmnopqrstuvwxyz", " "},
	{"Greek", "αβξδεφγηιςκλμνοπθρστυωψχζά", " "},
	{"Cyrillic", "абцдефгхийклмнопярстувшжыз", " "},
	{"Arabic", "ابتثجحخدذرزسشصضطظعغفقكلمنه", " "},
	{"Devanagari", "अबचदएफगहइजकलमनओपखरसतउवशषयझ", " "},
	{"Thai", "ัขคงเจชซิฐดตถทโธนบปผุพภมยร", ""},
	{"Chinese", han, ""},
}

// han writes one or two letters as one of 26 × 27 characters.
const han = ""

// turn is newTurn in this alphabet.
func (a alphabet) turn() *rag.Sample {
	s := newTurn()
	for i := range s.Retrieval.Chunks {
		c := &s.Retrieval.Chunks[i]
		c.Text = a.write(c.Text)
	}
	s.Answer.Text, s.Query = a.write(s.Answer.Text), a.write(s.Query)
	return s
}

func (a alphabet) write(english string) string {
	letters := []rune(a.letters)
	var b strings.Builder
	for i := 0; i < len(english); i++ {
		c := english[i]
		lower := c | 0x20
		switch {
		case c == ' ':
			b.WriteString(a.blank)
		case lower < 'a' || lower > 'z':
			b.WriteByte(c)
		case a.letters == han:
			second := rune(0)
			if i+1 < len(english) && english[i+1]|0x20-'a' < 26 {
				i++
				second = rune(english[i]|0x20-'a') + 1
			}
			b.WriteRune(0x4E00 + rune(lower-'a')*27 + second)
		case c == lower:
			b.WriteRune(letters[c-'a'])
		default:
			b.WriteRune(unicode.ToUpper(letters[lower-'a']))
		}
	}
	return b.String()
}
