package text

// Comparer compares two texts and keeps its scratch storage between calls: warm,
// it allocates nothing. The zero Comparer is ready. It is not safe for concurrent
// use.
type Comparer struct {
	a, b             []byte
	words            Vocabulary
	tokensA, tokensB []Token
	seen             []bool
}

// Contains reports whether needle stands in haystack on word boundaries after
// normalising both (see [AppendKey] and [ContainsKey]). An empty needle does not.
func (c *Comparer) Contains(haystack, needle string) bool {
	c.a = AppendKey(c.a[:0], haystack)
	c.b = AppendKey(c.b[:0], needle)
	return ContainsKey(c.a, c.b)
}

// Overlap returns the share, 0 to 1, of the distinct words of a that stand in b.
// It is not measurable, and ok is false, if a has no words.
func (c *Comparer) Overlap(a, b string) (share float64, ok bool) {
	c.words.Reset()
	c.tokensA = c.words.Append(c.tokensA[:0], a)
	distinct := c.words.Len()
	if distinct == 0 {
		return 0, false
	}
	c.seen = append(c.seen[:0], make([]bool, distinct)...)
	c.tokensB = c.words.Append(c.tokensB[:0], b)
	shared := 0
	for _, t := range c.tokensB {
		if int(t.ID) < distinct && !c.seen[t.ID] {
			c.seen[t.ID] = true
			shared++
		}
	}
	return float64(shared) / float64(distinct), true
}
