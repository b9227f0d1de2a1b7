package text_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/internal/text"
)

func seed(f *testing.F) {
	for _, s := range []string{
		"", "The company's Q3 (2019) revenue: $1,452.4; e.g. 3.14... \"What?\" he asked.", "L’été où 売上はｶﾞｽです。한국어 ที่นี่ कंपनी", "\xff\x00\xc3\x28",
		"İıſΣςß\u0345ǅ", "e\u0301\u0302\u1161\u11a8", "• a\n- b\n\n1. C\r\nd", "U.S. The J. P. No. 5", strings.Repeat("longword", 10), "a'b'c''d 1.2,3,", "\u00ad\u200b'\u00ad.",
	} {
		f.Add(s)
	}
}

func FuzzTokenize(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		var v text.Vocabulary
		tokens := v.Append(nil, s)
		last := int32(0)
		for _, tok := range tokens {
			if tok.Start < last || tok.End <= tok.Start || int(tok.End) > len(s) {
				t.Fatalf("%q: span %d:%d after %d", s, tok.Start, tok.End, last)
			}
			if len(v.Text(tok.ID)) == 0 || !utf8.Valid(v.Text(tok.ID)) {
				t.Fatalf("%q: word %q", s, v.Text(tok.ID))
			}
			last = tok.End
		}
		for _, other := range []string{strings.ToUpper(s), strings.ToLower(s)} {
			again := v.Append(nil, other)
			if len(again) != len(tokens) {
				t.Fatalf("%q: %d words, in another case %d", s, len(tokens), len(again))
			}
			for i := range again {
				if again[i].ID != tokens[i].ID {
					t.Fatalf("%q: %q and %q", s, v.Text(tokens[i].ID), v.Text(again[i].ID))
				}
			}
		}
	})
}

func FuzzSentences(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for start, end := range text.Sentences(s) {
			if start < last || end <= start || end > len(s) {
				t.Fatalf("%q: span %d:%d after %d", s, start, end, last)
			}
			last = end
		}
	})
}

func FuzzKey(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		key := text.AppendKey(nil, s)
		if again := text.AppendKey(nil, string(key)); !bytes.Equal(key, again) {
			t.Fatalf("%q: %q, then %q", s, key, again)
		}
		text.ContainsKey(key, key)
	})
}
