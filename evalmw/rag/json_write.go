package rag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"
)

// MarshalJSON writes the wire form of a sample. Absent parts are left out;
// Metadata is written as keys of the object, as it was read. Span is not part
// of the wire form.
func (s Sample) MarshalJSON() ([]byte, error) {
	var o object
	o.text("id", s.ID)
	o.text("query", s.Query)
	o.value("retrieval", s.Retrieval.wire())
	o.value("extractions", wireList(s.Extractions, (*Extraction).wire))
	o.value("answer", s.Answer.wire())
	o.text("model", s.Model)
	o.value("usage", s.Usage.wire())
	o.value("stages_ms", wireStages(s.Stages))
	o.text("error", s.Error)
	o.value("tags", wireMap(s.Tags))
	if s.Truncated {
		o.value("truncated", true)
	}
	o.rest(s.Metadata)
	return o.bytes()
}

func (r *Retrieval) wire() any {
	var o object
	if r.Chunks != nil {
		o.always("chunks", orEmpty(wireList(r.Chunks, (*Chunk).wire)))
	}
	o.value("limits", wireMap(r.Limits))
	o.value("before_filter", positive(r.BeforeFilter))
	var f object
	f.text("mode", r.Folders.Mode)
	f.list("selected", r.Folders.Selected)
	o.value("folders", f.orNil())
	return o.orNil()
}

func (c *Chunk) wire() any {
	var o object
	o.text("id", c.ID)
	o.text("doc_id", c.DocID)
	o.value("rank", positive(c.Rank))
	o.text("text", c.Text)
	o.text("page", c.Page)
	o.number("score", c.Score)
	o.list("methods", c.Methods)
	o.text("space", c.Space)
	o.text("doc_type", c.DocType)
	o.text("quarter", c.Quarter)
	o.text("table_id", c.TableID)
	o.text("slide", c.Slide)
	o.text("rel_path", c.RelPath)
	o.text("heading_path", c.HeadingPath)
	o.rest(c.Metadata)
	return &o
}

func (x *Extraction) wire() any {
	var o object
	o.text("field", x.Field)
	o.text("value", x.Value)
	o.value("chunk_number", positive(x.ChunkNumber))
	o.number("confidence", x.Confidence)
	o.text("evidence", x.Evidence)
	o.text("format", x.Format)
	return &o
}

func (a *Answer) wire() any {
	var o, q object
	o.text("text", a.Text)
	q.number("number", a.Value.Number)
	q.text("unit", a.Value.Unit)
	o.value("value", q.orNil())
	o.value("citations", wireList(a.Citations, (*Citation).wire))
	o.value("speakers", wireList(a.Speakers, (*Speaker).wire))
	if a.Abstained.Valid {
		o.value("abstained", a.Abstained.V)
	}
	o.number("confidence", a.Confidence)
	o.list("flags", a.Flags)
	return o.orNil()
}

func (c *Citation) wire() any {
	var o object
	o.text("chunk_id", c.ChunkID)
	o.text("doc_id", c.DocID)
	o.text("doc_type", c.DocType)
	o.text("quarter", c.Quarter)
	o.text("page", c.Page)
	o.text("table_id", c.TableID)
	o.text("slide", c.Slide)
	return &o
}

func (p *Speaker) wire() any {
	var o object
	o.text("name", p.Name)
	o.text("role", p.Role)
	return &o
}

func (u *Usage) wire() any {
	var o object
	o.value("input_tokens", positive(u.InputTokens))
	o.value("output_tokens", positive(u.OutputTokens))
	if u.CostUSD != 0 {
		o.number("cost_usd", Some(u.CostUSD))
	}
	return o.orNil()
}

// EvaluationRecord is the wire form of an [Evaluation], which must not be nil,
// and the id of its sample, as `touchstone score` prints it.
type EvaluationRecord struct {
	_ struct{}

	ID         string
	Evaluation *Evaluation
}

// MarshalJSON writes the record.
func (r EvaluationRecord) MarshalJSON() ([]byte, error) {
	var o, esc object
	o.always("id", r.ID)
	o.always("evaluations", orEmpty(wireList(r.Evaluation.Results, (*Result).wire)))
	esc.always("needed", r.Evaluation.Escalation.Needed)
	esc.list("reasons", r.Evaluation.Escalation.Reasons)
	esc.text("status", string(r.Evaluation.Escalation.Status))
	o.always("escalation", &esc)
	return o.bytes()
}

func (r *Result) wire() any {
	var o object
	o.always("name", r.Name)
	o.always("type", r.Kind.String())
	o.text("field", r.Field)
	switch {
	case !r.Measured():
		o.always("reason", string(r.Reason))
	case r.Kind == KindCategorical:
		o.always("value", r.Category)
	default:
		o.number("value", Some(r.Value))
	}
	o.text("label", r.Label)
	var d object
	for _, a := range r.Details {
		d.always(a.Key, wireAttr(a.Value))
	}
	o.value("details", d.orNil())
	return &o
}

func wireAttr(v slog.Value) any {
	switch v.Kind() {
	case slog.KindInt64:
		return v.Int64()
	case slog.KindUint64:
		return v.Uint64()
	case slog.KindBool:
		return v.Bool()
	case slog.KindFloat64:
		if !finite(v.Float64()) {
			return nil
		}
		return v.Float64()
	case slog.KindString:
		return v.String()
	case slog.KindGroup:
		var o object
		for _, a := range v.Group() {
			o.always(a.Key, wireAttr(a.Value))
		}
		return &o
	case slog.KindAny:
		return v.Any()
	default:
		return fmt.Sprint(v.Any())
	}
}

func wireStages(in map[string]time.Duration) any {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]float64, len(in))
	for k, d := range in {
		out[k] = float64(d) / float64(time.Millisecond)
	}
	return out
}

func wireMap[M ~map[string]V, V any](m M) any {
	if len(m) == 0 {
		return nil
	}
	return map[string]V(m)
}

func wireList[T any](in []T, wire func(*T) any) any {
	if len(in) == 0 {
		return nil
	}
	out := make([]any, len(in))
	for i := range in {
		out[i] = wire(&in[i])
	}
	return out
}

func orEmpty(list any) any {
	if list == nil {
		return []any{}
	}
	return list
}

func positive[N int | int64](n N) any {
	if n <= 0 {
		return nil
	}
	return n
}

// object builds a JSON object whose keys keep their order.
type object struct {
	buf  []byte
	keys map[string]bool
	err  error
}

func (o *object) always(key string, v any) {
	if o.keys == nil {
		o.keys = make(map[string]bool)
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
	o.keys[key] = true
	o.buf = appendValue(o, o.buf, key)
	o.buf = append(o.buf, ':')
	o.buf = appendValue(o, o.buf, v)
}

// appendValue writes v without escaping <, > and &, which stand in any text.
func appendValue(o *object, dst []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		b, err := v.bytes()
		if err != nil && o.err == nil {
			o.err = err
		}
		return append(dst, b...)
	case []any:
		dst = append(dst, '[')
		for i := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(o, dst, v[i])
		}
		return append(dst, ']')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		if o.err == nil {
			o.err = err
		}
		return append(dst, "null"...)
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

func (o *object) value(key string, v any) {
	if v != nil {
		o.always(key, v)
	}
}

func (o *object) text(key, s string) {
	if s != "" {
		o.always(key, s)
	}
}

func (o *object) list(key string, l []string) {
	if len(l) > 0 {
		o.always(key, l)
	}
}

// number leaves out what JSON cannot hold: absent, NaN, infinite.
func (o *object) number(key string, n Opt[float64]) {
	if n.Valid && finite(n.V) {
		o.always(key, json.RawMessage(appendFloat(nil, n.V)))
	}
}

// appendFloat writes the shortest digits that read back as f.
func appendFloat(dst []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// rest adds metadata under keys that are not taken, in sorted order.
func (o *object) rest(m map[string]any) {
	for _, k := range sortedKeys(m) {
		if !o.keys[k] {
			o.always(k, m[k])
		}
	}
}

func (o *object) orNil() any {
	if o.keys == nil {
		return nil
	}
	return o
}

func (o *object) bytes() ([]byte, error) {
	if o.keys == nil {
		return []byte("{}"), o.err
	}
	return append(o.buf, '}'), o.err
}
