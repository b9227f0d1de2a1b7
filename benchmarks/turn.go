package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// The turn that everything is measured with: ten chunks of 1,500 characters,
// two of which overlap by 200, an answer of 600 and five extracted values.
const (
	turnChunks   = 10
	chunkLength  = 1500
	chunkOverlap = 200
	answerLength = 600
)

func newTurn() *rag.Sample {
	text := english((turnChunks+2)*chunkLength + answerLength)
	s := &rag.Sample{
		ID: "4bf92f3577b34da6", Query: "What makes the colours of natural bodies?",
		Retrieval: rag.Retrieval{Limits: rag.Limits{"bm25": 20, "knn": 20}, BeforeFilter: 57},
	}
	from := 0
	for i := range turnChunks {
		if i == 1 {
			from -= chunkOverlap
		}
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{
			ID: "opticks-" + strconv.Itoa(i), DocID: "opticks", Rank: i + 1, Text: text[from : from+chunkLength],
			Score: rag.Some(0.9 - float64(i)/20), Methods: []string{"bm25", "knn"}, Space: "text", Page: strconv.Itoa(i + 1),
		})
		from += chunkLength
	}
	for i := range 5 {
		s.Extractions = append(s.Extractions, rag.Extraction{
			Field: "speed", Value: strconv.Itoa(200+i/4) + " km/s", ChunkNumber: i + 1, Confidence: rag.Some(0.9),
			Evidence: text[i*chunkLength : i*chunkLength+60], Format: "number",
		})
	}
	s.Answer = rag.Answer{
		Text:      text[from : from+answerLength],
		Citations: []rag.Citation{{ChunkID: "opticks-0"}, {ChunkID: "opticks-3"}},
	}
	return s
}

// english returns n bytes of Newton's Opticks, which comes with Go, so that
// every machine measures the same bytes; or of something like it.
func english(n int) string {
	var b strings.Builder
	if text, err := os.ReadFile(filepath.Join(goroot(), "src", "testdata", "Isaac.Newton-Opticks.txt")); err == nil {
		text = text[len(text)/4:] // behind the front matter
		for _, c := range text[:min(2*n, len(text))] {
			if c < 0x80 {
				b.WriteByte(c)
			}
		}
	}
	words := strings.Fields("the rays of light which differ in colour also in degrees refrangibility by experiment and glass")
	for i := 0; b.Len() < n; i++ {
		b.WriteString(words[i*i%len(words)] + " ")
	}
	return b.String()[:n]
}

const gorootEnv = "GOROOT"

func goroot() string {
	if dir := os.Getenv(gorootEnv); dir != "" {
		return dir
	}
	out, err := exec.CommandContext(context.Background(), "go", "env", gorootEnv).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// record takes the turn down as a handler would.
func record(ctx context.Context, s *rag.Sample) {
	rec := evalmw.FromContext(ctx)
	rec.SetQuery(s.Query)
	rec.Retrieved(s.Retrieval.Chunks, s.Retrieval.Limits, s.Retrieval.BeforeFilter)
	rec.Extracted(s.Extractions...)
	rec.Answered(s.Answer.Text, s.Answer.Citations...)
}

// noMetric costs nothing, so that what is left is the path to it.
var noMetric = rag.Metric{
	Name: "none", Doc: "Nothing.",
	Score: func(*rag.View) rag.Result { return rag.Result{} },
}

func newPipeline(cfg rag.Config, opts ...evalmw.Option) (*evalmw.Pipeline, error) {
	ev, err := rag.NewEvaluator(cfg)
	if err != nil {
		return nil, err
	}
	return evalmw.New(ev, opts...), nil
}

// flushing is a loop's between: as many turns as a busy server has in its queue
// when the worker wakes up. So every turn makes the whole trip, although a loop
// hands over faster than any server.
func flushing(p *evalmw.Pipeline) func() { return func() { flush(p) } }

func flush(p *evalmw.Pipeline) {
	if err := p.Flush(context.Background()); err != nil {
		panic(err) // the context does not end
	}
}

// allEvaluated says whether every turn made the whole trip.
func allEvaluated(p *evalmw.Pipeline) error {
	flush(p)
	if s := p.Stats(); s.Submitted == 0 || s.Turns[rag.OutcomeEvaluated] != s.Submitted {
		return errors.New("expected every turn to be evaluated: the figures are those of dropped ones")
	}
	return nil
}
