package evalgrpc_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evalgrpc"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// idle returns a pipeline whose worker is stuck and whose queue is full, so
// that what is counted is the request's alone, and the context of a call as
// otelgrpc leaves it.
func idle(t testing.TB) (*evalmw.Pipeline, context.Context) {
	t.Helper()
	entered, release := make(chan struct{}), make(chan struct{})
	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{
		Name: "stuck", Score: func(*rag.View) rag.Result {
			entered <- struct{}{}
			<-release
			return rag.Scored(1)
		},
	}}})
	require.NoError(t, err)
	p := evalmw.New(ev, evalmw.WithCPUBudget(0), evalmw.WithQueue(1, 1<<20))
	p.Submit(t.Context(), &rag.Sample{Query: "for the worker"})
	<-entered
	p.Submit(t.Context(), &rag.Sample{Query: "for the queue"})
	t.Cleanup(func() {
		go func() { <-entered }()
		close(release)
		assert.NoError(t, p.Shutdown(context.Background()))
	})

	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2},
	}))
	return p, metadata.NewIncomingContext(ctx, metadata.Pairs("x-request-id", "r-17", "user-agent", "test"))
}

func TestInterceptorsAllocateLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p, ctx := idle(t)
	unary, stream := evalgrpc.UnaryServerInterceptor(p), evalgrpc.StreamServerInterceptor(p)
	ask := func(ctx context.Context, _ any) (any, error) {
		_, err := answering(ctx, "what?")
		return nil, err
	}
	chat := func(_ any, ss grpc.ServerStream) error {
		_, err := answering(ss.Context(), "what?")
		return err
	}
	var fake grpc.ServerStream = fakeStream{ctx: ctx}
	unaryInfo, streamInfo := new(grpc.UnaryServerInfo), new(grpc.StreamServerInfo)
	for name, call := range map[string]func(){
		"unary":  func() { _, _ = unary(ctx, nil, unaryInfo, ask) },
		"stream": func() { _ = stream(nil, fake, streamInfo, chat) },
	} {
		t.Run(name, func(t *testing.T) {
			assert.LessOrEqual(t, testing.AllocsPerRun(1000, call), 4.0)
			assert.LessOrEqual(t, bytesPerRun(1000, call), uint64(512))
		})
	}
}

// bytesPerRun is testing.AllocsPerRun for bytes.
func bytesPerRun(runs uint64, f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}

func BenchmarkUnary(b *testing.B) {
	p, ctx := idle(b)
	handler := func(ctx context.Context, _ any) (any, error) {
		_, err := answering(ctx, "what?")
		return nil, err
	}
	info := new(grpc.UnaryServerInfo)
	for name, intercept := range map[string]grpc.UnaryServerInterceptor{
		"off": evalgrpc.UnaryServerInterceptor(nil), "on": evalgrpc.UnaryServerInterceptor(p),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = intercept(ctx, nil, info, handler)
			}
		})
	}
}
