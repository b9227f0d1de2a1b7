package evalmw

import (
	"sync/atomic"
	"time"
)

// cpuBudget holds the worker to a share of one core. Evaluating every request
// of a busy service doubles its p99 although nothing runs on the request path,
// because the worker competes for the processors; so what does not fit is not
// even queued.
//
// It is a bucket of processor time. Only the worker changes it; producers read
// the one number that matters to them: how many turns may wait.
type cpuBudget struct {
	rate  float64 // cores; 0 is no limit
	level time.Duration
	last  time.Time
	cost  time.Duration // running mean of one evaluation

	admit atomic.Int64 // turns that may wait
	used  atomic.Int64 // nanoseconds since the start

	window      time.Time     // start of the present window of about a second
	windowUsed  time.Duration // spent in it
	recentShare atomic.Uint64 // of the last window, in millionths of a core
	recentAt    atomic.Int64  // when that window ended
}

const (
	budgetBurst   = time.Second            // how much unused budget is kept
	budgetHorizon = 200 * time.Millisecond // how far ahead turns may queue up
	budgetRest    = 10 * time.Millisecond  // how long the worker rests when spent: short, or it works in bursts that requests feel
	maxAdmit      = 1 << 40
)

func (b *cpuBudget) start(rate float64, now time.Time) {
	b.rate, b.last, b.window = rate, now, now
	b.level = b.share(budgetBurst)
	b.admit.Store(maxAdmit)
}

func (b *cpuBudget) share(d time.Duration) time.Duration {
	return time.Duration(b.rate * float64(d))
}

func (b *cpuBudget) refill(now time.Time) {
	b.level = min(b.level+b.share(now.Sub(b.last)), b.share(budgetBurst))
	b.last = now
	if passed := now.Sub(b.window); passed >= time.Second {
		b.recentShare.Store(uint64(1e6 * float64(b.windowUsed) / float64(passed)))
		b.recentAt.Store(now.UnixNano())
		b.window, b.windowUsed = now, 0
	}
}

// spend charges the evaluation of some turns.
func (b *cpuBudget) spend(d time.Duration, turns int, now time.Time) {
	b.used.Add(int64(d))
	b.windowUsed += d
	b.refill(now)
	if b.rate == 0 {
		return
	}
	b.level -= d
	each := d / time.Duration(turns)
	if b.cost == 0 {
		b.cost = each
	}
	b.cost += (each - b.cost) * time.Duration(min(turns, 16)) / 16
	b.publish()
}

func (b *cpuBudget) publish() {
	if b.cost <= 0 {
		return
	}
	n := max(0, int64((b.level+b.share(budgetHorizon))/b.cost))
	if b.level > 0 {
		n = max(n, 1) // or one giant would close the door for good
	}
	b.admit.Store(n)
}

// wait returns how long the worker must rest, or 0 if it may go on.
func (b *cpuBudget) wait(now time.Time) time.Duration {
	b.refill(now)
	if b.rate == 0 {
		return 0
	}
	b.publish()
	if b.level > 0 {
		return 0
	}
	return time.Duration(float64(b.share(budgetRest)-b.level) / b.rate)
}

// recent returns the share of a core used of late: nothing, if the worker has
// slept since.
func (b *cpuBudget) recent(now time.Time) float64 {
	if now.UnixNano()-b.recentAt.Load() > int64(2*time.Second) {
		return 0
	}
	return float64(b.recentShare.Load()) / 1e6
}

// admits reports whether another turn may wait behind n others.
func (b *cpuBudget) admits(n int) bool { return int64(n) < b.admit.Load() }
