package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
	"github.com/touchstone-rag/touchstone/examples/ragserver/live"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

const demoText = `
Demo builds a RAG service over 278 real company reports (TAT-QA), asks it real
questions over HTTP, answers with what five real systems answered, wrong ones
included, and evaluates every request as it passes. Nothing leaves the machine
unless --otlp, or the OTEL_* variables of the environment, say so.

  touchstone demo [flags]
`

// demoConfig is what the flags say.
type demoConfig struct {
	questions   int
	documents   int
	concurrency int
	cpu         float64
	serve       bool
	admin       string
	otlp        string
}

func runDemo(ctx context.Context, e *env, args []string) error {
	var cfg demoConfig
	fs := flags("demo")
	fs.IntVar(&cfg.questions, "questions", 1200, "how many questions to ask")
	fs.IntVar(&cfg.documents, "documents", 60, "from how many documents to extract fields")
	fs.IntVar(&cfg.concurrency, "concurrency", 4, "how many requests to send at a time")
	fs.Float64Var(&cfg.cpu, "cpu-budget", 0.10, "the share of one core that evaluating may use; 0 is no limit")
	fs.BoolVar(&cfg.serve, "serve", false, "keep serving afterwards, until interrupted")
	fs.StringVar(&cfg.admin, "admin", "127.0.0.1:0", "the `address` of the status page")
	fs.StringVar(&cfg.otlp, "otlp", "", "send traces, metrics and events to this OTLP/HTTP `endpoint`, such as http://localhost:4318")
	if err := e.parse(fs, demoText, args); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return usageError("run touchstone demo -h to see the flags", "expected no arguments, found %q", fs.Arg(0))
	case cfg.questions < 1 || cfg.documents < 0 || cfg.concurrency < 1 || cfg.cpu < 0:
		return usageError("", "expected --questions and --concurrency of at least 1, --documents and --cpu-budget of at least 0")
	}
	if cfg.otlp != "" {
		if u, err := url.Parse(cfg.otlp); err != nil || u.Host == "" {
			return usageError("", "--otlp: expected a URL such as http://localhost:4318, found %q", cfg.otlp)
		}
		if err := os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", cfg.otlp); err != nil {
			return err
		}
	}
	return e.demo(ctx, cfg)
}

func (e *env) demo(ctx context.Context, cfg demoConfig) (err error) {
	bar := e.newProgress()
	c, ix, err := service.Build(ctx, bar.indexing)
	if err != nil {
		return fmt.Errorf("building the index: %w", err)
	}
	defer func() { err = errors.Join(err, ix.Close()) }()

	results := newResults()
	run, err := live.Start(ctx, "touchstone-demo", live.Config{
		Metrics: metric.All(),
		Sinks:   []rag.Sink{results},
		Options: []evalmw.Option{evalmw.WithCPUBudget(cfg.cpu), evalmw.WithStatusText()},
	})
	if err != nil {
		return usageError("check the OTEL_* environment variables", "%w", err)
	}
	servers := new(demoServers)
	defer func() {
		// The order that loses nothing: the servers, then the pipeline and OpenTelemetry.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, servers.shutdown(ctx))
		if unsent := run.Shutdown(ctx); unsent != nil {
			fmt.Fprintf(e.stderr, "warning: not everything was exported: %s\nhint: touchstone doctor says what arrives where\n", oneLine(unsent.Error(), 300))
		}
	}()
	if err := servers.startAll(cfg, c, ix, run.Pipeline); err != nil {
		return err
	}

	t := newTraffic(c, servers, cfg)
	bar.traffic(t.total())
	err = t.run(ctx, func() { bar.step(run.Pipeline.Stats()) })
	bar.done()
	if err != nil {
		return err
	}
	if err := run.Pipeline.Flush(ctx); err != nil {
		return err
	}
	report := &summary{
		corpus: c, index: ix, cfg: cfg, results: results, stats: run.Pipeline.Stats(), traffic: t, statusURL: servers.statusURL,
	}
	if err := report.print(e.stdout, e.colour); err != nil {
		return err
	}
	if cfg.serve {
		fmt.Fprintf(e.stderr, "serving %s, status page %s; stop with Ctrl-C\n", servers.evaluatedURL, servers.statusURL)
		<-ctx.Done()
	}
	return nil
}

// demoServers are the service with and without evaluation, and the status
// page, each on a port of its own.
type demoServers struct {
	evaluatedURL, plainURL, statusURL string
	servers                           []*http.Server
}

func (s *demoServers) startAll(cfg demoConfig, c *corpus.Corpus, ix *index.Index, p *evalmw.Pipeline) (err error) {
	evaluated := service.New(service.Config{Corpus: c, Index: ix, Mode: service.Recorded, Pipeline: p})
	plain := service.New(service.Config{Corpus: c, Index: ix, Mode: service.Recorded})
	if s.evaluatedURL, err = s.start("127.0.0.1:0", otelhttp.NewHandler(evaluated.Handler(), "evaluated")); err != nil {
		return err
	}
	if s.plainURL, err = s.start("127.0.0.1:0", otelhttp.NewHandler(plain.Handler(), "plain")); err != nil {
		return err
	}
	if s.statusURL, err = s.start(cfg.admin, p.StatusHandler()); err != nil {
		return usageError("choose another address with --admin", "the status page: %w", err)
	}
	return nil
}

func (s *demoServers) start(addr string, h http.Handler) (url string, err error) {
	l, err := net.Listen("tcp", addr) //nolint:noctx // the server is stopped by Shutdown
	if err != nil {
		return "", err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	s.servers = append(s.servers, srv)
	go func() { _ = srv.Serve(l) }() // ends with Shutdown
	return "http://" + l.Addr().String(), nil
}

func (s *demoServers) shutdown(ctx context.Context) error {
	var errs []error
	for _, srv := range s.servers {
		errs = append(errs, srv.Shutdown(ctx))
	}
	return errors.Join(errs...)
}
