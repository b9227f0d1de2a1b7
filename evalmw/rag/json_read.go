package rag

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxLine is the longest line that [ReadSamples] takes, in bytes.
const MaxLine = 64 << 20

// An InputError reports a sample that could not be read: where, what was
// expected and what was found. It quotes no user text.
type InputError struct {
	_ struct{}

	Line int    // 1-based; 0 where the input has no lines
	Key  string // the path of the key, such as retrieval.chunks[2].score
	Want string // what was expected
	Got  string // what was found
}

// Error says line, key, expectation and finding.
func (e *InputError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	fmt.Fprintf(&b, "expected %s, found %s", e.Want, e.Got)
	return b.String()
}

// ReadSamples reads samples in wire form, one JSON object per line; empty
// lines are skipped. Everything but the id may be absent. A line that cannot be read yields an [*InputError] and
// the reading goes on with the next; any other error is the reader's and
// ends the sequence. The samples are the caller's.
func ReadSamples(r io.Reader) iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		for n, more := 1, true; more; n++ {
			var err error
			line, err = readLine(br, line[:0])
			if more = !errors.Is(err, io.EOF); err != nil && more && !errors.Is(err, errLineTooLong) {
				yield(nil, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if n == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if len(bytes.TrimSpace(line)) == 0 && !errors.Is(err, errLineTooLong) {
				continue
			}
			if !yield(readSample(line, n, errors.Is(err, errLineTooLong))) {
				return
			}
		}
	}
}

func readSample(line []byte, n int, tooLong bool) (*Sample, error) {
	if tooLong {
		return nil, &InputError{Line: n, Want: fmt.Sprintf("at most %d MiB in a line", MaxLine>>20), Got: "more"}
	}
	s := new(Sample)
	err := s.UnmarshalJSON(line)
	if in, ok := errors.AsType[*InputError](err); ok {
		in.Line = n
		return nil, in
	}
	if err == nil && s.ID == "" {
		return nil, &InputError{Line: n, Key: "id", Want: "a string that names the sample", Got: "none"}
	}
	return s, err
}

var errLineTooLong = errors.New("line too long")

// readLine appends the next line to buf. Of a line that is too long it keeps
// nothing and says so; the last line comes with io.EOF.
func readLine(br *bufio.Reader, buf []byte) ([]byte, error) {
	tooLong := false
	for {
		part, err := br.ReadSlice('\n')
		if tooLong = tooLong || len(buf)+len(part) > MaxLine; !tooLong {
			buf = append(buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && errors.Is(err, io.EOF):
			return nil, errors.Join(errLineTooLong, err)
		case tooLong && err == nil:
			return nil, errLineTooLong
		default:
			return buf, err
		}
	}
}

// UnmarshalJSON reads the wire form into s, replacing what it held. Unknown
// keys go into Metadata: those of a chunk into the chunk's, those of any other
// object into the sample's, under their path. null is absent. A wrong type is
// an [*InputError], as is a list of more than 100,000 elements. Invalid UTF-8 is
// replaced by U+FFFD.
func (s *Sample) UnmarshalJSON(data []byte) error {
	*s = Sample{}
	d, err := newDecoder(data)
	if err != nil {
		return err
	}
	if d.null() {
		return d.wrongType("an object")
	}
	return d.object(func(key string) error {
		switch key {
		case "id":
			return d.text(&s.ID)
		case "query":
			return d.text(&s.Query)
		case "retrieval":
			return s.Retrieval.read(d, s)
		case "extractions":
			return readList(d, &s.Extractions, func(x *Extraction) error { return x.read(d, s) })
		case "answer":
			return s.Answer.read(d, s)
		case "model":
			return d.text(&s.Model)
		case "usage":
			return s.Usage.read(d, s)
		case "stages_ms":
			return readStages(d, &s.Stages)
		case "error":
			return d.text(&s.Error)
		case "tags":
			return readMap(d, &s.Tags, d.text)
		case "truncated":
			return d.boolean(&s.Truncated)
		}
		return d.unknown(&s.Metadata, key)
	})
}

func (r *Retrieval) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "chunks":
			return readList(d, &r.Chunks, func(c *Chunk) error { return c.read(d) })
		case "limits":
			return readMap(d, (*map[string]int)(&r.Limits), d.integer)
		case "before_filter":
			return d.integer(&r.BeforeFilter)
		case "folders":
			return d.object(func(key string) error {
				switch key {
				case "mode":
					return d.text(&r.Folders.Mode)
				case "selected":
					return readList(d, &r.Folders.Selected, d.text)
				}
				return d.unknown(&s.Metadata, "retrieval.folders."+key)
			})
		}
		return d.unknown(&s.Metadata, "retrieval."+key)
	})
}

func (c *Chunk) read(d *decoder) error {
	return d.object(func(key string) error {
		switch key {
		case "id":
			return d.text(&c.ID)
		case "doc_id":
			return d.text(&c.DocID)
		case "rank":
			return d.integer(&c.Rank)
		case "text":
			return d.text(&c.Text)
		case "page":
			return d.textOrNumber(&c.Page)
		case "score":
			return d.optNumber(&c.Score)
		case "methods":
			return readList(d, &c.Methods, d.text)
		case "space":
			return d.text(&c.Space)
		case "doc_type":
			return d.text(&c.DocType)
		case "quarter":
			return d.text(&c.Quarter)
		case "table_id":
			return d.text(&c.TableID)
		case "slide":
			return d.textOrNumber(&c.Slide)
		case "rel_path":
			return d.text(&c.RelPath)
		case "heading_path":
			return d.text(&c.HeadingPath)
		case "metadata":
			return d.metadata(&c.Metadata)
		}
		return d.unknown(&c.Metadata, key)
	})
}

func (x *Extraction) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "field":
			return d.text(&x.Field)
		case "value":
			return d.scalar(&x.Value)
		case "chunk_number":
			return d.integer(&x.ChunkNumber)
		case "confidence":
			return d.confidence(&x.Confidence)
		case "evidence":
			return d.text(&x.Evidence)
		case "format":
			return d.text(&x.Format)
		}
		return d.unknown(&s.Metadata, "extractions."+key)
	})
}

func (a *Answer) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "text":
			return d.text(&a.Text)
		case "value":
			return d.object(func(key string) error {
				switch key {
				case "number":
					return d.optNumber(&a.Value.Number)
				case "unit":
					return d.text(&a.Value.Unit)
				}
				return d.unknown(&s.Metadata, "answer.value."+key)
			})
		case "citations":
			return readList(d, &a.Citations, func(c *Citation) error { return c.read(d, s) })
		case "speakers":
			return readList(d, &a.Speakers, func(p *Speaker) error { return p.read(d, s) })
		case "abstained":
			a.Abstained.Valid = !d.null()
			return d.boolean(&a.Abstained.V)
		case "confidence":
			return d.confidence(&a.Confidence)
		case "flags":
			return readList(d, &a.Flags, d.text)
		}
		return d.unknown(&s.Metadata, "answer."+key)
	})
}

func (c *Citation) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "chunk_id":
			return d.text(&c.ChunkID)
		case "doc_id":
			return d.text(&c.DocID)
		case "doc_type":
			return d.text(&c.DocType)
		case "quarter":
			return d.text(&c.Quarter)
		case "page":
			return d.textOrNumber(&c.Page)
		case "table_id":
			return d.text(&c.TableID)
		case "slide":
			return d.textOrNumber(&c.Slide)
		}
		return d.unknown(&s.Metadata, "answer.citations."+key)
	})
}

func (p *Speaker) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "name":
			return d.text(&p.Name)
		case "role":
			return d.text(&p.Role)
		}
		return d.unknown(&s.Metadata, "answer.speakers."+key)
	})
}

func (u *Usage) read(d *decoder, s *Sample) error {
	return d.object(func(key string) error {
		switch key {
		case "input_tokens":
			return d.integer64(&u.InputTokens)
		case "output_tokens":
			return d.integer64(&u.OutputTokens)
		case "cost_usd":
			return d.number(&u.CostUSD)
		}
		return d.unknown(&s.Metadata, "usage."+key)
	})
}

func readStages(d *decoder, into *map[string]time.Duration) error {
	return readMap(d, into, func(t *time.Duration) error {
		var ms float64
		if err := d.number(&ms); err != nil {
			return err
		}
		const longest = 1e15 // milliseconds that a Duration holds, with room
		if ms < -longest/1e3 || ms > longest/1e3 {
			return d.mismatch("milliseconds", "a number out of range")
		}
		*t = time.Duration(ms * float64(time.Millisecond))
		return nil
	})
}

// confidenceWords are the source's: HIGH .90, MEDIUM .75, LOW .50.
var confidenceWords = map[string]float64{"HIGH": .90, "MEDIUM": .75, "LOW": .50}

func (d *decoder) confidence(into *Opt[float64]) error {
	if d.data[d.pos] != '"' {
		return d.optNumber(into)
	}
	var word string
	if err := d.text(&word); err != nil {
		return err
	}
	if word == "" {
		return nil
	}
	v, ok := confidenceWords[strings.ToUpper(word)]
	if !ok {
		return d.mismatch("a number, HIGH, MEDIUM or LOW", "another word")
	}
	*into = Some(v)
	return nil
}

func (d *decoder) optNumber(into *Opt[float64]) error {
	into.Valid = !d.null()
	return d.number(&into.V)
}

// scalar reads a string, a number or a boolean as text.
func (d *decoder) scalar(into *string) error {
	if c := d.data[d.pos]; c == 't' || c == 'f' {
		var b bool
		err := d.boolean(&b)
		*into = strconv.FormatBool(b)
		return err
	}
	return d.textOrNumber(into)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
