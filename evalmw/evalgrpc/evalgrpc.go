// Package evalgrpc makes the calls of a gRPC server turns of an
// [evalmw.Pipeline], whose [evalmw.Recorder] a handler finds with
// [evalmw.FromContext]:
//
//	grpc.NewServer(
//		grpc.StatsHandler(otelgrpc.NewServerHandler()),
//		grpc.ChainUnaryInterceptor(evalgrpc.UnaryServerInterceptor(p)),
//		grpc.ChainStreamInterceptor(evalgrpc.StreamServerInterceptor(p)),
//	)
//
// A turn's id is the metadata x-request-id. Its span is the one in the
// context, such as otelgrpc's; where there is none, the metadata traceparent
// says which span it belongs to. A call that fails has the name of its status
// code as the error, such as DEADLINE_EXCEEDED, unless the handler recorded
// one. Panics pass through unchanged and are recorded as "panic".
package evalgrpc

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-rag/touchstone/evalmw"
)

// An Option changes which calls an interceptor looks at.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

type config struct {
	filters []func(fullMethod string) bool
}

// WithFilter evaluates only the calls for which match reports true; it gets
// the full name, such as /rag.v1.Answers/Ask. Of several filters all must.
// Other calls pass untouched and are not counted. match is called on every
// call, so it must be quick and safe for concurrent use. A nil match is
// ignored.
func WithFilter(match func(fullMethod string) bool) Option {
	return optionFunc(func(c *config) {
		if match != nil {
			c.filters = append(c.filters, match)
		}
	})
}

func newConfig(opts []Option) config {
	var c config
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	return c
}

func (c *config) passes(p *evalmw.Pipeline, method string) bool {
	if p == nil {
		return true
	}
	for _, match := range c.filters {
		if !match(method) {
			return true
		}
	}
	return false
}

// UnaryServerInterceptor makes each unary call a turn. On a nil Pipeline it
// does nothing.
func UnaryServerInterceptor(p *evalmw.Pipeline, opts ...Option) grpc.UnaryServerInterceptor {
	cfg := newConfig(opts)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if cfg.passes(p, info.FullMethod) {
			return handler(ctx, req)
		}
		ctx, end := begin(ctx, p)
		failure := "panic"
		defer func() { end(failure) }() // runs on a panic too, and lets it pass
		resp, err := handler(ctx, req)
		failure = failureOf(err)
		return resp, err
	}
}

// StreamServerInterceptor makes each stream a turn, found through the
// stream's context. A handler that serves several questions on one stream
// calls [evalmw.Pipeline.Begin] with that context for each of them; the
// stream's own turn does not count then, unless it records something itself.
// On a nil Pipeline the interceptor does nothing.
func StreamServerInterceptor(p *evalmw.Pipeline, opts ...Option) grpc.StreamServerInterceptor {
	cfg := newConfig(opts)
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if cfg.passes(p, info.FullMethod) {
			return handler(srv, ss)
		}
		ctx, end := begin(ss.Context(), p)
		failure := "panic"
		defer func() { end(failure) }()
		err := handler(srv, &stream{ServerStream: ss, ctx: ctx})
		failure = failureOf(err)
		return err
	}
}

// stream is a ServerStream whose context knows its turn.
type stream struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // that is what a stream is for
}

// Context returns the context with the turn.
func (s *stream) Context() context.Context { return s.ctx }

func begin(ctx context.Context, p *evalmw.Pipeline) (context.Context, func(failure string)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		if parent := incoming(ctx, "traceparent"); parent != "" {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
		}
	}
	return p.BeginRequest(ctx, incoming(ctx, "x-request-id"))
}

func incoming(ctx context.Context, key string) string {
	if values := metadata.ValueFromIncomingContext(ctx, key); len(values) > 0 {
		return values[0]
	}
	return ""
}
