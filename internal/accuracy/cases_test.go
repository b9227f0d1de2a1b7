package main

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func packed(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return &fstest.MapFile{Data: b.Bytes()}
}

// labels returns "model:label" per case: ! is unsupported.
func labels(cases []Case) []string {
	out := []string{}
	for _, c := range cases {
		label := "."
		if c.Unsupported {
			label = "!"
		}
		out = append(out, c.Sample.Answer.Text+label)
	}
	return out
}

func TestLabelsAreReadByTheRulesOfEachSet(t *testing.T) {
	tests := []struct {
		set  string
		dir  fstest.MapFS
		want []string
	}{
		{"ragtruth/qa", fstest.MapFS{"ragtruth/qa.jsonl": file(`{"id":"q1","question":"q","contexts":["a","b"],"responses":[
			{"model":"m","answer":"one","hallucinated":true},{"model":"n","answer":"two","hallucinated":false}]}`)}, []string{"one!", "two."}},
		{"begin", fstest.MapFS{"begin/cases.jsonl": file(`{"model":"t5","knowledge":"k","message":"m","response":"one","label":"Fully attributable"}
			{"model":"t5","knowledge":"k","message":"m","response":"two","label":"Not fully attributable"}
			{"model":"t5","knowledge":"k","message":"m","response":"three","label":"Generic"}`)}, []string{"one.", "two!"}},
		{"mtrag-human", fstest.MapFS{
			"mtrag-human/passages.jsonl": file(`{"doc_id":"d","text":"passage"}`),
			"mtrag-human/tasks.jsonl": file(`{"task_id":"a","conversation_id":"c","turns":[{"speaker":"user","text":"q"}],"context_ids":["d"],"answerability":"ANSWERABLE"}
				{"task_id":"b","conversation_id":"c","context_ids":["d"],"answerability":"PARTIAL"}
				{"task_id":"e","conversation_id":"c","context_ids":[],"answerability":"ANSWERABLE"}`),
			"mtrag-human/responses.jsonl": file(`{"task_id":"a","model":"m","response":"one","human":{"faithfulness":[4,4,3]}}
				{"task_id":"a","model":"m","response":"two","human":{"faithfulness":[4,3,3]}}
				{"task_id":"a","model":"m","response":"half","human":{"faithfulness":[4,3]}}
				{"task_id":"b","model":"m","response":"three","human":{"faithfulness":[1,1,1]}}
				{"task_id":"e","model":"m","response":"four","human":{"faithfulness":[1,1,1]}}`),
		}, []string{"one.", "two!", "half."}},
		{"wice", fstest.MapFS{"wice/claims.jsonl": file(`{"claim_title":"t","label":"supported","claim":"one","evidence_sentences":["e"]}
			{"claim_title":"t","label":"partially_supported","claim":"two","evidence_sentences":["e"]}
			{"claim_title":"t","label":"not_supported","claim":"three","evidence_sentences":["e"]}`)}, []string{"one.", "two!", "three!"}},
		{"faithbench", fstest.MapFS{
			"faithbench/sources.jsonl": file(`{"source_id":"s","text":"source"}`),
			"faithbench/samples.jsonl": file(`{"source_id":"s","summary":"one","worst_label":"Consistent"}
				{"source_id":"s","summary":"two","worst_label":"Benign"}
				{"source_id":"s","summary":"three","worst_label":"Questionable"}
				{"source_id":"s","summary":"four","worst_label":"Unwanted"}`),
		}, []string{"one.", "two.", "four!"}},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			for name, f := range tt.dir {
				tt.dir[name] = file(oneRowPerLine(string(f.Data)))
			}
			cases, err := named(t, tt.set).read(tt.dir)
			require.NoError(t, err)
			assert.Equal(t, tt.want, labels(cases))
			for i := range cases {
				assert.Equal(t, tt.set, cases[i].Set)
				assert.NotEmpty(t, cases[i].Group)
				assert.NotEmpty(t, cases[i].Sample.Retrieval.Chunks)
			}

			compressed := fstest.MapFS{}
			for name, f := range tt.dir {
				compressed[name+".gz"] = packed(t, string(f.Data))
			}
			same, err := named(t, tt.set).read(compressed)
			require.NoError(t, err)
			assert.Equal(t, cases, same, "a compressed file is read too")
		})
	}
}

// oneRowPerLine joins the lines of a row that a test has broken.
func oneRowPerLine(s string) string {
	s = string(bytes.ReplaceAll([]byte(s), []byte("[\n"), []byte("[")))
	return string(bytes.ReplaceAll([]byte(s), []byte("\t"), nil))
}

func named(t *testing.T, name string) dataset {
	t.Helper()
	for _, d := range datasets() {
		if d.name == name {
			return d
		}
	}
	require.FailNow(t, "no such data set", name)
	return dataset{}
}

func TestDataThatIsNotAsExpectedIsAnErrorThatSaysWhere(t *testing.T) {
	for _, tt := range []struct{ set, name, text, want string }{
		{"ragtruth/qa", "ragtruth/qa.jsonl", "{}\n{", "ragtruth/qa.jsonl, line 2: expected a JSON object"},
		{"ragtruth/qa", "ragtruth/qa.jsonl", `[1]`, "ragtruth/qa.jsonl, line 1: expected a JSON object, found a JSON array"},
		{"ragtruth/qa", "ragtruth/qa.jsonl", `{"contexts":"one"}`, "ragtruth/qa.jsonl, line 1: contexts: expected a slice, found a JSON string"},
		{"ragtruth/qa", "ragtruth/qa.jsonl", `{"responses":[{"answer":"a"}]}`, "ragtruth/qa.jsonl, line 1: hallucinated: expected true or false in each response, found none"},
		{"begin", "begin/cases.jsonl", `{"label":"Maybe"}`, `begin/cases.jsonl, line 1: label: expected Fully attributable, Not fully attributable or Generic, found "Maybe"`},
		{"wice", "wice/claims.jsonl", `{"label":"so so","evidence_sentences":["e"]}`, `wice/claims.jsonl, line 1: label: expected supported, partially_supported or not_supported, found "so so"`},
	} {
		_, err := named(t, tt.set).read(fstest.MapFS{tt.name: file(tt.text)})
		assert.ErrorContains(t, err, tt.want)
	}
	_, err := named(t, "wice").read(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "wice/claims.jsonl: expected it, plain or as .gz, in the data directory")
	_, err = readSets(fstest.MapFS{})
	assert.ErrorContains(t, err, "expected a directory with data sets such as ragtruth/qa.jsonl, found none")
}

func TestCopiesOfASourceShareItsGroup(t *testing.T) {
	cases, err := named(t, "begin").read(fstest.MapFS{"begin/cases.jsonl": file(`{"knowledge":"The Nile is long.","label":"Fully attributable"}
{"knowledge":"the nile is long .","label":"Not fully attributable"}
{"knowledge":"The Nile is longer.","label":"Not fully attributable"}`)})
	require.NoError(t, err)
	assert.Equal(t, cases[0].Group, cases[1].Group, "but for case and spaces")
	assert.NotEqual(t, cases[0].Group, cases[2].Group)

	start := strings.Repeat("a long article ", 20)
	cases, err = named(t, "faithbench").read(fstest.MapFS{
		"faithbench/sources.jsonl": file(`{"source_id":"1","text":"` + start + `is here"}` + "\n" + `{"source_id":"2","text":"` + start + `was here"}`),
		"faithbench/samples.jsonl": file(`{"source_id":"1","worst_label":"Benign"}` + "\n" + `{"source_id":"2","worst_label":"Benign"}`),
	})
	require.NoError(t, err)
	assert.Equal(t, cases[0].Group, cases[1].Group, "but for a correction further down")

	cases, err = named(t, "wice").read(fstest.MapFS{"wice/claims.jsonl": file(`{"claim_title":"Nile","label":"supported"}
{"claim_title":"Nile","label":"supported","evidence_sentences":["x"]}`)})
	require.NoError(t, err)
	assert.Equal(t, cases[0].Group, cases[1].Group, "claims of one article")
}

func TestEvidenceIsCutIntoPages(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), pageSize-1))
	assert.Equal(t, []string{"a\n" + "b\n", long + "\n", "c\n"}, pages([]string{"a", "b", long, "c"}))
}
