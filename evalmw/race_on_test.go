//go:build race

package evalmw_test

const raceEnabled = true
