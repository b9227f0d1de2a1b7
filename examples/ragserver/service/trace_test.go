package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"github.com/touchstone-rag/touchstone/examples/ragserver/ragpb"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

func TestEvaluationsNameTheSpanOfTheirRequest(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracing := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	svc := service.New(cfg)
	srv := serve(t, otelhttp.NewHandler(svc.Handler(), "ragserver", otelhttp.WithTracerProvider(tracing)))
	client := dial(t, svc, grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(tracing))))

	for name, request := range map[string]func(){
		"POST /query": func() { post(t, srv.URL+"/query", ask(salesQuery, salesDoc, "")) },
		"POST /extract": func() {
			post(t, srv.URL+"/extract", `{"doc_id":"`+salesDoc+`","fields":[{"name":"sales","question":"`+salesQuery+`"}]}`)
		},
		"touchstone.examples.ragserver.v1.RAG/Query": func() {
			_, err := client.Query(t.Context(), &ragpb.QueryRequest{Question: salesQuery})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sink.Reset()
			spans.Reset()
			request()
			turns := evaluated(t, sink, 1)
			require.EventuallyWithT(t, func(t *assert.CollectT) {
				assert.Len(t, spans.Ended(), 1) // it ends after the caller has its answer
			}, 10*time.Second, time.Millisecond)
			span := spans.Ended()[0]
			assert.Equal(t, name, span.Name(), "the route, not the path or the operation")
			assert.Equal(t, trace.SpanID(turns[0].Sample.Span.SpanID), span.SpanContext().SpanID())
		})
	}
}
