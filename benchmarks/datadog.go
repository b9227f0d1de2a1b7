package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"
)

// newAgent starts what dd-trace-go takes for a Datadog agent. It runs in the
// parent process, so that the processes that are measured pay for sending and
// not for receiving.
func newAgent() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.URL.Path == "/info": // without it the tracer gives LLM Observability up for good
			_, _ = io.WriteString(w, `{"version":"7.70.0","endpoints":["/v0.4/traces","/evp_proxy/v2/"]}`)
		case strings.HasPrefix(r.URL.Path, "/evp_proxy/"):
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}))
}

// datadogEnv points dd-trace-go at the agent. All else is as it comes.
func datadogEnv(agent string) []string { return []string{"DD_TRACE_AGENT_URL=" + agent} }

func datadogOptions(more ...tracer.StartOption) []tracer.StartOption {
	return append([]tracer.StartOption{
		tracer.WithService("bench"), tracer.WithLogStartup(false), tracer.WithLogger(silent{}),
	}, more...)
}

type silent struct{}

func (silent) Log(string) {}
