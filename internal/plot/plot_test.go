package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func panels() []Panel {
	curve := []stats.Point{{}, {X: 0.1, Y: 0.4}, {X: 0.1, Y: 0.6}, {X: 0.5, Y: 0.9}, {X: 1, Y: 1}}
	return []Panel{
		{Title: "ROC", X: "false alarms", Y: "caught", Lines: []Line{
			{Name: "risk", Points: curve},
			{Name: "longest", Style: Other, Points: []stats.Point{{}, {X: 0.6, Y: 0.5}, {X: 1, Y: 1}}},
			Diagonal("random"),
		}},
		{Title: "Reliability <&>", X: "says", Y: "was", Lines: []Line{Diagonal("perfect")}, Points: []IntervalPoint{
			{At: stats.Point{X: 0.2, Y: 0.25}, Within: stats.Interval{Low: 0.1, High: 0.4}},
			{At: stats.Point{X: 0.8, Y: 0.7}, Within: stats.Interval{Low: math.NaN(), High: math.NaN()}},
		}},
	}
}

func TestTextIsDrawnInDots(t *testing.T) { golden(t, "unicode.txt", Text(24, 8, true, panels()...)) }

func TestTextIsDrawnInASCII(t *testing.T) {
	got := Text(24, 8, false, panels()...)
	golden(t, "ascii.txt", got)
	for _, c := range got {
		require.Less(t, c, rune(0x80))
	}
}

func TestSVG(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, SVG(&b, "How good <it> is", "25 labels & more", panels()...))
	golden(t, "figure.svg", b.String())
	wellFormed(t, b.String())
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestCurvesOfManyPointsStayShort(t *testing.T) {
	l := Line{Name: "long"}
	for i := range 100_001 {
		l.Points = append(l.Points, stats.Point{X: float64(i) / 100_000, Y: float64(i) / 100_000})
	}
	path := l.path()
	assert.Less(t, len(path), 10_000)
	assert.True(t, strings.HasPrefix(path, "M0.0 260.0"))
	assert.True(t, strings.HasSuffix(path, "L260.0 0.0"), "the end is kept")
}

func TestNothingToDrawIsDrawnEmpty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, SVG(&b, "", "", Panel{Lines: []Line{{Name: "none"}}}))
	wellFormed(t, b.String())
	assert.NotPanics(t, func() { Text(10, 4, true, Panel{Lines: []Line{{Name: "none"}, {Points: []stats.Point{{X: 1, Y: 1}}}}}) })
}

func TestHeightsAreInterpolated(t *testing.T) {
	l := Line{Points: []stats.Point{{}, {X: 0.5, Y: 0.2}, {X: 0.5, Y: 0.6}, {X: 1, Y: 1}}}
	for x, want := range map[float64]float64{0: 0, 0.25: 0.1, 0.75: 0.8, 1: 1} {
		y, ok := l.at(x)
		require.True(t, ok)
		assert.InDelta(t, want, y, 1e-12)
	}
}
