package spanattach

import (
	"context"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Slog returns a sink that writes one line of level INFO for each evaluation:
// the turn's ID, the ids of its span, the results under the names of their
// span attributes (see [AppendAttributes]), the reasons of those without a
// value and of the escalation. A line with a failed metric has level WARN.
//
// A nil logger stands for slog.Default.
func Slog(logger *slog.Logger) rag.Sink {
	if logger == nil {
		logger = slog.Default()
	}
	return &slogSink{logger}
}

type slogSink struct{ logger *slog.Logger }

func (k *slogSink) Consume(ctx context.Context, s *rag.Sample, e *rag.Evaluation) error {
	level := slog.LevelInfo
	if len(e.Errs) > 0 {
		level = slog.LevelWarn
	}
	if !k.logger.Enabled(ctx, level) {
		return nil
	}
	fresh := e.Fresh()
	line := make([]slog.Attr, 0, len(fresh)+8)
	line = append(line, slog.String("id", strings.Clone(s.ID)), slog.String("phase", e.Phase.String()))
	if sc := spanContext(ctx, s); sc.IsValid() {
		line = append(line, slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String()))
	}
	for _, a := range AppendAttributes(nil, fresh) {
		line = append(line, toSlog(a))
	}
	if without := unmeasured(fresh); len(without) > 0 {
		line = append(line, slog.GroupAttrs("unmeasured", without...))
	}
	if e.Escalation.Needed {
		line = append(line, slog.String("escalation", strings.Join(e.Escalation.Reasons, ",")))
	}
	if e.Escalation.Status != "" {
		line = append(line, slog.String("escalation_status", string(e.Escalation.Status)))
	}
	k.logger.LogAttrs(ctx, level, "rag evaluation", line...)
	return nil
}

func toSlog(a attribute.KeyValue) slog.Attr {
	if a.Value.Type() == attribute.FLOAT64 {
		return slog.Float64(string(a.Key), a.Value.AsFloat64())
	}
	return slog.String(string(a.Key), a.Value.AsString())
}

// unmeasured returns metric and reason of the results without a value, once
// for each metric.
func unmeasured(results []rag.Result) []slog.Attr {
	var out []slog.Attr
	for i := range results {
		r := &results[i]
		if !r.Measured() && (len(out) == 0 || out[len(out)-1].Key != r.Name) {
			out = append(out, slog.String(r.Name, string(r.Reason)))
		}
	}
	return out
}
