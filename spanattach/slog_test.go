package spanattach_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/spanattach"
)

func line(t *testing.T, s *rag.Sample, e *rag.Evaluation) string {
	t.Helper()
	var buf bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	require.NoError(t, spanattach.Slog(logger).Consume(t.Context(), s, e))
	return buf.String()
}

func TestSlogWritesOneLineWithoutUserText(t *testing.T) {
	e := answered(score("context_relevance", 0.82, slog.String("claim", secret)), category("recall_warning", "HIT_RETRIEVAL_LIMIT"),
		without("context_precision", rag.ReasonNoContributions))
	e.Escalation = rag.Escalation{Needed: true, Reasons: []string{"hit_limit", "low_recall"}}
	got := line(t, turn(rag.SpanRef{TraceID: [16]byte{15: 1}, SpanID: [8]byte{7: 2}, Flags: 1}), e)
	assert.Equal(t, `level=INFO msg="rag evaluation" id=r1 phase=answer trace_id=00000000000000000000000000000001 span_id=0000000000000002`+
		` rag.evaluation.context_relevance=0.82 rag.evaluation.recall_warning=HIT_RETRIEVAL_LIMIT`+
		` unmeasured.context_precision=no_contributions escalation=hit_limit,low_recall`+"\n", got)
}

func TestSlogWarnsOfAFailedMetric(t *testing.T) {
	e := answered(without("mine", rag.ReasonPanicked))
	e.Errs = []*rag.MetricError{{Metric: "mine", Reason: rag.ReasonPanicked}}
	assert.Equal(t, "level=WARN msg=\"rag evaluation\" id=r1 phase=answer unmeasured.mine=panicked\n", line(t, turn(rag.SpanRef{}), e))
}
