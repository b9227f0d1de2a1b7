//go:build race

package metric_test

// raceEnabled says that the race detector, which makes sync.Pool drop what it
// is given at random, would spoil a count of allocations.
const raceEnabled = true
