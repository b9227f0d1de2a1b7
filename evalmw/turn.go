package evalmw

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// turn is the pooled memory of one turn: the sample, its text, and the
// evaluation that grows with it.
//
// The request owns it until it ends. A queued retrieval reads the snapshot
// first and nothing else, so the request may go on recording meanwhile.
type turn struct {
	sample rag.Sample
	first  rag.Sample // what was known when the retrieval was recorded
	eval   rag.Evaluation
	arena  arena
	memory *turnMemory
	refs   atomic.Int32 // the request, and each place in the queue
	made   atomic.Int64 // bytes of text that the redaction of the retrieval made, which the turn keeps

	snapshot bool        // first is, or was, in the queue
	content  bool        // something was recorded
	held     bool        // the span holder was told of it
	counted  bool        // its end is in the tally
	redacted bool        // the chunks of first are
	raw      []rawBody   // bodies that the worker is to read
	capture  *captureMap // how to read them

	chunks      []rag.Chunk
	methods     []string
	limits      rag.Limits
	extractions []rag.Extraction
	citations   []rag.Citation
	strings     []string
	stages      map[string]time.Duration
	tags        map[string]string
	stream      []byte // the answer as it is written
}

// turnMemory is where turns and their blocks come from.
type turnMemory struct {
	turns  sync.Pool
	blocks blockPools
	max    int
	byRef  bool
}

func (m *turnMemory) get() *turn {
	t, ok := m.turns.Get().(*turn)
	if !ok {
		t = &turn{memory: m}
	}
	t.arena.max, t.arena.byRef = m.max, m.byRef
	t.refs.Store(1)
	return t
}

// What a pooled turn keeps is bounded, so that one giant request does not
// stay for good.
const (
	keepItems  = 64
	keepStream = 64 << 10
)

// release gives up one reference; the last one returns the memory.
func (t *turn) release() {
	if t.refs.Add(-1) > 0 {
		return
	}
	t.arena.release()
	t.eval.Reset()
	for i := range t.raw {
		t.raw[i] = rawBody{}
	}
	if cap(t.chunks) > keepItems || cap(t.extractions) > keepItems || cap(t.methods) > 4*keepItems ||
		cap(t.citations) > keepItems || cap(t.strings) > keepItems || cap(t.eval.Results) > keepItems ||
		len(t.limits) > keepItems || len(t.tags) > keepItems || len(t.stages) > keepItems || cap(t.stream) > keepStream {
		return // leave the giant to the collector
	}
	clear(t.chunks)
	clear(t.methods)
	clear(t.extractions)
	clear(t.citations)
	clear(t.strings)
	clear(t.limits)
	clear(t.stages)
	clear(t.tags)
	t.sample, t.first = rag.Sample{}, rag.Sample{}
	t.made.Store(0)
	t.snapshot, t.content, t.held, t.counted, t.redacted, t.capture = false, false, false, false, false, nil
	t.raw, t.stream = t.raw[:0], t.stream[:0]
	t.chunks, t.methods, t.extractions = t.chunks[:0], t.methods[:0], t.extractions[:0]
	t.citations, t.strings = t.citations[:0], t.strings[:0]
	t.memory.turns.Put(t)
}

// size is the memory that the turn holds, in bytes.
func (t *turn) size() int64 {
	n := int(unsafe.Sizeof(*t)) + t.arena.held + cap(t.stream) + int(t.made.Load())
	n += cap(t.chunks) * int(unsafe.Sizeof(rag.Chunk{}))
	n += cap(t.extractions) * int(unsafe.Sizeof(rag.Extraction{}))
	n += cap(t.citations) * int(unsafe.Sizeof(rag.Citation{}))
	n += (cap(t.methods) + cap(t.strings)) * int(unsafe.Sizeof(""))
	n += cap(t.sample.Answer.Speakers) * int(unsafe.Sizeof(rag.Speaker{}))
	n += (len(t.limits) + len(t.stages) + len(t.tags)) * 64
	for i := range t.raw {
		n += cap(t.raw[i].body)
	}
	return int64(n)
}

func (t *turn) str(s string) string { return t.arena.str(s, &t.memory.blocks) }

func (t *turn) put(field *string, s string) {
	if s != "" {
		*field = t.arena.str(s, &t.memory.blocks)
	}
}

// maxItems bounds each list of a turn. Their elements need memory even where
// they have no text, and a body of empty chunks is a hundred times as large
// once it is read.
const maxItems = 10_000

// fit returns as many of list as may join the n that the turn holds already.
func fit[T any](t *turn, n int, list []T) []T {
	if left := max(0, maxItems-n); len(list) > left {
		t.arena.cut = true
		return list[:left]
	}
	return list
}

// list copies strings into the turn's storage.
func (t *turn) list(in []string) []string {
	in = fit(t, len(t.strings), in)
	if len(in) == 0 {
		return nil
	}
	from := len(t.strings)
	for _, s := range in {
		t.strings = append(t.strings, t.str(s))
	}
	return t.strings[from:len(t.strings):len(t.strings)]
}

// setRetrieval copies what was retrieved, in the place of what was there.
func (t *turn) setRetrieval(r *rag.Retrieval) {
	if t.snapshot { // the worker may be reading the old one
		t.chunks, t.methods, t.limits = nil, nil, nil
	}
	clear(t.chunks) // an earlier list's: copyChunk fills zero chunks
	t.chunks, t.methods = t.chunks[:0], t.methods[:0]
	need := 0
	chunks := fit(t, 0, r.Chunks)
	for i := range chunks {
		need += len(chunks[i].Text) + len(chunks[i].ID) + len(chunks[i].DocID) + 16
	}
	t.arena.reserve(need, &t.memory.blocks)
	t.chunks = slices.Grow(t.chunks, len(chunks))[:len(chunks)]
	for i := range chunks {
		t.copyChunk(&t.chunks[i], &chunks[i])
	}
	out := rag.Retrieval{BeforeFilter: r.BeforeFilter}
	out.Folders.Mode = t.str(r.Folders.Mode)
	out.Folders.Selected = t.list(r.Folders.Selected)
	if r.Chunks != nil {
		out.Chunks = t.chunks
		if out.Chunks == nil {
			out.Chunks = []rag.Chunk{}
		}
	}
	if len(r.Limits) > 0 {
		if t.limits == nil {
			t.limits = make(rag.Limits)
		}
		clear(t.limits)
		for m, n := range r.Limits {
			if len(t.limits) == maxItems {
				t.arena.cut = true
				break
			}
			t.limits[t.str(m)] = n
		}
		out.Limits = t.limits
	}
	t.sample.Retrieval = out
}

// copyChunk fills out, which is zero. Most chunks leave most fields empty, and
// a chunk is large: so it is neither passed around nor written where it need
// not be.
func (t *turn) copyChunk(out, c *rag.Chunk) {
	out.Rank, out.Score = c.Rank, c.Score
	t.put(&out.ID, c.ID)
	t.put(&out.DocID, c.DocID)
	t.put(&out.Text, c.Text)
	t.put(&out.Page, c.Page)
	t.put(&out.Space, c.Space)
	t.put(&out.DocType, c.DocType)
	t.put(&out.Quarter, c.Quarter)
	t.put(&out.TableID, c.TableID)
	t.put(&out.Slide, c.Slide)
	t.put(&out.RelPath, c.RelPath)
	t.put(&out.HeadingPath, c.HeadingPath)
	from := len(t.methods)
	for _, m := range fit(t, from, c.Methods) {
		t.methods = append(t.methods, t.method(m))
	}
	out.Methods = t.methods[from:len(t.methods):len(t.methods)]
}

// method copies a method's name, or finds the copy made for the last chunk.
func (t *turn) method(m string) string {
	for i := len(t.methods) - 1; i >= max(0, len(t.methods)-4); i-- {
		if t.methods[i] == m {
			return t.methods[i]
		}
	}
	return t.str(m)
}

func (t *turn) addExtractions(xs []rag.Extraction) {
	for _, x := range fit(t, len(t.extractions), xs) {
		x.Field, x.Value = t.str(x.Field), t.str(x.Value)
		x.Evidence, x.Format = t.str(x.Evidence), t.str(x.Format)
		t.extractions = append(t.extractions, x)
	}
	t.sample.Extractions = t.extractions
}

func (t *turn) setAnswer(a *rag.Answer) {
	out := rag.Answer{Value: a.Value, Abstained: a.Abstained, Confidence: a.Confidence}
	out.Text, out.Value.Unit = t.str(a.Text), t.str(a.Value.Unit)
	for _, s := range fit(t, 0, a.Speakers) {
		s.Name, s.Role = t.str(s.Name), t.str(s.Role)
		out.Speakers = append(out.Speakers, s)
	}
	out.Flags = t.list(a.Flags)
	t.sample.Answer = out
	t.setCitations(a.Citations)
}

func (t *turn) setCitations(cs []rag.Citation) {
	t.citations = t.citations[:0]
	for _, c := range fit(t, 0, cs) {
		c.ChunkID, c.DocID, c.DocType = t.str(c.ChunkID), t.str(c.DocID), t.str(c.DocType)
		c.Quarter, c.Page = t.str(c.Quarter), t.str(c.Page)
		c.TableID, c.Slide = t.str(c.TableID), t.str(c.Slide)
		t.citations = append(t.citations, c)
	}
	t.sample.Answer.Citations = t.citations
}

// setSample copies a whole sample.
func (t *turn) setSample(s *rag.Sample) {
	t.sample.ID, t.sample.Query = t.str(s.ID), t.str(s.Query)
	t.sample.Model, t.sample.Error = t.str(s.Model), t.str(s.Error)
	t.sample.Usage, t.sample.Span, t.sample.Truncated = s.Usage, s.Span, s.Truncated
	t.setRetrieval(&s.Retrieval)
	t.addExtractions(s.Extractions)
	t.setAnswer(&s.Answer)
	for k, d := range s.Stages {
		t.setStage(k, d)
	}
	for k, v := range s.Tags {
		t.setTag(k, v)
	}
	t.content = true
}

// A turn keeps a bounded number of stages and tags.
const maxLabels = 32

func (t *turn) setStage(name string, d time.Duration) {
	if t.stages == nil {
		t.stages = make(map[string]time.Duration)
	}
	if k, ok := label(t, t.stages, name); ok {
		t.stages[k] += d
	}
	t.sample.Stages = t.stages
}

func (t *turn) setTag(key, value string) {
	if t.tags == nil {
		t.tags = make(map[string]string)
	}
	if k, ok := label(t, t.tags, key); ok {
		if had, set := t.tags[k]; !set || had != value {
			t.tags[k] = t.str(value)
		}
	}
	t.sample.Tags = t.tags
}

// label returns the turn's own copy of a key, or false if there is no room for
// it: a part of a key would be another key. A key that is there already must not
// be the caller's either, since assigning to a map takes over its memory.
func label[V any](t *turn, m map[string]V, key string) (string, bool) {
	if _, ok := m[key]; ok {
		for k := range m {
			if k == key {
				return k, true
			}
		}
	}
	if len(m) == maxLabels {
		return "", false
	}
	k := t.str(key)
	return k, len(k) == len(key)
}

// write appends to the answer that is being streamed.
func (t *turn) write(p []byte) {
	left := t.arena.max - t.arena.used - len(t.stream)
	if len(p) > left {
		p, t.arena.cut = p[:max(left, 0)], true
	}
	t.stream = append(t.stream, p...)
}

// complete settles what recording left open.
func (t *turn) complete() {
	if t.sample.Answer.Text == "" && len(t.stream) > 0 {
		t.sample.Answer.Text = trimPartial(unsafe.String(&t.stream[0], len(t.stream)))
	}
	t.sample.Truncated = t.sample.Truncated || t.arena.cut
}
