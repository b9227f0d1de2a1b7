// Package evalmw evaluates a live RAG service, request by request, without
// ever holding a request up.
//
// A [Pipeline] hands each request a [Recorder] through its context. The
// handler tells it what was asked, retrieved and answered; when the request
// ends, the turn goes into a bounded queue and a worker with a CPU budget of
// its own scores it, decides whether it deserves a second look, and delivers
// the result to the sinks of its [rag.Evaluator].
//
//	request ── Recorder ──▶ queue (items, bytes) ──▶ worker (CPU budget) ──▶ sinks
//	                          │ full: drop and count          └─ doubtful ──▶ pool of checks
//
// What cannot be afforded is dropped and counted by reason; see
// [Pipeline.Stats] and [Pipeline.StatusHandler]. For every turn,
// submitted = evaluated + failed + dropped.
//
// [Pipeline.Middleware] serves net/http, package evalgrpc serves gRPC, and
// [Pipeline.Begin] is the hook under both. A service that cannot be edited is
// read from outside with [Pipeline.Capture] and [Pipeline.Transport].
//
// The package imports rag, the OpenTelemetry trace API and httpsnoop; never
// the SDK, gRPC or a vendor.
package evalmw
