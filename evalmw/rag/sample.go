package rag

import (
	"encoding/hex"
	"maps"
	"slices"
	"time"
)

// A Sample is one turn of a RAG service: query, retrieval, extractions and
// answer. Every part may be absent; metrics that need an absent part say so.
//
// A Sample is plain data. It may be read concurrently, not written. Samples
// that a [Sink] or an [Escalator] receives are borrowed: they are valid until
// the call returns, and [Sample.Clone] makes one to keep.
type Sample struct {
	_ struct{}

	// ID names the turn, usually the request id. It need not be unique.
	ID string
	// Query is what the user asked.
	Query string
	// Retrieval is what was found for the query.
	Retrieval Retrieval
	// Extractions are the values read from the chunks, one per field and source.
	Extractions []Extraction
	// Answer is what the service replied.
	Answer Answer
	// Model is the model that wrote the answer.
	Model string
	// Usage is what the answer cost.
	Usage Usage
	// Stages are the durations of the service's steps, such as "retrieve".
	Stages map[string]time.Duration
	// Error is set where the turn failed; it is a class or code, not a text.
	Error string
	// Tags are the caller's labels, such as a tenant or a prompt version.
	Tags map[string]string
	// Metadata keeps the unknown keys of the wire form. The live recorder
	// does not fill it.
	Metadata map[string]any

	// Span is the span of the request, if there was one.
	Span SpanRef
	// Truncated says that a part was cut at a size limit when it was recorded.
	Truncated bool
}

// Retrieval is the ranked list of chunks that the answer could stand on, and
// how it came about.
type Retrieval struct {
	_ struct{}

	// Chunks in the order in which they were ranked. Nil means that no
	// retrieval was recorded, empty that nothing was found.
	Chunks []Chunk
	// Limits is the largest number of results that each method may return.
	Limits Limits
	// BeforeFilter is the number of chunks before thresholds and filters cut
	// the list; 0 if not known.
	BeforeFilter int
	// Folders is the scope of the search, where a service has one.
	Folders Folders
}

// Limits maps a retrieval method, such as "bm25", to the largest number of
// results it was allowed to return. A limit below 1 counts as none.
type Limits map[string]int

// Folders is the part of a document store that a search was restricted to.
type Folders struct {
	_ struct{}

	Mode     string   // for example off, on, on_with_fallback
	Selected []string // the folders that were searched
}

// A Chunk is one retrieved piece of a document.
type Chunk struct {
	_ struct{}

	// ID names the chunk. Chunks with the same ID are one chunk, found more
	// than once; chunks without one are all different.
	ID string
	// DocID names the document that the chunk was cut from.
	DocID string
	// Rank is the 1-based rank; 0 means the position in the list.
	Rank int
	// Text is the chunk's text as the model saw it.
	Text string
	// Page is the page, as the document numbers it.
	Page string
	// Score is the retriever's score. A NaN or an infinity counts as absent.
	Score Opt[float64]
	// Methods are the retrieval methods that found the chunk.
	Methods []string
	// Space is the kind of index the chunk came from: text, table or page.
	Space string

	// Where the chunk stands, as far as the service knows.
	DocType, Quarter, TableID, Slide, RelPath, HeadingPath string

	// Metadata keeps the unknown keys of the wire form.
	Metadata map[string]any
}

// An Extraction is one value that was read from one chunk for one field.
type Extraction struct {
	_ struct{}

	// Field is the name of the field, such as "revenue".
	Field string
	// Value is the value as it was extracted; empty if none was found.
	Value string
	// ChunkNumber is the 1-based position of the source in the list of chunks
	// as given; 0 if the extraction names none.
	ChunkNumber int
	// Confidence is the extractor's own confidence, 0..1.
	Confidence Opt[float64]
	// Evidence is the passage that the extraction quotes.
	Evidence string
	// Format is what the value should look like: number, percent, currency,
	// date, enum:a|b|c or regexp:PATTERN. Empty or unknown checks nothing.
	Format string
}

// An Answer is what the service replied.
type Answer struct {
	_ struct{}

	// Text is the answer as the user reads it.
	Text string
	// Value is the answer as a number, where the service states one.
	Value Quantity
	// Citations are the sources that the answer names.
	Citations []Citation
	// Speakers are the people to whom the answer attributes a statement.
	Speakers []Speaker
	// Abstained says whether the service declined to answer, where it says so.
	Abstained Opt[bool]
	// Confidence is the service's confidence in the answer as a whole, 0..1.
	Confidence Opt[float64]
	// Flags are the service's own markers, such as "guardrail_blocked".
	Flags []string
}

// A Quantity is a number and its unit, such as USD or percent.
type Quantity struct {
	_ struct{}

	Number Opt[float64]
	Unit   string
}

// A Citation names the source of a statement. ChunkID is enough; without it
// the document, and the page if given, stand for the chunks cut from them.
type Citation struct {
	_ struct{}

	ChunkID, DocID, DocType, Quarter, Page, TableID, Slide string
}

// A Speaker is a person to whom an answer attributes a statement.
type Speaker struct {
	_ struct{}

	Name, Role string
}

// Usage is what a turn consumed. Zero means not known.
type Usage struct {
	_ struct{}

	InputTokens, OutputTokens int64
	CostUSD                   float64
}

// Opt is a value that may be absent. The zero Opt is absent.
type Opt[T any] struct {
	V     T
	Valid bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, Valid: true} }

// SpanRef identifies a span without keeping it alive. The ids are those of
// W3C trace context and OpenTelemetry, big-endian. The zero SpanRef is none.
type SpanRef struct {
	_ struct{}

	TraceID [16]byte
	SpanID  [8]byte
	Flags   byte // bit 0: sampled
}

// IsValid reports whether both ids are set.
func (r SpanRef) IsValid() bool { return r.TraceID != [16]byte{} && r.SpanID != [8]byte{} }

// IsSampled reports whether the trace is recorded by its tracer.
func (r SpanRef) IsSampled() bool { return r.Flags&1 == 1 }

// Trace returns the trace id as 32 hexadecimal digits, or "" if there is none.
func (r SpanRef) Trace() string {
	if r.TraceID == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(r.TraceID[:])
}

// Empty reports whether nothing of an answer was recorded. An answer that
// only says whether it abstained is not empty.
func (a *Answer) Empty() bool {
	return a.Text == "" && !a.Value.Number.Valid && !a.Abstained.Valid && len(a.Citations) == 0
}

// Clone returns a deep copy that shares nothing with s except the values
// inside Metadata. The copy's strings are its own: they do not keep the
// memory of s alive. Clone of nil is nil.
func (s *Sample) Clone() *Sample {
	if s == nil {
		return nil
	}
	var c cloner
	out := *s
	c.strings(&out.ID, &out.Query, &out.Model, &out.Error)
	out.Retrieval = c.retrieval(s.Retrieval)
	out.Extractions = slices.Clone(s.Extractions)
	for i := range out.Extractions {
		x := &out.Extractions[i]
		c.strings(&x.Field, &x.Value, &x.Evidence, &x.Format)
	}
	out.Answer = c.answer(s.Answer)
	out.Stages = cloneMap(&c, s.Stages)
	out.Tags = cloneMap(&c, s.Tags)
	for k, v := range out.Tags {
		out.Tags[k] = c.str(v)
	}
	out.Metadata = maps.Clone(s.Metadata)
	return &out
}
