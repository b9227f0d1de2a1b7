package evalmw_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

// search and generate stand for the service that there is already.
func search(string) []rag.Chunk {
	return []rag.Chunk{
		{ID: "c1", Page: "5", Score: rag.Some(0.81), Methods: []string{"bm25", "knn"}, Text: "Revenue was $2.3 billion."},
		{ID: "c2", Page: "9", Score: rag.Some(0.44), Methods: []string{"knn"}, Text: "Margins rose slightly."},
	}
}

func generate(string, []rag.Chunk) string { return "Revenue was $2.3 billion." }

// The whole of it: an evaluator, a pipeline, the middleware, and four lines in
// the handler.
func Example() {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Sinks: spanattach.New()})
	if err != nil {
		panic(err)
	}
	p := evalmw.New(ev)
	defer p.Shutdown(context.Background())
	http.Handle("POST /query", p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, query := evalmw.FromContext(r.Context()), r.FormValue("q")
		rec.SetQuery(query)
		chunks := search(query)
		rec.Retrieved(chunks, rag.Limits{"bm25": 20, "knn": 20}, 57)
		answer := generate(query, chunks)
		rec.Answered(answer, rag.Citation{ChunkID: "c1"})
		fmt.Fprint(w, answer)
	})))
}

// A sink prints what was found about a turn.
func ExamplePipeline_Begin() {
	sink := rag.SinkFunc(func(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
		for _, r := range e.Fresh() {
			if r.Measured() && r.Kind == rag.KindScore {
				fmt.Printf("%s: %s = %.2f\n", s.ID, r.Name, r.Value)
			}
		}
		return nil
	})
	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Sinks: []rag.Sink{sink}})
	if err != nil {
		panic(err)
	}
	p := evalmw.New(ev)

	ctx, end := p.Begin(context.Background())
	rec := evalmw.FromContext(ctx)
	rec.SetID("job-7")
	rec.Retrieved(search("revenue"), rag.Limits{"bm25": 20, "knn": 20}, 3)
	rec.Answered("Revenue was $2.3 billion.", rag.Citation{ChunkID: "c1"})
	end()

	if err := p.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// job-7: context_relevance = 0.55
	// job-7: context_precision = 1.00
	// job-7: context_recall_heuristic = 0.50
}

// A service that cannot be edited is read from outside.
func ExamplePipeline_Capture() {
	sink := rag.SinkFunc(func(_ context.Context, s *rag.Sample, _ *rag.Evaluation) error {
		fmt.Printf("%q, %d chunks: %q\n", s.Query, len(s.Retrieval.Chunks), s.Answer.Text)
		return nil
	})
	ev, err := rag.NewEvaluator(rag.Config{Metrics: metric.Default(), Sinks: []rag.Sink{sink}})
	if err != nil {
		panic(err)
	}
	p := evalmw.New(ev)
	sealed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"result":{"text":"It rose.","sources":[{"id":"c1","content":"Revenue rose."}]}}`)
	})
	handler := p.Capture(evalmw.Capture{Query: "?q", Answer: "result.text", Chunks: "result.sources"})(sealed)
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?q=Did+it+rise", nil))
	if err := p.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	// Output: "Did it rise", 1 chunks: "It rose."
}
