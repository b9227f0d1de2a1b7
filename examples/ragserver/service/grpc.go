package service

import (
	"context"
	"crypto/rand"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-rag/touchstone/evalmw/evalgrpc"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/ragpb"
)

// GRPCServer returns the gRPC twin of [Service.Handler]. Tracing comes with
// the options:
//
//	svc.GRPCServer(grpc.StatsHandler(otelgrpc.NewServerHandler()))
func (s *Service) GRPCServer(opts ...grpc.ServerOption) *grpc.Server {
	queries := evalgrpc.WithFilter(func(method string) bool {
		return method != ragpb.RAG_Extract_FullMethodName // begins a turn for each field
	})
	server := grpc.NewServer(append(opts,
		grpc.ChainUnaryInterceptor(evalgrpc.UnaryServerInterceptor(s.cfg.Pipeline, queries)),
		grpc.ChainStreamInterceptor(evalgrpc.StreamServerInterceptor(s.cfg.Pipeline, queries)),
	)...)
	ragpb.RegisterRAGServer(server, grpcServer{service: s})
	return server
}

type grpcServer struct {
	ragpb.UnimplementedRAGServer

	service *Service
}

// Query implements [ragpb.RAGServer].
func (g grpcServer) Query(ctx context.Context, in *ragpb.QueryRequest) (*ragpb.Sample, error) {
	sample, err := g.service.Query(ctx, requestOf(ctx, in), nil)
	if err != nil {
		return nil, statusOf(ctx, err)
	}
	return sampleToProto(sample), nil
}

// QueryStream implements [ragpb.RAGServer].
func (g grpcServer) QueryStream(in *ragpb.QueryRequest, out grpc.ServerStreamingServer[ragpb.QueryEvent]) error {
	sample, err := g.service.Query(out.Context(), requestOf(out.Context(), in), &Stream{
		Retrieved: func(found rag.Retrieval) error {
			return out.Send(&ragpb.QueryEvent{Event: &ragpb.QueryEvent_Retrieval{Retrieval: retrievalToProto(&found)}})
		},
		Deltas: deltaSender{out},
	})
	if err != nil {
		return statusOf(out.Context(), err)
	}
	sample.Retrieval = rag.Retrieval{}
	return out.Send(&ragpb.QueryEvent{Event: &ragpb.QueryEvent_Done{Done: sampleToProto(sample)}})
}

// Extract implements [ragpb.RAGServer].
func (g grpcServer) Extract(ctx context.Context, in *ragpb.ExtractRequest) (*ragpb.ExtractResponse, error) {
	req := ExtractRequest{ID: grpcRequestID(ctx), DocID: in.GetDocId()}
	for _, f := range in.GetFields() {
		req.Fields = append(req.Fields, Field{Name: f.GetName(), Question: f.GetQuestion()})
	}
	samples, err := g.service.Extract(ctx, req)
	if err != nil {
		return nil, statusOf(ctx, err)
	}
	out := new(ragpb.ExtractResponse)
	for _, s := range samples {
		out.Samples = append(out.Samples, sampleToProto(s))
	}
	return out, nil
}

// deltaSender sends each piece that it is given at once.
type deltaSender struct {
	out grpc.ServerStreamingServer[ragpb.QueryEvent]
}

// Write implements [io.Writer].
func (d deltaSender) Write(p []byte) (int, error) {
	if err := d.out.Send(&ragpb.QueryEvent{Event: &ragpb.QueryEvent_Delta{Delta: string(p)}}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func requestOf(ctx context.Context, in *ragpb.QueryRequest) Request {
	return Request{
		ID: grpcRequestID(ctx), Question: in.GetQuestion(), DocID: in.GetDocId(),
		Mode: in.GetMode(), System: in.GetSystem(),
	}
}

func grpcRequestID(ctx context.Context) string {
	if ids := metadata.ValueFromIncomingContext(ctx, "x-request-id"); len(ids) > 0 && ids[0] != "" {
		return ids[0]
	}
	return rand.Text()
}

var grpcCode = map[string]codes.Code{
	BadRequest: codes.InvalidArgument,
	NotFound:   codes.NotFound,
	ModelError: codes.Unavailable,
	Canceled:   codes.Canceled,
	Internal:   codes.Internal,
}

func statusOf(ctx context.Context, err error) error {
	failure := asError(err, Internal)
	failure.log(ctx)
	return status.Error(grpcCode[failure.Class], failure.Message)
}
