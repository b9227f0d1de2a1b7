package evalmw_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/evaltest"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// What a ResponseWriter can do must not change under Capture, which wraps it,
// nor under Middleware, which does not.
var wrappers = map[string]func(*evalmw.Pipeline) func(http.Handler) http.Handler{
	"Middleware": func(p *evalmw.Pipeline) func(http.Handler) http.Handler {
		return func(h http.Handler) http.Handler { return p.Middleware(h) }
	},
	"Capture": func(p *evalmw.Pipeline) func(http.Handler) http.Handler {
		return p.Capture(evalmw.Capture{Answer: "*"})
	},
}

func serveHTTP2(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// abilities lists the optional interfaces of a ResponseWriter.
func abilities(w http.ResponseWriter) []string {
	var out []string
	add := func(name string, has bool) {
		if has {
			out = append(out, name)
		}
	}
	_, flusher := w.(http.Flusher)
	_, hijacker := w.(http.Hijacker)
	_, pusher := w.(http.Pusher)
	_, readerFrom := w.(io.ReaderFrom)
	_, notifier := w.(http.CloseNotifier) //nolint:staticcheck // handlers that still ask for it must find it
	add("Flusher", flusher)
	add("Hijacker", hijacker)
	add("Pusher", pusher)
	add("ReaderFrom", readerFrom)
	add("CloseNotifier", notifier)
	rc := http.NewResponseController(w)
	add("SetWriteDeadline", rc.SetWriteDeadline(time.Now().Add(time.Minute)) == nil)
	add("SetReadDeadline", rc.SetReadDeadline(time.Now().Add(time.Minute)) == nil)
	add("EnableFullDuplex", rc.EnableFullDuplex() == nil)
	add("Flush", rc.Flush() == nil)
	return out
}

func TestResponseWriterKeepsItsAbilities(t *testing.T) {
	list := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Join(abilities(w), " "))
	})
	for name, wrap := range wrappers {
		for proto, start := range map[string]func(*testing.T, http.Handler) *httptest.Server{"HTTP1": serve, "HTTP2": serveHTTP2} {
			t.Run(name+"/"+proto, func(t *testing.T) {
				p, _ := evaltest.NewPipeline(t)
				plain, wrapped := start(t, list), start(t, wrap(p)(list))
				want := fetch(t, plain.Client(), request(t, "GET", plain.URL, http.NoBody))
				require.Contains(t, want, "Flusher")
				assert.Equal(t, want, fetch(t, wrapped.Client(), request(t, "GET", wrapped.URL, http.NoBody)))
			})
		}
	}
}

// onlyReader hides WriterTo, so that io.Copy goes through ReadFrom.
type onlyReader struct{ io.Reader }

func TestCaptureSeesEveryWayToWrite(t *testing.T) {
	const text = "The answer is Paris."
	for name, write := range map[string]func(http.ResponseWriter){
		"Write":              func(w http.ResponseWriter) { _, _ = w.Write([]byte(text)) },
		"WriteString":        func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) },
		"Fprint":             func(w http.ResponseWriter) { fmt.Fprint(w, text) },
		"Copy from WriterTo": func(w http.ResponseWriter) { _, _ = io.Copy(w, strings.NewReader(text)) },
		"Copy from a reader": func(w http.ResponseWriter) { _, _ = io.Copy(w, onlyReader{strings.NewReader(text)}) },
		"CopyN":              func(w http.ResponseWriter) { _, _ = io.CopyN(w, strings.NewReader(text+" rest"), int64(len(text))) },
		"after WriteHeader": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, text)
		},
	} {
		for proto, start := range map[string]func(*testing.T, http.Handler) *httptest.Server{"HTTP1": serve, "HTTP2": serveHTTP2} {
			t.Run(name+"/"+proto, func(t *testing.T) {
				p, sink := evaltest.NewPipeline(t)
				s := start(t, p.Capture(evalmw.Capture{Answer: "*"})(http.HandlerFunc(
					func(w http.ResponseWriter, _ *http.Request) { write(w) })))
				assert.Equal(t, text, fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
				assert.Equal(t, text, oneTurn(t, sink).Answer.Text)
			})
		}
	}
}

func TestFirstEventArrivesBeforeTheHandlerGoesOn(t *testing.T) {
	for name, wrap := range wrappers {
		for proto, start := range map[string]func(*testing.T, http.Handler) *httptest.Server{"HTTP1": serve, "HTTP2": serveHTTP2} {
			t.Run(name+"/"+proto, func(t *testing.T) {
				read := make(chan struct{})
				p, sink := evaltest.NewPipeline(t)
				s := start(t, wrap(p)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					evalmw.FromContext(r.Context()).SetQuery("q")
					fmt.Fprint(w, "data: first\n\n")
					w.(http.Flusher).Flush()
					select {
					case <-read:
						fmt.Fprint(w, "data: second\n\n")
					case <-r.Context().Done():
					}
				})))
				resp, err := s.Client().Do(request(t, "GET", s.URL, http.NoBody))
				require.NoError(t, err)
				defer resp.Body.Close()
				body := bufio.NewReader(resp.Body)
				first, err := body.ReadString('\n')
				require.NoError(t, err)
				assert.Equal(t, "data: first\n", first)
				close(read) // only now may the handler write more
				rest, err := io.ReadAll(body)
				require.NoError(t, err)
				assert.Equal(t, "\ndata: second\n\n", string(rest))
				assert.Equal(t, "q", oneTurn(t, sink).Query)
			})
		}
	}
}

func TestHijackedConnectionIsLeftAlone(t *testing.T) {
	for name, wrap := range wrappers {
		t.Run(name, func(t *testing.T) {
			p, _ := evaltest.NewPipeline(t)
			s := serve(t, wrap(p)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nraw")
			})))
			assert.Equal(t, "raw", fetch(t, s.Client(), request(t, "GET", s.URL, http.NoBody)))
			assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeNoContent: 1}, ended(t, p, 1))
		})
	}
}

// A WebSocket is many turns: one for each message, by Begin.
func TestWebSocketUpgrade(t *testing.T) {
	for name, wrap := range wrappers {
		t.Run(name, func(t *testing.T) {
			p, sink := evaltest.NewPipeline(t)
			left := make(chan struct{})
			chat := wrap(p)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, err := websocket.Accept(w, r, nil)
				if err != nil {
					return
				}
				defer conn.CloseNow()
				for {
					kind, question, err := conn.Read(r.Context())
					if err != nil {
						return
					}
					ctx, end := p.Begin(r.Context())
					rec := evalmw.FromContext(ctx)
					rec.SetQuery(string(question))
					rec.Answered("an answer")
					err = conn.Write(ctx, kind, []byte("an answer"))
					end()
					if err != nil {
						return
					}
				}
			}))
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				chat.ServeHTTP(w, r)
				close(left)
			}))
			conn, _, err := websocket.Dial(t.Context(), s.URL, &websocket.DialOptions{HTTPClient: s.Client()})
			require.NoError(t, err)
			defer conn.CloseNow()
			for _, question := range []string{"one", "two"} {
				require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(question)))
				_, answer, err := conn.Read(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "an answer", string(answer))
			}
			require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
			<-left
			got, err := sink.Wait(t.Context(), 2)
			require.NoError(t, err)
			require.Len(t, got, 2)
			assert.Equal(t, "one", got[0].Sample.Query)
			assert.Equal(t, "two", got[1].Sample.Query)
			assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeEvaluated: 2}, ended(t, p, 2), "the connection is no turn")
		})
	}
}

// What the handler records was once copied again when the bodies were read,
// which cut it off where it filled more than half of the turn.
func TestCaptureKeepsALongAnswerThatTheHandlerRecorded(t *testing.T) {
	p, sink := evaltest.NewPipeline(t)
	long := strings.Repeat("x", 200<<10)
	s := serve(t, p.Capture(evalmw.Capture{Query: "q", Answer: "a"})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		evalmw.FromContext(r.Context()).Answered(long, rag.Citation{ChunkID: "c1"})
		_, _ = io.WriteString(w, `{"a":"something shorter"}`)
	})))
	fetch(t, s.Client(), request(t, http.MethodGet, s.URL, http.NoBody))
	got := oneTurn(t, sink)
	assert.Len(t, got.Answer.Text, len(long))
	assert.Equal(t, []rag.Citation{{ChunkID: "c1"}}, got.Answer.Citations)
	assert.False(t, got.Truncated)
}
