package index

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTermsKeepContent(t *testing.T) {
	assert.Equal(t, []string{"total", "sale", "2019"}, Terms("What is the total SALES of the company in 2019?"))
	assert.Equal(t, []string{"umsätz", "grew"}, Terms("Umsätze grew — €5"))
	assert.Empty(t, Terms(" \n?"))
}

func TestLSAGivesTheSameBytesEveryTime(t *testing.T) {
	chunks := loadCorpus(t).Chunks[:100]
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = searchText(c)
	}
	encode := func() []byte {
		vectors, err := TrainLSA(texts, 32).Embed(t.Context(), texts)
		require.NoError(t, err)
		var out []byte
		for _, v := range vectors {
			for _, x := range v {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			}
		}
		return out
	}
	assert.Equal(t, encode(), encode())
}

func TestLSARelatesWordsThatNeverMeet(t *testing.T) {
	lsa := TrainLSA([]string{
		"automobile engine repair", "car engine repair", "automobile wheel", "car wheel",
		"goodwill impairment charge", "goodwill impairment test", "pension obligation charge", "pension obligation test",
	}, 2)
	v, err := lsa.Embed(t.Context(), []string{"car", "automobile", "pension", "unheard of"})
	require.NoError(t, err)
	cosine := func(a, b []float32) float64 {
		sum := 0.0
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	assert.InDelta(t, 1, cosine(v[0], v[0]), 1e-6, "vectors have length 1")
	assert.Greater(t, cosine(v[0], v[1]), cosine(v[0], v[2])+0.1)
	assert.True(t, isZero(v[3]))
}

func TestRightSingularVectorsDiagonalise(t *testing.T) {
	// Rows with known singular values 5, 3 and 1 along mixed directions.
	s := math.Sqrt2 / 2
	rows := [][]entry{
		{{0, 5 * s}, {1, 5 * s}},
		{{0, 3 * s}, {1, -3 * s}},
		{{2, 1}},
	}
	v := rightSingularVectors(rows, 3, 3)
	want := [][]float64{{s, s, 0}, {s, s, 0}, {0, 0, 1}}
	for i := range 3 {
		for d := range 3 {
			assert.InDelta(t, want[i][d], math.Abs(v.row(i)[d]), 1e-9, "entry %d,%d up to its sign", i, d)
		}
	}
	assert.InDelta(t, -s*s, v.row(0)[1]*v.row(1)[1], 1e-9, "the second direction is a difference")
}

func TestRightSingularVectorsOfDependentRowsAreFinite(t *testing.T) {
	row := []entry{{0, 0.6}, {1, 0.8}}
	v := rightSingularVectors([][]entry{row, row, row}, 4, 3)
	assert.InDelta(t, 0.6, math.Abs(v.row(0)[0]), 1e-9)
	for _, x := range v.data {
		assert.False(t, math.IsNaN(x) || math.IsInf(x, 0))
	}
}
