//go:build !race

package metric_test

const raceEnabled = false
