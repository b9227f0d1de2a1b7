package index

import (
	"testing"

	"go.uber.org/goleak"
)

// Bleve starts its analysis workers when it is imported and never ends them.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}
