package evalmw

import (
	"strings"
	"sync"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// seen is what the status page remembers: the distribution of each metric and
// the latest evaluations.
type seen struct {
	text bool // keep queries and answers

	mu      sync.Mutex
	metrics map[string]*distribution
	order   []string
	latest  [seenLatest]seenTurn
	next    int
}

const (
	seenLatest     = 25
	seenBins       = 20
	seenCategories = 16
	seenMetrics    = 100
	seenText       = 300
	seenLabel      = 64 // bytes of a field, a category, a label or a reason
	seenResults    = 64 // of one turn; many fields can have thousands
	seenReasons    = 16
)

// distribution of one metric since the start.
type distribution struct {
	measured   uint64
	sum        float64
	span       rag.Range
	bins       [seenBins]uint64 // scores in steps of 0.05, where 1 falls into the last; or counts from 0 on
	categories counts
	reasons    counts
}

type seenTurn struct {
	at            time.Time
	id            string
	traceID       string
	query, answer string
	results       []rag.Result
	reasons       []string // of the escalation
	status        rag.EscalationStatus
	truncated     bool
}

func newSeen(text bool) *seen { return &seen{text: text, metrics: make(map[string]*distribution)} }

// add notes an evaluation. The results of a check join the turn's others in
// the distributions; the turn itself is listed once.
func (s *seen) add(sample *rag.Sample, ev *rag.Evaluation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ev.Phase == rag.PhaseCheck {
		s.count(ev.Fresh())
		return
	}
	s.count(ev.Results)
	t := &s.latest[s.next%seenLatest]
	s.next++
	t.at, t.truncated = time.Now(), sample.Truncated
	t.id = strings.Clone(cutText(sample.ID, maxID))
	t.traceID = sample.Span.Trace()
	t.status, t.reasons = ev.Escalation.Status, t.reasons[:0]
	for _, r := range ev.Escalation.Reasons[:min(len(ev.Escalation.Reasons), seenReasons)] {
		t.reasons = append(t.reasons, strings.Clone(cutText(r, seenLabel)))
	}
	t.results = t.results[:0]
	for _, r := range ev.Results[:min(len(ev.Results), seenResults)] {
		r.Details = nil
		r.Field, r.Category = strings.Clone(cutText(r.Field, seenLabel)), strings.Clone(cutText(r.Category, seenLabel))
		r.Label = strings.Clone(cutText(r.Label, seenLabel))
		r.Reason = rag.Reason(strings.Clone(cutText(string(r.Reason), seenLabel)))
		t.results = append(t.results, r)
	}
	if s.text {
		t.query = strings.Clone(cutText(sample.Query, seenText))
		t.answer = strings.Clone(cutText(sample.Answer.Text, seenText))
	}
}

func (s *seen) count(results []rag.Result) {
	for i := range results {
		r := &results[i]
		d := s.metrics[r.Name]
		if d == nil {
			if len(s.order) == seenMetrics {
				continue
			}
			d = &distribution{categories: make(counts), reasons: make(counts)}
			s.metrics[r.Name] = d
			s.order = append(s.order, r.Name)
		}
		d.count(r)
	}
}

func (d *distribution) count(r *rag.Result) {
	switch {
	case !r.Measured():
		d.reasons.add(string(r.Reason))
	case r.Kind == rag.KindCategorical:
		d.measured++
		d.categories.add(r.Category)
	default:
		d.measured++
		d.sum += r.Value
		d.span = r.Range
		at := r.Value * seenBins
		if r.Range == rag.Count {
			at = r.Value // a bin for each number, the last for all beyond
		}
		d.bins[int(min(at, seenBins-1))]++
	}
}

// counts holds a bounded number of counters. Keys may lie in the memory of a
// sample, which is reused: so a key is copied when it comes first, and a counter
// is a pointer, since assigning to a map takes over the memory of an equal key.
type counts map[string]*uint64

// add counts key, or "other" once there are too many.
func (c counts) add(key string) {
	key = cutText(key, seenLabel)
	if c[key] == nil && len(c) >= seenCategories {
		key = "other"
	}
	n := c[key]
	if n == nil {
		n = new(uint64)
		c[strings.Clone(key)] = n
	}
	*n++
}

func (c counts) snapshot() map[string]uint64 {
	out := make(map[string]uint64, len(c))
	for k, n := range c {
		out[k] = *n
	}
	return out
}
