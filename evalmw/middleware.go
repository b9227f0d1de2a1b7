package evalmw

import (
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// A MiddlewareOption changes which requests a middleware looks at.
type MiddlewareOption interface{ applyMiddleware(*middlewareConfig) }

type middlewareOptionFunc func(*middlewareConfig)

func (f middlewareOptionFunc) applyMiddleware(c *middlewareConfig) { f(c) }

type middlewareConfig struct {
	filters []func(*http.Request) bool
}

func newMiddlewareConfig(opts []MiddlewareOption) middlewareConfig {
	var c middlewareConfig
	for _, o := range opts {
		if o != nil {
			o.applyMiddleware(&c)
		}
	}
	return c
}

func (c *middlewareConfig) passes(r *http.Request) bool {
	for _, match := range c.filters {
		if !match(r) {
			return true
		}
	}
	return false
}

// WithFilter evaluates only the requests for which match reports true, such as
// those to one path; of several filters all must. Other requests pass untouched
// and are not counted. match is called on every request, so it must be quick
// and safe for concurrent use. A nil match is ignored.
func WithFilter(match func(*http.Request) bool) MiddlewareOption {
	return middlewareOptionFunc(func(c *middlewareConfig) {
		if match != nil {
			c.filters = append(c.filters, match)
		}
	})
}

// Middleware wraps next so that each request is a turn, whose [Recorder] the
// handler finds with [FromContext]. It does not touch the ResponseWriter, so
// streaming, hijacking and HTTP/2 work as before, and panics pass through
// unchanged. Put it inside the tracing middleware, so that the evaluation is
// attached to the request's span:
//
//	otelhttp.NewHandler(p.Middleware(handler), "query")
//
// The turn's id is the header X-Request-Id. Without a span in the context,
// the header traceparent says which span the turn belongs to. On a nil
// Pipeline, Middleware returns next.
func (p *Pipeline) Middleware(next http.Handler, opts ...MiddlewareOption) http.Handler {
	return p.wrap(next, opts, nil)
}

// wrap makes each request that the options choose a turn. prepare, if any,
// sees the turns that are recorded, before the handler.
func (p *Pipeline) wrap(next http.Handler, opts []MiddlewareOption, prepare prepareFunc) http.Handler {
	if p == nil {
		return next
	}
	cfg := newMiddlewareConfig(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cfg.passes(r) {
			next.ServeHTTP(w, r)
			return
		}
		c := p.beginRequest(r)
		if c == nil {
			if outer := FromContext(r.Context()); outer != nil {
				r = r.WithContext(unrecorded(r.Context()))
			}
			next.ServeHTTP(w, r)
			return
		}
		failure, given := "panic", r
		r = r.WithContext(c)
		defer func() { // runs on a panic too, and lets it pass
			given.Pattern = r.Pattern // tracing outside names the span by the route that a mux inside found
			c.rec.failed(failure)
			c.rec.end(c.Context)
		}()
		if prepare != nil {
			w = prepare(&c.rec, w, r)
		}
		next.ServeHTTP(w, r)
		failure = ""
	})
}

// prepareFunc may change r, which is the middleware's own copy, and returns
// the writer for the handler.
type prepareFunc func(rec *Recorder, w http.ResponseWriter, r *http.Request) http.ResponseWriter

// beginRequest returns nil for a turn that will not be recorded.
func (p *Pipeline) beginRequest(r *http.Request) *turnContext {
	ctx := r.Context()
	if tp := r.Header["Traceparent"]; len(tp) > 0 && !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	return p.begin(ctx, r.Header.Get("X-Request-Id"))
}
