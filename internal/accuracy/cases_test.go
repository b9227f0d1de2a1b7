package main

import (
	"bytes"
	"compress/gzip"
	"io/fs"
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
		{"wice", fstest.MapFS{"wice/claims.jsonl": file(`{"label":"supported","claim":"one","evidence_sentences":["e"]}
			{"label":"partially_supported","claim":"two","evidence_sentences":["e"]}
			{"label":"not_supported","claim":"three","evidence_sentences":["e"]}`)}, []string{"one.", "two!", "three!"}},
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

func TestEvidenceIsCutIntoPages(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), pageSize-1))
	assert.Equal(t, []string{"a\n" + "b\n", long + "\n", "c\n"}, pages([]string{"a", "b", long, "c"}))
}
