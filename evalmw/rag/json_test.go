package rag_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const wholeSample = `{"id":"r1","query":"What was revenue?","retrieval":{"chunks":[{"id":"c1","doc_id":"d1","rank":1,"text":"Revenue was <5> & \"rose\"","page":"5","score":0.81,"methods":["bm25","knn"],"space":"text","doc_type":"release","quarter":"2025-Q2","table_id":"t","slide":"3","rel_path":"a.md","heading_path":"A > B","colour":"red"}],"limits":{"bm25":20,"knn":20},"before_filter":57,"folders":{"mode":"on","selected":["a"]}},"extractions":[{"field":"revenue","value":"$2.3 billion","chunk_number":1,"confidence":0.9,"evidence":"…","format":"currency"}],"answer":{"text":"It was 5.","value":{"number":2300000000,"unit":"USD"},"citations":[{"chunk_id":"c1","doc_id":"d1","doc_type":"release","quarter":"2025-Q2","page":"5","table_id":"t","slide":"3"}],"speakers":[{"name":"A","role":"CFO"}],"abstained":false,"confidence":0.8,"flags":["f"]},"model":"m","usage":{"input_tokens":900,"output_tokens":80,"cost_usd":0.003},"stages_ms":{"generate":640,"retrieve":12.5},"error":"timeout","tags":{"tenant":"a"},"extra":{"n":12345678901234567890}}`

func TestSampleRoundTrip(t *testing.T) {
	var s rag.Sample
	require.NoError(t, s.UnmarshalJSON([]byte(wholeSample)))
	out, err := s.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, wholeSample, string(out))
	assert.Equal(t, "red", s.Retrieval.Chunks[0].Metadata["colour"])
}

// A value that is no pointer must not fall back to the names of the fields.
func TestWireFormIsThatOfValuesToo(t *testing.T) {
	for _, v := range []any{rag.Sample{ID: "r1"}, &rag.Sample{ID: "r1"}, map[string]rag.Sample{"x": {ID: "r1"}}} {
		out, err := json.Marshal(v)
		require.NoError(t, err)
		assert.Contains(t, string(out), `{"id":"r1"}`, "%T", v)
	}
	out, err := json.Marshal(rag.EvaluationRecord{ID: "r1", Evaluation: new(rag.Evaluation)})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"r1","evaluations":[],"escalation":{"needed":false}}`, string(out))
}

func TestReadSamplesNamesLineKeyAndExpectation(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"id":5}`, "line 2: id: expected a string, found a number"},
		{`{"retrieval":{"chunks":[{},{"score":"x"}]}}`, "line 2: retrieval.chunks[1].score: expected a number, found a string"},
		{`{"retrieval":{"chunks":{}}}`, "line 2: retrieval.chunks: expected an array, found an object"},
		{`{"retrieval":{"limits":{"bm25":1.5}}}`, "line 2: retrieval.limits.bm25: expected an integer, found a number that is none"},
		{`{"query":"x"}`, "line 2: id: expected a string that names the sample, found none"},
		{`{"id":""}`, "line 2: id: expected a string that names the sample, found none"},
		{`{"id":"a","retrieval":{"before_filter":9e300}}`, "line 2: retrieval.before_filter: expected an integer of at most 53 bits, found one out of range"},
		{`{"answer":"x"}`, "line 2: answer: expected an object, found a string"},
		{`{"tags":{"\u001b[2J\n":1}}`, `line 2: tags."\x1b[2J\n": expected a string, found a number`},
		{`{"tags":{"` + strings.Repeat("é", 1000) + `":1}}`, "line 2: tags." + strings.Repeat("é", 32) + "…: expected a string, found a number"},
		{`{"answer":{"abstained":"no"}}`, "line 2: answer.abstained: expected true or false, found a string"},
		{`{"answer":{"confidence":"SURE"}}`, "line 2: answer.confidence: expected a number, HIGH, MEDIUM or LOW, found another word"},
		{`{"retrieval":{"chunks":[{"score":1e999}]}}`, "line 2: retrieval.chunks[0].score: expected a number that fits 64 bits, found one out of range"},
		{`[]`, "line 2: expected an object, found an array"},
		{`{"id":"a"`, "line 2: expected a JSON object, found JSON that ends too early"},
		{`{"id":"a",}`, "line 2: expected a JSON object, found a syntax error at byte 11"},
		{`nonsense`, "line 2: expected a JSON object, found a syntax error at byte 2"},
		{`null`, "line 2: expected an object, found null"},
		{`{"stages_ms":{"x":1e300}}`, "line 2: stages_ms.x: expected milliseconds, found a number out of range"},
	} {
		t.Run(c.in, func(t *testing.T) {
			var ids []string
			var errs []string
			for s, err := range rag.ReadSamples(strings.NewReader("{\"id\":\"before\"}\n" + c.in + "\n\n{\"id\":\"after\"}")) {
				if err != nil {
					errs = append(errs, err.Error())
					continue
				}
				ids = append(ids, s.ID)
			}
			assert.Equal(t, []string{c.want}, errs)
			assert.Equal(t, []string{"before", "after"}, ids, "a bad line loses no other")
		})
	}
}

func TestWireFormIsLenientWhereServicesDiffer(t *testing.T) {
	var s rag.Sample
	require.NoError(t, s.UnmarshalJSON([]byte(`{"id":null,"retrieval":null,"extractions":[{"value":12.50,"confidence":"high"},{"value":true}],
		"answer":{"confidence":"LOW","abstained":null,"tone":"dry"},"retrieval":{"chunks":[{"page":7}],"index":"v2"}}`)))
	assert.Equal(t, "12.50", s.Extractions[0].Value)
	assert.Equal(t, rag.Some(.9), s.Extractions[0].Confidence)
	assert.Equal(t, "true", s.Extractions[1].Value)
	assert.Equal(t, rag.Some(.5), s.Answer.Confidence)
	assert.False(t, s.Answer.Abstained.Valid)
	assert.Equal(t, "7", s.Retrieval.Chunks[0].Page)
	assert.Equal(t, map[string]any{"answer.tone": "dry", "retrieval.index": "v2"}, s.Metadata)
}

func FuzzReadSample(f *testing.F) {
	f.Add([]byte(wholeSample))
	f.Add([]byte(`{"id":"\ud800","retrieval":{"chunks":[{"text":"` + "\xff" + `","score":-0}]},"a":[[{}]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s rag.Sample
		if err := s.UnmarshalJSON(data); err != nil {
			return
		}
		require.True(t, json.Valid(data), "accepted what is not JSON")
		first, err := s.MarshalJSON()
		require.NoError(t, err)
		var again rag.Sample
		require.NoError(t, again.UnmarshalJSON(first), "cannot read what was written: %s", first)
		second, err := again.MarshalJSON()
		require.NoError(t, err)
		require.JSONEq(t, string(first), string(second))
	})
}

func TestReadSamplesRefusesAGiantList(t *testing.T) {
	list := func(n int) string { return "[" + strings.Repeat("{},", n-1) + "{}]" }
	in := `{"id":"a","retrieval":{"chunks":` + list(100_000) + "}}\n" + `{"id":"b","extractions":` + list(100_001) + "}\n" + `{"id":"c"}`
	var ids, errs []string
	for s, err := range rag.ReadSamples(strings.NewReader(in)) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		ids = append(ids, s.ID)
	}
	assert.Equal(t, []string{"a", "c"}, ids)
	assert.Equal(t, []string{"line 2: extractions: expected at most 100000 elements, found more"}, errs)
}

func TestReadSamplesSurvivesAGiantLine(t *testing.T) {
	giant := io.MultiReader(
		strings.NewReader("{\"id\":\"a\"}\n{\"id\":\""), &repeat{left: rag.MaxLine + 10}, strings.NewReader("\"}\n{\"id\":\"b\"}"))
	var ids []string
	var errs []string
	for s, err := range rag.ReadSamples(giant) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		ids = append(ids, s.ID)
	}
	assert.Equal(t, []string{"a", "b"}, ids)
	assert.Equal(t, []string{"line 2: expected at most 64 MiB in a line, found more"}, errs)
}

func TestReadSamplesReportsAFailingReader(t *testing.T) {
	var errs []error
	for _, err := range rag.ReadSamples(iotest.ErrReader(io.ErrUnexpectedEOF)) {
		errs = append(errs, err)
	}
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], io.ErrUnexpectedEOF)
	for range rag.ReadSamples(strings.NewReader("")) {
		t.Error("an empty input has no samples")
	}
}

// repeat reads a run of x.
type repeat struct{ left int }

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	r.left -= n
	return n, nil
}
