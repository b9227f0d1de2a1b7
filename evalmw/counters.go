package evalmw

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// counter is a sum that many cores add to at once. It is striped so that a
// dropped turn costs no fight over a cache line.
type counter struct {
	stripes [8]struct {
		n atomic.Uint64
		_ [56]byte
	}
}

func (c *counter) inc() { c.stripes[rand.Uint32()%8].n.Add(1) }

func (c *counter) load() uint64 {
	var sum uint64
	for i := range c.stripes {
		sum += c.stripes[i].n.Load()
	}
	return sum
}

// outcomes lists every end of a turn; its order is the counters' index.
var outcomes = [...]rag.Outcome{
	rag.OutcomeEvaluated, rag.OutcomeNotSampled, rag.OutcomeQueueFull, rag.OutcomeQueueBytes, rag.OutcomeCPUBudget, rag.OutcomeNoContent, rag.OutcomeTruncated,
	rag.OutcomePanicked, rag.OutcomeSinkFailed, rag.OutcomeDisabled, rag.OutcomeShutDown,
}

// tally counts turns and escalations.
type tally struct {
	accepted counter                // turns that were recorded and handed over
	ends     [len(outcomes)]counter // theirs
	refused  [len(outcomes)]counter // turns that ended before: one addition each, since these are the many

	needed, checked, checkFailed, shed, overBudget, unchecked atomic.Uint64

	mu      sync.Mutex
	reasons counts
	sinks   []rag.SinkStats
}

func (t *tally) end(o rag.Outcome) { t.ends[slices.Index(outcomes[:], o)].inc() }

func (t *tally) refuse(o rag.Outcome) { t.refused[slices.Index(outcomes[:], o)].inc() }

// count is how many turns ended so.
func (t *tally) count(o rag.Outcome) uint64 {
	i := slices.Index(outcomes[:], o)
	return t.ends[i].load() + t.refused[i].load()
}

func (t *tally) escalated(reasons []string) {
	t.needed.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range reasons {
		t.reasons.add(r)
	}
}

func (t *tally) settled(s rag.EscalationStatus) {
	switch s {
	case rag.EscalationChecked:
		t.checked.Add(1)
	case rag.EscalationShed:
		t.shed.Add(1)
	case rag.EscalationOverBudget:
		t.overBudget.Add(1)
	default:
		t.checkFailed.Add(1)
	}
}

func (t *tally) sinkFailed(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sinks[i].Errors++
}

// snapshot reads the ends before what was submitted, so that a reading taken
// under load never shows more ends than turns.
func (t *tally) snapshot() rag.Stats {
	s := rag.Stats{Turns: make(map[rag.Outcome]uint64)}
	for i, o := range outcomes {
		refused := t.refused[i].load()
		if n := t.ends[i].load() + refused; n > 0 {
			s.Turns[o] = n
		}
		s.Submitted += refused
	}
	s.Submitted += t.accepted.load()
	s.Escalations = rag.EscalationStats{
		Checked: t.checked.Load(), Failed: t.checkFailed.Load(), Shed: t.shed.Load(),
		OverBudget: t.overBudget.Load(), Unchecked: t.unchecked.Load(),
	}
	s.Escalations.Needed = t.needed.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Escalations.Reasons = t.reasons.snapshot()
	s.Sinks = slices.Clone(t.sinks)
	return s
}
