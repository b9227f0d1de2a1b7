package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/ragpb"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

// dial serves a service over a real socket and connects to it.
func dial(t testing.TB, svc *service.Service, opts ...grpc.ServerOption) ragpb.RAGClient {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	srv := svc.GRPCServer(opts...)
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(srv.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return ragpb.NewRAGClient(conn)
}

func named(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "x-request-id", "r1")
}

// fromProto reads the JSON form of a message as a sample: the contract names
// its fields as the wire form does.
func fromProto(t testing.TB, m proto.Message) *rag.Sample {
	t.Helper()
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	require.NoError(t, err)
	var loose map[string]any
	require.NoError(t, json.Unmarshal(text, &loose))
	delete(loose, "usage") // protojson writes 64-bit integers as strings
	text, err = json.Marshal(loose)
	require.NoError(t, err)
	s := new(rag.Sample)
	require.NoError(t, s.UnmarshalJSON(text))
	assert.Empty(t, s.Metadata)
	return s
}

func TestGRPCAnswersAsHTTPDoes(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	cfg.Chat = chatServer(t, func(w io.Writer, _ *http.Request) { write(w, delta("$1,496.5 [1]"), stop, usage, done) })
	svc := service.New(cfg)
	client := dial(t, svc)
	cfg.Pipeline = nil
	srv := serve(t, service.New(cfg).Handler())
	for _, mode := range []string{service.Extractive, service.Recorded, service.Chat} {
		t.Run(mode, func(t *testing.T) {
			sink.Reset()
			got, err := client.Query(named(t.Context()), &ragpb.QueryRequest{Question: salesQuery, DocId: salesDoc, Mode: mode})
			require.NoError(t, err)
			turns := evaluated(t, sink, 1)
			assert.Equal(t, turns[0].Sample.Usage, rag.Usage{
				InputTokens: got.GetUsage().GetInputTokens(), OutputTokens: got.GetUsage().GetOutputTokens(),
			})

			_, body := post(t, srv.URL+"/query", ask(salesQuery, salesDoc, `,"mode":"`+mode+`"`))
			overHTTP := sampleIn(t, body)
			assertSameTurn(t, overHTTP, turns[0].Sample)
			overHTTP.Usage = rag.Usage{}
			seen := fromProto(t, got)
			seen.Answer.Abstained = overHTTP.Answer.Abstained // proto3 does not write false
			assertSameTurn(t, overHTTP, seen)
		})
	}
}

func TestGRPCStreamSendsChunksThenTheAnswerThenTheRest(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	client := dial(t, service.New(cfg))
	stream, err := client.QueryStream(named(t.Context()), &ragpb.QueryRequest{Question: salesQuery, DocId: salesDoc})
	require.NoError(t, err)

	var kinds []string
	text := ""
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := event.GetEvent().(type) {
		case *ragpb.QueryEvent_Retrieval:
			kinds = append(kinds, "retrieval")
			assert.NotEmpty(t, e.Retrieval.GetChunks())
		case *ragpb.QueryEvent_Delta:
			if text == "" {
				kinds = append(kinds, "delta")
			}
			text += e.Delta
		case *ragpb.QueryEvent_Done:
			kinds = append(kinds, "done")
			assert.Equal(t, text, e.Done.GetAnswer().GetText())
			assert.Nil(t, e.Done.GetRetrieval(), "it has gone out before")
		}
	}
	assert.Equal(t, []string{"retrieval", "delta", "done"}, kinds)
	turns := evaluated(t, sink, 1)
	assert.Equal(t, "r1", turns[0].Sample.ID)
	assert.Equal(t, text, turns[0].Sample.Answer.Text)
}

func TestGRPCExtractIsATurnForEachField(t *testing.T) {
	p, sink := pipeline(t)
	cfg := config(t)
	cfg.Pipeline = p
	client := dial(t, service.New(cfg))
	got, err := client.Extract(named(t.Context()), &ragpb.ExtractRequest{DocId: salesDoc, Fields: []*ragpb.Field{
		{Name: "sales", Question: salesQuery}, {Name: "again", Question: salesQuery},
	}})
	require.NoError(t, err)
	require.Len(t, got.GetSamples(), 2)
	assert.Len(t, got.GetSamples()[0].GetExtractions(), 6)
	turns := evaluated(t, sink, 2)
	assert.Equal(t, "r1/again", turns[1].Sample.ID)
	require.NoError(t, p.Flush(t.Context()))
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 2}, p.Stats().Turns)
}

func TestGRPCErrorsHaveCodes(t *testing.T) {
	cfg := config(t)
	cfg.Chat = chatServer(t, func(io.Writer, *http.Request) {})
	client := dial(t, service.New(cfg))
	for want, req := range map[codes.Code]*ragpb.QueryRequest{
		codes.InvalidArgument: {},
		codes.NotFound:        {Question: "q", DocId: "tq-0"},
		codes.Unavailable:     {Question: "q", Mode: service.Chat},
	} {
		_, err := client.Query(t.Context(), req)
		assert.Equal(t, want, status.Code(err), "%v", err)
		stream, err := client.QueryStream(t.Context(), req)
		require.NoError(t, err)
		for err == nil {
			_, err = stream.Recv()
		}
		assert.Equal(t, want, status.Code(err), "stream: %v", err)
	}
}
