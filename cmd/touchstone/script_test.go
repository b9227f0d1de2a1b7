package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the outputs that the scripts expect")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"touchstone": main}) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// runIn runs a command in this process.
func runIn(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &env{args: args, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, getenv: os.Getenv})
	return out.String(), errs.String(), code
}

// The commands of the package comment print what it says they print.
func TestDocumentedCommands(t *testing.T) {
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile(`(?m)^//\t\$ (.+)\n((?://\t[^$].*\n)+)`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, blocks)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to run the documented commands in")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(self, dir+"/touchstone"))
	for _, b := range blocks {
		cmd := exec.CommandContext(context.Background(), shell, "-c", b[1])
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		got, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", b[1], got)
		want := regexp.MustCompile(`(?m)^//\t`).ReplaceAllString(b[2], "")
		assert.Equal(t, want, string(got), "$ %s", b[1])
	}
}
