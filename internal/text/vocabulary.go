package text

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// maxRetainedBytes bounds the word storage that an idle vocabulary keeps.
const maxRetainedBytes = 1 << 20

// Flags are facts about a word that metrics ask for often.
type Flags uint8

const (
	// Stop marks an English function word (see [IsStopWord]).
	Stop Flags = 1 << iota
	// Digit marks a word that holds a decimal digit.
	Digit
)

// Vocabulary gives every distinct word a dense id, from 0 in the order of first
// appearance since the last Reset. Two tokens of one vocabulary have the same id
// if and only if their normal forms are the same bytes; hashing never decides.
//
// The zero Vocabulary is empty and ready. Warm, it allocates nothing. It is not
// safe for concurrent use.
type Vocabulary struct {
	short, long Table // words of at most 8 bytes, keyed by those bytes; the others, keyed by a hash
	words       []word
	bytes       []byte // the normal forms, end to end
}

type word struct {
	start, end int
	flags      Flags
}

// Reset forgets all words and keeps the storage, unless that has grown beyond
// what is worth keeping. Ids and Text results from before are void.
func (v *Vocabulary) Reset() {
	v.short.Reset()
	v.long.Reset()
	v.words = v.words[:0]
	v.bytes = v.bytes[:0]
	if cap(v.bytes) > maxRetainedBytes {
		v.words, v.bytes = nil, nil
	}
}

// Len returns the number of distinct words; every id is below it.
func (v *Vocabulary) Len() int { return len(v.words) }

// Text returns the normal form of the word with this id. It must not be changed
// and is valid until the next Reset.
func (v *Vocabulary) Text(id uint32) []byte {
	w := v.words[id]
	return v.bytes[w.start:w.end:w.end]
}

// Flags returns what is known of the word with this id.
func (v *Vocabulary) Flags(id uint32) Flags { return v.words[id].flags }

// IsContent reports whether the word with this id carries content, that is,
// whether it is no function word.
func (v *Vocabulary) IsContent(id uint32) bool { return v.words[id].flags&Stop == 0 }

// internShort interns a word of 1 to 8 bytes whose bytes, in order from the
// lowest, are key. No word holds a zero byte, so the key is the word.
func (v *Vocabulary) internShort(key uint64) uint32 {
	id, fresh := v.short.At(key)
	if fresh {
		*id = uint32(len(v.words))
		start := len(v.bytes)
		v.bytes = binary.LittleEndian.AppendUint64(v.bytes, key)
		v.bytes = v.bytes[:start+(bits.Len64(key)+7)/8]
		v.add(start)
		return uint32(len(v.words) - 1)
	}
	return *id
}

// internTail interns the word whose normal form was appended to v.bytes from
// start on. The bytes stay only if the word is new.
func (v *Vocabulary) internTail(start int) uint32 {
	tail := v.bytes[start:]
	if len(tail) <= 8 {
		// What lies behind the word up to eight bytes is cut off again.
		if cap(v.bytes) < start+8 {
			v.bytes = slices.Grow(v.bytes, 8)
		}
		key := binary.LittleEndian.Uint64(v.bytes[start:start+8]) & (math.MaxUint64 >> (64 - 8*len(tail)))
		v.bytes = v.bytes[:start]
		return v.internShort(key)
	}
	for key := v.long.hash(tail); ; key++ {
		id, fresh := v.long.At(key)
		if fresh {
			*id = uint32(len(v.words))
			v.add(start)
			return uint32(len(v.words) - 1)
		}
		// Two words of one hash: the later one lives under the next free key.
		if w := v.words[*id]; string(v.bytes[w.start:w.end]) == string(tail) {
			v.bytes = v.bytes[:start]
			return *id
		}
	}
}

func (v *Vocabulary) add(start int) {
	tail := v.bytes[start:]
	var flags Flags
	if isStopWord(tail) {
		flags |= Stop
	}
	for _, b := range tail {
		if b-'0' <= 9 {
			flags |= Digit
			break
		}
	}
	v.words = append(v.words, word{start: start, end: len(v.bytes), flags: flags})
}

// hash is seeded, so that no input can be built to collide.
func (t *Table) hash(b []byte) uint64 {
	if t.multiplier == 0 {
		t.grow()
	}
	h := t.seed ^ uint64(len(b))
	for len(b) >= 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b), t.multiplier)
		h = hi ^ lo
		b = b[8:]
	}
	var last uint64
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	hi, lo := bits.Mul64(h^last, t.multiplier)
	return hi ^ lo
}
