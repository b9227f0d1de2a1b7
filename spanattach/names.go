package spanattach

// Names of the GenAI semantic conventions. They are written out because the
// conventions are under development and no Go package with them is stable.
const (
	EventEvaluationResult = "gen_ai.evaluation.result"

	AttrName        = "gen_ai.evaluation.name"
	AttrScoreValue  = "gen_ai.evaluation.score.value"
	AttrScoreLabel  = "gen_ai.evaluation.score.label"
	AttrExplanation = "gen_ai.evaluation.explanation"
	AttrErrorType   = "error.type"
)

// Touchstone's own attributes. A metric's span attribute is AttrPrefix and its
// name.
const (
	AttrPrefix   = "rag.evaluation."
	AttrOutcome  = AttrPrefix + "outcome"  // a rag.Outcome, or a rag.EscalationStatus or "unchecked" on escalations
	AttrReason   = AttrPrefix + "reason"   // why a metric has no value, or why a turn is escalated
	AttrCategory = AttrPrefix + "category" // the value of a categorical metric
	AttrField    = AttrPrefix + "field"    // the extracted field that a result speaks of
)

// AttrSpanKind is OpenInference's kind of a span; see [LinkedSpans].
const AttrSpanKind = "openinference.span.kind"

// The instruments of [Metrics] and [Observe].
const (
	MetricScore             = "rag.evaluation.score"
	MetricCount             = "rag.evaluation.count"
	MetricCategories        = "rag.evaluation.categories"
	MetricUnmeasured        = "rag.evaluation.unmeasured"
	MetricTurns             = "rag.evaluation.turns"
	MetricEscalations       = "rag.evaluation.escalations"
	MetricEscalationReasons = "rag.evaluation.escalation.reasons"
	MetricQueueSize         = "rag.evaluation.queue.size"
	MetricQueueCapacity     = "rag.evaluation.queue.capacity"
)

const scopeName = "github.com/touchstone-rag/touchstone/spanattach"
