package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/calibrate"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

func TestThePageIsWhatTheCommandWrites(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("measuring everything takes too long with -race or -short; the plain test does it")
	}
	for _, set := range []string{"ragtruth", "begin", "mtrag-human", "wice", "faithbench", "demo-corpus"} {
		shareddata.Dir(t, set)
	}
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, pageName))
	require.NoError(t, err)

	data := os.DirFS(shareddata.Dir(t, "."))
	found, err := digest(data)
	require.NoError(t, err)
	if !strings.Contains(string(page), found) {
		t.Skipf("the page was measured on other data than this, whose digest is %s", found)
	}

	s, err := takeSurvey(data, intervalDraws)
	require.NoError(t, err)
	files, err := s.files()
	require.NoError(t, err)
	for _, f := range files {
		assert.NoError(t, f.same(filepath.Join(docs, f.name)))
	}
}

// smallData is two sets in which an unsupported answer shares no word with its
// chunk, and a supported one repeats it. Of every source of ragtruth/qa the
// unsupported answer is the longer one, but for the last.
func smallData(t *testing.T) fstest.MapFS {
	t.Helper()
	const sources = 20
	var qa, begin strings.Builder
	line := func(b *strings.Builder, row map[string]any) {
		text, err := json.Marshal(row)
		require.NoError(t, err)
		b.Write(append(text, '\n'))
	}
	for i := range sources {
		chunk := fmt.Sprintf("The river near town %c%c flows north past quiet meadows.", 'a'+i, 'a'+i)
		wrong := "Several elephants painted enormous bridges yesterday evening, humming loudly together."
		if i == sources-1 {
			wrong = "Elephants hum."
		}
		line(&qa, map[string]any{
			"id": fmt.Sprint("s", i), "question": "Where does the river flow?", "contexts": []string{chunk},
			"responses": []map[string]any{
				{"model": "one", "answer": chunk, "hallucinated": false},
				{"model": "two", "answer": wrong, "hallucinated": true},
			},
		})
		line(&begin, map[string]any{"knowledge": chunk, "message": "Tell me.", "response": chunk, "model": "m", "label": "Fully attributable"})
		line(&begin, map[string]any{"knowledge": chunk, "message": "Tell me.", "response": wrong, "model": "m", "label": "Not fully attributable"})
		line(&begin, map[string]any{"knowledge": chunk, "message": "Tell me.", "response": "Hm.", "model": "m", "label": "Generic"})
	}
	return fstest.MapFS{
		"ragtruth/qa.jsonl": {Data: []byte(qa.String())},
		"begin/cases.jsonl": {Data: []byte(begin.String())},
	}
}

func TestTheSurveyMeasuresWhatIsKnownOfSmallData(t *testing.T) {
	s, err := takeSurvey(smallData(t), 20)
	require.NoError(t, err)
	qa := s.set("ragtruth/qa")
	require.NotNil(t, qa)

	// The unsupported answers score above every supported one.
	assert.InDelta(t, 1, qa.own.auroc.value, 0)
	assert.InDelta(t, 1, qa.zeroShot.auroc.value, 0)
	assert.InDelta(t, 1, qa.own.balanced.value, 0)
	assert.Nil(t, qa.otherCorpora, "begin is the only other set, and of another corpus")
	// By length, 19 of the 20 unsupported are above all supported and one is below.
	assert.InDelta(t, 19.0/20, qa.length.auroc.value, 1e-12)
	assert.True(t, math.IsNaN(qa.length.balanced.value), "length has no threshold")
	// One in ten is unsupported, so 5% of the answers hold half of them.
	assert.InDelta(t, 0.5, qa.own.capture[0].value, 1e-12)
	assert.InDelta(t, 1, qa.own.capture[fifthAt].value, 1e-12)
	// The longest 9.5% hold 19 of 20, and all supported answers come before the last.
	assert.InDelta(t, 0.95, qa.length.capture[fifthAt].value, 1e-12)
	assert.InDelta(t, 0.05, qa.own.overLength.value, 1e-12)
	// Each model wrote answers of one class only.
	assert.True(t, math.IsNaN(qa.own.withinModel.value))
	assert.Equal(t, 40, len(s.set("begin").cases), "generic answers are left out")
}

func TestThePageHasEverySectionAndSaysWhatIsAbsent(t *testing.T) {
	s, err := takeSurvey(smallData(t), 20)
	require.NoError(t, err)
	files, err := s.files()
	require.NoError(t, err)
	page := string(files[0].content)

	assert.Contains(t, page, "Not measured, since the data directory does not hold them: ragtruth/summary, ragtruth/data2txt, mtrag-human, wice, faithbench.")
	for _, heading := range []string{
		"What was measured, and on what", "How", "How well `support_risk` ranks", "What a budget catches",
		"Is it only length, or only the model?", "Each metric and feature by itself", "The literal rule",
		"What each feature is worth", "What few labels buy", "Beside detectors that are models", "What it cannot do",
	} {
		assert.Contains(t, page, "\n## "+heading+"\n")
	}
	assert.NotContains(t, page, "NaN")
	assert.NotContains(t, page, "%!")
	for paragraph := range strings.SplitSeq(page, "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if !strings.HasPrefix(lines[0], "|") {
			continue
		}
		for _, row := range lines[1:] {
			assert.Equal(t, strings.Count(lines[0], "|"), strings.Count(row, "|"), row)
		}
	}
}

func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	var pages [2]string
	for i := range pages {
		s, err := takeSurvey(smallData(t), 20)
		require.NoError(t, err)
		files, err := s.files()
		require.NoError(t, err)
		pages[i] = string(files[0].content) + string(files[1].content)
	}
	assert.Equal(t, pages[0], pages[1])
}

func TestCheckNamesTheFirstLineThatDiffers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	f := reportFile{"page.md", []byte("one\ntwo\nthree\n")}
	require.NoError(t, os.WriteFile(path, f.content, 0o600))
	require.NoError(t, f.same(path))

	require.NoError(t, os.WriteFile(path, []byte("one\n2\nthree\n"), 0o600))
	err := f.same(path)
	require.ErrorIs(t, err, errStale)
	assert.ErrorContains(t, err, `line 2: expected "two", found "2"`)

	require.NoError(t, os.WriteFile(path, []byte("one\n"), 0o600))
	assert.ErrorIs(t, f.same(path), errStale)
}

// labelled makes a survey of cases without texts, each a source of its own.
func labelled(positive ...bool) *setSurvey {
	s := &setSurvey{labelledSet: &labelledSet{positive: positive, cases: make([]Case, len(positive))}, bootstrap: stats.Bootstrap{Resamples: 20}}
	for i := range positive {
		s.groups = append(s.groups, fmt.Sprint(i))
	}
	return s
}

func TestTheLiteralRuleIsCountedAtThePrevalenceOfThePage(t *testing.T) {
	s := labelled(true, true, false, false, false, false)
	scores := []float64{1, 0, 0, 0, 0, 0}
	s.own, s.length = &way{scores: scores}, &way{scores: scores}

	r := s.literalRule([]float64{0.69, 0.7, 0.1, 1, math.NaN(), 0.9})

	assert.InDelta(t, 1.0/2, r.caught, 1e-12)
	assert.InDelta(t, 0.1/2+0.9/4, r.escalated, 1e-12) // of the supported one in four
	// The first 5% are the unsupported case that leads; the others share the rest:
	// 22.5% of 95%, of which 5% are unsupported, half of all.
	assert.InDelta(t, 0.5+0.5*0.225/0.95, r.own, 1e-12)
	assert.True(t, math.IsNaN(r.zeroShot))
}

func TestAMetricIsMeasuredWhereItHasAValue(t *testing.T) {
	var positive []bool
	var scores []float64
	for i := range 2 * minClass {
		positive = append(positive, i%2 == 0, i%2 == 0)
		scores = append(scores, float64(i%2), math.NaN())
	}

	l := labelled(positive...).single("inverted", scores)
	assert.InDelta(t, 0.5, l.coverage, 0)
	assert.InDelta(t, 0, l.auroc.value, 0)

	scores[0] = math.NaN() // one case of the class too few
	assert.True(t, math.IsNaN(labelled(positive...).single("few", scores).auroc.value))
}

func TestCalibrationOnFewLabelsDeclinesWhatCalibrateDeclines(t *testing.T) {
	scores, positive, order := make([]float64, 40), make([]bool, 40), make([]int, 40)
	for i := range scores {
		scores[i], positive[i], order[i] = float64(i%4), i%4 >= 2, i
	}
	balanced, _, ok := calibrated(scores, positive, order, 20)
	require.True(t, ok)
	assert.InDelta(t, 1, balanced, 0)

	_, _, ok = calibrated(scores, positive, order, 2*calibrate.MinClass-1)
	assert.False(t, ok, "too few of a class")
	_, _, ok = calibrated(scores, positive, order, 40)
	assert.False(t, ok, "no answers are left to measure")
	for i := range scores {
		scores[i] = -scores[i]
	}
	_, _, ok = calibrated(scores, positive, order, 20)
	assert.False(t, ok, "the score runs the wrong way")
}

func TestFiguresAreShortAndSigned(t *testing.T) {
	known := stats.Interval{Low: -0.0004, High: 1}
	assert.Equal(t, ".812 [.000, 1.000]", estimate{0.8123, known}.decimal())
	assert.Equal(t, "13% [0, 100]", estimate{0.126, stats.Interval{Low: 0.004, High: 1}}.percent())
	assert.Equal(t, "−13 [0, +100]", estimate{-0.126, known}.points())
	assert.Equal(t, "–", noEstimate().decimal())
	assert.Equal(t, "+.012", change(0.0123))
	assert.Equal(t, "−.012", change(-0.0123))
	assert.Equal(t, ".000", change(0.0004))
}

func TestTablesSetWordsLeftAndFiguresRight(t *testing.T) {
	table := newTable("set", "n", "who")
	table.row("qa", "7", "people")
	table.row("**all**")
	assert.Equal(t, strings.Join([]string{
		"| set     |  n | who    |",
		"|---------|---:|--------|",
		"| qa      |  7 | people |",
		"| **all** |    |        |",
	}, "\n")+"\n\n", table.String())
}
