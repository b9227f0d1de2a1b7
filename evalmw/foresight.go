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
	worth   atomic.Uint64 // the share, of 1<<53; only the worker changes it
	reason  atomic.Int32  // index in overloads: why the others would be dropped
	leftOut counter       // turns that were left out, which are among the dropped ones

	looked    time.Time
	evaluated uint64                 // by then
	shed      [len(overloads)]uint64 // by then
	skipped   uint64                 // left out by then
}

// overloads are the ends of a turn that mean too much load.
var overloads = [...]rag.Outcome{rag.OutcomeCPUBudget, rag.OutcomeQueueFull, rag.OutcomeQueueBytes}

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

// leaveOut counts a turn that is left out and returns why.
func (f *foresight) leaveOut() rag.Outcome {
	f.leftOut.inc()
	return overloads[f.reason.Load()]
}

// look judges the time since the last look, if it is long enough. Where nothing
// was dropped but what was left out, there was room: a burst is over at once.
func (f *foresight) look(now time.Time, t *tally) {
	if now.Sub(f.looked) < foresightSpan {
		return
	}
	evaluated := t.count(rag.OutcomeEvaluated) + t.count(rag.OutcomePanicked) + t.count(rag.OutcomeSinkFailed)
	skipped := f.leftOut.load()
	done, left := float64(evaluated-f.evaluated), float64(skipped-f.skipped)
	dropped, most := 0.0, 0.0
	reason := int(f.reason.Load())
	for i, o := range overloads {
		shed := t.count(o)
		n := float64(shed - f.shed[i])
		f.shed[i] = shed
		if i == int(f.reason.Load()) {
			n = max(0, n-left)
		}
		dropped += n
		if n > most {
			most, reason = n, i
		}
	}
	f.looked, f.evaluated, f.skipped = now, evaluated, skipped
	f.reason.Store(int32(reason))
	worth := 1.0
	if dropped > 0 {
		worth = min(1, max(leastTurns, spareTurns*done/(done+dropped+left)))
	}
	f.worth.Store(uint64(worth * allTurns))
}

// overloaded reports whether turns are being left out, so that the worker must
// look again though nothing waits.
func (f *foresight) overloaded() bool { return f.worth.Load() < allTurns }
