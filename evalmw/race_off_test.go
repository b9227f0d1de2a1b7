//go:build !race

package evalmw_test

const raceEnabled = false
