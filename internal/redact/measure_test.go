package redact_test

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/redact"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
)

// written reports whether rows of a group were read to write the detectors. The others only measure them.
func written(group string) bool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, group)
	return h.Sum32()>>8%4 != 3
}

// rate counts hits among cases of the part that was read and of the part that was not.
type rate struct{ hits, of [2]int }

func (r *rate) add(group string, hit bool) {
	part := 1
	if written(group) {
		part = 0
	}
	r.of[part]++
	if hit {
		r.hits[part]++
	}
}

func (r *rate) share(part int) float64 {
	if r.of[part] == 0 {
		return 0
	}
	return float64(r.hits[part]) / float64(r.of[part])
}

func (r *rate) String() string {
	var b strings.Builder
	for part, name := range [...]string{"read", "unread"} {
		b.WriteString(name + " " + strconv.Itoa(r.hits[part]) + "/" + strconv.Itoa(r.of[part]) + " ")
	}
	return b.String()
}

func lines[T any](t *testing.T, rel string, f func(T)) {
	t.Helper()
	in := bufio.NewScanner(shareddata.Open(t, rel))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var row T
		require.NoError(t, json.Unmarshal(in.Bytes(), &row))
		f(row)
	}
	require.NoError(t, in.Err())
}

type piiRow struct {
	Template int `json:"template_id"`
	Text     string
	Spans    []struct {
		Type       string
		Start, End int
	}
}

// Types of spans that have a form. Names, addresses and dates have none.
var formed = map[string]redact.Kind{
	"EMAIL_ADDRESS": redact.Email, "PHONE_NUMBER": redact.Phone, "US_SSN": redact.SSN,
	"CREDIT_CARD": redact.Card, "IBAN_CODE": redact.IBAN, "IP_ADDRESS": redact.IP,
}

func TestPersonalDataIsFoundInTextsOfOthers(t *testing.T) {
	byType := map[string]*rate{}
	var detected, flagged, stray, exact rate
	lines(t, "pii/cases.jsonl", func(row piiRow) {
		group := strconv.Itoa(row.Template)
		found := redact.Append(nil, row.Text, redact.PII)
		redact.CodePoints(row.Text, found)
		formedSpans := 0
		for _, span := range row.Spans {
			kind, ok := formed[span.Type]
			if !ok {
				continue
			}
			formedSpans++
			hit, same := false, false
			for _, f := range found {
				hit = hit || f.Start < span.End && span.Start < f.End
				same = same || f.Kind == kind && f.Start == span.Start && f.End == span.End
			}
			detected.add(group, hit)
			exact.add(group, same)
			if byType[span.Type] == nil {
				byType[span.Type] = new(rate)
			}
			byType[span.Type].add(group, hit)
			if !hit && written(group) {
				t.Logf("missed %s in %q", span.Type, row.Text)
			}
		}
		if formedSpans == 0 {
			flagged.add(group, len(found) > 0)
		}
		for _, f := range found {
			touches := false
			for _, span := range row.Spans {
				touches = touches || f.Start < span.End && span.Start < f.End
			}
			stray.add(group, !touches)
			if !touches && written(group) {
				t.Logf("stray %v in %q", f, row.Text)
			}
		}
	})
	t.Logf("detected: %v", &detected)
	t.Logf("exact kind and place: %v", &exact)
	t.Logf("texts without such spans that are flagged: %v", &flagged)
	t.Logf("findings that touch no labelled span: %v", &stray)
	for name, r := range byType {
		t.Logf("  %s: %v", name, r)
	}
	for part := range 2 {
		assert.GreaterOrEqual(t, detected.share(part), .95, "detection rate")
		assert.LessOrEqual(t, flagged.share(part), .05, "false positive rate")
		assert.LessOrEqual(t, stray.share(part), .05, "share of findings that touch nothing")
	}
}

type secretRow struct {
	ID, Rule string
	Label    int
	Parts    []string
}

func TestSecretsAreFoundInTextsOfOthers(t *testing.T) {
	var detected, flagged rate
	missed := map[string]int{}
	lines(t, "secrets/cases.jsonl", func(row secretRow) {
		text := strings.Join(row.Parts, "")
		if row.Rule == "generic-api-key" { // half of the rows that were left are its own
			row.Rule += row.ID
		}
		found := redact.Append(nil, text, redact.Secrets)
		if row.Label == 1 {
			detected.add(row.Rule, len(found) > 0)
			if len(found) == 0 {
				missed[row.Rule]++
				if written(row.Rule) {
					t.Logf("missed %s in %.300q", row.Rule, text)
				}
			}
			return
		}
		flagged.add(row.Rule, len(found) > 0)
		if len(found) > 0 && written(row.Rule) {
			t.Logf("flagged %s %v in %.300q", row.Rule, found, text)
		}
	})
	t.Logf("detected: %v", &detected)
	t.Logf("look-alikes that are flagged: %v", &flagged)
	for part := range 2 {
		assert.GreaterOrEqual(t, detected.share(part), .95, "detection rate")
	}
	// One row of the smaller part would be more than the share.
	assert.LessOrEqual(t, float64(flagged.hits[0]+flagged.hits[1])/float64(flagged.of[0]+flagged.of[1]), .02, "false positive rate")
}

// Prose is what the recorder sees most. All that is found there are public contacts, most of them in pages of support.
func TestProseIsLeftAlone(t *testing.T) {
	for _, rel := range []string{
		"ragtruth/qa.jsonl", "ragtruth/summary.jsonl", "ragtruth/data2txt.jsonl", "demo-corpus/corpus.jsonl", "demo-corpus/recorded_answers.jsonl",
		"mtrag-human/passages.jsonl", "mtrag-human/responses.jsonl",
	} {
		t.Run(rel, func(t *testing.T) {
			texts, contacts, others := 0, 0, map[string]int{}
			lines(t, rel, func(row map[string]any) {
				eachText(row, func(s string) {
					texts++
					for _, f := range redact.Append(nil, s, redact.PII|redact.Secrets) {
						if f.Kind == redact.Email || f.Kind == redact.Phone {
							contacts++
							continue
						}
						others[f.Kind.String()]++
					}
				})
			})
			t.Logf("%d contacts in %d texts", contacts, texts)
			assert.Empty(t, others)
			assert.LessOrEqual(t, contacts*25, texts)
		})
	}
}

// eachText gives f every string of at least twenty characters in v.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		if utf8.RuneCountInString(v) >= 20 {
			f(v)
		}
	case []any:
		for _, x := range v {
			eachText(x, f)
		}
	case map[string]any:
		for _, x := range v {
			eachText(x, f)
		}
	}
}
