package main

import (
	"context"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evalgrpc"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The variants of gRPC.
const (
	otelgrpcNoop     = "otelgrpc, no-op providers"
	otelgrpcSDK      = "otelgrpc, SDK, batches discarded"
	emptyInterceptor = "an interceptor that does nothing"
)

// grpcGroup measures unary calls over loopback, server and client in one
// process. A call costs so much that only allocations tell the variants apart.
func grpcGroup() *group {
	g := &group{name: "grpc", title: "gRPC unary", base: plain, columns: []string{cpuTime, allocs, allocated}}
	for _, name := range []string{plain, plainAgain, emptyInterceptor, otelgrpcNoop, otelgrpcSDK, touchstone} {
		g.variants = append(g.variants, variant{name, func(b bench) (figures, error) { return unaryCalls(name, b) }})
	}
	g.goals = []goal{
		{
			what: "added allocations", got: addedOf(touchstone, allocs),
			noise: addedOf(plainAgain, allocs), limit: constant(4), exact: true,
		},
		{
			what: "added bytes", got: addedOf(touchstone, allocated),
			noise: addedOf(plainAgain, allocated), limit: constant(512),
		},
	}
	return g
}

func unaryCalls(name string, b bench) (f figures, err error) {
	var opts []grpc.ServerOption
	var p *evalmw.Pipeline
	var turn *rag.Sample
	switch name {
	case emptyInterceptor:
		opts = append(opts, grpc.UnaryInterceptor(
			func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
				return next(ctx, req)
			}))
	case otelgrpcNoop:
		opts = append(opts, grpc.StatsHandler(otelgrpc.NewServerHandler(
			otelgrpc.WithTracerProvider(tracenoop.NewTracerProvider()), otelgrpc.WithMeterProvider(metricnoop.NewMeterProvider()))))
	case otelgrpcSDK:
		opts = append(opts, grpc.StatsHandler(otelgrpc.NewServerHandler(
			otelgrpc.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithBatcher(discardSpans{}))),
			otelgrpc.WithMeterProvider(metricnoop.NewMeterProvider()))))
	case touchstone:
		turn = newTurn()
		if p, err = touchstonePipeline(name); err != nil {
			return nil, err
		}
		opts = append(opts, grpc.UnaryInterceptor(evalgrpc.UnaryServerInterceptor(p)))
	}
	call, stop, err := newGRPC(turn, opts)
	if err != nil {
		return nil, err
	}
	defer stop()
	op := func() {
		if callErr := call(); callErr != nil {
			err = callErr
		}
	}
	if p == nil {
		return b.loop(work{op: op}), err
	}
	if f = b.loop(work{op: op, between: flushing(p)}); err != nil {
		return nil, err
	}
	return f, allEvaluated(p)
}

// newGRPC starts a server whose one method answers with 2 KiB, and returns
// what calls it.
func newGRPC(turn *rag.Sample, opts []grpc.ServerOption) (call func() error, stop func(), err error) {
	const method = "/bench.RAG/Query"
	answer := wrapperspb.String(english(2 << 10))
	serve := func(ctx context.Context, _ any) (any, error) { //nolint:unparam // a grpc.UnaryHandler
		if turn != nil {
			record(ctx, turn)
		}
		return answer, nil
	}
	server := grpc.NewServer(opts...)
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "bench.RAG", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "Query",
			Handler: func(_ any, ctx context.Context, decode func(any) error, around grpc.UnaryServerInterceptor) (any, error) {
				in := new(wrapperspb.StringValue)
				if err := decode(in); err != nil {
					return nil, err
				}
				if around == nil {
					return serve(ctx, in)
				}
				return around(ctx, in, &grpc.UnaryServerInfo{FullMethod: method}, serve)
			},
		}},
	}, nil)
	listener, err := listen()
	if err != nil {
		return nil, nil, err
	}
	go func() { _ = server.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		server.Stop()
		return nil, nil, err
	}
	ask, reply := wrapperspb.String(question), new(wrapperspb.StringValue)
	return func() error { return conn.Invoke(context.Background(), method, ask, reply) },
		func() { _ = conn.Close(); server.Stop() }, nil
}
