package evalmw

import (
	"sync"
	"unicode/utf8"
	"unsafe"
)

// arena holds the text of one turn in pooled blocks. Copying costs a fraction
// of a microsecond for a whole turn; keeping the caller's strings would be
// free and would pin whatever they were cut from, a 1 MiB document for 1 KiB
// of chunk.
type arena struct {
	blocks []*block
	free   []byte // what is left of the last block
	used   int    // bytes of text taken
	max    int    // bytes of text allowed
	held   int    // bytes of memory taken
	cut    bool   // a text did not fit
	byRef  bool   // keep the caller's strings instead
}

// block is a piece of memory of one of the pooled sizes, or an unpooled one.
type block struct {
	mem  []byte
	pool *sync.Pool
}

// The sizes fit a short answer, a usual turn of ten chunks, and a large one.
// What is larger still is left to the garbage collector: pooling it would
// keep rare giants alive.
const (
	smallBlock  = 4 << 10
	mediumBlock = 16 << 10
	largeBlock  = 64 << 10
)

// blockPools are the arenas' pools. Pipelines share them: pooled memory
// belongs to nobody.
type blockPools struct{ small, medium, large sync.Pool }

func (p *blockPools) get(n int) *block {
	switch {
	case n <= smallBlock:
		return fromPool(&p.small, smallBlock)
	case n <= mediumBlock:
		return fromPool(&p.medium, mediumBlock)
	case n <= largeBlock:
		return fromPool(&p.large, largeBlock)
	}
	return &block{mem: make([]byte, n)}
}

func fromPool(pool *sync.Pool, size int) *block {
	if b, ok := pool.Get().(*block); ok {
		return b
	}
	return &block{mem: make([]byte, size), pool: pool}
}

// reserve makes the next n bytes of text contiguous, so that a turn's chunks
// fill one block of the right size rather than many small ones.
func (a *arena) reserve(n int, pools *blockPools) {
	n = min(n, a.max-a.used)
	if a.byRef || n <= len(a.free) {
		return
	}
	b := pools.get(n)
	a.blocks = append(a.blocks, b)
	a.held += len(b.mem)
	a.free = b.mem
}

// str copies s, or as much of it as the turn may still hold, cut between
// characters.
func (a *arena) str(s string, pools *blockPools) string {
	if s == "" {
		return ""
	}
	if left := a.max - a.used; len(s) > left {
		s, a.cut = cutText(s, left), true
		if s == "" {
			return ""
		}
	}
	if a.byRef {
		a.used += len(s)
		a.held += len(s)
		return s
	}
	if len(s) > len(a.free) {
		a.reserve(len(s), pools)
	}
	a.used += len(s)
	n := copy(a.free, s)
	out := unsafe.String(&a.free[0], n)
	a.free = a.free[n:]
	return out
}

// cutText returns at most n bytes of s without splitting a character.
func cutText(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if n >= len(s) {
		return s
	}
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(s[n]); back++ {
		n--
	}
	return s[:n]
}

// trimPartial cuts a character off whose last bytes are missing.
func trimPartial(s string) string {
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// release returns the blocks. Every string that str returned is invalid now.
func (a *arena) release() {
	for i, b := range a.blocks {
		if b.pool != nil {
			b.pool.Put(b)
		}
		a.blocks[i] = nil
	}
	*a = arena{blocks: a.blocks[:0], max: a.max, byRef: a.byRef}
}
