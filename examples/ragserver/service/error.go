package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
)

// Classes of errors. They are what evaluations see of a request that failed:
// a message could hold the user's words.
const (
	BadRequest = "bad_request"
	NotFound   = "not_found"
	ModelError = "model_error" // the chat model failed
	Canceled   = "canceled"    // the caller is gone, or its time is up
	Internal   = "internal"
)

// An Error is why a request failed, in words for the caller.
type Error struct {
	_ struct{}

	Class   string
	Message string
	cause   error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, which is for the server's log alone; it may be nil.
func (e *Error) Unwrap() error { return e.cause }

// asError classifies err; otherwise is the class of what says nothing itself.
func asError(err error, otherwise string) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{Class: Canceled, Message: "the request was cancelled", cause: err}
	case errors.Is(err, answer.ErrNotRecorded):
		return &Error{Class: NotFound, Message: err.Error(), cause: err}
	case otherwise == ModelError:
		return &Error{Class: ModelError, Message: "the chat model did not answer", cause: err}
	}
	return &Error{Class: otherwise, Message: "the service failed", cause: err}
}

// log tells the operator what broke; mistakes of the caller are not worth a
// line.
func (e *Error) log(ctx context.Context) {
	if e.Class == ModelError || e.Class == Internal {
		slog.ErrorContext(ctx, "request failed", "class", e.Class, "cause", e.cause)
	}
}
