package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test's own binary is what the children run.
func TestMain(m *testing.M) {
	asked, err := child(groups(), os.Stdin, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case asked:
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTableHasAVerdictForEveryGoal(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-quick"}, &out, io.Discard))
	_, table, found := strings.Cut(out.String(), "\nGoals\n")
	require.True(t, found)
	want := 1 // the heading
	for _, g := range groups() {
		assert.Contains(t, out.String(), "\n"+g.title+"\n")
		want += len(g.goals)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	assert.Len(t, lines, want)
	for _, line := range lines[1:] {
		assert.Regexp(t, `\s[≤≥] \d.*\s(met|missed)$`, line)
	}
}

// What does not depend on how fast the machine is must hold everywhere.
func TestGoalsThatDoNotDependOnTime(t *testing.T) {
	for _, g := range groups() {
		exact := g.goals[:0:0]
		for _, goal := range g.goals {
			if goal.exact {
				exact = append(exact, goal)
			}
		}
		if len(exact) == 0 {
			continue
		}
		all, err := measureAll(t.Context(), []*group{g}, 1, true, io.Discard)
		require.NoError(t, err)
		for _, goal := range exact {
			assert.True(t, goal.met(all[0]), "%s: %s: %v, limit %v", g.title, goal.what, goal.got(all[0]), goal.limit(all[0]))
		}
	}
}

func TestUnknownGroupIsAnError(t *testing.T) {
	err := run(t.Context(), []string{"-only", "http,nothing"}, io.Discard, io.Discard)
	require.ErrorContains(t, err, `"nothing": expected names out of http, loopback`)
}

func TestMedianIsOverTheRounds(t *testing.T) {
	g := &group{base: "a"}
	r := results{group: g, rounds: []map[string]figures{
		{"a": {"x": 1}, "b": {"x": 3}, "c": {"x": 5}},
		{"a": {"x": 2}, "b": {"x": 3}, "c": {"x": 4}},
		{"a": {"x": 1}, "b": {"x": 9}, "c": {"x": 9}},
	}}
	assert.InDelta(t, 1.0, r.value("a", "x"), 0)
	assert.InDelta(t, 3.0, r.ratio("b", "a", "x"), 0, "of 3, 1.5 and 9")
	assert.InDelta(t, 2.0, r.added("b", "x"), 0, "of 2, 1 and 8")
	assert.InDelta(t, 0.5, r.addedRatio("b", "c", "x"), 0, "of 0.5, 0.5 and 1")
}
