package evalmw

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// status is what the page shows and what its JSON says.
type status struct {
	SchemaVersion int              `json:"schema_version"`
	Enabled       bool             `json:"enabled"`
	Submitted     uint64           `json:"submitted"`
	Evaluated     uint64           `json:"evaluated"`
	Failed        uint64           `json:"failed"`
	Dropped       uint64           `json:"dropped"`
	Outcomes      []statusOutcome  `json:"outcomes"`
	Sinks         []statusSink     `json:"sinks"`
	Queue         statusQueue      `json:"queue"`
	CPU           statusCPU        `json:"cpu"`
	Escalations   statusEscalation `json:"escalations"`
	Metrics       []statusMetric   `json:"metrics"`
	Latest        []statusTurn     `json:"latest"`
	Sections      []statusSection  `json:"sections,omitempty"`
}

type statusSink struct {
	Name   string `json:"name"`
	Errors uint64 `json:"errors"`
}

type statusOutcome struct {
	Outcome rag.Outcome `json:"outcome"`
	Turns   uint64      `json:"turns"`
	Meaning string      `json:"meaning"`
}

type statusQueue struct {
	Items         int   `json:"items"`
	ItemsCapacity int   `json:"items_capacity"`
	Bytes         int64 `json:"bytes"`
	BytesCapacity int64 `json:"bytes_capacity"`
}

type statusCPU struct {
	Budget      float64 `json:"budget_cores"`
	Recent      float64 `json:"recent_cores"`
	UsedSeconds float64 `json:"used_seconds"`
}

type statusEscalation struct {
	Needed     uint64            `json:"needed"`
	Checked    uint64            `json:"checked"`
	Failed     uint64            `json:"failed"`
	Shed       uint64            `json:"shed"`
	OverBudget uint64            `json:"over_budget"`
	Unchecked  uint64            `json:"unchecked"`
	Reasons    map[string]uint64 `json:"reasons"`
}

type statusMetric struct {
	Name       string            `json:"name"`
	Measured   uint64            `json:"measured"`
	Unmeasured map[string]uint64 `json:"unmeasured,omitempty"`
	Mean       *float64          `json:"mean,omitempty"`
	Counts     bool              `json:"counts,omitempty"` // the metric counts; else its scores are from 0 to 1
	Bins       []uint64          `json:"bins,omitempty"`   // steps of 0.05; of a metric that counts 0, 1, 2, …
	Categories map[string]uint64 `json:"categories,omitempty"`
}

type statusTurn struct {
	At         time.Time      `json:"at"`
	ID         string         `json:"id,omitempty"`
	TraceID    string         `json:"trace_id,omitempty"`
	Query      string         `json:"query,omitempty"`
	Answer     string         `json:"answer,omitempty"`
	Results    []statusResult `json:"results"`
	Escalation []string       `json:"escalation,omitempty"`
	Truncated  bool           `json:"truncated,omitempty"`
}

type statusResult struct {
	Name   string   `json:"name"`
	Field  string   `json:"field,omitempty"`
	Value  *float64 `json:"value,omitempty"`
	Text   string   `json:"category,omitempty"`
	Label  string   `json:"label,omitempty"`
	Reason string   `json:"reason,omitempty"`

	counts bool
}

// Score is the value as the page shows it, empty without one.
func (r statusResult) Score() string {
	switch {
	case r.Value == nil:
		return ""
	case r.counts:
		return strconv.FormatFloat(*r.Value, 'f', 0, 64)
	}
	return num(r.Value)
}

type statusSection struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

var outcomeMeaning = map[rag.Outcome]string{
	rag.OutcomeEvaluated:  "scored and delivered to every sink",
	rag.OutcomeNotSampled: "left out by the sampling rate",
	rag.OutcomeQueueFull:  "too many turns were waiting: raise WithQueue or lower WithSampling",
	rag.OutcomeQueueBytes: "the waiting turns held too many bytes: raise WithQueue or lower WithMaxSampleBytes",
	rag.OutcomeCPUBudget:  "evaluating it would have exceeded the CPU budget: raise WithCPUBudget or lower WithSampling",
	rag.OutcomeNoContent:  "the handler recorded nothing: is it using FromContext with the request's context?",
	rag.OutcomeTruncated:  "so much was cut off that nothing could be read: raise Capture.MaxBytes",
	rag.OutcomePanicked:   "a metric, the escalator, a sink or the redaction panicked; the request was not affected",
	rag.OutcomeSinkFailed: "a sink returned an error",
	rag.OutcomeDisabled:   "the kill switch was on",
	rag.OutcomeShutDown:   "the pipeline was shut down first",
}

//go:embed status.html
var statusHTML string

// StatusHandler serves a page about the pipeline: turns by outcome and
// reason, queue and CPU budget, the distribution of each metric, the latest
// evaluations with their trace ids. It answers JSON where the Accept header
// asks for it. It shows no user text unless [WithStatusText] says so; still,
// it belongs on an admin port. On a nil Pipeline it shows nothing.
func (p *Pipeline) StatusHandler() http.Handler {
	page := template.Must(template.New("status").Funcs(template.FuncMap{
		"bar": bar, "percent": percent, "bytes": byteSize, "num": num, "sorted": sortedCounts, "pct": func(f float64) float64 { return 100 * f },
	}).Parse(statusHTML))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the status page is read with GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Vary", "Accept")
		st := p.status()
		if wantsJSON(r) {
			w.Header().Set("Content-Type", "application/json")
			enc := json.NewEncoder(w)
			enc.SetIndent("", "  ")
			_ = enc.Encode(st) // the client has gone away
			return
		}
		var buf bytes.Buffer
		if err := page.Execute(&buf, st); err != nil {
			http.Error(w, "the status page could not be rendered", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write(buf.Bytes())
	})
}

func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	json, html := strings.Index(accept, "application/json"), strings.Index(accept, "text/html")
	return json >= 0 && (html < 0 || json < html) || r.URL.Query().Get("format") == "json"
}

func (p *Pipeline) status() *status {
	if p == nil {
		return &status{SchemaVersion: 1}
	}
	s := p.Stats()
	st := &status{
		SchemaVersion: 1, Enabled: s.Enabled, Submitted: s.Submitted,
		Evaluated: s.Turns[rag.OutcomeEvaluated], Failed: s.Count(rag.Outcome.Failed), Dropped: s.Count(rag.Outcome.Dropped),
		Queue: statusQueue{s.Queue.Items, s.Queue.ItemsCapacity, s.Queue.Bytes, s.Queue.BytesCapacity},
		CPU:   statusCPU{s.CPU.Budget, s.CPU.Recent, s.CPU.UsedSeconds},
		Escalations: statusEscalation{
			s.Escalations.Needed, s.Escalations.Checked, s.Escalations.Failed, s.Escalations.Shed,
			s.Escalations.OverBudget, s.Escalations.Unchecked, s.Escalations.Reasons,
		},
	}
	for _, o := range outcomes {
		if n := s.Turns[o]; n > 0 {
			st.Outcomes = append(st.Outcomes, statusOutcome{o, n, outcomeMeaning[o]})
		}
	}
	for _, sink := range s.Sinks {
		st.Sinks = append(st.Sinks, statusSink{sink.Name, sink.Errors})
	}
	p.seen.describe(st)
	for _, sec := range p.cfg.sections {
		st.Sections = append(st.Sections, statusSection{sec.name, sectionJSON(sec.value)})
	}
	return st
}

// sectionJSON contains what a foreign section may do.
func sectionJSON(value func() any) (out json.RawMessage) {
	defer func() {
		if recover() != nil {
			out = json.RawMessage(`"this section panicked"`)
		}
	}()
	b, err := json.MarshalIndent(value(), "", "  ")
	if err != nil {
		return json.RawMessage(`"this section cannot be shown as JSON"`)
	}
	return b
}

func (s *seen) describe(st *status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.order {
		d := s.metrics[name]
		m := statusMetric{Name: name, Measured: d.measured, Unmeasured: d.reasons.snapshot(), Categories: d.categories.snapshot()}
		if d.measured > 0 && len(d.categories) == 0 {
			mean := d.sum / float64(d.measured)
			m.Mean, m.Counts, m.Bins = &mean, d.span == rag.Count, slices.Clone(d.bins[:])
		}
		st.Metrics = append(st.Metrics, m)
	}
	for i := range min(s.next, seenLatest) {
		t := &s.latest[(s.next-1-i)%seenLatest]
		out := statusTurn{
			At: t.at, ID: t.id, TraceID: t.traceID, Query: t.query, Answer: t.answer,
			Escalation: slices.Clone(t.reasons), Truncated: t.truncated, Results: []statusResult{},
		}
		for _, r := range t.results {
			x := statusResult{Name: r.Name, Field: r.Field, Text: r.Category, Label: r.Label, Reason: string(r.Reason), counts: r.Range == rag.Count}
			if r.Measured() && r.Kind == rag.KindScore {
				x.Value = &r.Value
			}
			out.Results = append(out.Results, x)
		}
		st.Latest = append(st.Latest, out)
	}
}

// The template's functions.

func percent(n, of uint64) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

func num(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *f)
}

func byteSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// How full each is, in percent.

func (q statusQueue) ItemsFill() float64 { return fill(float64(q.Items), float64(q.ItemsCapacity)) }
func (q statusQueue) BytesFill() float64 { return fill(float64(q.Bytes), float64(q.BytesCapacity)) }
func (c statusCPU) Fill() float64        { return fill(c.Recent, c.Budget) }

func fill(n, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return min(100, 100*n/of)
}

// bar is the height in percent of a bin beside the highest.
func bar(n uint64, bins []uint64) float64 {
	most := slices.Max(bins)
	if most == 0 || n == 0 {
		return 0
	}
	return max(4, 100*float64(n)/float64(most))
}

// BinLabel says which values fall into a bin.
func (m statusMetric) BinLabel(i int) string {
	switch {
	case m.Counts && i == seenBins-1:
		return fmt.Sprintf("%d and more", i)
	case m.Counts:
		return strconv.Itoa(i)
	}
	return fmt.Sprintf("%.2f–%.2f", float64(i)/seenBins, float64(i+1)/seenBins)
}

// Axis says how far the bins reach.
func (m statusMetric) Axis() string { return m.BinLabel(0) + " to " + m.BinLabel(seenBins-1) }

type countOf struct {
	Key string
	N   uint64
}

// sortedCounts returns the counts, highest first.
func sortedCounts(m map[string]uint64) []countOf {
	out := make([]countOf, 0, len(m))
	for k, n := range m {
		out = append(out, countOf{k, n})
	}
	slices.SortFunc(out, func(a, b countOf) int {
		if a.N != b.N {
			return int(min(1, max(-1, int64(b.N)-int64(a.N))))
		}
		return strings.Compare(a.Key, b.Key)
	})
	return out
}
