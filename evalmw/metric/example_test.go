package metric_test

import (
	"bytes"
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

// An answer with a number and a name that no chunk has. The chunk is quoted for
// what it does support.
func ExampleGroundedness() {
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: metric.Groundedness()})
	if err != nil {
		fmt.Println(err)
		return
	}
	evaluation, err := evaluator.Evaluate(context.Background(), &rag.Sample{
		Query: "How did revenue develop?",
		Retrieval: rag.Retrieval{Chunks: []rag.Chunk{
			{ID: "c1", Text: "Revenue was $2,300 million in 2019, after $2,000 million in 2018."},
			{ID: "c2", Text: "The weather was mild."},
		}},
		Answer: rag.Answer{Text: "Revenue rose by 15% to $2.3 billion [1]. Jane Roe expects $4 billion for 2021 [3]."},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range evaluation.Results {
		if r.Name == "support_risk" {
			fmt.Println(r.Name, r.Value > .9, r.Label)
		} else {
			fmt.Println(r.Name, r.Value)
		}
	}
	// Output:
	// claim_support_rate 0.5
	// unsupported_claim_count 1
	// numeric_fabrication_count 2
	// citation_validity_form 0.5
	// citation_validity_content 1
	// citation_coverage 1
	// support_risk true uncalibrated
}

// What touchstone calibrate wrote is read once, when the service starts.
func ExampleWithRiskModel() {
	file := new(bytes.Buffer) // in a service, the file that --out named
	if _, err := metric.DefaultRiskModel().WriteTo(file); err != nil {
		fmt.Println(err)
		return
	}
	model, err := metric.ReadRiskModel(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = rag.NewEvaluator(rag.Config{Metrics: append(metric.Default(), metric.SupportRisk(metric.WithRiskModel(model)))})
	fmt.Println(err, model.Calibrated())
	// Output: <nil> false
}
