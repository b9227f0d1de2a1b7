// Command accuracy fits the weights of support_risk to answers that people have
// judged, and measures how well the risk ranks such answers.
//
//	go run ./internal/accuracy fit      writes evalmw/metric/risk_model.json
//	go run ./internal/accuracy measure  prints what was measured
//	go run ./internal/accuracy report   writes docs/accuracy.md and its figure
//
// All run at the root of the repository. Fitting uses the data that come with
// the repository, in internal/accuracy/data, and nothing else; see the NOTICE
// there. Measuring uses all sets that the data directory holds, by default the
// one beside the repository; other rows in the same layout may lie there too.
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

//go:embed data
var shipped embed.FS

// shippedData are the sets that come with the repository.
func shippedData() fs.FS {
	dir, err := fs.Sub(shipped, "data")
	if err != nil {
		panic(err) // the path is a constant
	}
	return dir
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("expected a command, fit, measure or report, found none")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "fit":
		model := flags.String("o", "evalmw/metric/risk_model.json", "the model file to write")
		date := flags.String("date", time.Now().UTC().Format(time.DateOnly), "the day of the fit")
		if err := parse(flags, args[1:]); err != nil {
			return err
		}
		return writeModel(*model, *date, out)
	case "measure":
		data := flags.String("data", "../shared/data", "the directory of the data sets")
		ablation := flags.Bool("ablation", true, "whether to fit without each feature in turn")
		if err := parse(flags, args[1:]); err != nil {
			return err
		}
		return printMeasures(out, os.DirFS(*data), *ablation)
	case "report":
		return reportCommand(args[1:], out)
	}
	return fmt.Errorf("expected a command, fit, measure or report, found %q", args[0])
}

// parse reads flags, and takes nothing else.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s: expected flags alone, found %q", flags.Name(), flags.Arg(0))
	}
	return nil
}

// readSets reads the data sets that dir holds; those that it does not hold are
// left out.
func readSets(dir fs.FS) ([]labelledSet, error) {
	var sets []labelledSet
	for _, d := range datasets() {
		cases, err := d.read(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		set, err := featurise(d, cases)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, errors.New("expected a directory with data sets such as ragtruth/qa.jsonl, found none; name it by -data")
	}
	return sets, nil
}
