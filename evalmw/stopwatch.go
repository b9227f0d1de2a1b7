package evalmw

import "time"

// stopwatch measures processor time. Wall time would charge the worker for
// every moment that it waits for a processor, and so shed the more the busier
// the machine is.
type stopwatch struct {
	wall time.Time
	cpu  time.Duration // of the thread; 0 where that cannot be told
}

func (p *Pipeline) startWatch() stopwatch {
	w := stopwatch{wall: time.Now()}
	if !p.cfg.wallClock {
		w.cpu = threadTime()
	}
	return w
}

// lap returns the processor time since the last lap: the thread's, but never
// more than the wall time less what was spent waiting. A goroutine that was
// moved to another thread meanwhile compares the clocks of two; what comes of
// that is within those bounds, and rare enough.
func (w *stopwatch) lap(waited time.Duration) time.Duration {
	last := *w
	w.wall = time.Now()
	d := max(0, w.wall.Sub(last.wall)-waited)
	if last.cpu > 0 {
		w.cpu = threadTime()
		if used := w.cpu - last.cpu; used >= 0 {
			d = min(d, used)
		}
	}
	return d
}

// stretch is some turns that are charged to the budget together: reading the
// thread's clock for each would cost a share of what it measures.
type stretch struct {
	pipeline *Pipeline
	watch    stopwatch
	turns    int
	waited   time.Duration
}

const (
	stretchTurns = 8
	stretchTime  = time.Millisecond
)

func (s *stretch) add(waited time.Duration) {
	s.turns++
	s.waited += waited
	if s.turns == stretchTurns || time.Since(s.watch.wall) >= stretchTime {
		s.settle()
	}
}

func (s *stretch) settle() {
	if s.turns > 0 {
		used := s.watch.lap(s.waited)
		s.pipeline.cpu.spend(used, s.turns, s.watch.wall)
		s.turns, s.waited = 0, 0
	}
}
