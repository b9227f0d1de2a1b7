package calibrate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func sample(t *testing.T, line string) *rag.Sample {
	t.Helper()
	s := new(rag.Sample)
	require.NoError(t, s.UnmarshalJSON([]byte(line)))
	return s
}

func TestLabelsAreReadWhereverTheyStand(t *testing.T) {
	supported, unsupported := Label{Supported: true}, Label{}
	for line, want := range map[string]Label{
		`{"supported":true}`:                               supported,
		`{"supported":false}`:                              unsupported,
		`{"label":"supported"}`:                            supported,
		`{"label":"Unsupported"}`:                          unsupported,
		`{"label":"hallucinated"}`:                         unsupported,
		`{"label":"fail"}`:                                 unsupported,
		`{"judge_score":0.5}`:                              {Supported: true, Judged: true},
		`{"judge_score":0.49}`:                             {Judged: true},
		`{"judge_score":0}`:                                {Judged: true},
		`{"supported":true,"judge_score":0.1}`:             supported, // people beat the judge
		`{"supported":null,"label":"pass"}`:                supported,
		`{"supported":true,"label":"Pass"}`:                supported,
		`{"supported":false,"group":"a"}`:                  {Group: "a"},
		`{"supported":false,"group":17}`:                   {Group: "17"},
		`{"supported":false,"tags":{"group":"b"}}`:         {Group: "b"},
		`{"supported":false,"group":"a","tags":{"g":"b"}}`: {Group: "a"},
	} {
		got, ok, err := LabelOf(sample(t, line), 0.5)
		require.NoError(t, err, line)
		require.True(t, ok, line)
		assert.Equal(t, want, got, line)
	}
	_, ok, err := LabelOf(sample(t, `{"id":"a","answer":{"text":"yes","supported":true}}`), 0.5)
	require.NoError(t, err)
	assert.False(t, ok, "a label stands at the top level")
}

func TestWrongLabelsSayWhatWasExpected(t *testing.T) {
	for line, want := range map[string]string{
		`{"supported":"SECRET"}`: "supported: expected true or false, found a string",
		`{"supported":1}`:        "supported: expected true or false, found a number",
		`{"label":"SECRET"}`:     "label: expected supported or unsupported, found another word",
		`{"label":true}`:         "label: expected supported or unsupported, found a boolean",
		`{"judge_score":1.5}`:    "judge_score: expected a number from 0 to 1, found another number",
		`{"judge_score":"0.5"}`:  "judge_score: expected a number from 0 to 1, found a string",
		`{"judge_score":[1]}`:    "judge_score: expected a number from 0 to 1, found an array",
		`{"label":{}}`:           "label: expected supported or unsupported, found an object",

		`{"supported":true,"label":"unsupported"}`: `label: expected what "supported" says, found the opposite; settle them first`,
		`{"supported":true,"label":"SECRET"}`:      "label: expected supported or unsupported, found another word",
		`{"supported":true,"group":{"a":1}}`:       "group: expected a string or a number, found an object",
		`{"judge_score":1,"group":["SECRET"]}`:     "group: expected a string or a number, found an array",
	} {
		_, ok, err := LabelOf(sample(t, line), 0.5)
		assert.False(t, ok)
		require.EqualError(t, err, want)
	}
}

func TestAnswersToTheSameChunksShareAGroup(t *testing.T) {
	a := groupOf(sample(t, `{"id":"1","retrieval":{"chunks":[{"id":"1","text":"one"},{"id":"2","text":"two"}]}}`))
	b := groupOf(sample(t, `{"id":"2","retrieval":{"chunks":[{"id":"x","text":"two"},{"id":"y","text":"one"},{"id":"z","text":"one"}]}}`))
	c := groupOf(sample(t, `{"id":"3","retrieval":{"chunks":[{"id":"1","text":"onetwo"}]}}`))
	assert.Equal(t, a, b, "in any order, under any id")
	assert.NotEqual(t, a, c)
}

// collect reads samples, and labels where there are any.
func collect(t *testing.T, samples, labels string) (*Collector, []string) {
	t.Helper()
	var problems []string
	c, err := NewCollector(metric.DefaultRiskModel(), 0.5, func(err error) { problems = append(problems, err.Error()) })
	require.NoError(t, err)
	if labels != "" {
		require.NoError(t, c.Labels(rag.ReadSamples(strings.NewReader(labels))))
	}
	require.NoError(t, c.Samples(rag.ReadSamples(strings.NewReader(samples))))
	c.Done()
	return c, problems
}

const (
	chunk  = `"retrieval":{"chunks":[{"id":"c","text":"The plant opened in 1994."}]}`
	answer = `"answer":{"text":"It opened in 1994."}`
)

func TestCollectTakesLabelledSamples(t *testing.T) {
	c, problems := collect(t, `{"id":"1",`+chunk+`,`+answer+`,"supported":true}
{"id":"2",`+chunk+`,`+answer+`,"judge_score":0.2,"group":"g"}
{"id":"3",`+chunk+`,`+answer+`}
{"id":"4",`+chunk+`,"supported":true}
{"id":"5",`+answer+`,"supported":true}
{"id":"6",`+chunk+`,`+answer+`,"supported":"maybe"}
not json
`, "")
	assert.Equal(t, []string{`sample "6": supported: expected true or false, found a string`, "line 7: expected a JSON object, found a syntax error at byte 2"}, problems)
	require.Len(t, c.Cases, 2)
	assert.False(t, c.Cases[0].Unsupported)
	assert.True(t, c.Cases[1].Unsupported)
	assert.True(t, c.Cases[1].Judged)
	assert.Equal(t, "g", c.Cases[1].Group)
	assert.Contains(t, c.Cases[0].Group, "chunks:")
	assert.InDelta(t, len("It opened in 1994."), c.Cases[0].Length, 0)
	assert.Len(t, c.Cases[0].Features, len(metric.RiskFeatureNames()))
	assert.Equal(t, 6, c.Input.Samples)
	assert.Equal(t, 1, c.Input.Unlabelled)
	assert.Equal(t, map[rag.Reason]int{rag.ReasonNoAnswer: 1, rag.ReasonNoChunks: 1}, c.Input.Unmeasured)
}

func TestCollectJoinsLabelsByID(t *testing.T) {
	samples := `{"id":"1",` + chunk + `,` + answer + `,"supported":true,"group":"g"}
{"id":"5",` + chunk + `,` + answer + `,"group":true}
{"id":"2",` + chunk + `,` + answer + `,"supported":true}
{"id":"1",` + chunk + `,` + answer + `}
`
	c, problems := collect(t, samples, `{"id":"1","label":"unsupported"}
{"id":"3","supported":true}
{"id":"3","supported":true}
{"id":"4"}
{"id":"5","supported":true}
`)
	require.Len(t, c.Cases, 1)
	assert.True(t, c.Cases[0].Unsupported, "the label apart holds, not the one within")
	assert.Equal(t, "g", c.Cases[0].Group)
	assert.Equal(t, 1, c.Input.Unlabelled)
	assert.Equal(t, 1, c.Input.Orphans)
	assert.Equal(t, []string{
		`sample "3": expected one label, found a second; settle them first`,
		`sample "4": expected one of the keys supported, label and judge_score, found none`,
		`sample "5": group: expected a string or a number, found a boolean`,
		`sample "1": expected an id of its own, since labels are joined by id; found it a second time`,
	}, problems)
}

func FuzzLabels(f *testing.F) {
	f.Add([]byte(`{"id":"1","supported":true,"group":17}`))
	f.Add([]byte(`{"id":"1","label":"Unsupported","tags":{"group":"b"}}`))
	f.Add([]byte(`{"id":"1","judge_score":1e-999,"group":{}}`))
	f.Add([]byte(`{"id":"1","judge_score":-0,"supported":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var s rag.Sample
		if s.UnmarshalJSON(line) != nil {
			return
		}
		if _, ok, err := LabelOf(&s, 0.5); ok && err != nil {
			t.Fatalf("expected a label or an error, found both: %v", err)
		}
		groupOf(&s)
	})
}
