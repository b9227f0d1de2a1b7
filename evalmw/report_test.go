package evalmw_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func TestErrorHandlerIsToldOncePerSecondAndPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := newPipeline(t, rag.Config{
			Metrics: []rag.Metric{{Name: "bad", Score: func(*rag.View) rag.Result { panic("user text") }}},
			Sinks: []rag.Sink{rag.SinkFunc(func(context.Context, *rag.Sample, *rag.Evaluation) error {
				return errors.New("no route")
			})},
		}, evalmw.WithErrorHandler(func(err error) { told = append(told, err.Error()); panic("the handler's own") }))
		for range 10 {
			turn(p, "r", "x")
		}
		require.NoError(t, p.Flush(t.Context()))
		want := []string{"sink 0, rag.SinkFunc: no route", "metric bad: panicked: a value of type string"}
		assert.Equal(t, want, told)
		time.Sleep(2 * time.Second)
		turn(p, "r", "x")
		require.NoError(t, p.Shutdown(t.Context()))
		assert.Equal(t, append(want, want...), told)
	})
}
