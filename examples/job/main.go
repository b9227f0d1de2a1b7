// Command job evaluates a background job: no request, no middleware.
//
// Begin is the hook under all middleware. It starts a turn, the recorder travels
// in the context, and end hands the turn over. Here each document that a nightly
// job reads is a turn. Code deeper down asks the context for the recorder, and
// works the same where nothing is evaluated.
//
//	go run ./examples/job
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: metric.Default(),
		Sinks:   []rag.Sink{spanattach.Slog(slog.New(slog.NewTextHandler(out, nil)))},
	})
	if err != nil {
		return err
	}
	// A job has time: no turn is left out for the CPU that evaluating takes.
	p := evalmw.New(ev, evalmw.WithCPUBudget(0))
	defer func() {
		err = errors.Join(err, p.Shutdown(context.WithoutCancel(ctx)))
		_, _ = fmt.Fprintf(out, "%d of %d turns evaluated\n", p.Stats().Turns[rag.OutcomeEvaluated], p.Stats().Submitted)
	}()
	for _, doc := range documents {
		if err := readRevenue(ctx, p, doc); err != nil {
			return err
		}
	}
	return nil
}

type document struct {
	id    string
	pages []string
}

var documents = []document{
	{"acme-2024", []string{"Revenue was $2.3 billion, up 8%.", "We employ 4,100 people.", "Revenues of $2.3 billion were a record."}},
	{"apex-2024", []string{"Revenue was $310 million.", "Restated, revenue was $301 million."}},
}

// readRevenue is one step of the job, and one turn.
func readRevenue(ctx context.Context, p *evalmw.Pipeline, doc document) error {
	ctx, end := p.Begin(ctx)
	defer end()
	rec := evalmw.FromContext(ctx)
	rec.SetID(doc.id)
	rec.SetQuery("What was the revenue?")
	rec.Tag("job", "nightly")
	found := search(ctx, doc)
	for _, x := range extract(found) {
		rec.Extracted(x)
	}
	return ctx.Err()
}

// search records what it found where it found it.
func search(ctx context.Context, doc document) []rag.Chunk {
	start := time.Now()
	var chunks []rag.Chunk
	for i, text := range doc.pages {
		chunks = append(chunks, rag.Chunk{
			ID: fmt.Sprintf("%s#%d", doc.id, i+1), DocID: doc.id, Page: strconv.Itoa(i + 1), Text: text,
			Methods: []string{"scan"}, Score: rag.Some(1 / float64(i+1)),
		})
	}
	rec := evalmw.FromContext(ctx)
	rec.Retrieved(chunks, rag.Limits{"scan": 10}, len(chunks))
	rec.Stage("search", time.Since(start))
	return chunks
}

// extract stands for a model that reads a value out of each page.
func extract(chunks []rag.Chunk) []rag.Extraction {
	var list []rag.Extraction
	for i, c := range chunks {
		var number, scale string
		for _, form := range []string{"Revenue was $%s %s", "Revenues of $%s %s were", "Restated, revenue was $%s %s"} {
			if n, _ := fmt.Sscanf(c.Text, form, &number, &scale); n == 2 {
				list = append(list, rag.Extraction{
					Field: "revenue", Value: "$" + number + " " + strings.TrimRight(scale, ",."), ChunkNumber: i + 1,
					Confidence: rag.Some(0.9), Evidence: c.Text, Format: "currency",
				})
			}
		}
	}
	return list
}
