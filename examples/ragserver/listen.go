package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"google.golang.org/grpc"
)

// endpoint is a server and where it listens.
type endpoint struct {
	name, addr string
	server     server
}

type server interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error // lets requests end that have begun
}

// listen serves until ctx ends or a server fails, and returns when all of them
// have stopped.
func listen(ctx context.Context, out io.Writer, endpoints ...endpoint) error {
	ended := make(chan error, len(endpoints))
	var errs []error
	running := 0
	for _, e := range endpoints {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", e.addr)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
			break
		}
		_, _ = fmt.Fprintf(out, "%-6s %s\n", e.name, l.Addr())
		go func() { ended <- e.server.Serve(l) }()
		running++
	}
	if len(errs) == 0 {
		select {
		case <-ctx.Done():
		case err := <-ended:
			errs = append(errs, err)
			running--
		}
	}

	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWait)
	defer cancel()
	for _, e := range endpoints {
		errs = append(errs, e.server.Shutdown(end))
	}
	for range running {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, grpc.ErrServerStopped) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second} // no write timeout: answers may stream
}

// grpcServer gives a gRPC server the Shutdown that net/http's has.
type grpcServer struct{ *grpc.Server }

func (s grpcServer) Shutdown(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		s.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		s.Stop()
		return ctx.Err()
	}
}
