package spanattach

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Events returns a sink that emits a log event gen_ai.evaluation.result for
// each fresh result, with the trace and span id of the sample's span, or of
// the context's where the sample has none. The span may have ended long ago.
//
// A score has gen_ai.evaluation.score.value, and its band, if any, as
// gen_ai.evaluation.score.label; a category is the label alone. A result for
// one extracted field names it in rag.evaluation.field. The explanation holds
// those details of the result that cannot hold a user's text: whole numbers,
// truth values, and the factors and the basis of a score, cut at 256 bytes.
//
// A metric that panicked or broke its contract is an event of severity WARN
// with its reason as error.type and no value. A result that is only not
// measurable is no event: the counter rag.evaluation.unmeasured of [Metrics]
// has it.
//
// A nil provider stands for the global one.
func Events(lp log.LoggerProvider) rag.Sink {
	if lp == nil {
		lp = otel.GetLoggerProvider()
	}
	return &eventSink{lp.Logger(scopeName)}
}

type eventSink struct{ logger log.Logger }

func (k *eventSink) Consume(ctx context.Context, s *rag.Sample, e *rag.Evaluation) error {
	fresh := e.Fresh()
	if len(fresh) == 0 {
		return nil
	}
	// The request's context may hold much that a queued record must not keep.
	ctx = trace.ContextWithSpanContext(context.Background(), spanContext(ctx, s))
	if !k.logger.Enabled(ctx, log.EnabledParameters{Severity: log.SeverityInfo, EventName: EventEvaluationResult}) {
		return nil
	}
	now := time.Now()
	for i := range fresh {
		if r := &fresh[i]; r.Measured() || failed(r) {
			k.logger.Emit(ctx, event(r, now))
		}
	}
	return nil
}

func failed(r *rag.Result) bool {
	return r.Reason == rag.ReasonPanicked || r.Reason == rag.ReasonMetricError
}

func event(r *rag.Result, now time.Time) log.Record {
	var rec log.Record
	rec.SetEventName(EventEvaluationResult)
	rec.SetTimestamp(now)
	rec.SetSeverity(log.SeverityInfo)
	rec.AddAttributes(attribute.String(AttrName, r.Name))
	if r.Field != "" {
		rec.AddAttributes(attribute.String(AttrField, own(r.Field)))
	}
	if !r.Measured() {
		rec.SetSeverity(log.SeverityWarn)
		rec.AddAttributes(attribute.String(AttrErrorType, own(string(r.Reason))))
		return rec
	}
	label := r.Category
	if r.Kind != rag.KindCategorical {
		label = r.Label
		rec.AddAttributes(attribute.Float64(AttrScoreValue, r.Value))
	}
	if label != "" {
		rec.AddAttributes(attribute.String(AttrScoreLabel, own(label)))
	}
	if text := explain(r.Details); text != "" {
		rec.AddAttributes(attribute.String(AttrExplanation, text))
	}
	return rec
}

const maxExplanation = 256

// explain writes the details that cannot hold a user's text as "key=value".
func explain(details []slog.Attr) string {
	var buf [maxExplanation]byte
	out := buf[:0]
	for _, d := range details {
		start := len(out)
		if start > 0 {
			out = append(out, ' ')
		}
		out = append(append(out, d.Key...), '=')
		switch {
		case d.Value.Kind() == slog.KindInt64:
			out = strconv.AppendInt(out, d.Value.Int64(), 10)
		case d.Value.Kind() == slog.KindBool:
			out = strconv.AppendBool(out, d.Value.Bool())
		case d.Value.Kind() == slog.KindString && (d.Key == "factors" || d.Key == "basis"):
			out = append(out, d.Value.String()...)
		default:
			out = out[:start]
		}
		if len(out) > maxExplanation {
			return string(out[:start])
		}
	}
	return string(out)
}
