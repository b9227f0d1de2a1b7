package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
)

// summary is what the demo prints when its traffic has passed.
type summary struct {
	corpus    *corpus.Corpus
	index     *index.Index
	cfg       demoConfig
	results   *results
	stats     rag.Stats
	traffic   *traffic
	statusURL string

	buf    bytes.Buffer
	colour bool
}

// print writes the summary in one piece.
func (s *summary) print(w io.Writer, colour bool) error {
	s.colour = colour
	s.results.mu.Lock()
	defer s.results.mu.Unlock()
	s.turns()
	s.metrics()
	s.risk()
	s.escalation()
	s.latency()
	s.worst()
	if s.cfg.serve {
		s.line("\n%s %s", s.dim("status page"), s.statusURL)
	} else {
		s.line("\n%s", s.dim("touchstone demo --serve keeps the service and its status page up"))
	}
	_, err := s.buf.WriteTo(w)
	return err
}

func (s *summary) line(format string, args ...any) { fmt.Fprintf(&s.buf, format+"\n", args...) }

func (s *summary) bold(text string) string { return s.paint("1", text) }
func (s *summary) dim(text string) string  { return s.paint("2", text) }
func (s *summary) warn(text string) string { return s.paint("33", text) }

func (s *summary) paint(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *summary) turns() {
	s.line("%s", s.bold("Turns"))
	s.line("  %d ended = %d evaluated + %d failed + %d dropped%s", s.stats.Submitted, s.stats.Turns[rag.OutcomeEvaluated],
		s.stats.Count(rag.Outcome.Failed), s.stats.Count(rag.Outcome.Dropped), s.drops())
	s.line("  %s", s.dim(fmt.Sprintf("evaluating took %.0f ms of processor time in all, %.0f µs a turn; budget %s",
		1e3*s.stats.CPU.UsedSeconds, 1e6*s.stats.CPU.UsedSeconds/max(1, float64(s.stats.Turns[rag.OutcomeEvaluated])), s.budget())))
	if s.traffic.failed > 0 {
		s.line("  %s", s.warn(fmt.Sprintf("%d requests failed, the first: %s", s.traffic.failed, s.traffic.firstFailure)))
	}
}

func (s *summary) budget() string {
	if s.cfg.cpu == 0 {
		return "none"
	}
	return fmt.Sprintf("%.0f%% of a core", 100*s.cfg.cpu)
}

func (s *summary) drops() string {
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(s.stats.Turns)) {
		if o.Dropped() {
			parts = append(parts, fmt.Sprintf("%s %d", o, s.stats.Turns[o]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (s *summary) metrics() {
	s.line("\n%s", s.bold("Metrics"))
	t := tabwriter.NewWriter(&s.buf, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  metric\tmeasured\tmean\tdistribution, 0 to 1\tnot measured")
	for _, name := range s.results.order {
		m := s.results.metrics[name]
		n := len(m.scores)
		mean, found := "–", counts(m.categories)
		for _, c := range m.categories {
			n += c
		}
		switch {
		case len(m.scores) == 0:
		case m.counts:
			mean, found = fmt.Sprintf("%.2f", average(m.scores)), howMany(m.scores)
		default:
			mean, found = fmt.Sprintf("%.2f", average(m.scores)), sparkline(m.scores)
		}
		fmt.Fprintf(t, "  %s\t%d\t%s\t%s\t%s\n", name, n, mean, found, counts(m.unmeasured))
	}
	fmt.Fprintf(t, "  context_recall_llm\t0\t–\t\tneeds a judge, and none is configured\n")
	_ = t.Flush() // into a buffer
}

func average(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// sparkline draws the distribution over ten bins from 0 to 1.
func sparkline(v []float64) string {
	var bins [10]int
	for _, x := range v {
		bins[min(int(x*10), 9)]++
	}
	most := slices.Max(bins[:])
	ramp := []rune(" ▁▂▃▄▅▆▇█")
	out := make([]rune, len(bins))
	for i, n := range bins {
		level := n * (len(ramp) - 1) / most
		if n > 0 {
			level = max(level, 1)
		}
		out[i] = ramp[level]
	}
	return string(out)
}

// howMany says of how many turns a metric counted none, one, and more.
func howMany(v []float64) string {
	var bins [4]int
	for _, x := range v {
		bins[min(int(x), 3)]++
	}
	return fmt.Sprintf("none %d, one %d, two %d, more %d", bins[0], bins[1], bins[2], bins[3])
}

func counts(m map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(keys, ", ")
}

func (s *summary) escalation() {
	s.line("\n%s", s.bold("Escalation"))
	s.line("  %d of %d turns (%.0f%%) would go to a judge: %s", s.results.needed, s.results.turns,
		100*float64(s.results.needed)/max(1, float64(s.results.turns)), counts(s.results.reasons))
	s.line("  %s", s.dim("the rule is the source's, context_recall_heuristic < 0.7 or a limit hit; no judge is configured"))
}

func (s *summary) latency() {
	with, without := s.traffic.evaluated, s.traffic.plain
	if len(with) == 0 || len(without) == 0 {
		return
	}
	slices.Sort(with)
	slices.Sort(without)
	s.line("\n%s", s.bold("Latency of the same questions"))
	t := tabwriter.NewWriter(&s.buf, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "  \tn\tp50\tp95\tp99\t")
	fmt.Fprintf(t, "  without Touchstone\t%d\t%s\t%s\t%s\t\n", len(without), ms(without, .5), ms(without, .95), ms(without, .99))
	fmt.Fprintf(t, "  with Touchstone\t%d\t%s\t%s\t%s\t\n", len(with), ms(with, .5), ms(with, .95), ms(with, .99))
	_ = t.Flush() // into a buffer
}

// ms returns a quantile of sorted durations.
func ms(sorted []time.Duration, q float64) string {
	d := sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

// worst shows the answers that the metrics hold most against, with the
// evidence and what people who read the report wrote.
func (s *summary) worst() {
	s.line("\n%s", s.bold("The three answers that leave the most doubt"))
	seen := make(map[string]bool)
	shown := 0
	for _, w := range s.results.worst {
		if seen[w.sample.Query] || shown == 3 {
			continue
		}
		seen[w.sample.Query] = true
		shown++
		s.doubtful(shown, &w)
	}
	if shown == 0 {
		s.line("  none")
	}
}

func (s *summary) doubtful(n int, w *doubtfulTurn) {
	s.line("  %d. %s", n, s.bold(oneLine(w.sample.Query, 160)))
	for _, x := range w.sample.Extractions {
		where := "no evidence"
		if x.Evidence != "" {
			where = fmt.Sprintf("chunk %d: “%s”", x.ChunkNumber, oneLine(x.Evidence, 80))
		}
		s.line("     value     %-28s %s", oneLine(x.Value, 28), s.dim(where))
	}
	if len(w.sample.Extractions) == 0 {
		s.line("     answer    %s %s", oneLine(w.sample.Answer.Text, 110), s.dim("("+w.sample.Model+")"))
	}
	if best := topChunk(w.sample); len(w.sample.Extractions) == 0 && best != nil {
		s.line("     retrieved %s", s.dim(fmt.Sprintf("%d chunks, the first: “%s”", len(w.sample.Retrieval.Chunks), oneLine(best.Text, 80))))
	}
	if gold := s.gold(w.sample); gold != "" {
		s.line("     correct   %s", oneLine(gold, 110))
	}
	s.line("     %s", s.warn(strings.Join(w.why, "; ")))
}

func topChunk(s *rag.Sample) *rag.Chunk {
	if len(s.Retrieval.Chunks) == 0 {
		return nil
	}
	return &s.Retrieval.Chunks[0]
}

func (s *summary) gold(w *rag.Sample) string {
	top := topChunk(w)
	if top == nil {
		return ""
	}
	q, ok := s.corpus.Find(w.Query, top.DocID)
	if !ok || !q.Answerable {
		return ""
	}
	gold := strings.Join(q.Gold, "; ")
	if q.Numeric != nil && q.Numeric.Scale != "" && !strings.Contains(gold, q.Numeric.Scale) {
		gold += " " + q.Numeric.Scale
	}
	return gold
}

// oneLine fits text into a line of at most n characters.
func oneLine(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}
