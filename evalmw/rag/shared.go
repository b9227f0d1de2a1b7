package rag

// Shared is something that several metrics derive from a sample, such as its
// tokens: computed on first use, once per sample, in memory that is reused
// from sample to sample. Declare one per kind of thing with [NewShared], as a
// package-level value, and read it with [Shared.Of].
type Shared[T any] struct {
	_       struct{}
	compute func(*View, *T)
}

// NewShared returns a Shared whose compute fills a *T from a View. The *T is
// zero on its first use and as the last sample left it on every other, so
// that its slices and maps can be reused. It must not panic.
func NewShared[T any](compute func(*View, *T)) *Shared[T] {
	return &Shared[T]{compute: compute}
}

// Of returns the value for the sample of v. It is valid as long as v is.
func (s *Shared[T]) Of(v *View) *T {
	for i := range v.shared {
		slot := &v.shared[i]
		if slot.key != any(s) {
			continue
		}
		t, _ := slot.value.(*T)
		if !slot.fresh {
			s.compute(v, t)
			v.shared[i].fresh = true // compute may have grown v.shared
		}
		return t
	}
	t := new(T)
	at := len(v.shared)
	v.shared = append(v.shared, sharedSlot{key: s, value: t})
	s.compute(v, t)
	v.shared[at].fresh = true
	return t
}

type sharedSlot struct {
	key   any
	value any
	fresh bool
}
