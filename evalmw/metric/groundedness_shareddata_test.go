package metric_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/shareddata"
	"github.com/touchstone-rag/touchstone/internal/stats"
)

// eachRow decodes the lines of a file of the shared data.
func eachRow[T any](t *testing.T, path string, yield func(*T)) {
	t.Helper()
	lines := bufio.NewScanner(shareddata.Open(t, path))
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		row := new(T)
		require.NoError(t, json.Unmarshal(lines.Bytes(), row))
		yield(row)
	}
	require.NoError(t, lines.Err())
}

// labelled gathers the values of metrics beside what people said.
type labelled struct {
	ev     *rag.Evaluator
	values map[string][]float64
	bad    map[string][]bool
}

func newLabelled(t *testing.T) *labelled {
	ev, err := rag.NewEvaluator(rag.Config{Metrics: grounded()})
	require.NoError(t, err)
	return &labelled{ev: ev, values: map[string][]float64{}, bad: map[string][]bool{}}
}

func (l *labelled) add(t *testing.T, s *rag.Sample, bad bool) *rag.Evaluation {
	t.Helper()
	ev := new(rag.Evaluation)
	l.ev.Score(s, rag.PhaseAnswer, ev)
	require.Empty(t, ev.Errs)
	for _, r := range ev.Results {
		if !r.Measured() {
			continue
		}
		risk := r.Value
		if r.Range == rag.Unit {
			risk = -risk
		}
		l.values[r.Name] = append(l.values[r.Name], risk)
		l.bad[r.Name] = append(l.bad[r.Name], bad)
	}
	return ev
}

func (l *labelled) auroc(name string) float64 { return stats.AUROC(l.values[name], l.bad[name]) }

// What the metrics are worth on the labels of people. The floors are what a change
// must not undo; docs/accuracy.md has the figures with their intervals.
func TestGroundednessAgreesWithPeople(t *testing.T) {
	for _, c := range []struct {
		task                       string
		rate, unsupported, numbers float64 // AUROC at least
	}{{"qa", .76, .78, .56}, {"summary", .70, .68, .57}, {"data2txt", .68, .63, .55}} {
		t.Run(c.task, func(t *testing.T) {
			l := newLabelled(t)
			var claims, flagged, inSpans, hit int
			type row struct {
				Question  string
				Contexts  []string
				Responses []struct {
					Answer       string
					Hallucinated bool
					Spans        []struct{ Start, End int }
				}
			}
			eachRow(t, "ragtruth/"+c.task+".jsonl", func(r *row) {
				s := &rag.Sample{Query: r.Question}
				for _, text := range r.Contexts {
					s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{Text: text})
				}
				for _, a := range r.Responses {
					s.Answer.Text = a.Answer
					rate, _ := l.add(t, s, a.Hallucinated).Find("claim_support_rate")
					for _, d := range rate.Details {
						if d.Key != "unsupported_claims" && d.Key != "supported_claims" {
							continue
						}
						for _, claim := range d.Value.Group() {
							start, end := int(claim.Value.Group()[0].Value.Int64()), int(claim.Value.Group()[1].Value.Int64())
							overlaps := false
							for _, span := range a.Spans {
								overlaps = overlaps || span.Start < end && start < span.End
							}
							claims++
							if overlaps {
								inSpans++
							}
							if d.Key == "unsupported_claims" {
								flagged++
								if overlaps {
									hit++
								}
							}
						}
					}
				}
			})
			t.Logf("AUROC: claim_support_rate %.3f, unsupported_claim_count %.3f, numeric_fabrication_count %.3f",
				l.auroc("claim_support_rate"), l.auroc("unsupported_claim_count"), l.auroc("numeric_fabrication_count"))
			t.Logf("of %d claims %d overlap a labelled span; of %d unsupported ones %d do", claims, inSpans, flagged, hit)
			assert.Greater(t, l.auroc("claim_support_rate"), c.rate)
			assert.Greater(t, l.auroc("unsupported_claim_count"), c.unsupported)
			assert.Greater(t, l.auroc("numeric_fabrication_count"), c.numbers)
			assert.Greater(t, float64(hit)/float64(flagged), 1.3*float64(inSpans)/float64(claims), "unsupported claims are where the labels are")
		})
	}
}

// Claims of an encyclopaedia and the pages cited for them.
func TestCitationContentAgreesWithPeople(t *testing.T) {
	l := newLabelled(t)
	type row struct {
		Label, Claim string
		Evidence     []string `json:"evidence_sentences"`
	}
	eachRow(t, "wice/claims.jsonl", func(r *row) {
		s := &rag.Sample{Answer: rag.Answer{Text: r.Claim + " [1]"}}
		s.Retrieval.Chunks = []rag.Chunk{{Text: strings.Join(r.Evidence, "\n")}}
		l.add(t, s, r.Label != "supported")
	})
	for _, name := range []string{"citation_validity_content", "claim_support_rate", "unsupported_claim_count"} {
		t.Logf("AUROC: %s %.3f", name, l.auroc(name))
	}
	assert.Greater(t, l.auroc("citation_validity_content"), .6)
	assert.Greater(t, l.auroc("claim_support_rate"), .68)
}

// Recorded answers to questions over company reports, with the official score:
// where a number is called fabricated the answer is nearly always wrong, and right
// answers, computed ones too, are left alone.
func TestFabricatedNumbersAreInWrongAnswers(t *testing.T) {
	corpus := map[string][]rag.Chunk{}
	eachRow(t, "demo-corpus/corpus.jsonl", func(r *struct {
		Doc  string `json:"doc_id"`
		Text string
	},
	) {
		corpus[r.Doc] = append(corpus[r.Doc], rag.Chunk{Text: r.Text})
	})
	type question struct {
		ID, Question string
		Answerable   bool
		Filters      struct {
			Doc string `json:"doc_id"`
		}
	}
	questions := map[string]*question{}
	eachRow(t, "demo-corpus/questions.jsonl", func(q *question) { questions[q.ID] = q })

	ev, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metric.NumericFabricationCount()}})
	require.NoError(t, err)
	type count struct{ wrong, right, flaggedWrong, flaggedRight int }
	systems := map[string]*count{}
	eachRow(t, "demo-corpus/recorded_answers.jsonl", func(r *struct {
		Question string `json:"question_id"`
		System   string
		Answer   string
		EM       float64 `json:"official_em"`
	},
	) {
		q := questions[r.Question]
		s := &rag.Sample{Query: q.Question, Retrieval: rag.Retrieval{Chunks: corpus[q.Filters.Doc]}, Answer: rag.Answer{Text: r.Answer}}
		e := new(rag.Evaluation)
		ev.Score(s, rag.PhaseAnswer, e)
		if !q.Answerable || !e.Results[0].Measured() || e.Results[0].Details[0].Value.Int64() == 0 {
			return
		}
		if systems[r.System] == nil {
			systems[r.System] = &count{}
		}
		c, flagged := systems[r.System], e.Results[0].Value > 0
		if r.EM == 1 {
			c.right++
			if flagged {
				c.flaggedRight++
			}
		} else {
			c.wrong++
			if flagged {
				c.flaggedWrong++
			}
		}
	})
	for _, system := range []string{"tagop", "gpt3-direct", "gpt3-cot", "codex-cot", "codex-program"} {
		c := systems[system]
		precision := float64(c.flaggedWrong) / float64(c.flaggedWrong+c.flaggedRight)
		base := float64(c.wrong) / float64(c.wrong+c.right)
		t.Logf("%-14s flagged %d of %d wrong and %d of %d right answers with numbers: precision %.2f, base rate %.2f",
			system, c.flaggedWrong, c.wrong, c.flaggedRight, c.right, precision, base)
		assert.Greater(t, precision, base+.15, system)
		assert.Less(t, float64(c.flaggedRight)/float64(c.right), .07, system)
	}
}
