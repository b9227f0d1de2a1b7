package evaltest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A test of a service asks what its handler recorded, and what the metrics
// made of it.
func Example() {
	test := func(t testing.TB) {
		p, sink := evaltest.NewPipeline(t, rag.Metric{
			Name: "answer_given",
			Score: func(v *rag.View) rag.Result {
				if v.Sample().Answer.Empty() {
					return rag.Unmeasured(rag.ReasonNoAnswer)
				}
				return rag.Scored(1)
			},
		})
		service := p.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := evalmw.FromContext(r.Context())
			rec.SetQuery(r.FormValue("q"))
			rec.Answered("Paris")
			fmt.Fprint(w, "Paris")
		}))

		service.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?q=capital+of+France", http.NoBody))
		if err := p.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		turn, _ := sink.Last()
		fmt.Println(turn.Sample.Query, "→", turn.Sample.Answer.Text)
		fmt.Println(sink.Find("answer_given")[0].Value)
	}
	runExample(test)
	// Output:
	// capital of France → Paris
	// 1
}
