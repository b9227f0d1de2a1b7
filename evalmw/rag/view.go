package rag

import (
	"log/slog"
	"slices"
)

// A View is what a metric sees of a sample: the sample itself, its chunks
// merged by id, and what metrics derive once and share (see [Shared]). It is
// valid for one call of Score, used by one goroutine, and must not be changed.
type View struct {
	sample *Sample
	config *Config
	out    *Evaluation
	chunks chunkMerge
	fields fieldGroups
	field  int // index in fields, or -1 for all
	shared []sharedSlot
}

// Sample returns the sample.
func (v *View) Sample() *Sample { return v.sample }

// Chunks returns the merged chunks in the order in which they first appear.
func (v *View) Chunks() []MergedChunk { return v.chunks.merged }

// ChunkNumber maps a 1-based position in the list as given to an index of
// [View.Chunks]. It reports false for a position outside the list.
func (v *View) ChunkNumber(n int) (int, bool) {
	if n < 1 || n > len(v.chunks.byNumber) {
		return 0, false
	}
	return v.chunks.byNumber[n-1], true
}

// ChunkID maps a chunk's id to an index of [View.Chunks]. It reports false
// for an id that was not retrieved, and for the empty one.
func (v *View) ChunkID(id string) (int, bool) {
	i, ok := v.chunks.byID[id]
	return i, ok && id != ""
}

// IgnoredScores is the number of scores left out because they were NaN or
// infinite.
func (v *View) IgnoredScores() int { return v.chunks.ignoredScores }

// Field is the field that a PerField metric is asked about. It is empty where
// the sample has no extractions, or has them without a field name.
func (v *View) Field() string {
	if v.field < 0 {
		return ""
	}
	return v.fields.names[v.field]
}

// Extractions returns the extractions of the current field for a PerField
// metric, and all of them for any other.
func (v *View) Extractions() []Extraction {
	if v.field < 0 {
		return v.sample.Extractions
	}
	return v.fields.of(v.field)
}

// Details copies attributes into memory of the evaluation and returns the
// copy, so that a metric that is called with many samples allocates nothing.
func (v *View) Details(attrs ...slog.Attr) []slog.Attr { return v.out.keep(attrs) }

// reset points v at another sample.
func (v *View) reset(s *Sample, cfg *Config, out *Evaluation) {
	v.sample, v.config, v.out, v.field = s, cfg, out, -1
	v.chunks.merge(s.Retrieval.Chunks, cfg.Normalize)
	v.fields.group(s.Extractions)
	for i := range v.shared {
		v.shared[i].fresh = false
	}
}

// release drops every reference into the sample, whose memory may be pooled.
func (v *View) release() {
	v.chunks.release()
	v.fields.release()
	v.sample, v.out = nil, nil
}

// fieldGroups sorts extractions by field, fields in order of appearance.
type fieldGroups struct {
	names   []string
	index   map[string]int
	ends    []int // end of each field's extractions in grouped
	grouped []Extraction
}

func (g *fieldGroups) group(all []Extraction) {
	g.names, g.ends, g.grouped = g.names[:0], g.ends[:0], g.grouped[:0]
	if len(all) == 0 {
		return
	}
	if g.index == nil {
		g.index = make(map[string]int)
	}
	clear(g.index)
	for i := range all {
		at, seen := g.index[all[i].Field]
		if !seen {
			at = len(g.names)
			g.index[all[i].Field] = at
			g.names = append(g.names, all[i].Field)
			g.ends = append(g.ends, 0)
		}
		g.ends[at]++
	}
	// Turn the counts into starts, then let each insertion move its start to
	// what is in the end the field's end.
	start := 0
	for i, n := range g.ends {
		g.ends[i] = start
		start += n
	}
	g.grouped = slices.Grow(g.grouped, len(all))[:len(all)]
	for i := range all {
		at := g.index[all[i].Field]
		g.grouped[g.ends[at]] = all[i]
		g.ends[at]++
	}
}

func (g *fieldGroups) of(field int) []Extraction {
	start := 0
	if field > 0 {
		start = g.ends[field-1]
	}
	return g.grouped[start:g.ends[field]:g.ends[field]]
}

func (g *fieldGroups) release() {
	clear(g.names)
	clear(g.index)
	clear(g.grouped)
}
