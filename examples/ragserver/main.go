// Command ragserver answers questions about the annual reports of its corpus,
// over HTTP and gRPC, and evaluates every answer while it serves.
//
//	go run ./examples/ragserver
//	curl localhost:8080/query -d '{"question":"What is the amount of total sales in 2019?","doc_id":"tq-3ffd9053"}'
//	open http://localhost:8081/
//
// Evaluations go to OpenTelemetry as the OTEL_* variables say, and to the
// status page on the admin port. The key of a model comes from OPENAI_API_KEY.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"google.golang.org/grpc"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
	"github.com/touchstone-rag/touchstone/examples/ragserver/live"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Getenv("OPENAI_API_KEY"), os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type options struct {
	http, grpc, admin        string
	mode, system             string
	baseURL, model           string
	embedURL, embeddingModel string
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("ragserver", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.http, "http", "localhost:8080", "address of the HTTP service")
	flags.StringVar(&o.grpc, "grpc", "localhost:9090", "address of the gRPC service")
	flags.StringVar(&o.admin, "admin", "localhost:8081", "address of the status page; keep it from the public")
	flags.StringVar(&o.mode, "mode", service.Extractive, "how to answer: extractive, recorded or chat")
	flags.StringVar(&o.system, "system", "", "whose recorded answers to repeat (default the corpus's first)")
	flags.StringVar(&o.baseURL, "base-url", "", "OpenAI-compatible server of the chat model, up to and with /v1 (default OpenAI's)")
	flags.StringVar(&o.model, "model", "", "chat model")
	flags.StringVar(&o.embedURL, "embeddings-url", "", "OpenAI-compatible server of the embedding model (default OpenAI's)")
	flags.StringVar(&o.embeddingModel, "embeddings-model", "", "embedding model (default none: vectors are computed here)")
	return o, flags.Parse(args)
}

func run(ctx context.Context, args []string, apiKey string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	touchstone, err := live.Start(ctx, "ragserver", live.Config{})
	if err != nil {
		return err
	}
	err = serve(ctx, o, apiKey, touchstone.Pipeline, out)
	// The servers have stopped. What is queued is delivered, then exported;
	// ctx has ended and must not cut that short.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWait)
	defer cancel()
	return errors.Join(err, touchstone.Shutdown(end))
}

const shutdownWait = 10 * time.Second

func serve(ctx context.Context, o options, apiKey string, p *evalmw.Pipeline, out io.Writer) error {
	// The calls to a model become spans of the request's trace.
	client := &http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport)}
	var embedder index.Embedder
	if o.embeddingModel != "" {
		var err error
		embedder, err = index.NewOpenAI(index.OpenAIConfig{
			BaseURL: o.embedURL, APIKey: apiKey, Model: o.embeddingModel, Client: client,
		})
		if err != nil {
			return err
		}
	}
	c, err := corpus.Load()
	if err != nil {
		return err
	}
	cfg := service.Config{
		Corpus: c, Mode: o.mode, System: o.system, Pipeline: p,
		Chat: answer.ChatConfig{BaseURL: o.baseURL, APIKey: apiKey, Model: o.model, Client: client},
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	cfg.Index, err = index.Build(ctx, c.Chunks, index.Config{Embedder: embedder})
	if err != nil {
		return err
	}
	defer cfg.Index.Close() //nolint:errcheck // in memory
	svc := service.New(cfg)
	return listen(ctx, out,
		endpoint{"http", o.http, newHTTPServer(otelhttp.NewHandler(svc.Handler(), "ragserver"))},
		endpoint{"grpc", o.grpc, grpcServer{svc.GRPCServer(grpc.StatsHandler(otelgrpc.NewServerHandler()))}},
		endpoint{"status", o.admin, newHTTPServer(p.StatusHandler())},
	)
}
