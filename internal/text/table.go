package text

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// maxRetainedSlots bounds what an idle table keeps: one hostile input must not
// pin its storage for the life of a worker.
const maxRetainedSlots = 1 << 17

const minSlots = 256

// Table maps 64-bit keys to 32-bit values. Reset is O(1): a slot belongs to the
// epoch in which it was written. A warm table allocates nothing.
//
// Keys are compared whole, so a caller that packs its identity into 64 bits
// (a short word's bytes, a pair of ids) gets exact answers. Positions depend on
// a random seed, which defeats flooding; nothing that a caller can observe does.
//
// The zero Table is empty and ready. A Table is not safe for concurrent use.
type Table struct {
	slots      []slot
	used       int
	seed       uint64
	multiplier uint64
	epoch      uint32
}

type slot struct {
	key   uint64
	epoch uint32
	value uint32
}

// Len returns how many distinct keys the table holds since the last Reset.
func (t *Table) Len() int { return t.used }

// Reset forgets all keys and keeps the storage, unless that has grown beyond
// what is worth keeping.
func (t *Table) Reset() {
	t.used = 0
	if len(t.slots) > maxRetainedSlots {
		t.slots = nil
		return
	}
	if t.epoch == math.MaxUint32 {
		clear(t.slots)
		t.epoch = 0
	}
	t.epoch++
}

// At returns where the value of key stands and whether the key is new, in which
// case the value is zero. The pointer is valid until the next call of At.
func (t *Table) At(key uint64) (value *uint32, fresh bool) {
	if t.used*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	for i := t.position(key); ; i++ {
		s := &t.slots[i&mask]
		if s.epoch != t.epoch {
			*s = slot{key: key, epoch: t.epoch}
			t.used++
			return &s.value, true
		}
		if s.key == key {
			return &s.value, false
		}
	}
}

// Get returns the value of key, if the table holds it. Unlike At it adds nothing,
// so that a small table stays small however many keys are looked up.
func (t *Table) Get(key uint64) (value uint32, ok bool) {
	if t.used == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for i := t.position(key); ; i++ {
		s := &t.slots[i&mask]
		if s.epoch != t.epoch {
			return 0, false
		}
		if s.key == key {
			return s.value, true
		}
	}
}

// Intern returns the dense id of key: keys are numbered from 0 in the order in
// which they were first seen since the last Reset.
func (t *Table) Intern(key uint64) (id uint32, fresh bool) {
	value, fresh := t.At(key)
	if fresh {
		*value = uint32(t.used - 1)
	}
	return *value, fresh
}

func (t *Table) position(key uint64) uint64 {
	hi, lo := bits.Mul64(key^t.seed, t.multiplier)
	return hi ^ lo
}

func (t *Table) grow() {
	old := t.slots
	if t.multiplier == 0 {
		seed := maphash.MakeSeed()
		t.seed = maphash.String(seed, "seed")
		t.multiplier = maphash.String(seed, "multiplier") | 1
	}
	if t.epoch == 0 {
		t.epoch = 1
	}
	t.slots = make([]slot, max(minSlots, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.epoch != t.epoch {
			continue
		}
		i := t.position(s.key)
		for t.slots[i&mask].epoch == t.epoch {
			i++
		}
		t.slots[i&mask] = s
	}
}
