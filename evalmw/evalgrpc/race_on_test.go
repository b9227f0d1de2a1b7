//go:build race

package evalgrpc_test

const raceEnabled = true
