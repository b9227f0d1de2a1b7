package evalmw

import (
	"sync"
	"time"
)

// errorReports keeps a failing sink from flooding whoever is told of it.
type errorReports struct {
	mu   sync.Mutex
	last map[string]time.Time // by what failed: sinks and metrics, a fixed few
}

// reportEvery is how often the same part may report that it failed.
const reportEvery = time.Second

// report tells the error handler, if there is one, and contains its panics.
func (p *Pipeline) report(what string, err error) {
	if p.cfg.onError == nil || !p.errors.due(what, time.Now()) {
		return
	}
	defer func() { _ = recover() }()
	p.cfg.onError(err)
}

func (r *errorReports) due(what string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.last[what]; ok && now.Sub(last) < reportEvery {
		return false
	}
	if r.last == nil {
		r.last = make(map[string]time.Time)
	}
	r.last[what] = now
	return true
}
