//go:build race

package spanattach_test

const raceEnabled = true
