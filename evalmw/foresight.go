package evalmw

import (
	"sync/atomic"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// foresight keeps requests from recording what will be dropped. Under overload
// a turn costs its request most when it is copied and then does not fit; so
// the worker looks back over each second and publishes the share of turns that
// is worth recording. Which ones is decided by trace id, like sampling: what is
// evaluated under overload is then a fair sample of it, and not the requests
// that happened to end in a quiet moment.
type foresight struct {
	worth atomic.Uint64 // the share, of 1<<53; only the worker changes it

	looked          time.Time
	evaluated, shed uint64 // by then
}

const (
	allTurns      = 1 << 53
	foresightSpan = time.Second
	spareTurns    = 1.5      // how many times what was evaluated is recorded, for load to be noticed when it falls
	leastTurns    = 1.0 / 64 // never less
)

func (f *foresight) start(now time.Time) {
	f.worth.Store(allTurns)
	f.looked = now
}

// look judges the time since the last look, if it is long enough.
func (f *foresight) look(now time.Time, t *tally) {
	if now.Sub(f.looked) < foresightSpan {
		return
	}
	evaluated := t.count(rag.OutcomeEvaluated) + t.count(rag.OutcomePanicked) + t.count(rag.OutcomeSinkFailed)
	shed := t.count(rag.OutcomeCPUBudget) + t.count(rag.OutcomeQueueFull) + t.count(rag.OutcomeQueueBytes)
	done, dropped := float64(evaluated-f.evaluated), float64(shed-f.shed)
	f.looked, f.evaluated, f.shed = now, evaluated, shed
	worth := 1.0
	if dropped > 0 {
		worth = min(1, max(leastTurns, spareTurns*done/(done+dropped)))
	}
	f.worth.Store(uint64(worth * allTurns))
}

// overloaded reports whether turns are being left out, so that the worker must
// look again though nothing waits.
func (f *foresight) overloaded() bool { return f.worth.Load() < allTurns }
