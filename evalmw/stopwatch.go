package evalmw

import "time"

// stopwatch measures processor time. Wall time would charge the worker for
// every moment that it waits for a processor, and so shed the more the busier
// the machine is.
type stopwatch struct {
	wall   time.Time
	cpu    time.Duration // of the thread; 0 where that cannot be told
	thread int
}

func (p *Pipeline) startWatch() stopwatch {
	w := stopwatch{wall: time.Now()}
	if !p.cfg.wallClock {
		w.thread, w.cpu = threadTime()
	}
	return w
}

// lap returns the time since the last lap. A goroutine that was moved to
// another thread meanwhile gets the wall time, which is never less.
func (w *stopwatch) lap() time.Duration {
	last := *w
	w.wall = time.Now()
	d := w.wall.Sub(last.wall)
	if last.cpu > 0 {
		w.thread, w.cpu = threadTime()
		if cpu := w.cpu - last.cpu; w.thread == last.thread && cpu >= 0 {
			d = min(d, cpu)
		}
	}
	return d
}
