package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// block returns the README's first fenced block of a language whose text has a
// mark.
func block(t *testing.T, language, mark string) string {
	t.Helper()
	readme, err := os.ReadFile(root + "/README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		if strings.Contains(m[1], mark) {
			return m[1]
		}
	}
	t.Fatalf("README.md has no %s block with %q", language, mark)
	return ""
}

func TestReadmeShowsTheExample(t *testing.T) {
	const file = root + "/evalmw/example_test.go"
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, 0)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Example" {
			continue
		}
		body := source[fset.Position(f.Body.Lbrace).Offset+2 : fset.Position(f.Body.Rbrace).Offset]
		want := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(body), "")
		assert.Equal(t, want, block(t, "go", "rag.NewEvaluator"))
		return
	}
	t.Fatal("evalmw has no func Example")
}

// sh runs a command of the README as it stands there.
func sh(t *testing.T, command string) string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to run the README's commands in")
	}
	cmd := exec.CommandContext(t.Context(), shell, "-c", command)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", command, stderr.String())
	return string(out)
}

func TestReadmeScoresAsItSays(t *testing.T) {
	command, want, ok := strings.Cut(strings.TrimPrefix(block(t, "console", "touchstone score"), "$ "), "\n")
	require.True(t, ok)
	assert.Equal(t, want, sh(t, command))
}

// The demo's figures vary with the machine; that each line is there does not.
func TestReadmeDemoPrintsWhatItSays(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole demo")
	}
	command, shown, ok := strings.Cut(strings.TrimPrefix(block(t, "console", "touchstone demo"), "$ "), "\n")
	require.True(t, ok)
	got := sh(t, command)
	var words []string
	for line := range strings.Lines(shown) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "..." {
			words = append(words, regexp.MustCompile(`^[0-9.]+$`).ReplaceAllString(f[0], ""))
		}
	}
	for _, w := range words {
		assert.Contains(t, got, w)
	}
}
