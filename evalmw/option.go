package evalmw

import (
	"os"
	"slices"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// An Option changes how a [Pipeline] works. A value out of range is ignored
// and the default stays; each option says what that is.
type Option interface{ apply(config) config }

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

type config struct {
	items      int
	bytes      int64
	cpu        float64
	sampling   float64
	sampleMax  int
	batchDelay time.Duration
	checks     int
	sinkWait   time.Duration
	inline     bool
	byRef      bool
	showText   bool
	wallClock  bool // in tests with a clock of their own
	redact     func(string) string
	holder     SpanHolder
	onError    func(error)
	sections   []section
}

type section struct {
	name  string
	value func() any
}

func newConfig(opts []Option) config {
	c := config{
		items: 1024, bytes: 16 << 20, cpu: 0.05, sampling: 1, sampleMax: 256 << 10,
		batchDelay: 10 * time.Millisecond, checks: 8, sinkWait: 10 * time.Second,
	}
	for _, o := range opts {
		if o != nil {
			c = o.apply(c)
		}
	}
	return c
}

// WithQueue bounds the turns that wait to be evaluated, in number and in
// bytes; what does not fit is dropped and counted as queue_full or
// queue_bytes. The defaults are 1,024 and 16 MiB. A bound below 1 is ignored, and
// more than 1,048,576 turns are that.
func WithQueue(items int, bytes int64) Option {
	return optionFunc(func(c config) config {
		if items > 0 {
			c.items = min(items, 1<<20)
		}
		if bytes > 0 {
			c.bytes = bytes
		}
		return c
	})
}

// WithCPUBudget holds evaluating to a share of one core, such as 0.05, the
// default; what does not fit is dropped and counted as cpu_budget. An unused
// second's worth is kept for bursts; in a lasting overload the turns that are
// evaluated are chosen by trace id. 0 is no limit, as is more than there can be
// cores; less is ignored. The time of the sinks is part of it, up to a millisecond for each
// delivery. On Linux it is processor time that counts, elsewhere the time that
// passes.
func WithCPUBudget(cores float64) Option {
	return optionFunc(func(c config) config {
		switch {
		case cores > maxCores:
			c.cpu = 0
		case cores >= 0:
			c.cpu = cores
		}
		return c
	})
}

const maxCores = 1 << 16

// WithSampling evaluates a share of the turns, by trace id where there is
// one, so that every service on a trace decides alike; else by request id,
// else at random. The default is 1, all of them. A share outside 0..1 is
// ignored.
func WithSampling(share float64) Option {
	return optionFunc(func(c config) config {
		if share >= 0 && share <= 1 {
			c.sampling = share
		}
		return c
	})
}

// WithMaxSampleBytes bounds the text of one turn. What exceeds it is cut off
// and the sample marked as truncated, as is a list of more than 10,000 elements. The default is 256 KiB; less than 1 KiB
// is ignored.
func WithMaxSampleBytes(n int) Option {
	return optionFunc(func(c config) config {
		if n >= 1<<10 {
			c.sampleMax = n
		}
		return c
	})
}

// WithChecks bounds the escalated checks that run at a time; one more is shed.
// The default is 8; less than 1 is ignored, and more than 65,536 is that.
func WithChecks(n int) Option {
	return optionFunc(func(c config) config {
		if n > 0 {
			c.checks = min(n, 1<<16)
		}
		return c
	})
}

// WithSinkTimeout is the deadline of the context that sinks receive. The
// default is 10 seconds; less than 1 ms is ignored. A sink that ignores it
// holds up the evaluations, though no request.
func WithSinkTimeout(d time.Duration) Option {
	return optionFunc(func(c config) config {
		if d >= time.Millisecond {
			c.sinkWait = d
		}
		return c
	})
}

// WithInline evaluates each turn before the handler returns, on the request's
// own goroutine and with the request's context, so that sinks can still write
// to its span. It costs the request some tens of microseconds and whatever
// the sinks take. Queue and CPU budget do not apply.
func WithInline() Option {
	return optionFunc(func(c config) config {
		c.inline = true
		return c
	})
}

// WithoutCopy keeps the strings that are recorded instead of copying them.
// That is right only where they are never overwritten, and where they are not
// cut from much larger ones, which they would keep in memory uncounted.
func WithoutCopy() Option {
	return optionFunc(func(c config) config {
		c.byRef = true
		return c
	})
}

// WithRedaction passes the texts of every turn through redact before a metric,
// an escalator, a judge, a sink or the status page sees them: the query, the
// chunks' texts and headings, the extracted values and their evidence, the
// answer and its speakers. [Redact] is ready-made. All else stays as it is: ids
// (those that a request brings and those that [Capture] reads, URLs among them),
// paths, pages and other places of chunks and citations, field names, flags, tags,
// the model and the error class. Keep text out of these.
//
// It runs where the turn is evaluated, within the CPU budget, so that a request
// waits for it only with [WithInline]. Until then the text lies in the queue, in
// this process; of a turn that is dropped nobody sees any. Metrics compare
// redacted texts: redact must give equal values equal marks, so that an answer
// still matches its chunks, and different values with one mark count as equal.
//
// redact must be safe for concurrent use, may return its argument, and must not
// keep it: its memory is reused. If it panics, the turn is dropped and counted as
// panicked; if it panics on a retrieval alone, only that is not delivered ahead of
// the answer. One that hangs holds up the evaluations, though no request. It may
// call the pipeline, but not wait for it with [Pipeline.Flush] or
// [Pipeline.Shutdown]. By default, or if redact is nil, texts stay as they are.
func WithRedaction(redact func(string) string) Option {
	return optionFunc(func(c config) config {
		c.redact = redact
		return c
	})
}

// WithSpanHolder tells h about the spans of turns: see [SpanHolder].
func WithSpanHolder(h SpanHolder) Option {
	return optionFunc(func(c config) config {
		c.holder = h
		return c
	})
}

// WithErrorHandler tells handle what the counters only count: a
// [*rag.SinkError], a [*rag.MetricError], or that the redaction panicked, at most
// once a second for each sink and each metric. A sink's error is its own and may
// say anything; the others name types and no text. handle is called where the turn was evaluated; it
// must be quick and safe for concurrent use. By default nobody is told.
func WithErrorHandler(handle func(error)) Option {
	return optionFunc(func(c config) config {
		c.onError = handle
		return c
	})
}

// WithStatusText shows the queries and answers of the latest turns on the
// status page. By default it shows no user text.
func WithStatusText() Option {
	return optionFunc(func(c config) config {
		c.showText = true
		return c
	})
}

// WithStatusSection adds a section to the status page. value is called for
// each view of the page, possibly at the same time as others; what it returns
// is shown as JSON, so it must be fit for encoding/json.
func WithStatusSection(name string, value func() any) Option {
	return optionFunc(func(c config) config {
		if value != nil {
			c.sections = append(slices.Clone(c.sections), section{name, value})
		}
		return c
	})
}

// A SpanHolder keeps the spans of turns back until their evaluation is there,
// as spanhook.Hold does. Its methods are called on the request's goroutine;
// they must be quick and safe for concurrent use.
type SpanHolder interface {
	// Hold announces a turn on a span that has not ended.
	Hold(rag.SpanRef)
	// Release says that no evaluation will come for it, and why; an empty
	// outcome says that it was no turn after all, but only stood around others.
	Release(rag.SpanRef, rag.Outcome)
}

// DisabledEnv is the environment variable that starts every pipeline with
// the kill switch on, if it is set to 1 or true.
const DisabledEnv = "TOUCHSTONE_DISABLED"

func disabledByEnv() bool {
	v := os.Getenv(DisabledEnv)
	return v == "1" || v == "true"
}
