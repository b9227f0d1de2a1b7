//go:build !race

package evalgrpc_test

const raceEnabled = false
