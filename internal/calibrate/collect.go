package calibrate

import (
	"errors"
	"fmt"
	"iter"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// Input counts what was read.
type Input struct {
	_ struct{}

	Samples    int                `json:"samples"`
	Unlabelled int                `json:"unlabelled"`           // samples without a label
	Unmeasured map[rag.Reason]int `json:"unmeasured,omitempty"` // labelled samples without a support_risk
	Orphans    int                `json:"labels_without_sample"`
}

// A Collector gathers cases. Make one with [NewCollector].
type Collector struct {
	_ struct{}

	Cases []Case
	Input Input

	extractor *extractor
	threshold float64
	labels    map[string]joined // nil: the samples carry them
	problem   func(error)
}

type joined struct {
	Label
	used bool
}

// NewCollector returns a collector that computes features, and leaves out the
// turns for which support_risk under the base model has no value. A judge's score
// counts as supported from threshold on. What is wrong with a line or a label is
// handed to problem, and the line is left out.
func NewCollector(base *metric.RiskModel, threshold float64, problem func(error)) (*Collector, error) {
	x, err := newExtractor(base)
	return &Collector{extractor: x, threshold: threshold, problem: problem, Input: Input{Unmeasured: map[rag.Reason]int{}}}, err
}

// Labels reads labels that stand apart from their samples: a line each, with the
// sample's id. From then on labels within samples are not looked at. An error
// is the reader's.
func (c *Collector) Labels(lines iter.Seq2[*rag.Sample, error]) error {
	if c.labels == nil {
		c.labels = map[string]joined{}
	}
	return c.each(lines, func(s *rag.Sample) error {
		l, ok, err := LabelOf(s, c.threshold)
		switch _, twice := c.labels[s.ID]; {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("expected one of the keys %s, %s and %s, found none", keySupported, keyLabel, keyJudgeScore)
		case twice:
			return errors.New("expected one label, found a second; settle them first")
		}
		c.labels[s.ID] = joined{Label: l}
		return nil
	})
}

// Samples reads samples, whose labels are those given to [Collector.Labels], or
// else their own. An error is the reader's.
func (c *Collector) Samples(lines iter.Seq2[*rag.Sample, error]) error {
	return c.each(lines, func(s *rag.Sample) error {
		c.Input.Samples++
		l, ok, err := c.label(s)
		if err != nil {
			return err
		}
		if !ok {
			c.Input.Unlabelled++
			return nil
		}
		k, reason, err := c.extractor.extract(s, l)
		switch {
		case err != nil:
			return err
		case reason != "":
			c.Input.Unmeasured[reason]++
		default:
			c.Cases = append(c.Cases, k)
		}
		return nil
	})
}

func (c *Collector) label(s *rag.Sample) (Label, bool, error) {
	if c.labels == nil {
		return LabelOf(s, c.threshold)
	}
	j, ok := c.labels[s.ID]
	if !ok {
		return Label{}, false, nil
	}
	if j.used {
		return Label{}, false, errors.New("expected an id of its own, since labels are joined by id; found it a second time")
	}
	j.used = true
	c.labels[s.ID] = j
	if j.Group != "" {
		return j.Label, true, nil
	}
	var err error
	j.Group, err = groupKey(s)
	return j.Label, err == nil, err
}

// Done counts the labels that found no sample.
func (c *Collector) Done() {
	for _, j := range c.labels {
		if !j.used {
			c.Input.Orphans++
		}
	}
}

// each hands every line that can be read to use, and every problem to the
// collector's function.
func (c *Collector) each(lines iter.Seq2[*rag.Sample, error], use func(*rag.Sample) error) error {
	for s, err := range lines {
		if _, badLine := errors.AsType[*rag.InputError](err); badLine {
			c.problem(err)
			continue
		}
		if err != nil {
			return err
		}
		if err := use(s); err != nil {
			c.problem(fmt.Errorf("sample %q: %w", s.ID, err))
		}
	}
	return nil
}
