package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/internal/text"
)

func TestKeysOfSameValuesAreTheSame(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"", ""},
		{"  Net \t Income\n", "net income"},
		{"“Smart” ‘quotes’", `"smart" 'quotes'`},
		{"2018–2019 — x", "2018-2019 - x"},
		{"a\u00a0b\u202fc", "a b c"},
		{"zero\u200bwidth\ufeff", "zerowidth"},
		{"ＦＵＬＬ　ｗｉｄｔｈ！", "full width!"},
		{"ΟΔΟΣ", "οδοσ"},
		{"١٢٣٪", "123%"},
		{"a\x00\xffb", "a b"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, string(text.AppendKey(nil, tt.in)), "%q", tt.in)
	}
	assert.Equal(t, "x|b", string(text.AppendKey([]byte("x|"), " B")), "dst is kept")
}

func TestContainsKeepsToWordBoundaries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		haystack, needle string
		want             bool
	}{
		{"Revenue was $2.3 billion.", "$2.3 Billion", true},
		{"Revenue was $2.3 billion.", "3 billion", false},
		{"Revenue was $2.3 billion.", "2", false},
		{"Revenue was $2.3 billions.", "2.3 billion", false},
		{"It was 15%", "5%", false},
		{"It was 15%", "15%", true},
		{"the company’s CFO", "Company's CFO", true},
		{"net\n  income", "Net Income.", true},
		{"net income", `"net income"`, true},
		{"concatenate cat", "cat", true},
		{"concatenate", "cat", false},
		{"公司收入增长", "收入", true},
		{"売上はガスです", "ｶﾞｽ", true},
		{"Größe", "größ", false},
		{"cafe\u0301", "cafe", false},
		{"anything", "", false},
		{"anything", " . ", false},
		{"", "x", false},
		{"x", "x", true},
	}
	var c text.Comparer
	for _, tt := range tests {
		assert.Equal(t, tt.want, c.Contains(tt.haystack, tt.needle), "%q in %q", tt.needle, tt.haystack)
	}
}

func TestContainsStaysRightWhenHitsOffBoundariesAbound(t *testing.T) {
	t.Parallel()
	haystack := strings.Repeat("ab", 1000)
	var c text.Comparer
	assert.False(t, c.Contains(haystack, "aba"))
	assert.True(t, c.Contains(haystack+" aba", "aba"))
	assert.True(t, c.Contains(haystack+" abab aba x", "aba x"))
	assert.False(t, c.Contains(strings.Repeat("a", 100_000), strings.Repeat("a", 50_000)))
}

func TestOverlapIsTheShareOfDistinctWords(t *testing.T) {
	t.Parallel()
	var c text.Comparer
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"Net income rose", "income ROSE strongly", 2.0 / 3},
		{"x x x y", "x", 0.5},
		{"a b", "c", 0},
		{"a", "", 0},
	} {
		got, ok := c.Overlap(tt.a, tt.b)
		assert.True(t, ok)
		assert.InDelta(t, tt.want, got, 0)
	}
	_, ok := c.Overlap(" ?! ", "x")
	assert.False(t, ok, "no words, nothing to measure")
}
