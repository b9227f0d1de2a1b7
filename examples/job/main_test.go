package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachDocumentIsATurn(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	assert.Contains(t, out.String(), "id=acme-2024 phase=answer")
	assert.Contains(t, out.String(), "id=apex-2024 phase=answer")
	assert.Contains(t, out.String(), "2 of 2 turns evaluated")
}
