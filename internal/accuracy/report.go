package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// reportCommand writes the page that tells how good the metrics are, and its
// figure, or checks that the files say what would be written.
func reportCommand(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	data := flags.String("data", "", "the directory of the data sets; by default "+besideRepository+", or else the sets that come with the repository")
	dir := flags.String("o", "docs", "the directory of "+pageName+" and "+figureName)
	check := flags.Bool("check", false, "write nothing, fail if the files are not what would be written")
	if err := parse(flags, args); err != nil {
		return err
	}
	s, err := takeSurvey(dataDir(*data), intervalDraws)
	if err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(*dir, f.name)
		if *check {
			if err := f.same(path); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(path, f.content, 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
		if _, err := fmt.Fprintln(out, path); err != nil {
			return err
		}
	}
	return nil
}

// besideRepository is where the data sets lie that do not come with the repository.
const besideRepository = "../shared/data"

func dataDir(name string) fs.FS {
	if name == "" {
		if _, err := os.Stat(besideRepository); err != nil {
			return shippedData()
		}
		name = besideRepository
	}
	return os.DirFS(name)
}

// The files of the report.
const (
	pageName   = "accuracy.md"
	figureName = "accuracy.svg"
)

type reportFile struct {
	name    string
	content []byte
}

func (s *survey) files() ([]reportFile, error) {
	var figure bytes.Buffer
	if err := s.writeFigure(&figure); err != nil {
		return nil, err
	}
	return []reportFile{{pageName, []byte(s.page())}, {figureName, figure.Bytes()}}, nil
}

// same returns an error unless the file at path holds the content. It names the
// first line that differs.
func (f *reportFile) same(path string) error {
	found, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Equal(found, f.content) {
		return nil
	}
	have, want := bytes.Split(found, []byte("\n")), bytes.Split(f.content, []byte("\n"))
	line := 0
	for line < min(len(have), len(want)) && bytes.Equal(have[line], want[line]) {
		line++
	}
	if line == min(len(have), len(want)) {
		return fmt.Errorf("%s: expected %d lines, found %d: %w", path, len(want), len(have), errStale)
	}
	return fmt.Errorf("%s, line %d: expected %q, found %q: %w", path, line+1, want[line], have[line], errStale)
}

var errStale = errors.New("it is not what the measurements say; write it anew by go run ./internal/accuracy report")
