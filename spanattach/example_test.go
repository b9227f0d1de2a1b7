package spanattach_test

import (
	"context"
	"log/slog"
	"os"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

func ExampleSlog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	brevity := rag.Metric{Name: "brevity", Score: func(v *rag.View) rag.Result {
		return rag.Scored(1 / float64(max(1, len(v.Sample().Answer.Text))))
	}}
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: []rag.Metric{brevity},
		Sinks:   append(spanattach.New(), spanattach.Slog(logger)),
	})
	if err != nil {
		panic(err)
	}
	_, _ = ev.Evaluate(context.Background(), &rag.Sample{ID: "r1", Answer: rag.Answer{Text: "42"}})
	// Output:
	// level=INFO msg="rag evaluation" id=r1 phase=answer rag.evaluation.brevity=0.5
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
