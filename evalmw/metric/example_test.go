package metric_test

import (
	"context"
	"fmt"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func ExampleDefault() {
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default()})
	if err != nil {
		fmt.Println(err)
		return
	}
	evaluation, err := evaluator.Evaluate(context.Background(), &rag.Sample{
		Query: "What was revenue in 2019?",
		Retrieval: rag.Retrieval{
			Chunks: []rag.Chunk{
				{ID: "c1", DocID: "10-K", Page: "5", Score: rag.Some(.9), Methods: []string{"bm25", "knn"}, Text: "Revenue was $2,300 million."},
				{ID: "c2", DocID: "10-K", Page: "9", Score: rag.Some(.5), Methods: []string{"knn"}, Text: "The weather was mild."},
			},
			Limits: rag.Limits{"bm25": 20, "knn": 20},
		},
		Answer: rag.Answer{Text: "Revenue was $2.3 billion."},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range evaluation.Results {
		if r.Measured() {
			fmt.Printf("%s %.3f\n", r.Name, r.Value)
		} else {
			fmt.Println(r.Name, r.Reason)
		}
	}
	// Output:
	// context_relevance 0.590
	// context_precision 1.000
	// context_recall_heuristic 0.500
	// aggregated_confidence no_confidence
	// semantic_validation not_applicable
	// multi_source_agreement not_applicable
	// agreement_pattern not_applicable
}
