package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
)

// progress talks on stderr: bars on a terminal, else a line per stage.
type progress struct {
	env   *env
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	stage string
}

func (e *env) newProgress() *progress { return &progress{env: e} }

var stageNames = map[string]string{
	"train":   "learning the embedding",
	"bm25":    "indexing for BM25",
	"vectors": "indexing the vectors",
}

// indexing reports the building of the index.
func (p *progress) indexing(i index.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i.Stage != p.stage {
		p.stage = i.Stage
		p.begin(i.Total, stageNames[i.Stage])
	}
	if p.bar != nil {
		_ = p.bar.Set(i.Done)
	}
}

// traffic begins the bar of the requests.
func (p *progress) traffic(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(total, "asking real questions")
}

// reading begins a count of samples whose number nobody knows. It is shown on a
// terminal only.
func (p *progress) reading() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.env.interactive {
		p.begin(-1, "reading samples")
	}
}

// sample counts one sample.
func (p *progress) sample() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

// step counts one request.
func (p *progress) step(s rag.Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil {
		return
	}
	p.bar.Describe(fmt.Sprintf("%d evaluated, %d dropped, %d would escalate",
		s.Turns[rag.OutcomeEvaluated], s.Count(rag.Outcome.Dropped), s.Escalations.Needed))
	_ = p.bar.Add(1)
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}

func (p *progress) begin(total int, what string) {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
	if !p.env.interactive {
		fmt.Fprintf(p.env.stderr, "%s (%d)\n", what, total)
		return
	}
	p.bar = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(p.env.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
