package evalmw

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Recorder takes down one turn: what was asked, retrieved and answered.
// Handlers find theirs with [FromContext].
//
// Every method may be called on a nil Recorder, from several goroutines, and
// after the turn has ended; then it does nothing. Everything is copied, so
// that arguments may be changed or reused afterwards.
type Recorder struct {
	pipeline *Pipeline

	mu    sync.Mutex
	turn  *turn // nil once the turn has ended
	inner bool  // a turn was begun within this one
}

// turnContext is the request's context with its recorder, in one allocation.
type turnContext struct {
	context.Context //nolint:containedctx // it is a context
	rec             Recorder
}

type recorderKey struct{}

// Value finds the recorder, and else what the parent holds.
func (c *turnContext) Value(key any) any {
	if key == (recorderKey{}) {
		return &c.rec
	}
	return c.Context.Value(key)
}

// FromContext returns the recorder of the turn that ctx belongs to, or nil.
// A nil Recorder is safe to use: handlers need not ask whether they are
// being evaluated.
func FromContext(ctx context.Context) *Recorder {
	rec, _ := ctx.Value(recorderKey{}).(*Recorder)
	return rec
}

// Begin starts a turn that ends when end is called, and is the one hook under
// all middleware: use it for a job, an agent's step, one field of a document
// or one message of a stream. A turn begun within another is a turn of its
// own; one around it that records nothing itself does not count.
//
// end never blocks (with [WithInline] it evaluates) and may be called more than
// once. A turn that is not sampled has no recorder, and an end that does
// nothing; so has every turn of a nil Pipeline.
func (p *Pipeline) Begin(ctx context.Context) (_ context.Context, end func()) {
	c := p.begin(ctx, "")
	if c == nil {
		return unrecorded(ctx), func() {}
	}
	return c, func() { c.rec.end(ctx) }
}

// BeginRequest is [Pipeline.Begin] for middleware. id names the turn and, where
// there is no trace, decides whether it is sampled; it may be empty. end takes
// the class of the request's failure, such as "panic", or "" if there was
// none; it counts where the handler recorded no error itself.
func (p *Pipeline) BeginRequest(ctx context.Context, id string) (_ context.Context, end func(failure string)) {
	c := p.begin(ctx, id)
	if c == nil {
		return unrecorded(ctx), func(string) {}
	}
	return c, func(failure string) {
		c.rec.failed(failure)
		c.rec.end(c.Context)
	}
}

// unrecorded hides the recorder of a turn around one that is not recorded, or
// the inner turn would be written into the outer one.
func unrecorded(ctx context.Context) context.Context {
	if outer := FromContext(ctx); outer != nil {
		outer.begunWithin()
		return context.WithValue(ctx, recorderKey{}, (*Recorder)(nil))
	}
	return ctx
}

// begin returns nil for a turn that will not be recorded.
func (p *Pipeline) begin(ctx context.Context, id string) *turnContext {
	if p == nil {
		return nil
	}
	if !p.enabled.Load() {
		p.turnEnds(rag.OutcomeDisabled)
		return nil
	}
	span := spanRef(trace.SpanContextFromContext(ctx))
	if why := p.leavesOut(span, id); why != "" {
		p.turnEnds(why)
		return nil
	}
	c := &turnContext{Context: ctx, rec: Recorder{pipeline: p, turn: p.memory.get()}}
	if outer := FromContext(ctx); outer != nil {
		outer.begunWithin()
	}
	t := c.rec.turn
	t.sample.Span = span
	t.sample.ID = t.str(cutText(id, maxID))
	p.hold(t)
	return c
}

// maxID bounds the id that a request brings with it, which anybody can choose.
const maxID = 128

func (r *Recorder) begunWithin() {
	r.mu.Lock()
	r.inner = true
	r.mu.Unlock()
}

func spanRef(sc trace.SpanContext) rag.SpanRef {
	return rag.SpanRef{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
}

// record runs f on the turn if there is one to record into.
func (r *Recorder) record(f func(*turn)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != nil {
		f(r.turn)
	}
}

// Recording reports whether anything recorded now will be kept. Handlers may
// ask before they compute something only for the evaluation.
func (r *Recorder) Recording() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn != nil
}

// SetID names the turn. The middleware has set the request's id.
func (r *Recorder) SetID(id string) {
	r.record(func(t *turn) { t.sample.ID = t.str(id) })
}

// SetQuery records what the user asked.
func (r *Recorder) SetQuery(query string) {
	r.record(func(t *turn) { t.sample.Query, t.content = t.str(query), true })
}

// Retrieved records the ranked chunks that the answer will stand on, each
// method's limit, and the number found before filtering (0 if not known).
// What needs the retrieval alone is evaluated and delivered now.
//
// A second call replaces the first: after a re-ranking or another hop, record
// the list that the model gets to see. An empty list that is not nil records
// that nothing was found. Metadata of chunks is not kept.
func (r *Recorder) Retrieved(chunks []rag.Chunk, limits rag.Limits, beforeFilter int) {
	r.SetRetrieval(rag.Retrieval{Chunks: chunks, Limits: limits, BeforeFilter: beforeFilter})
}

// SetRetrieval is Retrieved for callers that have more to say, such as the
// folders that were searched.
func (r *Recorder) SetRetrieval(retrieval rag.Retrieval) {
	r.record(func(t *turn) {
		t.setRetrieval(&retrieval)
		t.content = true
		r.pipeline.offerRetrieval(t)
	})
}

// Extracted adds values that were read from the chunks.
func (r *Recorder) Extracted(xs ...rag.Extraction) {
	r.record(func(t *turn) {
		t.addExtractions(xs)
		t.content = t.content || len(xs) > 0
	})
}

// Answered records the answer and its sources. An empty text keeps what was
// streamed through Write.
func (r *Recorder) Answered(text string, citations ...rag.Citation) {
	r.SetAnswer(rag.Answer{Text: text, Citations: citations})
}

// SetAnswer is Answered for callers that have more to say, such as the
// answer's value, its confidence, or that the service abstained.
func (r *Recorder) SetAnswer(a rag.Answer) {
	r.record(func(t *turn) { t.setAnswer(&a); t.content = true })
}

// Write appends to the answer, so that a streaming handler can write to
// io.MultiWriter(w, recorder): nothing is intercepted and nothing buffered.
// It always reports success.
func (r *Recorder) Write(p []byte) (int, error) {
	r.record(func(t *turn) { t.write(p); t.content = true })
	return len(p), nil
}

// SetModel records the model that wrote the answer.
func (r *Recorder) SetModel(model string) {
	r.record(func(t *turn) { t.sample.Model = t.str(model) })
}

// Usage records what the answer cost.
func (r *Recorder) Usage(u rag.Usage) {
	r.record(func(t *turn) { t.sample.Usage = u })
}

// Stage records how long a step took, such as "retrieve". Repeated stages add
// up; a turn keeps 32.
func (r *Recorder) Stage(name string, d time.Duration) {
	r.record(func(t *turn) { t.setStage(name, d) })
}

// Tag labels the turn, for example with a tenant. A turn keeps 32.
func (r *Recorder) Tag(key, value string) {
	r.record(func(t *turn) { t.setTag(key, value) })
}

// SetError records that the turn failed: a class such as "timeout", not a
// message, which could hold user text.
func (r *Recorder) SetError(class string) {
	r.record(func(t *turn) { t.sample.Error = t.str(class) })
}

// failed is SetError for what is seen from outside: the handler knows better.
func (r *Recorder) failed(class string) {
	if class == "" {
		return
	}
	r.record(func(t *turn) {
		if t.sample.Error == "" {
			t.sample.Error = t.str(class)
		}
	})
}

// end hands the turn over. ctx is the turn's, for turns evaluated inline.
func (r *Recorder) end(ctx context.Context) {
	if r == nil {
		return
	}
	r.mu.Lock()
	t, inner := r.turn, r.inner
	r.turn = nil
	r.mu.Unlock()
	if t == nil {
		return
	}
	if !t.content && len(t.raw) == 0 {
		why := rag.OutcomeNoContent
		if inner {
			why = "" // what it stood around counts
		} else {
			r.pipeline.turnEnds(why)
		}
		r.pipeline.letGo(t, why)
		return
	}
	if t.sample.Error == "" && ctx.Err() != nil {
		t.sample.Error = "canceled"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.sample.Error = "deadline_exceeded"
		}
	}
	r.pipeline.submit(ctx, t)
}
