// Command capture evaluates a service that cannot be edited.
//
// Capture is middleware that reads the turn out of the bodies that pass: the
// question out of the request, chunks and citations out of the response, by
// paths. Transport goes around the service's HTTP client and reads what the
// model was asked and what it replied, with its name and usage. Bodies are
// copied as they pass, and parsed behind the request.
//
//	go run ./examples/capture
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
	captured := rag.SinkFunc(func(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
		_, err := fmt.Fprintf(&evaluations, "captured %s: %q, %d chunks, %q by %s, %d tokens\n",
			e.Phase, s.Query, len(s.Retrieval.Chunks), s.Answer.Text, s.Model, s.Usage.InputTokens+s.Usage.OutputTokens)
		return err
	})
	ev, err := rag.NewEvaluator(rag.Config{
		Metrics: metric.Default(),
		Sinks:   []rag.Sink{captured, spanattach.Slog(slog.New(slog.NewTextHandler(&evaluations, nil)))},
	})
	if err != nil {
		return err
	}
	p := evalmw.New(ev)
	defer func() { // runs when the server has stopped, and delivers what is queued
		err = errors.Join(err, p.Shutdown(context.WithoutCancel(ctx)))
		_, _ = evaluations.WriteTo(out)
	}()

	model := httptest.NewServer(http.HandlerFunc(replyAsModel))
	defer model.Close()
	var service http.Handler = &legacy{
		modelURL: model.URL + "/v1/chat/completions",
		client:   &http.Client{Transport: p.Transport(http.DefaultTransport)},
	}
	capture := p.Capture(evalmw.Capture{
		Query:     "question",
		Chunks:    "result.sources",
		ChunkText: "passage",
		Citations: "result.used",
	})
	server := httptest.NewServer(capture(service))
	defer server.Close()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(`{"question":"How tall is the Eiffel Tower?"}`))
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
