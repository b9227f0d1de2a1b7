package evaltest_test

import (
	"context"
	"testing"
)

// exampleTB is the little of a *testing.T that an example can have.
type exampleTB struct {
	testing.TB
	cleanup []func()
}

func (e *exampleTB) Helper()                  {}
func (e *exampleTB) Context() context.Context { return context.Background() }
func (e *exampleTB) Cleanup(f func())         { e.cleanup = append(e.cleanup, f) }
func (e *exampleTB) Fatal(args ...any)        { panic(args) }
func (e *exampleTB) Fatalf(string, ...any)    { panic("the example failed") }
func (e *exampleTB) Errorf(string, ...any)    { panic("the example failed") }

func runExample(test func(testing.TB)) {
	tb := new(exampleTB)
	test(tb)
	for _, f := range tb.cleanup {
		f()
	}
}
