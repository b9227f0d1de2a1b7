package spanhook

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

type spanID struct {
	trace [16]byte
	span  [8]byte
}

func idOf(ref rag.SpanRef) spanID { return spanID{ref.TraceID, ref.SpanID} }

// held is what is known of one span: its turns, and the span itself once it
// has ended.
type held struct {
	id      spanID
	waitFor int       // turns that were neither evaluated nor released
	since   time.Time // the first turn's begin, then the span's end
	span    sdktrace.ReadOnlySpan
	size    int64

	attrs   []attribute.KeyValue // of the whole evaluations
	partial []attribute.KeyValue // of a retrieval whose turn is not complete
	outcome rag.Outcome

	prev, next *held // in one of the queues
}

// settle ends one of the turns.
func (s *held) settle(o rag.Outcome) {
	s.waitFor = max(0, s.waitFor-1)
	s.setOutcome(o)
}

func (s *held) setOutcome(o rag.Outcome) {
	if o != "" && (s.outcome == "" || s.outcome == rag.OutcomeEvaluated) {
		s.outcome = o
	}
}

// add adds a whole evaluation, given as attributes and as results: those of
// another turn are folded together with it.
func (s *held) add(attrs []attribute.KeyValue, results []rag.Result) {
	if s.attrs != nil {
		attrs = merge(attrs, spanattach.AppendAttributes(s.attrs, results))
	}
	s.attrs = attrs
}

// attributes returns what is known of the turns: the whole evaluations, and
// what a retrieval told that they do not say.
func (s *held) attributes() []attribute.KeyValue {
	attrs := merge(s.partial, s.attrs)
	if s.outcome == "" {
		return attrs
	}
	return append(attrs, attribute.String(spanattach.AttrOutcome, string(s.outcome)))
}

// queue is a list of spans in the order of their since, which only grows.
type queue struct {
	first, last *held
	n           int
}

func (q *queue) push(s *held) {
	s.prev, s.next = q.last, nil
	if q.last == nil {
		q.first = s
	} else {
		q.last.next = s
	}
	q.last = s
	q.n++
}

func (q *queue) remove(s *held) {
	if s.prev == nil {
		q.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		q.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
	q.n--
}

// decorated is an ended span with more attributes. The rest of it, its end
// time included, is the span's own.
type decorated struct {
	sdktrace.ReadOnlySpan
	attrs []attribute.KeyValue
}

func (d decorated) Attributes() []attribute.KeyValue { return d.attrs }

func decorate(span sdktrace.ReadOnlySpan, attrs []attribute.KeyValue) sdktrace.ReadOnlySpan {
	return decorated{span, merge(span.Attributes(), attrs)}
}

// merge returns the attributes of both, and of a key that both have the one of
// over. It never appends to base, which may be the SDK's own array, shared
// with every other processor of the span.
func merge(base, over []attribute.KeyValue) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(base)+len(over)+1)
	for _, a := range base {
		if !slices.ContainsFunc(over, func(b attribute.KeyValue) bool { return a.Key == b.Key }) {
			out = append(out, a)
		}
	}
	return append(out, over...)
}

// sizeOf returns roughly how much memory a span keeps alive, in bytes.
func sizeOf(span sdktrace.ReadOnlySpan) int64 {
	size := int64(512 + len(span.Name()))
	for _, a := range span.Attributes() {
		size += sizeOfAttribute(a)
	}
	for _, e := range span.Events() {
		size += int64(64 + len(e.Name))
		for _, a := range e.Attributes {
			size += sizeOfAttribute(a)
		}
	}
	for _, l := range span.Links() {
		size += 64
		for _, a := range l.Attributes {
			size += sizeOfAttribute(a)
		}
	}
	return size
}

func sizeOfAttribute(a attribute.KeyValue) int64 { return int64(len(a.Key)) + sizeOfValue(a.Value) }

func sizeOfValue(v attribute.Value) int64 {
	const header = 64
	size := int64(header)
	switch v.Type() {
	case attribute.STRING:
		size += int64(len(v.AsString()))
	case attribute.BYTESLICE:
		size += int64(len(v.AsByteSlice()))
	case attribute.STRINGSLICE:
		for _, s := range v.AsStringSlice() {
			size += int64(16 + len(s))
		}
	case attribute.SLICE:
		for _, e := range v.AsSlice() {
			size += sizeOfValue(e)
		}
	case attribute.MAP:
		for _, e := range v.AsMap() {
			size += sizeOfAttribute(e)
		}
	case attribute.BOOLSLICE:
		size += int64(len(v.AsBoolSlice()))
	case attribute.INT64SLICE:
		size += int64(8 * len(v.AsInt64Slice()))
	case attribute.FLOAT64SLICE:
		size += int64(8 * len(v.AsFloat64Slice()))
	default: // the others are as large as the header
	}
	return size
}
