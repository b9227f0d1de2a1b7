package main

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The variants of the hand-off.
const (
	poolGetPut  = "sync.Pool get and put"
	poolAgain   = "sync.Pool again (A/A)"
	dropped     = "touchstone, queue full"
	handedOver  = "touchstone, with room"
	handedByRef = "touchstone, with room, without copy"

	channelBusy    = "bare channel, saturated"
	channelBusyToo = "bare channel, saturated (A/A)"
	submitBusy     = "touchstone, saturated"
	channelRoom    = "pooled copy and channel, paced"
	channelRoomToo = "pooled copy and channel, paced (A/A)"
	submitRoom     = "touchstone, paced"
)

// p99 is the 99th percentile of one call's wall time, clock included.
const p99 = "p99 ns"

// handoffGroup measures handing a whole turn over.
func handoffGroup() *group {
	g := &group{name: "handoff", title: "hand-off", base: poolGetPut, columns: []string{cpuTime, ownTime, allocs}}
	for _, name := range []string{poolGetPut, poolAgain} {
		g.variants = append(g.variants, variant{name, poolTrip})
	}
	g.variants = append(g.variants,
		variant{dropped, dropping},
		variant{handedOver, func(b bench) (figures, error) { return handing(b) }},
		variant{handedByRef, func(b bench) (figures, error) { return handing(b, evalmw.WithoutCopy()) }})
	g.goals = []goal{
		{what: "allocations", got: valueOf(handedOver, allocs), limit: constant(0.01), exact: true},
		{what: "allocations of a drop", got: valueOf(dropped, allocs), limit: constant(0.01), exact: true},
		{
			what: "drop, of a pool's get and put", got: ratioOf(dropped, poolGetPut, cpuTime),
			noise: ratioOf(poolAgain, poolGetPut, cpuTime), limit: constant(2),
		},
	}
	return g
}

// crowdGroup measures it from 256 goroutines at once. Saturated, they do
// nothing else, so nearly every hand-off is refused; paced, they wait some
// 10 ms in between as for a model, and every one is taken. There the other side
// copies the text too, into a pooled buffer, as whoever keeps it must.
func crowdGroup() *group {
	g := &group{name: "crowd", title: "hand-off from 256 goroutines", base: channelBusy, columns: []string{p99, "taken %"}}
	channel := func(paced bool) func(bench) (figures, error) {
		return func(b bench) (figures, error) { return crowdOnChannel(b, paced) }
	}
	submit := func(paced bool) func(bench) (figures, error) {
		return func(b bench) (figures, error) { return crowdOnPipeline(b, paced) }
	}
	g.variants = []variant{
		{channelBusy, channel(false)},
		{channelBusyToo, channel(false)},
		{submitBusy, submit(false)},
		{channelRoom, channel(true)},
		{channelRoomToo, channel(true)},
		{submitRoom, submit(true)},
	}
	g.goals = []goal{
		{
			what: "p99 saturated, of a bare channel's", got: ratioOf(submitBusy, channelBusy, p99),
			noise: ratioOf(channelBusyToo, channelBusy, p99), limit: constant(1.2),
		},
		{
			what: "p99 paced, of a pooled copy and a channel's", got: ratioOf(submitRoom, channelRoom, p99),
			noise: ratioOf(channelRoomToo, channelRoom, p99), limit: constant(1.2),
		},
	}
	return g
}

func poolTrip(b bench) (figures, error) {
	pool := sync.Pool{New: func() any { return new(rag.Sample) }}
	return b.loop(work{op: func() {
		s, _ := pool.Get().(*rag.Sample)
		s.Query = question
		pool.Put(s)
	}}), nil
}

func dropping(b bench) (figures, error) {
	p, release, err := blocked(evalmw.WithQueue(1, 1<<30))
	if err != nil {
		return nil, err
	}
	defer release()
	s, ctx := newTurn(), context.Background()
	p.Submit(ctx, s)
	return b.loop(work{op: func() { p.Submit(ctx, s) }}), nil
}

func handing(b bench, opts ...evalmw.Option) (figures, error) {
	p, err := newPipeline(rag.Config{Metrics: []rag.Metric{noMetric}}, append(opts, evalmw.WithCPUBudget(0))...)
	if err != nil {
		return nil, err
	}
	s, ctx := newTurn(), context.Background()
	w := work{op: func() { p.Submit(ctx, s) }, between: flushing(p), alone: true}
	f := b.loop(w)
	f[allocs] = w.ownAllocs()
	return f, allEvaluated(p)
}

// blocked returns a pipeline whose worker is stuck in a sink until released.
func blocked(opts ...evalmw.Option) (*evalmw.Pipeline, func(), error) {
	entered, release := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(entered) })
	stuck := rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error {
		once()
		<-release
		return nil
	})
	p, err := newPipeline(rag.Config{Metrics: []rag.Metric{noMetric}, Sinks: []rag.Sink{stuck}},
		append(opts, evalmw.WithCPUBudget(0))...)
	if err != nil {
		return nil, nil, err
	}
	p.Submit(context.Background(), newTurn())
	<-entered
	return p, func() { close(release); _ = p.Shutdown(context.Background()) }, nil
}

const crowdQueue = 2048

func crowdOnPipeline(b bench, paced bool) (figures, error) {
	opts := []evalmw.Option{evalmw.WithQueue(crowdQueue, 1<<30)}
	if paced {
		opts = append(opts, evalmw.WithCPUBudget(0))
	}
	p, err := newPipeline(rag.Config{Metrics: []rag.Metric{noMetric}}, opts...)
	if err != nil {
		return nil, err
	}
	s, ctx := newTurn(), context.Background()
	f := crowd(b, paced, func() { p.Submit(ctx, s) })
	if err := p.Shutdown(ctx); err != nil {
		return nil, err
	}
	stats := p.Stats()
	f["taken %"] = 100 * float64(stats.Turns[rag.OutcomeEvaluated]) / float64(stats.Submitted)
	return f, nil
}

// crowdOnChannel is the least that could be done: a queue of the same length,
// a consumer that empties it every 10 ms and throws away.
func crowdOnChannel(b bench, paced bool) (figures, error) {
	type item struct {
		sample *rag.Sample
		text   []byte
	}
	queue := make(chan *item, crowdQueue)
	pool := sync.Pool{New: func() any { return &item{text: make([]byte, 0, 16<<10)} }}
	done, stopped := make(chan struct{}), make(chan struct{})
	var taken, calls float64
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			for n := len(queue); n > 0; n-- {
				pool.Put(<-queue)
				taken++
			}
		}
	}()
	s := newTurn()
	one := &item{sample: s}
	f := crowd(b, paced, func() {
		it := one
		if paced {
			it, _ = pool.Get().(*item)
			it.sample, it.text = s, it.text[:0]
			for i := range s.Retrieval.Chunks {
				it.text = append(it.text, s.Retrieval.Chunks[i].Text...)
			}
			it.text = append(it.text, s.Answer.Text...)
		}
		select {
		case queue <- it:
		default:
		}
	})
	close(done)
	<-stopped
	calls = f["calls"]
	f["taken %"] = 100 * (taken + float64(len(queue))) / calls
	return f, nil
}

// crowd calls op from 256 goroutines and returns the 99th percentile of its
// wall time.
func crowd(b bench, paced bool, op func()) figures {
	const goroutines = 256
	calls := 20_000
	if paced {
		calls = 100
	}
	if b.quick {
		calls = max(calls/50, 5)
	}
	took := make([][]uint32, goroutines)
	for i := range took {
		took[i] = make([]uint32, calls)
	}
	runtime.GC()
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for j := range took[i] {
				if paced {
					<-time.After(5*time.Millisecond + rand.N(10*time.Millisecond))
				}
				start := time.Now()
				op()
				took[i][j] = uint32(min(time.Since(start), time.Second))
			}
		})
	}
	wg.Wait()
	var all []uint32
	for _, t := range took {
		all = append(all, t...)
	}
	return figures{p99: float64(percentile(all, 0.99)), "calls": float64(len(all))}
}
