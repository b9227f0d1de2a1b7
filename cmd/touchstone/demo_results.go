package main

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// results is the demo's own sink: what the summary tells.
type results struct {
	mu      sync.Mutex
	turns   int
	order   []string
	metrics map[string]*metricResults
	reasons map[string]int // of escalations
	needed  int
	worst   []doubtfulTurn
	rated   []ratedAnswer
}

type metricResults struct {
	counts     bool // scores count something; else they are from 0 to 1
	scores     []float64
	categories map[string]int
	unmeasured map[string]int
}

// doubtfulTurn is a turn that the metrics speak against.
type doubtfulTurn struct {
	doubt  float64
	why    []string
	sample *rag.Sample
}

const keepWorst = 40 // turns, of which the summary shows a few different ones

func newResults() *results {
	return &results{metrics: make(map[string]*metricResults), reasons: make(map[string]int)}
}

// Consume notes a complete turn.
func (r *results) Consume(_ context.Context, s *rag.Sample, e *rag.Evaluation) error {
	if e.Phase != rag.PhaseAnswer {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns++
	r.rate(s, e)
	for i := range e.Results {
		r.count(&e.Results[i])
	}
	if e.Escalation.Needed {
		r.needed++
		for _, why := range e.Escalation.Reasons {
			r.reasons[why]++
		}
	}
	if d, why := doubt(e); d > 0 && (len(r.worst) < keepWorst || d > r.worst[len(r.worst)-1].doubt) {
		r.worst = append(r.worst, doubtfulTurn{d, why, s.Clone()})
		slices.SortStableFunc(r.worst, func(a, b doubtfulTurn) int {
			return cmp.Or(cmp.Compare(b.doubt, a.doubt), cmp.Compare(a.sample.Query, b.sample.Query))
		})
		r.worst = r.worst[:min(len(r.worst), keepWorst)]
	}
	return nil
}

func (r *results) count(x *rag.Result) {
	m := r.metrics[x.Name]
	if m == nil {
		m = &metricResults{categories: make(map[string]int), unmeasured: make(map[string]int)}
		r.metrics[x.Name] = m
		r.order = append(r.order, x.Name)
	}
	switch {
	case !x.Measured():
		m.unmeasured[string(x.Reason)]++
	case x.Kind == rag.KindCategorical:
		m.categories[x.Category]++
	default:
		m.counts = x.Range == rag.Count
		m.scores = append(m.scores, x.Value)
	}
}

// doubt adds up what the metrics hold against a turn, and says it in words.
func doubt(e *rag.Evaluation) (sum float64, why []string) {
	against := func(by float64, what string) {
		if by > 0 {
			sum += by
			why = append(why, what)
		}
	}
	for i := range e.Results {
		x := &e.Results[i]
		if !x.Measured() {
			continue
		}
		switch x.Name {
		case "semantic_validation":
			if x.Category == "fail" {
				against(1, "most values do not stand in the evidence that they quote")
			}
		case "context_recall_heuristic":
			if x.Value == 0 {
				against(1, "no retrieved chunk supports the answer")
			}
		case "multi_source_agreement":
			if x.Value <= .4 {
				against(1-x.Value, "the sources contradict each other")
			}
		case "aggregated_confidence":
			if x.Value <= .5 {
				against(1-x.Value, "confidence is low")
			}
		}
	}
	return sum, why
}
