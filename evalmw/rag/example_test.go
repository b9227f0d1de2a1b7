package rag_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// cited is a metric of one's own: a value with a name and a pure function. What
// it cannot measure has a reason, never a 0.
var cited = rag.Metric{
	Name: "citations_retrieved",
	Doc:  "The share of the citations that name a retrieved chunk.",
	Score: func(v *rag.View) rag.Result {
		citations := v.Sample().Answer.Citations
		if len(citations) == 0 {
			return rag.Unmeasured("no_citations")
		}
		found := 0
		for _, c := range citations {
			if _, ok := v.ChunkID(c.ChunkID); ok {
				found++
			}
		}
		return rag.Scored(float64(found) / float64(len(citations)))
	},
}

func ExampleMetric() {
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{cited}})
	if err != nil {
		panic(err)
	}
	evaluation, err := evaluator.Evaluate(context.Background(), &rag.Sample{
		Retrieval: rag.Retrieval{Chunks: []rag.Chunk{{ID: "c1"}, {ID: "c2"}}},
		Answer:    rag.Answer{Text: "42", Citations: []rag.Citation{{ChunkID: "c2"}, {ChunkID: "c7"}}},
	})
	if err != nil {
		panic(err)
	}
	result, _ := evaluation.Find("citations_retrieved")
	fmt.Println(result.Value)
	// Output: 0.5
}

// Recorded samples go through the same engine as live ones.
func ExampleReadSamples() {
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{cited}})
	if err != nil {
		panic(err)
	}
	lines := strings.NewReader(`
{"id":"r1","retrieval":{"chunks":[{"id":"c1"}]},"answer":{"citations":[{"chunk_id":"c1"}]}}
{"id":"r2","retrieval":{"chunks":"none"}}
{"id":"r3"}
`)
	for sample, err := range rag.ReadSamples(lines) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		evaluation, err := evaluator.Evaluate(context.Background(), sample)
		if err != nil {
			panic(err)
		}
		line, err := (&rag.EvaluationRecord{ID: sample.ID, Evaluation: evaluation}).MarshalJSON()
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
	// Output:
	// {"id":"r1","evaluations":[{"name":"citations_retrieved","type":"score","value":1}],"escalation":{"needed":false}}
	// line 3: retrieval.chunks: expected an array, found a string
	// {"id":"r3","evaluations":[{"name":"citations_retrieved","type":"score","reason":"no_citations"}],"escalation":{"needed":false}}
}

// Two metrics that need the words of the answer split them once.
func ExampleShared() {
	words := rag.NewShared(func(v *rag.View, words *[]string) {
		*words = append((*words)[:0], strings.Fields(v.Sample().Answer.Text)...)
	})
	metrics := []rag.Metric{
		{Name: "brevity", Score: func(v *rag.View) rag.Result {
			return rag.Scored(1 / float64(1+len(*words.Of(v))))
		}},
		{Name: "hedging", Score: func(v *rag.View) rag.Result {
			n := 0
			for _, w := range *words.Of(v) {
				if w == "perhaps" {
					n++
				}
			}
			return rag.Scored(float64(n) / float64(max(1, len(*words.Of(v)))))
		}},
	}
	evaluator, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
	if err != nil {
		panic(err)
	}
	evaluation, err := evaluator.Evaluate(context.Background(), &rag.Sample{Answer: rag.Answer{Text: "perhaps it rose"}})
	if err != nil {
		panic(err)
	}
	for _, r := range evaluation.Results {
		fmt.Printf("%s %.2f\n", r.Name, r.Value)
	}
	// Output:
	// brevity 0.25
	// hedging 0.33
}
