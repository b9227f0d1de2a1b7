package metric

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// idKind says what an id names, the surest first.
type idKind uint8

const (
	chunkID idKind = iota
	docID
	fileName // the last part of a document's path, with and without its extension
)

// idIndex finds chunks and documents by id without regard to case. It holds no
// strings of the sample.
type idIndex struct {
	ready   bool
	bytes   []byte // the keys, end to end
	entries []idEntry
}

type idEntry struct {
	start, end int
	kind       idKind
	chunk      int // merged chunk; of a document, the first one
}

func (x *idIndex) forget() { x.ready = false }

func (x *idIndex) build(v *rag.View) {
	if x.ready {
		return
	}
	x.ready = true
	x.bytes, x.entries = x.bytes[:0], x.entries[:0]
	chunks := v.Chunks()
	for i := range chunks {
		x.add(chunks[i].ID, chunkID, i)
		doc := chunks[i].DocID
		if doc == "" || i > 0 && chunks[i-1].DocID == doc {
			continue
		}
		x.add(doc, docID, i)
		name := doc[strings.LastIndexAny(doc, `/\`)+1:]
		if name != doc {
			x.add(name, fileName, i)
		}
		if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 6 {
			x.add(name[:dot], fileName, i)
		}
	}
	slices.SortFunc(x.entries, func(a, b idEntry) int {
		return cmp.Or(bytes.Compare(x.key(a), x.key(b)), cmp.Compare(a.kind, b.kind), cmp.Compare(a.chunk, b.chunk))
	})
}

func (x *idIndex) add(id string, kind idKind, chunk int) {
	start := len(x.bytes)
	x.bytes = text.AppendKey(x.bytes, id)
	if len(x.bytes) > start {
		x.entries = append(x.entries, idEntry{start: start, end: len(x.bytes), kind: kind, chunk: chunk})
	}
}

func (x *idIndex) key(e idEntry) []byte { return x.bytes[e.start:e.end] }

// find returns the surest entry with this key (see text.AppendKey).
func (x *idIndex) find(key []byte) (idEntry, bool) {
	at, ok := slices.BinarySearchFunc(x.entries, key, func(e idEntry, key []byte) int { return bytes.Compare(x.key(e), key) })
	if !ok {
		return idEntry{}, false
	}
	return x.entries[at], true
}
