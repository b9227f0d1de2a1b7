package shareddata_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/internal/shareddata"
)

// repository lays out a checkout with a nested module and data beside it, and returns the nested package's directory.
func repository(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	nested := filepath.Join(parent, "checkout", "nested", "pkg")
	require.NoError(t, os.MkdirAll(nested, 0o755))
	for _, module := range []string{"checkout", "checkout/nested"} {
		require.NoError(t, os.WriteFile(filepath.Join(parent, module, "go.mod"), nil, 0o600))
	}
	data := filepath.Join(parent, "shared", "data", "set")
	require.NoError(t, os.MkdirAll(data, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(data, "rows.jsonl"), []byte("{}\n"), 0o600))
	return nested
}

func TestOpenFindsTheDataBesideTheRepositoryFromANestedModule(t *testing.T) {
	t.Setenv(shareddata.Env, "")
	t.Chdir(repository(t))

	got, err := io.ReadAll(shareddata.Open(t, "set/rows.jsonl"))

	require.NoError(t, err)
	assert.Equal(t, "{}\n", string(got))
}

func TestEnvironmentOverridesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(shareddata.Env, dir)

	assert.Equal(t, dir, shareddata.Dir(t, "."))
}

func TestAbsentDataSkipsTheTest(t *testing.T) {
	t.Setenv(shareddata.Env, t.TempDir())
	var skipped bool
	t.Run("reader", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		shareddata.Open(t, "set/rows.jsonl")
	})

	assert.True(t, skipped)
}
