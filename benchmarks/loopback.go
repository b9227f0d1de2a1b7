package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The measures of a server.
const (
	requestRate = "requests/s"
	median      = "p50 µs"
	tail        = "p99 µs at 2,000/s"
	serverCPU   = "server CPU µs/request"
)

// loopbackGroup measures a server in a process of its own under a load from
// another: as many requests as eight connections get through, then a steady
// 2,000 per second. Touchstone evaluates with its default metrics, a metrics
// sink and the default CPU budget.
func loopbackGroup() *group {
	g := &group{
		name: "loopback", title: "net/http over loopback", base: plain,
		columns: []string{requestRate, median, tail, serverCPU},
	}
	for _, name := range []string{plain, plainAgain, otelNoop, otelSDK, promHTTP, datadogHTTP, touchstoneOn} {
		g.variants = append(g.variants, variant{name, func(b bench) (figures, error) { return overLoopback(name, b) }})
	}
	g.goals = []goal{
		{
			what: "requests/s, of plain's", got: ratioOf(touchstoneOn, plain, requestRate),
			noise: ratioOf(plainAgain, plain, requestRate), limit: constant(0.93), least: true,
		},
		{
			what: "p99 at 2,000/s, of plain's", got: ratioOf(touchstoneOn, plain, tail),
			noise: ratioOf(plainAgain, plain, tail),
			limit: func(r results) float64 { return r.ratio(plainAgain, plain, tail) + 0.10 },
		},
	}
	return g
}

const serveGroup = "serve"

// serve is the server's process: it prints its address, and ends with stdin.
func serve(name string, stdin io.Reader, stdout io.Writer) error {
	m, err := newMiddleware(name)
	if err != nil {
		return err
	}
	defer m.stop()
	listener, err := listen()
	if err != nil {
		return err
	}
	server := &http.Server{Handler: m.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, stdin)
	return server.Close()
}

func listen() (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(context.Background(), "tcp", "127.0.0.1:0")
}

func overLoopback(name string, b bench) (figures, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := command(ctx, childRequest{Group: serveGroup, Variant: name, Agent: b.agent})
	if err != nil {
		return nil, err
	}
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	address = strings.TrimSpace(address)

	// Each loop runs for a while before it counts: the evaluation has a second's
	// worth of budget saved up at first, and takes a second to see an overload
	// come and go. What lasts is what is measured.
	d := b.span(2 * time.Second)
	warm, err := closedLoop(address, d)
	if err != nil {
		return nil, err
	}
	closed, err := closedLoop(address, d)
	if err != nil {
		return nil, err
	}
	settling, err := openLoop(address, d)
	if err != nil {
		return nil, err
	}
	open, err := openLoop(address, 2*d)
	if err != nil {
		return nil, err
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	if err := server.Wait(); err != nil {
		return nil, err
	}
	used := server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	requests := float64(len(warm) + len(closed) + len(settling) + len(open))
	return figures{
		requestRate: float64(len(closed)) / d.Seconds(),
		median:      float64(percentile(closed, 0.50)) / 1e3,
		tail:        float64(percentile(open, 0.99)) / 1e3,
		serverCPU:   float64(used.Microseconds()) / requests,
	}, nil
}

// closedLoop keeps eight connections busy and returns every latency.
func closedLoop(address string, d time.Duration) ([]time.Duration, error) {
	end := time.Now().Add(d)
	return onConnections(address, 8, func(_ int, ask func() error) (took []time.Duration, err error) {
		for start := time.Now(); start.Before(end); {
			if err := ask(); err != nil {
				return nil, err
			}
			now := time.Now()
			took = append(took, now.Sub(start))
			start = now
		}
		return took, nil
	})
}

// openLoop sends 2,000 requests per second whatever the answers, and returns
// every latency from the time when the request was due.
func openLoop(address string, d time.Duration) ([]time.Duration, error) {
	const connections, every = 16, time.Second / 2000
	begin := time.Now().Add(10 * time.Millisecond)
	return onConnections(address, connections, func(i int, ask func() error) (took []time.Duration, err error) {
		for due := begin.Add(time.Duration(i) * every); due.Before(begin.Add(d)); due = due.Add(connections * every) {
			<-time.After(time.Until(due))
			if err := ask(); err != nil {
				return nil, err
			}
			took = append(took, time.Since(due))
		}
		return took, nil
	})
}

func onConnections(
	address string, n int, load func(i int, ask func() error) ([]time.Duration, error),
) ([]time.Duration, error) {
	var (
		mu   sync.Mutex
		all  []time.Duration
		fail error
		wg   sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			took, err := onConnection(address, func(ask func() error) ([]time.Duration, error) { return load(i, ask) })
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if err != nil {
				fail = err
			}
		})
	}
	wg.Wait()
	return all, fail
}

// onConnection opens a connection. The first answer is parsed; those that
// follow are as long, so that the client costs next to nothing.
func onConnection(address string, load func(ask func() error) ([]time.Duration, error)) ([]time.Duration, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	request := fmt.Appendf(nil, "POST /query HTTP/1.1\r\nHost: bench\r\nContent-Length: %d\r\n\r\n%s", len(question), question)
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	read := &counting{Reader: conn}
	answer, err := http.ReadResponse(bufio.NewReader(read), nil)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return nil, err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("expected status 200, found %s", answer.Status)
	}
	buf := make([]byte, read.n)
	return load(func() error {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, buf)
		return err
	})
}

type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}
