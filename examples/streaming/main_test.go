package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStreamedAnswerIsEvaluated(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	assert.Contains(t, out.String(), "data: The \n\ndata: Eiffel \n\n")
	assert.Contains(t, out.String(), "phase=answer")
	assert.Contains(t, out.String(), "rag.evaluation.context_precision=1", "the chunk that is cited ranks first")
}
