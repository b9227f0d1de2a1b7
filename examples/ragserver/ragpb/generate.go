// Package ragpb is the gRPC contract of the example service, generated from
// rag.proto.
package ragpb

//go:generate env GOWORK=off go -C ../../.. tool -modfile=internal/tools/go.mod buf generate --path examples/ragserver/ragpb
