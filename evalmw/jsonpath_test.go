package evalmw

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	const doc = `{"a":{"b":[1,"two",{"c":"three"},null,true]},"list":[["x"],["y","z"]],"n":1e400,"*":"star","0":"zero","":"empty"}`
	for _, c := range []struct {
		path  string
		texts string
		found int
	}{
		{"a.b.0", "1", 1},
		{"a.b.1", "two", 1},
		{"a.b.2.c", "three", 1},
		{"a.b.-1", "", 1}, // true has no text
		{"a.b.-5", "1", 1},
		{"a.b.-6", "", 0},
		{"a.b.5", "", 0},
		{"a.b.99999999999999999999", "", 0},
		{"a.b.one", "", 0},
		{"a.b.*", "1two", 5},
		{"a.b.*.c", "three", 1},
		{"list.*.*", "xyz", 3},
		{"list.*.0", "xy", 2},
		{"list", "", 1},
		{"n", "1e400", 1}, // a number is kept as it was written
		{"*", "star", 1},  // an object's own key
		{"0", "zero", 1},
		{"a.", "", 0},
		{".", "", 0},
		{"a.missing.c", "", 0},
		{"", "", 0},
		{"?q", "", 0}, // the URL's
	} {
		t.Run(c.path, func(t *testing.T) {
			v, ok := parseJSON([]byte(doc))
			require.True(t, ok)
			got := parsePath(c.path).in(v)
			assert.Len(t, got, c.found)
			assert.Equal(t, c.texts, texts(got))
		})
	}
}

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"nothing":              {"", nil},
		"one":                  {"data: a\n\n", []string{"a\n"}},
		"without the space":    {"data:a\n\n", []string{"a\n"}},
		"only one space falls": {"data:  a\n\n", []string{" a\n"}},
		"CRLF":                 {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a\n", "b\n"}},
		"several lines":        {"data: a\ndata: b\n\n", []string{"a\nb\n"}},
		"other fields":         {"event: x\nid: 1\ndata: a\nretry: 5\n\n", []string{"a\n"}},
		"comments":             {": ping\n\n: ping\n\ndata: a\n\n", []string{"a\n"}},
		"cut off":              {"data: a\n\ndata: b", []string{"a\n", "b\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for event := range events([]byte(c.stream)) {
				got = append(got, string(event))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("event: x\ndata: {\"a\":1}\r\n\r\ndata: [DONE]\n\n: c\n\ndata")
	f.Fuzz(func(t *testing.T, stream string) {
		n := 0
		for event := range events([]byte(stream)) {
			require.Equal(t, byte('\n'), event[len(event)-1], "data ends with its line")
			n += len(event)
		}
		require.LessOrEqual(t, n, len(stream)+1, "nothing is made up")
		for range events([]byte(stream)) {
			break // stopping early is allowed
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add("a.*.-1", `{"a":[[1,2],["x"]]}`)
	f.Add("*.*.*", `[[[1],[2]],[[3]]]`)
	f.Fuzz(func(t *testing.T, p, doc string) {
		v, ok := parseJSON([]byte(doc))
		if !ok {
			return
		}
		path := parsePath(p)
		found := path.in(v)
		require.LessOrEqual(t, len(found), len(doc)+1, "no more values than the document has")
		if !strings.Contains(p, "*") {
			require.LessOrEqual(t, len(found), 1)
		}
		for _, value := range flatten(found) {
			_ = text(value)
		}
		if len(path) == 0 {
			require.Empty(t, found)
		}
	})
}

// FuzzBodies reads hostile bodies as the worker does.
func FuzzBodies(f *testing.F) {
	f.Add("application/json", "", `{"q":"x","a":"y","c":[{"id":1,"score":"NaN"}],"cited":["c1"]}`)
	f.Add("text/event-stream", "", "data: {\"a\":\"y\"}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"z\"}\n\n")
	f.Add("application/json", "gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00")
	f.Add("", "", `{"messages":[{"role":"user","content":[{"text":"x"}]}],"choices":[{"message":{"content":"y"}}]}`)
	m := newCaptureMap(Capture{Query: "q", Answer: "a", Chunks: "c", Citations: "cited", MaxBytes: 1 << 10})
	f.Fuzz(func(t *testing.T, contentType, encoding, body string) {
		memory := &turnMemory{max: 1 << 10}
		turn := memory.get()
		turn.capture = m
		for _, kind := range []bodyKind{requestBody, responseBody, modelRequest, modelReply} {
			turn.raw = append(turn.raw, rawBody{kind: kind, max: m.MaxBytes, contentType: contentType, encoding: encoding})
			turn.raw[len(turn.raw)-1].write([]byte(body))
		}
		turn.readRaw()
		s := turn.sample
		require.LessOrEqual(t, len(s.Query)+len(s.Answer.Text), 1<<10)
		if len(body) > m.MaxBytes {
			require.True(t, s.Truncated)
		}
		_, err := json.Marshal(s.Answer.Text)
		require.NoError(t, err)
		turn.release()
	})
}
