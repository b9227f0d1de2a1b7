package rag

// Outcome says what became of a turn or of an escalation. It is the one
// vocabulary of the pipeline, the span reader and the collector component:
// whatever is not evaluated says why.
type Outcome string

// The outcomes of a turn. OutcomeEvaluated, failed (OutcomePanicked,
// OutcomeSinkFailed) and dropped (all others) add up to what was submitted.
const (
	OutcomeEvaluated  Outcome = "evaluated"
	OutcomeNotSampled Outcome = "not_sampled" // the sampling rate left it out
	OutcomeQueueFull  Outcome = "queue_full"  // too many turns were waiting
	OutcomeQueueBytes Outcome = "queue_bytes" // the waiting turns held too many bytes
	OutcomeCPUBudget  Outcome = "cpu_budget"  // evaluating it would have exceeded the CPU budget
	OutcomeNoContent  Outcome = "no_content"  // nothing was recorded
	OutcomeTruncated  Outcome = "truncated"   // too much was cut off for a verdict
	OutcomeLate       Outcome = "late"        // the span was let go before the evaluation came
	OutcomePanicked   Outcome = "panicked"    // the redaction, a metric, an escalator or a sink panicked
	OutcomeSinkFailed Outcome = "sink_error"  // a sink returned an error
	OutcomeDisabled   Outcome = "disabled"    // the kill switch is on
	OutcomeShutDown   Outcome = "shut_down"   // the pipeline was shut down first
)

// Failed reports whether o is a turn that was taken up but not delivered whole.
func (o Outcome) Failed() bool { return o == OutcomePanicked || o == OutcomeSinkFailed }

// Dropped reports whether o is a turn that was not scored at all.
func (o Outcome) Dropped() bool { return o != OutcomeEvaluated && !o.Failed() }

// Stats is a snapshot of a pipeline's counters, taken without stopping it.
// Once no turn is in flight it satisfies
//
//	Submitted = Turns[OutcomeEvaluated] + failed + dropped
//	Escalations.Needed = Checked + Failed + Shed + OverBudget + Unchecked
type Stats struct {
	_ struct{}

	// Enabled is false while the kill switch is on.
	Enabled bool
	// Submitted counts the turns that ended; Turns counts them by outcome.
	Submitted uint64
	Turns     map[Outcome]uint64
	// Sinks are the sinks in the order of [Config.Sinks].
	Sinks []SinkStats

	Queue       QueueStats
	CPU         CPUStats
	Escalations EscalationStats
}

// Count returns the sum of the outcomes for which is holds.
func (s Stats) Count(is func(Outcome) bool) uint64 {
	var n uint64
	for o, c := range s.Turns {
		if is(o) {
			n += c
		}
	}
	return n
}

// SinkStats describe one sink. One turn may fail at several sinks, and at one
// several times.
type SinkStats struct {
	_ struct{}

	Name   string // its Go type
	Errors uint64 // deliveries that failed
}

// QueueStats describe the queue between requests and the worker.
type QueueStats struct {
	_ struct{}

	Items, ItemsCapacity int
	Bytes, BytesCapacity int64
}

// CPUStats describe the worker's CPU budget.
type CPUStats struct {
	_ struct{}

	// Budget is the share of one core that evaluating may use; 0 is no limit.
	Budget float64
	// UsedSeconds is the time spent evaluating since the start.
	UsedSeconds float64
	// Recent is the share of one core used of late, over about a second.
	Recent float64
}

// EscalationStats count escalations by their end. Unchecked are those that no
// [Checker] was there for.
type EscalationStats struct {
	_ struct{}

	Needed, Checked, Failed, Shed, OverBudget, Unchecked uint64
	// Reasons counts the reasons of those needed; one may have several. Beyond
	// 16 different ones they count as "other".
	Reasons map[string]uint64
}
