package metric

import (
	"log/slog"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// listed are the keys of the claims that a result lists; their number bounds it.
var listed = [...]string{"1", "2", "3", "4", "5", "6", "7", "8"}

// listClaims lists the first claims that are supported, or those that are not, by
// their places alone. A list with nothing in it is left out of the details.
func listClaims(v *rag.View, supported bool) slog.Attr {
	key := "unsupported_claims"
	if supported {
		key = "supported_claims"
	}
	e, t := turnEvidence.Of(v), turnTexts.Of(v)
	var list [len(listed)]slog.Attr
	n, offset, points := 0, 0, 0
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general || c.terms == 0 || c.supported != supported {
			continue
		}
		if n == len(listed) {
			break
		}
		points += codePoints(t.answer.text[offset:c.start])
		end := points + codePoints(t.answer.text[c.start:c.end])
		list[n] = slog.Attr{Key: listed[n], Value: slog.GroupValue(claimDetails(v, t, c, points, end)...)}
		n++
		offset, points = c.end, end
	}
	return slog.Attr{Key: key, Value: slog.GroupValue(v.Details(list[:n]...)...)}
}

func claimDetails(v *rag.View, t *texts, c *claim, start, end int) []slog.Attr {
	if c.chunk < 0 {
		return v.Details(slog.Int("start", start), slog.Int("end", end), slog.Float64("coverage", 0))
	}
	source := t.chunks[c.chunk].text
	from := codePoints(source[:c.windowStart])
	return v.Details(
		slog.Int("start", start),
		slog.Int("end", end),
		slog.Float64("coverage", float64(c.inWindow)/float64(max(c.terms, 1))),
		slog.String("chunk_id", v.Chunks()[c.chunk].ID),
		slog.Int("chunk", c.chunk+1),
		slog.Int("chunk_start", from),
		slog.Int("chunk_end", from+codePoints(source[c.windowStart:c.windowEnd])),
	)
}

// codePoints counts the code points of s, bytes that are not UTF-8 one each.
func codePoints(s string) int {
	ascii := 0
	for ; ascii+8 <= len(s); ascii += 8 {
		if (s[ascii]|s[ascii+1]|s[ascii+2]|s[ascii+3]|s[ascii+4]|s[ascii+5]|s[ascii+6]|s[ascii+7])&utf8.RuneSelf != 0 {
			break
		}
	}
	return ascii + utf8.RuneCountInString(s[ascii:])
}
