package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServiceThatKnowsNothingIsEvaluated(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	assert.Contains(t, out.String(),
		`captured answer: "How tall is the Eiffel Tower?", 1 chunks, "It is 330 metres tall." by chat-mini, 27 tokens`)
	assert.Contains(t, out.String(), "rag.evaluation.context_precision=1")
}
