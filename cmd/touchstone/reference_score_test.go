package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var inlineTypes = map[string]string{
	"context_relevance": "score", "context_precision": "score", "context_recall_heuristic": "score",
	"aggregated_confidence": "score", "multi_source_agreement": "score",
	"recall_warning": "categorical", "agreement_pattern": "categorical", "semantic_validation": "categorical",
}

type scoredLine struct {
	ID          string `json:"id"`
	Evaluations []struct {
		Name   string `json:"name"`
		Type   string `json:"type"`
		Field  string `json:"field"`
		Value  any    `json:"value"`
		Label  string `json:"label"`
		Reason string `json:"reason"`
	} `json:"evaluations"`
	Escalation struct {
		Needed  bool     `json:"needed"`
		Reasons []string `json:"reasons"`
	} `json:"escalation"`
}

func scoreInProcess(t testing.TB, input string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &env{
		args: append([]string{"score"}, args...), stdin: strings.NewReader(input), stdout: &out, stderr: &errs,
		getenv: func(string) string { return "" },
	})
	return out.String(), errs.String(), code
}

func scoredLines(t testing.TB, stdout string) []scoredLine {
	t.Helper()
	var lines []scoredLine
	for line := range strings.Lines(stdout) {
		var l scoredLine
		require.NoError(t, json.Unmarshal([]byte(line), &l), "output line %.300q", line)
		lines = append(lines, l)
	}
	return lines
}

func (l *scoredLine) results() (map[refKey]refResult, error) {
	out := map[refKey]refResult{}
	for _, e := range l.Evaluations {
		r := refResult{typ: e.Type, label: e.Label, reason: e.Reason}
		switch v := e.Value.(type) {
		case float64:
			r.value = &v
		case string:
			r.category = v
		case nil:
		default:
			return nil, fmt.Errorf("%s: value of type %T", e.Name, v)
		}
		key := refKey{e.Name, e.Field}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s twice for field %q", e.Name, e.Field)
		}
		out[key] = r
	}
	return out, nil
}

// refNeedsJudge is the source's policy: the heuristic below 0.7, or a limit hit.
func refNeedsJudge(s *refSample, results map[refKey]refResult) (needed, below bool) {
	hit, _ := refWarnings(s, refMerge(s.Retrieval.Chunks))
	recall := results[refKey{"context_recall_heuristic", ""}].value
	below = recall != nil && *recall < 0.7
	return hit || below, below
}

// differences tells, by metric, where the line and the reference differ.
func differences(s *refSample, line *scoredLine) map[string]string {
	diffs := map[string]string{}
	got, err := line.results()
	if err != nil {
		diffs["output"] = err.Error()
		return diffs
	}
	want := reference(s)
	for key, w := range want {
		if g, known := got[key]; !known {
			diffs[key.name] = fmt.Sprintf("field %q is missing, want %s", key.field, w)
		} else if !w.agrees(g) {
			diffs[key.name] = fmt.Sprintf("field %q is %s, want %s", key.field, g, w)
		}
	}
	for key, g := range got {
		if _, known := want[key]; !known && inlineTypes[key.name] != "" {
			diffs[key.name] = fmt.Sprintf("field %q is %s, the reference has none", key.field, g)
		}
	}
	needed, below := refNeedsJudge(s, want)
	if needed != line.Escalation.Needed || needed != (len(line.Escalation.Reasons) > 0) ||
		below != slices.Contains(line.Escalation.Reasons, "heuristic_below_threshold") {
		diffs["escalation"] = fmt.Sprintf("%+v, want needed %v, below %v", line.Escalation, needed, below)
	}
	return diffs
}

func (r refResult) agrees(got refResult) bool {
	switch {
	case r.typ != got.typ:
		return false
	case r.value == nil && r.category == "":
		return got.value == nil && got.category == "" && got.reason != "" && (r.reason == "" || r.reason == got.reason)
	case r.value == nil:
		return got.value == nil && got.category == r.category && got.reason == ""
	}
	near := got.value != nil && math.Abs(*r.value-*got.value) <= 1e-9 && got.reason == ""
	atCut := math.Abs(*r.value-0.7) <= 1e-9 || math.Abs(*r.value-0.4) <= 1e-9
	return near && (r.label == "" || r.label == got.label || atCut)
}

func (r refResult) String() string {
	if r.value != nil {
		return fmt.Sprintf("%v %s", *r.value, r.label)
	}
	return fmt.Sprintf("%q (reason %q)", r.category, r.reason)
}

func TestScoreAgreesWithReference(t *testing.T) {
	const samples = 4000
	g := newSampleGen(1)
	lines := make([]string, samples)
	for i := range lines {
		lines[i] = g.clear(fmt.Sprintf("s%d", i))
	}
	stdout, stderr, code := scoreInProcess(t, strings.Join(lines, "\n"))
	require.Equal(t, exitOK, code, "stderr: %.2000s", stderr)
	scored := scoredLines(t, stdout)
	require.Len(t, scored, samples)

	type report struct{ diff, line string }
	shortest := map[string]report{} // by metric
	for i, line := range lines {
		var s refSample
		require.NoError(t, json.Unmarshal([]byte(line), &s))
		require.Equal(t, s.ID, scored[i].ID)
		for metric, diff := range differences(&s, &scored[i]) {
			if old, seen := shortest[metric]; !seen || len(line) < len(old.line) {
				shortest[metric] = report{diff, line}
			}
		}
	}
	for metric, r := range shortest {
		t.Errorf("%s: %s\nshortest such sample: %.3000s", metric, r.diff, r.line)
	}
}

// checkSane holds for every output, whatever the input was.
func checkSane(t testing.TB, line *scoredLine) {
	t.Helper()
	got, err := line.results()
	require.NoError(t, err, "sample %q", line.ID)
	for key, r := range got {
		require.Equal(t, inlineTypes[key.name], r.typ, "%v", key)
		require.True(t, (r.value != nil || r.category != "") != (r.reason != ""), "%v: exactly one of value and reason: %v", key, r)
		if r.value != nil {
			require.Equal(t, "score", r.typ, "%v", key)
			require.True(t, *r.value >= 0 && *r.value <= 1, "%v = %v, outside 0..1", key, *r.value)
		}
	}
}

func TestHostileSamplesStaySane(t *testing.T) {
	const samples = 600
	g := newSampleGen(7)
	lines := make([]string, samples)
	for i := range lines {
		lines[i] = g.hostile(fmt.Sprintf("h%d", i))
	}
	for _, args := range [][]string{nil, {"--literal"}} {
		stdout, stderr, code := scoreInProcess(t, strings.Join(lines, "\n"), args...)
		require.Equal(t, exitOK, code, "stderr: %.2000s", stderr)
		scored := scoredLines(t, stdout)
		require.Len(t, scored, samples, "one line per good sample")
		for i := range scored {
			require.Equal(t, fmt.Sprintf("h%d", i), scored[i].ID)
			checkSane(t, &scored[i])
			if len(args) == 0 {
				checkMissing(t, lines[i], &scored[i])
			}
		}
	}
}

// checkMissing asserts that nothing is measured whose input is missing.
func checkMissing(t *testing.T, line string, scored *scoredLine) {
	t.Helper()
	var s refSample
	require.NoError(t, json.Unmarshal([]byte(line), &s))
	got, err := scored.results()
	require.NoError(t, err)
	for key, r := range got {
		if r.value == nil && r.category == "" {
			continue
		}
		switch key.name {
		case "context_relevance", "context_precision", "context_recall_heuristic":
			require.NotEmpty(t, s.Retrieval.Chunks, "%v measured without chunks", key)
		case "semantic_validation", "multi_source_agreement", "agreement_pattern":
			require.NotEmpty(t, s.Extractions, "%v measured without extractions", key)
		case "aggregated_confidence":
			require.True(t, len(s.Extractions) > 0 || len(s.Answer.Confidence) > 0, "%v measured without input", key)
		}
	}
}

func TestBadLinesLeaveGoodOnesScored(t *testing.T) {
	bad := []string{
		`{`, `[]`, `"id"`, `7`, `{"id":7}`, `{"id":"x","retrieval":[]}`, `{"id":"x","retrieval":{"chunks":[{"score":1e999}]}}`,
		`{"id":"x","extractions":[{"chunk_number":1.5}]}`, `{"id":"x"} {`, `{"id":"x","query":NaN}`, "\x00", "\xff",
	}
	g := newSampleGen(3)
	var input strings.Builder
	for i, line := range bad {
		fmt.Fprintf(&input, "%s\n%s\n", line, g.clear(fmt.Sprintf("good%d", i)))
	}
	stdout, stderr, code := scoreInProcess(t, input.String())
	assert.Equal(t, exitInput, code)
	scored := scoredLines(t, stdout)
	require.Len(t, scored, len(bad), "stderr: %s", stderr)
	for i := range scored {
		assert.Equal(t, fmt.Sprintf("good%d", i), scored[i].ID)
		checkSane(t, &scored[i])
	}
	assert.Equal(t, len(bad)+2, strings.Count(stderr, "\n"), "a line per error, the total and the hint: %s", stderr)
}

func FuzzScore(f *testing.F) {
	g := newSampleGen(5)
	for i := range 20 {
		f.Add([]byte(g.clear(fmt.Sprintf("f%d", i))))
		f.Add([]byte(g.hostile(fmt.Sprintf("f%d", i))))
	}
	f.Add([]byte("{}\n\n{\"id\":\"a\"}\r\n[]"))
	f.Fuzz(func(t *testing.T, input []byte) {
		stdout, stderr, code := scoreInProcess(t, string(input))
		require.Contains(t, []int{exitOK, exitInput}, code, "stderr: %.500s", stderr)
		for _, line := range scoredLines(t, stdout) {
			checkSane(t, &line)
		}
	})
}
