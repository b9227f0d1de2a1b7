// Touchstone evaluates RAG answers: cheaply on every request, and with the
// same code over recorded samples.
//
// Usage:
//
//	touchstone demo       run a RAG service over real documents and evaluate its traffic
//	touchstone score      samples in, evaluations out
//	touchstone calibrate  labels in, a model of support_risk for your own traffic out
//	touchstone doctor     find out what arrives where, and if not, why
//	touchstone version    print the version
//
// Each command explains itself with -h. Results go to stdout, everything else
// to stderr. The exit code is 0 if all is well, 1 if a check failed, 2 for
// wrong usage or configuration, 3 for input that cannot be read, 4 if nothing
// could be decided, and 130 after an interrupt.
//
//	$ echo '{"id":"r1","retrieval":{"chunks":[{"id":"c1","score":0.9},{"id":"c2","score":0.5}]},"answer":{"citations":[{"chunk_id":"c1"}]}}' | touchstone score --metrics context_relevance,context_precision
//	{"id":"r1","evaluations":[{"name":"context_relevance","type":"score","value":0.7,"label":"acceptable","details":{"factors":"score","score":0.7}},{"name":"context_precision","type":"score","value":1,"details":{"avg_rank":1,"contributing_chunks":1,"basis":"citations","ignored":0}}],"escalation":{"needed":true,"reasons":["heuristic_below_threshold"]}}
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"go.opentelemetry.io/otel"
	"golang.org/x/term"
)

func main() {
	e := &env{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv,
		interactive: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		colour:      term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { fmt.Fprintln(e.stderr, "warning: OpenTelemetry:", err) }))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, e))
}

// env is the process around a command, so that tests can be one.
type env struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	interactive    bool // stderr is a terminal: show progress
	colour         bool // stdout is a terminal that knows colours
}

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitUndecided   = 4
	exitInterrupted = 130
)

// exitError carries the exit code and a hint to the one place that exits.
type exitError struct {
	code int
	hint string
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usageError(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, hint: hint, err: fmt.Errorf(format, args...)}
}

var commands = []struct {
	name string
	run  func(context.Context, *env, []string) error
}{
	{"demo", runDemo},
	{"score", runScore},
	{"calibrate", runCalibrate},
	{"doctor", runDoctor},
	{"version", runVersion},
}

// run dispatches to a command and turns its error into an exit code.
func run(ctx context.Context, e *env) int {
	err := dispatch(ctx, e)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case ctx.Err() != nil:
		fmt.Fprintln(e.stderr, "interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(e.stderr, "error: %v\n", err)
	code := exitFailed
	if x, ok := errors.AsType[*exitError](err); ok {
		code = x.code
		if x.hint != "" {
			fmt.Fprintf(e.stderr, "hint: %s\n", x.hint)
		}
	}
	return code
}

func dispatch(ctx context.Context, e *env) error {
	const help = "run touchstone help to see the commands"
	if len(e.args) == 0 {
		fmt.Fprint(e.stderr, usage)
		return usageError(help, "expected a command, found none")
	}
	name, args := e.args[0], e.args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if name == "help" && len(args) > 0 {
			name, args = args[0], []string{"-h"}
			break
		}
		_, err := fmt.Fprint(e.stdout, usage)
		return err
	case "-version", "--version":
		name = "version"
	}
	for _, c := range commands {
		if c.name == name {
			return c.run(ctx, e, args)
		}
	}
	return usageError(help, "unknown command %q", name)
}

const usage = `Touchstone evaluates RAG answers.

  touchstone demo       run a RAG service over real documents and evaluate its traffic
  touchstone score      samples in, evaluations out
  touchstone calibrate  labels in, a model of support_risk for your own traffic out
  touchstone doctor     find out what arrives where, and if not, why
  touchstone version    print the version

Each command explains itself with -h.
`

// flags returns a flag set that neither exits nor prints.
func flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet("touchstone "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse prints text and the flags for -h, and reports a wrong flag as a usage
// error, without the usage: the hint says how to get it.
func (e *env) parse(fs *flag.FlagSet, text string, args []string) error {
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(e.stdout, "%s\nFlags:\n", strings.TrimLeft(text, "\n"))
		fs.VisitAll(func(f *flag.Flag) {
			value, says := flag.UnquoteUsage(f)
			if f.DefValue != "" && f.DefValue != "false" {
				says += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(e.stdout, "  --%s\n        %s\n", strings.TrimSpace(f.Name+" "+value), says)
		})
		return err
	case err != nil:
		return usageError("run "+fs.Name()+" -h to see the flags", "%w", err)
	}
	return nil
}

func runVersion(_ context.Context, e *env, _ []string) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(e.stdout, "touchstone %s\n", version)
	return err
}
