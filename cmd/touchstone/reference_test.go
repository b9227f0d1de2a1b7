package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// A second, naive implementation of the inline metrics, written from the
// catalogue alone and sharing nothing with the product: maps, sorting, plain
// loops. TestScoreAgreesWithReference holds the two against each other.

type refSample struct {
	ID        string `json:"id"`
	Retrieval struct {
		Chunks       []refChunk     `json:"chunks"`
		Limits       map[string]int `json:"limits"`
		BeforeFilter int            `json:"before_filter"`
	} `json:"retrieval"`
	Extractions []refExtraction `json:"extractions"`
	Answer      struct {
		Text       string          `json:"text"`
		Citations  []refCitation   `json:"citations"`
		Confidence json.RawMessage `json:"confidence"`
	} `json:"answer"`
}

type refChunk struct {
	ID      string   `json:"id"`
	DocID   string   `json:"doc_id"`
	Rank    int      `json:"rank"`
	Text    string   `json:"text"`
	Page    string   `json:"page"`
	Score   *float64 `json:"score"`
	Methods []string `json:"methods"`
}

type refExtraction struct {
	Field       string          `json:"field"`
	Value       string          `json:"value"`
	ChunkNumber int             `json:"chunk_number"`
	Confidence  json.RawMessage `json:"confidence"`
	Evidence    string          `json:"evidence"`
	Format      string          `json:"format"`
}

type refCitation struct {
	ChunkID string `json:"chunk_id"`
	DocID   string `json:"doc_id"`
	Page    string `json:"page"`
}

// refKey names an evaluation of a sample.
type refKey struct{ name, field string }

// refResult is what the catalogue says about it. A result without value and
// category is not measured, for the reason given, or any if none is given.
type refResult struct {
	typ      string
	value    *float64
	category string
	label    string
	reason   string
}

// refMerged is a chunk after merging the rows that share its id.
type refMerged struct {
	rank      int
	score     *float64
	docID     string
	page      string
	texts     []string
	methods   map[string]bool
	positions []int
}

func (m *refMerged) hasText() bool { return strings.TrimSpace(strings.Join(m.texts, "")) != "" }

func clamp01(x float64) float64 { return min(1, max(0, x)) }

// refMerge merges rows by id. A row without an id is a chunk of its own.
func refMerge(rows []refChunk) []*refMerged {
	byID := map[string]*refMerged{}
	var merged []*refMerged
	for i, row := range rows {
		m := byID[row.ID]
		if m == nil || row.ID == "" {
			m = &refMerged{docID: row.DocID, page: row.Page, methods: map[string]bool{}}
			byID[row.ID] = m
			merged = append(merged, m)
		}
		rank := row.Rank
		if rank == 0 {
			rank = i + 1
		}
		if m.rank == 0 || rank < m.rank {
			m.rank = rank
		}
		if row.Score != nil {
			if s := clamp01(*row.Score); m.score == nil || s > *m.score {
				m.score = &s
			}
		}
		for _, method := range row.Methods {
			m.methods[method] = true
		}
		m.texts = append(m.texts, row.Text)
		m.positions = append(m.positions, i+1)
	}
	return merged
}

// reference evaluates the sample as the catalogue says. recall_warning is
// there only when it is flagged.
func reference(s *refSample) map[refKey]refResult {
	out := map[refKey]refResult{}
	chunks := refMerge(s.Retrieval.Chunks)
	hit, filtered := refWarnings(s, chunks)

	out[refKey{"context_relevance", ""}] = refRelevance(s, chunks)
	switch {
	case hit:
		out[refKey{"recall_warning", ""}] = refResult{typ: "categorical", category: "HIT_RETRIEVAL_LIMIT"}
	case filtered:
		out[refKey{"recall_warning", ""}] = refResult{typ: "categorical", category: "HIGH_THRESHOLD_FILTERING"}
	}

	precision, recall := refResult{typ: "score"}, refResult{typ: "score"}
	contributing, basis := refContributing(s, chunks)
	switch {
	case len(chunks) == 0:
		recall.reason = "no_chunks"
	case !basis:
		recall.reason = "no_contributions"
	default:
		v := float64(len(contributing)) / float64(len(chunks))
		if hit {
			v *= 0.7
		} else if filtered {
			v *= 0.85
		}
		recall.value = &v
	}
	if len(contributing) == 0 {
		if len(chunks) > 0 {
			precision.reason = "no_contributions"
		}
	} else {
		top := 0
		for m := range contributing {
			if m.rank <= 10 {
				top++
			}
		}
		v := min(1, float64(top)/float64(min(10, len(contributing))))
		precision.value = &v
	}
	out[refKey{"context_precision", ""}] = precision
	out[refKey{"context_recall_heuristic", ""}] = recall

	fields := map[string][]refExtraction{}
	for _, e := range s.Extractions {
		fields[e.Field] = append(fields[e.Field], e)
	}
	if len(fields) == 0 {
		fields[""] = nil
	}
	for field, list := range fields {
		out[refKey{"aggregated_confidence", field}] = refConfidence(s, list)
		out[refKey{"semantic_validation", field}] = refValidation(list)
		out[refKey{"multi_source_agreement", field}], out[refKey{"agreement_pattern", field}] = refAgreement(list)
	}
	return out
}

func refWarnings(s *refSample, chunks []*refMerged) (hit, filtered bool) {
	for method, limit := range s.Retrieval.Limits {
		n := 0
		for _, m := range chunks {
			if m.methods[method] {
				n++
			}
		}
		if n >= limit {
			hit = true
		}
	}
	if s.Retrieval.Chunks == nil {
		// The catalogue says "needs counts only", and also that a missing input is
		// not zero: how many were kept is one of the counts, and not known here.
		return hit, false
	}
	before := s.Retrieval.BeforeFilter
	return hit, before > 0 && float64(len(chunks))/float64(before) < 0.5
}

func refRelevance(s *refSample, chunks []*refMerged) refResult {
	r := refResult{typ: "score"}
	if len(chunks) == 0 {
		r.reason = "no_chunks"
		return r
	}
	var sum, weights float64
	methods := map[string]bool{}
	for method := range s.Retrieval.Limits {
		methods[method] = true
	}
	union, both := 0, 0
	scores := []float64{}
	pages := map[[2]string]bool{}
	for _, m := range chunks {
		for method := range m.methods {
			methods[method] = true
		}
		if len(m.methods) >= 1 {
			union++
		}
		if len(m.methods) >= 2 {
			both++
		}
		if m.score != nil {
			scores = append(scores, *m.score)
		}
		if m.page != "" {
			pages[[2]string{m.docID, m.page}] = true
		}
	}
	if len(methods) >= 2 {
		weights += 0.4
		sum += 0.4 * float64(both) / float64(max(union, 1))
	}
	if len(scores) > 0 {
		total := 0.0
		for _, x := range scores {
			total += x
		}
		weights += 0.5
		sum += 0.5 * total / float64(len(scores))
	}
	if len(pages) > 0 {
		weights += 0.1
		sum += 0.1 * min(float64(len(pages))/5, 1)
	}
	if weights == 0 {
		return r
	}
	v := sum / weights
	r.value = &v
	switch {
	case v > 0.7:
		r.label = "good"
	case v < 0.4:
		r.label = "investigate"
	default:
		r.label = "acceptable"
	}
	return r
}

// refContributing returns the contributing chunks, and whether there is a
// basis to tell.
func refContributing(s *refSample, chunks []*refMerged) (set map[*refMerged]bool, basis bool) {
	set = map[*refMerged]bool{}
	switch {
	case len(s.Extractions) > 0:
		for _, e := range s.Extractions {
			for _, m := range chunks {
				if slices.Contains(m.positions, e.ChunkNumber) {
					set[m] = true
				}
			}
		}
		return set, true
	case len(s.Answer.Citations) > 0:
		for _, c := range s.Answer.Citations {
			for _, m := range chunks {
				row := s.Retrieval.Chunks[m.positions[0]-1]
				byID := c.ChunkID != "" && c.ChunkID == row.ID
				byPage := c.ChunkID == "" && c.DocID == m.docID && c.Page == m.page
				if byID || byPage {
					set[m] = true
				}
			}
		}
		return set, true
	case strings.TrimSpace(s.Answer.Text) != "" && slices.ContainsFunc(chunks, (*refMerged).hasText):
		for sentence := range strings.SplitSeq(s.Answer.Text, ".") {
			sentence = strings.TrimSpace(sentence)
			for _, m := range chunks {
				if sentence != "" && strings.Contains(strings.Join(m.texts, "\n"), sentence) {
					set[m] = true
				}
			}
		}
		return set, true
	}
	return set, false
}

// refStated reads a confidence: a number, or one of three words.
func refStated(raw json.RawMessage) (float64, bool) {
	switch string(raw) {
	case "", "null":
		return 0, false
	case `"HIGH"`:
		return 0.90, true
	case `"MEDIUM"`:
		return 0.75, true
	case `"LOW"`:
		return 0.50, true
	}
	var v float64
	if json.Unmarshal(raw, &v) != nil {
		return 0, false
	}
	return clamp01(v), true
}

func refConfidence(s *refSample, list []refExtraction) refResult {
	r := refResult{typ: "score"}
	v, ok := 0.0, false
	if len(list) == 1 {
		v, ok = refStated(list[0].Confidence)
	}
	if !ok {
		v, ok = refStated(s.Answer.Confidence)
	}
	switch {
	case !ok && len(list) == 0:
		return r
	case !ok:
		v = 0.70
	}
	for _, e := range list {
		if !refFormatHolds(e) {
			v = min(v, 0.50)
		}
	}
	r.value = &v
	return r
}

func refValidation(list []refExtraction) refResult {
	r := refResult{typ: "categorical"}
	if len(list) == 0 {
		return r
	}
	passed, validated := 0, 0
	for _, e := range list {
		if strings.TrimSpace(e.Evidence) == "" || strings.TrimSpace(e.Value) == "" {
			continue
		}
		validated++
		if refStands(e.Value, e.Evidence) {
			passed++
		}
	}
	switch {
	case validated == 0:
		r.category = "skipped"
	case 2*passed >= validated:
		r.category = "pass"
	default:
		r.category = "fail"
	}
	return r
}

func refAgreement(list []refExtraction) (agreement, pattern refResult) {
	agreement, pattern = refResult{typ: "score"}, refResult{typ: "categorical"}
	counts, n, most := map[string]int{}, 0, 0
	for _, e := range list {
		if strings.TrimSpace(e.Value) == "" {
			continue
		}
		n++
		key := refNormal(e.Value)
		counts[key]++
		most = max(most, counts[key])
	}
	if n == 0 {
		if len(list) > 0 {
			agreement.reason, pattern.reason = "no_values", "no_values"
		}
		return agreement, pattern
	}
	v := float64(most) / float64(n)
	agreement.value = &v
	switch {
	case v > 0.95:
		pattern.category = "unanimous"
	case v > 0.70:
		pattern.category = "majority"
	case v > 0.40:
		pattern.category = "mixed"
	default:
		pattern.category = "conflicting"
	}
	return agreement, pattern
}
