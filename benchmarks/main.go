// Command benchmarks measures Touchstone beside what else watches a service,
// and prints whether its goals are met:
//
//	go run . [-quick] [-rounds 5] [-only group,…]
//
// Each variant is measured once per round, in a fresh process and in shuffled
// order. Processor time is the process's, user and system, all threads, so
// that the garbage collector and background exporters are charged to whoever
// makes them work. Figures are medians over the rounds; a ratio is the median
// of the rounds' ratios. Copies of the base (A/A) show what is noise.
//
// Compare ratios, not times: those are the machine's. A ratio to something
// small moves with the load of the machine; allocations do not move.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	asked, err := child(groups(), os.Stdin, os.Stdout)
	if !asked {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func groups() []*group {
	return []*group{
		httpGroup(), loopbackGroup(), grpcGroup(), handoffGroup(), crowdGroup(), workerGroup(), publishGroup(), memoryGroup(), textGroup(),
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	quick := flags.Bool("quick", false, "one short round: shows that everything runs, not how fast")
	rounds := flags.Int("rounds", 5, "rounds to measure")
	only := flags.String("only", "", "groups to measure, separated by commas (default all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *quick {
		*rounds = 1
	}
	picked, err := pick(groups(), *only)
	if err != nil {
		return err
	}
	all, err := measureAll(ctx, picked, max(*rounds, 1), *quick, stderr)
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %d processors, %s/%s; medians of %d rounds\n",
		runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, max(*rounds, 1))
	for _, r := range all {
		writeGroup(&out, r)
	}
	writeGoals(&out, all)
	_, err = io.WriteString(stdout, out.String())
	return err
}

func measureAll(ctx context.Context, picked []*group, rounds int, quick bool, progress io.Writer) ([]results, error) {
	agent := newAgent()
	defer agent.Close()
	if err := os.Setenv(gorootEnv, goroot()); err != nil { // so that no child has to ask
		return nil, err
	}
	var all []results
	for _, g := range picked {
		start := time.Now()
		r, err := measure(ctx, g, rounds, bench{quick, agent.URL}, progress)
		if err != nil {
			return nil, err
		}
		_, _ = fmt.Fprintf(progress, "%s: %.0f s\n", g.title, time.Since(start).Seconds())
		all = append(all, r)
	}
	return all, nil
}

func pick(all []*group, only string) ([]*group, error) {
	if only == "" {
		return all, nil
	}
	var picked []*group
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(g *group) bool { return g.name == name })
		if i < 0 {
			var known []string
			for _, g := range all {
				known = append(known, g.name)
			}
			return nil, fmt.Errorf("-only %q: expected names out of %s", name, strings.Join(known, ", "))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}
