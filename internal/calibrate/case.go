package calibrate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Case is a labelled turn as the model sees it.
type Case struct {
	_ struct{}

	Features    []float64 // as metric.RiskFeatureNames
	Length      float64   // of the answer, in characters
	Unsupported bool
	Judged      bool   // by a judge, not by people
	Group       string // cases of one source; they are not independent
}

// A Label says whether the answer of a turn is supported by its chunks.
type Label struct {
	_ struct{}

	Supported bool
	Judged    bool // it comes from a judge's score
	Group     string
}

// The keys of a label, at the top level of a sample or of a line of its own.
const (
	keySupported  = "supported"   // true or false
	keyLabel      = "label"       // one of the words below
	keyJudgeScore = "judge_score" // 0..1, 1 = supported
	keyGroup      = "group"       // a string or a number
)

// words are the labels that people and tools write.
var words = map[string]bool{
	"supported": true, "grounded": true, "faithful": true, "pass": true,
	"unsupported": false, "ungrounded": false, "unfaithful": false, "hallucinated": false, "fail": false,
}

// LabelOf returns the label that a sample carries among its unknown keys, and
// false where it carries none. A judge's score counts as supported from
// threshold on; a verdict of people beside it has precedence. Two verdicts of
// people must agree.
func LabelOf(s *rag.Sample, threshold float64) (Label, bool, error) {
	group, err := groupKey(s)
	l := Label{Group: group}
	if err != nil {
		return l, false, err
	}
	verdict, decided := s.Metadata[keySupported].(bool)
	if v := s.Metadata[keySupported]; v != nil && !decided {
		return l, false, wrong(keySupported, "true or false", v)
	}
	if v := s.Metadata[keyLabel]; v != nil {
		word, isString := v.(string)
		supported, known := words[strings.ToLower(word)]
		switch {
		case !isString:
			return l, false, wrong(keyLabel, "supported or unsupported", v)
		case !known:
			return l, false, fmt.Errorf("%s: expected supported or unsupported, found another word", keyLabel)
		case decided && supported != verdict:
			return l, false, fmt.Errorf("%s: expected what %q says, found the opposite; settle them first", keyLabel, keySupported)
		}
		verdict, decided = supported, true
	}
	if decided {
		l.Supported = verdict
		return l, true, nil
	}
	if v := s.Metadata[keyJudgeScore]; v != nil {
		const want = "a number from 0 to 1"
		n, isNumber := v.(json.Number)
		if !isNumber {
			return l, false, wrong(keyJudgeScore, want, v)
		}
		score, err := n.Float64()
		if err != nil || !(score >= 0 && score <= 1) {
			return l, false, fmt.Errorf("%s: expected %s, found another number", keyJudgeScore, want)
		}
		l.Supported, l.Judged = score >= threshold, true
		return l, true, nil
	}
	return l, false, nil
}

// wrong describes the type of a value without quoting it: a label may be a
// user's text.
func wrong(key, want string, v any) error {
	got := "an array"
	switch v.(type) {
	case bool:
		got = "a boolean"
	case string:
		got = "a string"
	case json.Number:
		got = "a number"
	case map[string]any:
		got = "an object"
	}
	return fmt.Errorf("%s: expected %s, found %s", key, want, got)
}

// groupKey is the group that a sample names, at the top level or among its tags.
func groupKey(s *rag.Sample) (string, error) {
	switch v := s.Metadata[keyGroup].(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case nil:
		return s.Tags[keyGroup], nil
	default:
		return "", wrong(keyGroup, "a string or a number", v)
	}
}

// groupOf names the source of a turn that names none: its chunks' texts in any
// order, since answers to the same texts stand and fall together.
func groupOf(s *rag.Sample) string {
	texts := make([]string, len(s.Retrieval.Chunks))
	for i := range s.Retrieval.Chunks {
		texts[i] = s.Retrieval.Chunks[i].Text
	}
	slices.Sort(texts)
	h := sha256.New()
	for _, text := range slices.Compact(texts) {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // a hash takes everything
	}
	return "chunks:" + hex.EncodeToString(h.Sum(nil)[:12])
}

// extractor computes the features of samples, one after the other.
type extractor struct {
	evaluator *rag.Evaluator
	features  []float64
	reason    rag.Reason
}

func newExtractor(base *metric.RiskModel) (*extractor, error) {
	x := new(extractor)
	risk := metric.SupportRisk(metric.WithRiskModel(base))
	var err error
	x.evaluator, err = rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{{
		Name: "features",
		Score: func(v *rag.View) rag.Result {
			if x.reason = risk.Score(v).Reason; x.reason == "" {
				x.features = metric.AppendRiskFeatures(nil, v)
			}
			return rag.Result{}
		},
	}}})
	return x, err
}

// extract returns the case of a sample, or the reason why support_risk has no
// value for it.
func (x *extractor) extract(s *rag.Sample, l Label) (Case, rag.Reason, error) {
	var ev rag.Evaluation
	x.features, x.reason = nil, ""
	x.evaluator.Score(s, rag.PhaseAnswer, &ev)
	if len(ev.Errs) > 0 {
		return Case{}, "", errors.New(ev.Errs[0].Error())
	}
	c := Case{
		Features: x.features, Length: float64(utf8.RuneCountInString(s.Answer.Text)),
		Unsupported: !l.Supported, Judged: l.Judged, Group: l.Group,
	}
	if c.Group == "" {
		c.Group = groupOf(s)
	}
	return c, x.reason, nil
}
