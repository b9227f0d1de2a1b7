package rag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder walks over one JSON value that is known to be valid, so that it
// need not check syntax, and knows where it is when a type is wrong.
type decoder struct {
	data []byte
	pos  int // at the first byte of a value
}

func newDecoder(data []byte) (*decoder, error) {
	if !json.Valid(data) {
		return nil, syntaxError(data)
	}
	d := &decoder{data: data}
	d.space()
	return d, nil
}

func syntaxError(data []byte) error {
	var v json.RawMessage
	var syn *json.SyntaxError
	if err := json.Unmarshal(data, &v); errors.As(err, &syn) {
		at := int(syn.Offset)
		if at > len(bytes.TrimRight(data, " \t\r\n")) || at >= len(data) {
			return &InputError{Want: "a JSON object", Got: "JSON that ends too early"}
		}
		return &InputError{Want: "a JSON object", Got: fmt.Sprintf("a syntax error at byte %d", at)}
	}
	return &InputError{Want: "a JSON object", Got: "no JSON"}
}

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\r', '\n':
			d.pos++
		default:
			return
		}
	}
}

// null reports whether the value is null, without consuming it.
func (d *decoder) null() bool { return d.data[d.pos] == 'n' }

func (d *decoder) mismatch(want, got string) error { return &InputError{Want: want, Got: got} }

func (d *decoder) wrongType(want string) error { return d.mismatch(want, d.what()) }

// what names the type of the value at hand.
func (d *decoder) what() string {
	switch d.data[d.pos] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// shown returns a key as it may stand in a message: it is the input's, may be
// as long as a line, and may hold what moves a terminal's cursor.
func shown(key string) string {
	const most = 64
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	if quoted := strconv.Quote(key); quoted != `"`+key+`"` {
		return quoted
	}
	return key
}

// under adds the enclosing key or index to the path of an error.
func under(segment string, err error) error {
	var in *InputError
	if !errors.As(err, &in) {
		return err
	}
	switch {
	case in.Key == "":
		in.Key = segment
	case in.Key[0] == '[':
		in.Key = segment + in.Key
	default:
		in.Key = segment + "." + in.Key
	}
	return err
}

// object calls field for each key with the decoder at its value. field must
// consume the value.
func (d *decoder) object(field func(key string) error) error {
	if d.null() {
		d.skip()
		return nil
	}
	if d.data[d.pos] != '{' {
		return d.wrongType("an object")
	}
	d.pos++
	for d.space(); d.data[d.pos] != '}'; d.space() {
		if d.data[d.pos] == ',' {
			d.pos++
			d.space()
		}
		key := d.str()
		d.space()
		d.pos++ // the colon
		d.space()
		if err := field(key); err != nil {
			return under(shown(key), err)
		}
	}
	d.pos++
	return nil
}

// maxList bounds the elements of a list: two bytes of JSON make a chunk of
// hundreds, so that a line of legal length could take all memory.
const maxList = 100_000

func readList[T any](d *decoder, into *[]T, item func(*T) error) error {
	if d.null() {
		d.skip()
		return nil
	}
	if d.data[d.pos] != '[' {
		return d.wrongType("an array")
	}
	d.pos++
	list := []T{}
	for d.space(); d.data[d.pos] != ']'; d.space() {
		if d.data[d.pos] == ',' {
			d.pos++
			d.space()
		}
		if len(list) == maxList {
			return d.mismatch(fmt.Sprintf("at most %d elements", maxList), "more")
		}
		var zero T
		list = append(list, zero)
		if err := item(&list[len(list)-1]); err != nil {
			return under(fmt.Sprintf("[%d]", len(list)-1), err)
		}
	}
	d.pos++
	*into = list
	return nil
}

func readMap[V any](d *decoder, into *map[string]V, value func(*V) error) error {
	return d.object(func(key string) error {
		if d.null() {
			d.skip()
			return nil
		}
		var v V
		if err := value(&v); err != nil {
			return err
		}
		if *into == nil {
			*into = make(map[string]V)
		}
		(*into)[key] = v
		return nil
	})
}

func (d *decoder) text(into *string) error {
	switch d.data[d.pos] {
	case 'n':
		d.skip()
	case '"':
		*into = d.str()
	default:
		return d.wrongType("a string")
	}
	return nil
}

// textOrNumber reads a string, or a number in the digits in which it stands.
func (d *decoder) textOrNumber(into *string) error {
	if c := d.data[d.pos]; c == '-' || c >= '0' && c <= '9' {
		*into = string(d.skip())
		return nil
	}
	if c := d.data[d.pos]; c != '"' && c != 'n' {
		return d.wrongType("a string or a number")
	}
	return d.text(into)
}

func (d *decoder) boolean(into *bool) error {
	switch d.data[d.pos] {
	case 'n':
	case 't':
		*into = true
	case 'f':
		*into = false
	default:
		return d.wrongType("true or false")
	}
	d.skip()
	return nil
}

func (d *decoder) number(into *float64) error {
	switch c := d.data[d.pos]; {
	case c == 'n':
		d.skip()
		return nil
	case c != '-' && (c < '0' || c > '9'):
		return d.wrongType("a number")
	}
	f, err := strconv.ParseFloat(string(d.skip()), 64)
	if err != nil {
		return d.mismatch("a number that fits 64 bits", "one out of range")
	}
	*into = f
	return nil
}

func (d *decoder) integer64(into *int64) error {
	var f float64
	if c := d.data[d.pos]; c != 'n' && c != '-' && (c < '0' || c > '9') {
		return d.wrongType("an integer")
	}
	if err := d.number(&f); err != nil {
		return err
	}
	switch {
	case f != math.Trunc(f):
		return d.mismatch("an integer", "a number that is none")
	case math.Abs(f) > 1<<53:
		return d.mismatch("an integer of at most 53 bits", "one out of range")
	}
	*into = int64(f)
	return nil
}

func (d *decoder) integer(into *int) error {
	n := int64(*into)
	err := d.integer64(&n)
	*into = int(n)
	return err
}

// unknown keeps a value that the wire form does not know.
func (d *decoder) unknown(into *map[string]any, key string) error {
	v, err := d.any()
	if err != nil {
		return err
	}
	if *into == nil {
		*into = make(map[string]any)
	}
	(*into)[key] = v
	return nil
}

// metadata reads an object of anything.
func (d *decoder) metadata(into *map[string]any) error {
	return d.object(func(key string) error { return d.unknown(into, key) })
}

// any decodes the value with numbers as [json.Number], so that writing it
// gives the same digits.
func (d *decoder) any() (any, error) {
	dec := json.NewDecoder(bytes.NewReader(d.skip()))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, d.mismatch("JSON", "a value that cannot be read")
	}
	return v, nil
}

// str reads a string. Strings without escapes, nearly all, are copied once.
func (d *decoder) str() string {
	raw := d.skip()
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // valid by construction
	return s
}

// skip consumes the value and returns its bytes.
func (d *decoder) skip() []byte {
	start, depth := d.pos, 0
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case '{', '[':
			depth++
			d.pos++
		case '}', ']':
			depth--
			d.pos++
		case '"':
			d.pos = d.endOfString()
		case ' ', '\t', '\r', '\n', ',', ':':
			d.pos++
			continue
		default:
			d.pos = d.endOfLiteral()
		}
		if depth == 0 {
			return d.data[start:d.pos]
		}
	}
	return d.data[start:]
}

func (d *decoder) endOfString() int {
	for i := d.pos + 1; ; i++ {
		switch d.data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

func (d *decoder) endOfLiteral() int {
	i := d.pos
	for ; i < len(d.data); i++ {
		switch d.data[i] {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '{', '[', '"':
			return i
		}
	}
	return i
}
