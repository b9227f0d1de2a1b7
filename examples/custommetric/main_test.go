package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCustomMetricScoresOrGivesAReason(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	assert.Contains(t, out.String(), "quotations_found 1.00 [quotations=1 found=1]\n")
	assert.Contains(t, out.String(), "quotations_found 0.50 [quotations=2 found=1]\n")
	assert.Contains(t, out.String(), "quotations_found not measured: no_quotations\n")
}
