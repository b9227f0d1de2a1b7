// Command streaming evaluates an answer that is streamed.
//
// The handler writes each piece to io.MultiWriter(client, recorder). Nothing is
// intercepted and nothing held back: the client gets every piece as early as
// before, and what was streamed is evaluated when the handler returns. If the
// client goes away, the part that went out is what is evaluated.
//
//	go run ./examples/streaming
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

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
	var evaluations bytes.Buffer
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: metric.Default(),
		Sinks:   []rag.Sink{spanattach.Slog(slog.New(slog.NewTextHandler(&evaluations, nil)))},
	})
	if err != nil {
		return err
	}
	p := evalmw.New(ev)
	defer func() { // runs when the server has stopped, and delivers what is queued
		err = errors.Join(err, p.Shutdown(context.WithoutCancel(ctx)))
		_, _ = evaluations.WriteTo(out)
	}()
	server := httptest.NewServer(p.Middleware(http.HandlerFunc(answer)))
	defer server.Close()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/?q=How+tall+is+the+Eiffel+Tower%3F", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	_, err = io.Copy(out, resp.Body)
	return err
}

// answer is the handler of a RAG service that streams.
func answer(w http.ResponseWriter, r *http.Request) {
	rec := evalmw.FromContext(r.Context())
	rec.SetQuery(r.FormValue("q"))

	chunks := []rag.Chunk{
		{ID: "tower#1", DocID: "tower", Text: "The Eiffel Tower is 330 metres tall.", Score: rag.Some(0.91), Methods: []string{"bm25", "knn"}},
		{ID: "tower#2", DocID: "tower", Text: "It was the tallest structure in the world until 1930.", Score: rag.Some(0.55), Methods: []string{"knn"}},
	}
	rec.Retrieved(chunks, rag.Limits{"bm25": 20, "knn": 20}, 2)

	w.Header().Set("Content-Type", "text/event-stream")
	both := io.MultiWriter(&events{http.NewResponseController(w), w}, rec)
	for piece := range strings.SplitAfterSeq("The Eiffel Tower is 330 metres tall.", " ") {
		if _, err := io.WriteString(both, piece); err != nil {
			return // the client is gone
		}
	}
	rec.Answered("", rag.Citation{ChunkID: "tower#1"}) // the text is what was streamed
}

// events frames each piece as a server-sent event and flushes it.
type events struct {
	flusher *http.ResponseController
	w       io.Writer
}

// Write implements [io.Writer].
func (e *events) Write(piece []byte) (int, error) {
	if _, err := fmt.Fprintf(e.w, "data: %s\n\n", piece); err != nil {
		return 0, err
	}
	return len(piece), e.flusher.Flush()
}
