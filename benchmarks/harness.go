package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A group is one comparison: the same work done in several ways, and what its
// figures must show.
type group struct {
	name, title string
	columns     []string // the measures to print, in this order
	base        string   // the variant that ratios are taken to
	variants    []variant
	goals       []goal
}

// A variant is one way, measured in a process of its own.
type variant struct {
	name string
	run  func(bench) (figures, error)
}

// figures are what one process measured, by the measure's name.
type figures map[string]float64

// The measures that most groups share. All are for one operation.
const (
	cpuTime   = "CPU ns"        // user and system time of all threads
	ownTime   = "on its thread" // of the thread that calls alone
	allocs    = "allocs"
	allocated = "bytes"
)

// bench is what a variant is told.
type bench struct {
	quick bool
	agent string // the address of the Datadog agent's stand-in
}

// span is how long to measure: d, or a glance.
func (b bench) span(d time.Duration) time.Duration {
	if b.quick {
		return max(d/25, 20*time.Millisecond)
	}
	return d
}

// work is what a loop measures.
type work struct {
	op func()
	// between, if any, runs behind every batch of calls, and settle at the end.
	// Both are charged to op, but not to its thread.
	between, settle func()
	// alone measures op's thread by itself. That thread then serves nothing
	// else, which makes it slow to wait for other goroutines.
	alone bool
}

// batch is how many turns wait for the worker together: what a service with
// 1,600 requests a second has in the 10 ms in which the worker sleeps. More
// would measure memory that no cache holds.
const batch = 16

// ownAllocs counts what op itself allocates, without what runs behind it: the
// median over many batches, since that may run at any time.
func (w work) ownAllocs() float64 {
	counts := make([]float64, 101)
	for i := range counts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range batch {
			w.op()
		}
		runtime.ReadMemStats(&after)
		counts[i] = float64(after.Mallocs-before.Mallocs) / batch
		w.between()
	}
	return percentile(counts, 0.5)
}

// loop measures what one call of w.op costs. Background exporters and the
// garbage collector are charged to it: settle makes them finish before the
// clock is read.
func (b bench) loop(w work) figures {
	if w.alone {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	runFor := func(d time.Duration) (n int, onThread time.Duration) {
		for start := time.Now(); time.Since(start) < d; n += batch {
			begin := threadTime()
			for range batch {
				w.op()
			}
			onThread += threadTime() - begin
			if w.between != nil {
				w.between()
			}
		}
		if w.settle != nil {
			w.settle()
		}
		return n, onThread
	}
	runFor(b.span(200 * time.Millisecond))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := usage()
	n, onThread := runFor(b.span(time.Second))
	used := usage().cpu - start.cpu
	runtime.ReadMemStats(&after)
	f := figures{
		cpuTime:   float64(used) / float64(n),
		allocs:    float64(after.Mallocs-before.Mallocs) / float64(n),
		allocated: float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}
	if w.alone {
		f[ownTime] = float64(onThread) / float64(n)
	}
	return f
}

// consumption is what this process has used since it started.
type consumption struct {
	cpu    time.Duration
	sleeps int64 // how often a thread went to sleep of its own accord
}

func usage() consumption {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are constant: cannot fail
	}
	return consumption{time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Nvcsw}
}

// threadTime is what the calling thread has used. Its rusage would do for long
// stretches only: it is not brought up to date while the thread runs.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // as above
	}
	return time.Duration(t.Nano())
}

// results are the figures of every round of a group.
type results struct {
	group  *group
	rounds []map[string]figures // by variant
}

// over returns the median over the rounds of f.
func (r results) over(f func(round map[string]figures) float64) float64 {
	values := make([]float64, 0, len(r.rounds))
	for _, round := range r.rounds {
		if v := f(round); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}

func (r results) value(variant, measure string) float64 {
	return r.over(func(round map[string]figures) float64 {
		if v, ok := round[variant][measure]; ok {
			return v
		}
		return math.NaN()
	})
}

// ratio is the median of the rounds' ratios of a to b.
func (r results) ratio(a, b, measure string) float64 {
	return r.over(func(round map[string]figures) float64 { return round[a][measure] / round[b][measure] })
}

// added is how much more than the base a variant takes.
func (r results) added(variant, measure string) float64 {
	return r.over(func(round map[string]figures) float64 {
		return round[variant][measure] - round[r.group.base][measure]
	})
}

// addedRatio is what a adds to the base for each unit that b adds.
func (r results) addedRatio(a, b, measure string) float64 {
	return r.over(func(round map[string]figures) float64 {
		base := round[r.group.base][measure]
		return (round[a][measure] - base) / (round[b][measure] - base)
	})
}

// childEnv names the group and the variant that a process is to measure.
const childEnv = "TOUCHSTONE_BENCH_CHILD"

// measure runs every variant of g once for each round, each time in a fresh
// process and in another order.
func measure(ctx context.Context, g *group, rounds int, b bench, progress io.Writer) (results, error) {
	r := results{group: g}
	for round := range rounds {
		got := make(map[string]figures)
		for _, i := range rand.Perm(len(g.variants)) {
			name := g.variants[i].name
			_, _ = fmt.Fprintf(progress, "round %d of %d: %s: %s\n", round+1, rounds, g.title, name)
			f, err := inProcess(ctx, g.name, name, b)
			if err != nil {
				return results{}, fmt.Errorf("%s, %s: %w", g.title, name, err)
			}
			got[name] = f
		}
		r.rounds = append(r.rounds, got)
	}
	return r, nil
}

// childRequest is what a process of its own is asked.
type childRequest struct {
	Group, Variant string
	Quick          bool
	Agent          string
}

func inProcess(ctx context.Context, group, variant string, b bench) (figures, error) {
	cmd, err := command(ctx, childRequest{group, variant, b.quick, b.agent})
	if err != nil {
		return nil, err
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var f figures
	if err := json.Unmarshal(out, &f); err != nil {
		return nil, fmt.Errorf("expected figures as JSON, found %q: %w", out, err)
	}
	return f, nil
}

// command runs this program again, as a child.
func command(ctx context.Context, r childRequest) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ask, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(ask))
	cmd.Env = append(cmd.Env, datadogEnv(r.Agent)...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// child measures one variant if this process was started for that, and says
// whether it was.
func child(groups []*group, stdin io.Reader, stdout io.Writer) (bool, error) {
	asked := os.Getenv(childEnv)
	if asked == "" {
		return false, nil
	}
	var r childRequest
	if err := json.Unmarshal([]byte(asked), &r); err != nil {
		return true, err
	}
	if r.Group == serveGroup {
		return true, serve(r.Variant, stdin, stdout)
	}
	for _, g := range groups {
		if g.name != r.Group {
			continue
		}
		for _, v := range g.variants {
			if v.name == r.Variant {
				f, err := v.run(bench{r.Quick, r.Agent})
				if err != nil {
					return true, err
				}
				return true, json.NewEncoder(stdout).Encode(f)
			}
		}
	}
	return true, fmt.Errorf("expected a group and a variant, found %q and %q", r.Group, r.Variant)
}

// percentile returns the p-th part of values, which it sorts.
func percentile[T cmp.Ordered](values []T, p float64) T {
	slices.Sort(values)
	return values[min(int(p*float64(len(values))), len(values)-1)]
}
