package evaltest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Delivery is what a sink received at once: copies that the test owns.
type Delivery struct {
	_ struct{}

	Sample     *rag.Sample
	Evaluation *rag.Evaluation
}

// A Sink keeps what it receives. Its methods may be called concurrently. Make
// one with [NewSink].
type Sink struct {
	mu   sync.Mutex
	got  []Delivery
	more chan struct{} // closed when something arrives
}

// NewSink returns an empty sink.
func NewSink() *Sink { return &Sink{more: make(chan struct{})} }

// Consume keeps a copy of both arguments and returns nil.
func (s *Sink) Consume(_ context.Context, sample *rag.Sample, ev *rag.Evaluation) error {
	d := Delivery{Sample: sample.Clone(), Evaluation: ev.Clone()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, d)
	close(s.more)
	s.more = make(chan struct{})
	return nil
}

// All returns every delivery in its order. One turn may have several: its
// retrieval before the answer was there, the whole of it, and a check.
func (s *Sink) All() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// Turns returns the deliveries of whole turns: those of [rag.PhaseAnswer].
func (s *Sink) Turns() []Delivery { return s.phase(rag.PhaseAnswer) }

// Last returns the last whole turn, or false if there is none.
func (s *Sink) Last() (Delivery, bool) {
	turns := s.Turns()
	if len(turns) == 0 {
		return Delivery{}, false
	}
	return turns[len(turns)-1], true
}

// Find returns every result of the named metric in the order of delivery.
// What was delivered with the retrieval is not repeated with the whole turn.
func (s *Sink) Find(metric string) []rag.Result {
	var out []rag.Result
	for _, d := range s.All() {
		for _, r := range d.Evaluation.Fresh() {
			if r.Name == metric {
				out = append(out, r)
			}
		}
	}
	return out
}

// Wait returns the whole turns as soon as there are n, or what there is with
// an error when ctx ends.
func (s *Sink) Wait(ctx context.Context, n int) ([]Delivery, error) {
	return s.wait(ctx, n, rag.PhaseAnswer)
}

// WaitChecked is Wait for escalated checks that have come back.
func (s *Sink) WaitChecked(ctx context.Context, n int) ([]Delivery, error) {
	return s.wait(ctx, n, rag.PhaseCheck)
}

// Reset forgets what was received.
func (s *Sink) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

func (s *Sink) wait(ctx context.Context, n int, phase rag.Phase) ([]Delivery, error) {
	for {
		s.mu.Lock()
		more := s.more
		s.mu.Unlock()
		got := s.phase(phase)
		if len(got) >= n {
			return got, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return got, fmt.Errorf("evaltest: expected %d deliveries of phase %v, found %d: %w", n, phase, len(got), ctx.Err())
		}
	}
}

func (s *Sink) phase(phase rag.Phase) []Delivery {
	return slices.DeleteFunc(s.All(), func(d Delivery) bool { return d.Evaluation.Phase != phase })
}
