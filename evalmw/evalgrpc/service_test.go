package evalgrpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A text is the message of the test's service.
type text = wrapperspb.StringValue

type (
	askFunc  func(ctx context.Context, question string) (answer string, err error)
	chatFunc func(ss grpc.ServerStream) error
)

const (
	askMethod  = "/test.Answers/Ask"
	chatMethod = "/test.Answers/Chat"
)

// service is registered by hand, as generated code would do it.
func service(ask askFunc, chat chatFunc) *grpc.ServiceDesc {
	unary := func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		in := new(text)
		if err := decode(in); err != nil {
			return nil, err
		}
		handler := func(ctx context.Context, req any) (any, error) {
			answer, err := ask(ctx, req.(*text).GetValue())
			return wrapperspb.String(answer), err
		}
		if intercept == nil {
			return handler(ctx, in)
		}
		return intercept(ctx, in, &grpc.UnaryServerInfo{FullMethod: askMethod}, handler)
	}
	return &grpc.ServiceDesc{
		ServiceName: "test.Answers",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Ask", Handler: unary}},
		Streams: []grpc.StreamDesc{{
			StreamName: "Chat", ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, ss grpc.ServerStream) error { return chat(ss) },
		}},
	}
}

// dial starts a real server and returns a connection to it.
func dial(t *testing.T, desc *grpc.ServiceDesc, opts ...grpc.ServerOption) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(opts...)
	server.RegisterService(desc, nil)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		assert.NoError(t, <-served)
	})
	conn, err := grpc.NewClient("passthrough:///bufconn",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return conn
}

func ask(ctx context.Context, conn *grpc.ClientConn, question string) (string, error) {
	var out text
	err := conn.Invoke(ctx, askMethod, wrapperspb.String(question), &out)
	return out.GetValue(), err
}

func openChat(ctx context.Context, t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	cs, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chatMethod)
	require.NoError(t, err)
	return cs
}

// answering records a turn and answers.
func answering(ctx context.Context, question string) (string, error) {
	rec := evalmw.FromContext(ctx)
	rec.SetQuery(question)
	rec.Answered("Paris")
	return "Paris", nil
}

func turns(t *testing.T, sink *evaltest.Sink, n int) []*rag.Sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := sink.Wait(ctx, n)
	require.NoError(t, err)
	require.Len(t, got, n)
	samples := make([]*rag.Sample, n)
	for i := range got {
		samples[i] = got[i].Sample
	}
	return samples
}
