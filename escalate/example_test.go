package escalate_test

import (
	"context"
	"fmt"

	"github.com/touchstone-rag/touchstone/escalate"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Of ten chunks that were retrieved one was used: the right one may be missing.
func ExampleThreshold() {
	policy, err := escalate.Threshold(escalate.DefaultThreshold)
	if err != nil {
		panic(err)
	}
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Escalator: policy})
	if err != nil {
		panic(err)
	}
	sample := &rag.Sample{
		Retrieval: rag.Retrieval{Limits: rag.Limits{"bm25": 10}},
		Answer:    rag.Answer{Text: "42", Citations: []rag.Citation{{ChunkID: "c0"}}},
	}
	for i := range 10 {
		sample.Retrieval.Chunks = append(sample.Retrieval.Chunks, rag.Chunk{ID: fmt.Sprintf("c%d", i), Methods: []string{"bm25"}})
	}
	evaluation, err := evaluator.Evaluate(context.Background(), sample)
	if err != nil {
		panic(err)
	}
	fmt.Println(evaluation.Escalation.Needed, evaluation.Escalation.Reasons)
	// Output: true [heuristic_below_threshold retrieval_limit_hit]
}
