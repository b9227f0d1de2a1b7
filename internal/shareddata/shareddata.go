// Package shareddata finds the evaluation data that lies beside the repository, for tests that measure against it.
// The data is not part of the repository; a test that asks for it is skipped where it is absent.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Env names the environment variable that overrides where the data is looked for.
const Env = "TOUCHSTONE_SHARED_DATA"

// Dir returns the path of rel below the data directory, which is the value of [Env] or else ../shared/data seen from
// the root of the repository. It skips the test when the path does not exist. Safe for concurrent use.
func Dir(t testing.TB, rel string) string {
	t.Helper()
	path := filepath.Join(base(t), filepath.FromSlash(rel))
	if !exists(path) {
		t.Skipf("evaluation data %q is absent: put it at ../shared/data beside the repository or set %s", rel, Env)
	}
	return path
}

// Open opens the file rel below the data directory as [Dir] finds it and closes it when the test ends.
func Open(t testing.TB, rel string) *os.File {
	t.Helper()
	f, err := os.Open(Dir(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// base walks up from the test's directory. It passes modules that have no data beside them, since a nested module's
// tests read the same data as the root's.
func base(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Env); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		data := filepath.Join(dir, "..", "shared", "data")
		if exists(filepath.Join(dir, "go.mod")) && exists(data) {
			return data
		}
	}
	t.Skipf("evaluation data is absent: put it at ../shared/data beside the repository or set %s", Env)
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
