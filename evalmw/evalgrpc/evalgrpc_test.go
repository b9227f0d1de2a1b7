package evalgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evalgrpc"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func interceptors(p *evalmw.Pipeline, opts ...evalgrpc.Option) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.UnaryInterceptor(evalgrpc.UnaryServerInterceptor(p, opts...)),
		grpc.StreamInterceptor(evalgrpc.StreamServerInterceptor(p, opts...)),
	}
}

func TestUnaryCallIsATurn(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(answering, nil), interceptors(p)...)

	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-request-id", "r-17",
		"traceparent", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	answer, err := ask(ctx, conn, "capital?")
	require.NoError(t, err)
	assert.Equal(t, "Paris", answer)

	got := turns(t, sink, 1)[0]
	assert.Equal(t, "capital?", got.Query)
	assert.Equal(t, "Paris", got.Answer.Text)
	assert.Equal(t, "r-17", got.ID)
	assert.Equal(t, "0102030405060708090a0b0c0d0e0f10", got.Span.Trace())
	assert.True(t, got.Span.IsSampled())
	assert.Empty(t, got.Error)
}

func TestOnlyChosenMethodsAreTurns(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	onlyChat := evalgrpc.WithFilter(func(m string) bool { return m == chatMethod })
	conn := dial(t, service(answering, func(ss grpc.ServerStream) error {
		_, err := answering(ss.Context(), "streamed")
		return err
	}), interceptors(p, onlyChat, nil)...)

	_, err := ask(t.Context(), conn, "asked")
	require.NoError(t, err)
	require.ErrorIs(t, openChat(t.Context(), t, conn).RecvMsg(new(text)), io.EOF)

	assert.Equal(t, "streamed", turns(t, sink, 1)[0].Query)
	assert.EqualValues(t, 1, p.Stats().Submitted, "other methods are not even counted")
}

func TestNilPipelineDoesNothing(t *testing.T) {
	conn := dial(t, service(answering, func(ss grpc.ServerStream) error {
		if evalmw.FromContext(ss.Context()) != nil {
			return errors.New("there is a recorder")
		}
		return nil
	}), interceptors(nil)...)
	answer, err := ask(t.Context(), conn, "capital?")
	require.NoError(t, err)
	assert.Equal(t, "Paris", answer)
	require.ErrorIs(t, openChat(t.Context(), t, conn).RecvMsg(new(text)), io.EOF)
}

func TestFailedCallHasItsCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{status.Error(codes.Unavailable, "the user's secret"), "UNAVAILABLE"},
		{fmt.Errorf("wrapped: %w", status.Error(codes.NotFound, "")), "NOT_FOUND"},
		{context.DeadlineExceeded, "DEADLINE_EXCEEDED"},
		{context.Canceled, "CANCELLED"},
		{errors.New("the user's secret"), "UNKNOWN"},
		{status.Error(codes.Code(99), ""), "UNKNOWN"},
	} {
		t.Run(c.want, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			conn := dial(t, service(func(ctx context.Context, q string) (string, error) {
				evalmw.FromContext(ctx).SetQuery(q)
				return "", c.err
			}, nil), interceptors(p)...)
			_, err := ask(t.Context(), conn, "capital?")
			assert.Equal(t, c.err == nil, err == nil)
			assert.Equal(t, c.want, turns(t, sink, 1)[0].Error)
		})
	}
}

func TestEveryCodeHasTheNameOfTheSpecification(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	intercept := evalgrpc.UnaryServerInterceptor(p)
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		sink.Reset()
		_, err := intercept(t.Context(), nil, &grpc.UnaryServerInfo{}, func(ctx context.Context, _ any) (any, error) {
			evalmw.FromContext(ctx).SetQuery("q")
			return nil, status.Error(code, "")
		})
		require.Equal(t, code, status.Code(err))
		var named codes.Code
		require.NoError(t, named.UnmarshalJSON([]byte(`"`+turns(t, sink, 1)[0].Error+`"`)))
		assert.Equal(t, code, named)
	}
}

func TestHandlersOwnErrorStays(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(func(ctx context.Context, q string) (string, error) {
		rec := evalmw.FromContext(ctx)
		rec.SetQuery(q)
		rec.SetError("model_timeout")
		return "", status.Error(codes.Internal, "")
	}, nil), interceptors(p)...)
	_, err := ask(t.Context(), conn, "capital?")
	require.Error(t, err)
	assert.Equal(t, "model_timeout", turns(t, sink, 1)[0].Error)
}

func TestPanicPassesUnchanged(t *testing.T) {
	fault := errors.New("some fault")
	for name, call := range map[string]func(*evalmw.Pipeline){
		"unary": func(p *evalmw.Pipeline) {
			_, _ = evalgrpc.UnaryServerInterceptor(p)(t.Context(), nil, &grpc.UnaryServerInfo{}, func(ctx context.Context, _ any) (any, error) {
				evalmw.FromContext(ctx).SetQuery("q")
				panic(fault)
			})
		},
		"stream": func(p *evalmw.Pipeline) {
			_ = evalgrpc.StreamServerInterceptor(p)(nil, fakeStream{ctx: t.Context()}, &grpc.StreamServerInfo{}, func(_ any, ss grpc.ServerStream) error {
				evalmw.FromContext(ss.Context()).SetQuery("q")
				panic(fault)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			func() {
				defer func() { assert.Same(t, fault, recover()) }()
				call(p)
			}()
			assert.Equal(t, "panic", turns(t, sink, 1)[0].Error)
		})
	}
}

type fakeStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s fakeStream) Context() context.Context { return s.ctx }

// chat serves a turn for each message.
func chat(p *evalmw.Pipeline) chatFunc {
	return func(ss grpc.ServerStream) error {
		for {
			var in text
			if err := ss.RecvMsg(&in); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			ctx, end := p.Begin(ss.Context())
			answer, _ := answering(ctx, in.GetValue())
			err := ss.SendMsg(wrapperspb.String(answer))
			end()
			if err != nil {
				return err
			}
		}
	}
}

func TestStreamOfSeveralTurns(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(nil, chat(p)), interceptors(p)...)
	cs := openChat(t.Context(), t, conn)
	for _, question := range []string{"one", "two", "three"} {
		require.NoError(t, cs.SendMsg(wrapperspb.String(question)))
		var answer text
		require.NoError(t, cs.RecvMsg(&answer))
		assert.Equal(t, "Paris", answer.GetValue())
	}
	require.NoError(t, cs.CloseSend())
	require.ErrorIs(t, cs.RecvMsg(new(text)), io.EOF)

	got := turns(t, sink, 3)
	assert.Equal(t, []string{"one", "two", "three"}, []string{got[0].Query, got[1].Query, got[2].Query})
	require.NoError(t, p.Flush(t.Context())) // a turn is counted after it was delivered
	s := p.Stats()
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 3}, s.Turns, "the stream around them is no turn")
}

func TestStreamAsOneTurn(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(nil, func(ss grpc.ServerStream) error {
		rec := evalmw.FromContext(ss.Context())
		for _, word := range []string{"Pa", "ris"} {
			_, _ = io.WriteString(rec, word)
			if err := ss.SendMsg(wrapperspb.String(word)); err != nil {
				return err
			}
		}
		return nil
	}), interceptors(p)...)
	cs := openChat(t.Context(), t, conn)
	var word text
	for range 2 {
		require.NoError(t, cs.RecvMsg(&word))
	}
	require.ErrorIs(t, cs.RecvMsg(&word), io.EOF)
	assert.Equal(t, "Paris", turns(t, sink, 1)[0].Answer.Text)
}

func TestTurnOfAClientThatLeavesMidStreamIsKept(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(nil, func(ss grpc.ServerStream) error {
		_, _ = io.WriteString(evalmw.FromContext(ss.Context()), "first words")
		if err := ss.SendMsg(wrapperspb.String("first words")); err != nil {
			return err
		}
		<-ss.Context().Done()
		return ss.Context().Err()
	}), interceptors(p)...)
	ctx, leave := context.WithCancel(t.Context())
	cs := openChat(ctx, t, conn)
	require.NoError(t, cs.RecvMsg(new(text)))
	leave()

	got := turns(t, sink, 1)[0]
	assert.Equal(t, "first words", got.Answer.Text)
	assert.Equal(t, "CANCELLED", got.Error)
}

func TestTurnsBelongToTheSpansOfOtelgrpc(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	spans := tracetest.NewSpanRecorder()
	tracing := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	stats := grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(tracing)))
	conn := dial(t, service(answering, chat(p)), append(interceptors(p), stats)...)

	// The metadata names another span; the server's own wins.
	ctx := metadata.AppendToOutgoingContext(t.Context(),
		"traceparent", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	_, err := ask(ctx, conn, "unary")
	require.NoError(t, err)
	cs := openChat(ctx, t, conn)
	require.NoError(t, cs.SendMsg(wrapperspb.String("streamed")))
	require.NoError(t, cs.RecvMsg(new(text)))
	require.NoError(t, cs.CloseSend())
	require.ErrorIs(t, cs.RecvMsg(new(text)), io.EOF)

	got := turns(t, sink, 2)
	started := spans.Started()
	require.Len(t, started, 2)
	for i, span := range started {
		assert.EqualValues(t, span.SpanContext().TraceID(), got[i].Span.TraceID)
		assert.EqualValues(t, span.SpanContext().SpanID(), got[i].Span.SpanID)
	}
	require.NoError(t, tracing.Shutdown(t.Context()))
}

func TestKillSwitchMidCallDropsTheTurn(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	conn := dial(t, service(func(ctx context.Context, q string) (string, error) {
		p.SetEnabled(false)
		return answering(ctx, q)
	}, nil), interceptors(p)...)
	answer, err := ask(t.Context(), conn, "capital?")
	require.NoError(t, err)
	assert.Equal(t, "Paris", answer)
	s := p.Stats()
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeDisabled: 1}, s.Turns)
	assert.Empty(t, sink.All())
}
