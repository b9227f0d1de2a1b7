package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/touchstone-rag/touchstone/examples/ragserver/ragpb"
)

const question = "What is the amount of total sales in 2019?"

func TestServerAnswersOnAllPortsAndStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-http=localhost:0", "-grpc=localhost:0", "-admin=localhost:0", "-mode=recorded", "-system=tagop"}, "", in)
		in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	at := make(map[string]string)
	lines := bufio.NewScanner(out)
	for len(at) < 3 {
		require.True(t, lines.Scan(), "the server ended before it listened")
		var name, addr string
		_, err := fmt.Sscan(lines.Text(), &name, &addr)
		require.NoError(t, err)
		at[name] = addr
	}

	body := do(t, http.MethodPost, "http://"+at["http"]+"/query", `{"question":"`+question+`"}`)
	assert.Contains(t, body, `"$1,496.5 million"`)
	conn, err := grpc.NewClient(at["grpc"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	sample, err := ragpb.NewRAGClient(conn).Query(t.Context(), &ragpb.QueryRequest{Question: question})
	require.NoError(t, err)
	assert.Equal(t, "$1,496.5 million", sample.GetAnswer().GetText())
	assert.Contains(t, do(t, http.MethodGet, "http://"+at["status"]+"/", ""), "Touchstone")
	require.NoError(t, conn.Close())
	http.DefaultClient.CloseIdleConnections()

	stop()
	assert.NoError(t, <-ended)
}

func do(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(text))
	return string(text)
}

func TestServerThatCannotStartSaysWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":       {[]string{"-nope"}, "-nope"},
		"chat without model": {[]string{"-mode=chat"}, "no chat model"},
		"unknown system":     {[]string{"-mode=recorded", "-system=hal"}, `"hal"`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, run(t.Context(), tc.args, "", io.Discard), tc.want)
		})
	}
}

func TestPortThatIsTakenStopsTheOthers(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	defer taken.Close()
	err = listen(t.Context(), io.Discard,
		endpoint{"http", "localhost:0", newHTTPServer(http.NotFoundHandler())},
		endpoint{"grpc", taken.Addr().String(), grpcServer{grpc.NewServer()}},
	)
	assert.ErrorContains(t, err, "grpc: ")
}
