// Package otlptest is an OTLP/gRPC receiver for tests: it listens on a real
// socket and keeps what real exporters send.
package otlptest

import (
	"context"
	"net"
	"slices"
	"sync"

	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	colmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// Receiver keeps what it received. It is safe for concurrent use.
type Receiver struct {
	// Endpoint is the host and port that it listens on.
	Endpoint string

	mu      sync.Mutex
	spans   []*tracepb.Span
	logs    []*logspb.LogRecord
	metrics []*metricspb.Metric
}

// TB is what Start needs of a test.
type TB interface {
	Context() context.Context
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start starts a receiver that stops with the test.
func Start(t TB) *Receiver {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("otlptest.Start: expected to listen on a free port of 127.0.0.1: %v", err)
		return nil
	}
	r := &Receiver{Endpoint: listener.Addr().String()}
	server := grpc.NewServer()
	coltrace.RegisterTraceServiceServer(server, traceService{r: r})
	collogs.RegisterLogsServiceServer(server, logsService{r: r})
	colmetrics.RegisterMetricsServiceServer(server, metricsService{r: r})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Stop
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return r
}

// Spans returns the spans so far, in the order in which they came.
func (r *Receiver) Spans() []*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// Logs returns the log records so far.
func (r *Receiver) Logs() []*logspb.LogRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.logs)
}

// Metric returns the metric of that name that came last, or nil.
func (r *Receiver) Metric(name string) *metricspb.Metric {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range slices.Backward(r.metrics) {
		if m.GetName() == name {
			return m
		}
	}
	return nil
}

// Attributes returns attributes as a map of strings, float64, int64 and bool.
func Attributes(kvs []*commonpb.KeyValue) map[string]any {
	out := make(map[string]any, len(kvs))
	for _, kv := range kvs {
		switch v := kv.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *commonpb.AnyValue_DoubleValue:
			out[kv.GetKey()] = v.DoubleValue
		case *commonpb.AnyValue_IntValue:
			out[kv.GetKey()] = v.IntValue
		case *commonpb.AnyValue_BoolValue:
			out[kv.GetKey()] = v.BoolValue
		default:
			out[kv.GetKey()] = kv.GetValue().String()
		}
	}
	return out
}

type traceService struct {
	coltrace.UnimplementedTraceServiceServer
	r *Receiver
}

func (s traceService) Export(_ context.Context, req *coltrace.ExportTraceServiceRequest) (*coltrace.ExportTraceServiceResponse, error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	for _, resource := range req.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			s.r.spans = append(s.r.spans, scope.GetSpans()...)
		}
	}
	return &coltrace.ExportTraceServiceResponse{}, nil
}

type logsService struct {
	collogs.UnimplementedLogsServiceServer
	r *Receiver
}

func (s logsService) Export(_ context.Context, req *collogs.ExportLogsServiceRequest) (*collogs.ExportLogsServiceResponse, error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	for _, resource := range req.GetResourceLogs() {
		for _, scope := range resource.GetScopeLogs() {
			s.r.logs = append(s.r.logs, scope.GetLogRecords()...)
		}
	}
	return &collogs.ExportLogsServiceResponse{}, nil
}

type metricsService struct {
	colmetrics.UnimplementedMetricsServiceServer
	r *Receiver
}

func (s metricsService) Export(_ context.Context, req *colmetrics.ExportMetricsServiceRequest) (*colmetrics.ExportMetricsServiceResponse, error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	for _, resource := range req.GetResourceMetrics() {
		for _, scope := range resource.GetScopeMetrics() {
			s.r.metrics = append(s.r.metrics, scope.GetMetrics()...)
		}
	}
	return &colmetrics.ExportMetricsServiceResponse{}, nil
}
