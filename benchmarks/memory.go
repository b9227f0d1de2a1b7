package main

import (
	"context"
	"runtime"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The measures of the queue's memory.
const (
	heapOfBudget = "heap, of the byte budget"
	turnsHeld    = "turns"
)

// memoryGroup fills a queue with turns whose chunks are cut from documents of
// 1 MiB. Keeping the strings would hold the documents.
func memoryGroup() *group {
	g := &group{name: "memory", title: "full queue", base: touchstone, columns: []string{heapOfBudget, turnsHeld}}
	g.variants = []variant{
		{touchstone, func(bench) (figures, error) { return fullQueue(16 << 20) }},
		{touchstoneByRef, func(bench) (figures, error) { return fullQueue(1<<20, evalmw.WithoutCopy()) }},
	}
	g.goals = []goal{{
		what: heapOfBudget, got: valueOf(touchstone, heapOfBudget), limit: constant(1.2), exact: true,
	}}
	return g
}

func fullQueue(budget int64, opts ...evalmw.Option) (figures, error) {
	p, release, err := blocked(append(opts, evalmw.WithQueue(100_000, budget))...)
	if err != nil {
		return nil, err
	}
	defer release()
	text := english(1 << 20)
	before := liveHeap()
	for p.Stats().Turns[rag.OutcomeQueueBytes] == 0 {
		document := strings.Clone(text)
		s := &rag.Sample{Query: question, Answer: rag.Answer{Text: text[:answerLength]}}
		for i := range turnChunks {
			s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{
				ID: "c", Text: document[i*chunkLength : (i+1)*chunkLength],
			})
		}
		p.Submit(context.Background(), s)
	}
	held := liveHeap() - before
	return figures{heapOfBudget: held / float64(budget), turnsHeld: float64(p.Stats().Queue.Items)}, nil
}

func liveHeap() float64 {
	runtime.GC()
	runtime.GC() // the second one empties what the pools had given up
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
