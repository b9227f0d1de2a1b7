package stats

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// Folds deals cases into k folds, numbered from 0, so that the cases of a group
// fall into one fold and the folds have about the same number of cases. Groups
// are dealt from the largest down, those of the same size in the order of a hash
// of their name, each into the fold that is smallest by then; neither the order
// of the cases nor chance plays a part. With fewer groups than k some folds are
// empty. It panics unless k is at least 2.
func Folds(groups []string, k int) []int {
	if k < 2 {
		panic(fmt.Sprintf("stats: expected at least 2 folds, found %d", k))
	}
	size := map[string]int{}
	for _, g := range groups {
		size[g]++
	}
	hash := make(map[string]uint64, len(size))
	for g := range size {
		h := fnv.New64a()
		_, _ = h.Write([]byte(g))
		hash[g] = h.Sum64()
	}
	order := slices.SortedFunc(maps.Keys(size), func(a, b string) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(hash[a], hash[b]), cmp.Compare(a, b))
	})
	fold, filled := make(map[string]int, len(order)), make([]int, k)
	for _, g := range order {
		smallest := 0
		for f := range filled {
			if filled[f] < filled[smallest] {
				smallest = f
			}
		}
		fold[g] = smallest
		filled[smallest] += size[g]
	}
	folds := make([]int, len(groups))
	for i, g := range groups {
		folds[i] = fold[g]
	}
	return folds
}
