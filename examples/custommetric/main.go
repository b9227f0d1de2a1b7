// Command custommetric evaluates with a metric of one's own.
//
// A metric is a value with a name and a pure function. Put into the evaluator,
// it runs wherever the others do: live behind every request, on recorded
// samples, and in tests. Here it looks whether the passages that an answer
// quotes stand in the chunks. An answer that quotes nothing has no score but a
// reason: a 0 would say that its quotations are wrong.
//
//	go run ./examples/custommetric
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

var quotation = regexp.MustCompile(`"([^"]+)"|“([^”]+)”`)

// quotationsFound is the share of the quoted passages that stand in a chunk.
var quotationsFound = rag.Metric{
	Name: "quotations_found",
	Doc:  "The share of the answer's quotations that stand word for word in a chunk.",
	Score: func(v *rag.View) rag.Result {
		quoted := quotation.FindAllStringSubmatch(v.Sample().Answer.Text, -1)
		if len(quoted) == 0 {
			return rag.Unmeasured("no_quotations")
		}
		found := 0
		for _, q := range quoted {
			for _, c := range v.Chunks() {
				if strings.Contains(c.Text, q[1]+q[2]) {
					found++
					break
				}
			}
		}
		return rag.Scored(float64(found)/float64(len(quoted)), v.Details(
			slog.Int("quotations", len(quoted)), slog.Int("found", found),
		)...)
	},
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: append(metric.Default(), quotationsFound)})
	if err != nil {
		return err
	}
	chunks := []rag.Chunk{{ID: "report#7", Text: "Net sales grew by 8%, driven by higher volumes in Europe."}}
	for _, answer := range []string{
		`The report says that sales were "driven by higher volumes in Europe".`,
		`They were “driven by higher volumes in Europe” and “by lower costs”.`,
		`They grew by 8%.`,
	} {
		sample := &rag.Sample{
			Query:     "Why did sales grow?",
			Retrieval: rag.Retrieval{Chunks: chunks},
			Answer:    rag.Answer{Text: answer},
		}
		e, err := ev.Evaluate(ctx, sample)
		if err != nil {
			return err
		}
		r, _ := e.Find(quotationsFound.Name)
		verdict := fmt.Sprintf("%.2f %v", r.Value, r.Details)
		if !r.Measured() {
			verdict = "not measured: " + string(r.Reason)
		}
		if _, err := fmt.Fprintf(out, "%s %s\n  %s\n", r.Name, verdict, answer); err != nil {
			return err
		}
	}
	return nil
}
