package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"unicode"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// A Case is one answer that people have judged.
type Case struct {
	_ struct{}

	Sample rag.Sample
	// Unsupported is the judgement: the answer says something that its chunks do
	// not support.
	Unsupported bool
	// Group names the source text. Answers to one source are not independent:
	// folds and intervals keep them together.
	Group string
	// Set names the data set, such as ragtruth/qa.
	Set string
	// Model wrote the answer; it may be empty.
	Model string
}

// A dataset is a labelled set, in the layout in which its folder holds it.
type dataset struct {
	_         struct{}
	name      string
	licence   string
	shippable bool // may be redistributed, and so may train the weights that ship
	read      func(fs.FS) ([]Case, error)
}

// datasets lists the labelled sets, in the order of the reports.
func datasets() []dataset {
	return []dataset{
		{name: "ragtruth/qa", licence: "MIT", shippable: true, read: ragtruth("qa")},
		{name: "ragtruth/summary", licence: "MIT", shippable: true, read: ragtruth("summary")},
		{name: "ragtruth/data2txt", licence: "MIT", shippable: true, read: ragtruth("data2txt")},
		{name: "begin", licence: "CC BY 4.0", shippable: true, read: begin},
		{name: "mtrag-human", licence: "Apache-2.0", shippable: true, read: mtrag},
		{name: "wice", licence: "ODC-BY and CC BY-SA", read: wice},
		{name: "faithbench", licence: "CC BY-NC-SA 4.0", read: faithbench},
	}
}

// ragtruth reads one task of RAGTruth: an answer with at least one span that
// annotators marked as hallucinated is unsupported.
func ragtruth(task string) func(fs.FS) ([]Case, error) {
	return func(dir fs.FS) ([]Case, error) {
		var cases []Case
		err := eachLine(dir, "ragtruth/"+task+".jsonl", func(row struct {
			ID        string   `json:"id"`
			Question  string   `json:"question"`
			Contexts  []string `json:"contexts"`
			Responses []struct {
				Model        string `json:"model"`
				Answer       string `json:"answer"`
				Hallucinated *bool  `json:"hallucinated"`
			} `json:"responses"`
		},
		) error {
			for _, r := range row.Responses {
				if r.Hallucinated == nil {
					return errors.New("hallucinated: expected true or false in each response, found none")
				}
				cases = append(cases, Case{
					Sample: sample(row.Question, r.Answer, row.Contexts...), Unsupported: *r.Hallucinated,
					Group: row.ID, Set: "ragtruth/" + task, Model: r.Model,
				})
			}
			return nil
		})
		return cases, err
	}
}

// begin reads BEGIN: "Not fully attributable" is unsupported, "Fully
// attributable" is not. Generic responses state nothing and are left out.
func begin(dir fs.FS) ([]Case, error) {
	var cases []Case
	err := eachLine(dir, "begin/cases.jsonl", func(row struct {
		Model     string `json:"model"`
		Knowledge string `json:"knowledge"`
		Message   string `json:"message"`
		Response  string `json:"response"`
		Label     string `json:"label"`
	},
	) error {
		c := Case{
			Sample: sample(row.Message, row.Response, row.Knowledge),
			Group:  sourceKey(row.Knowledge), Set: "begin", Model: row.Model,
		}
		switch row.Label {
		case "Fully attributable":
		case "Not fully attributable":
			c.Unsupported = true
		case "Generic":
			return nil
		default:
			return unknown("label", row.Label, "Fully attributable, Not fully attributable or Generic")
		}
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// faithful is the mean of the ratings, from 1 to 4, from which on an answer counts
// as supported: three raters took at most one point off between them.
const faithful = 3.5

// mtrag reads the answers to answerable turns of MTRAG that have passages: a
// mean faithfulness below 3.5 is unsupported. Turns without an answer in the
// passages are left out: there raters graded whether the model declined.
func mtrag(dir fs.FS) ([]Case, error) {
	type passage struct {
		DocID string `json:"doc_id"`
		Text  string `json:"text"`
	}
	passages := make(map[string]string)
	if err := eachLine(dir, "mtrag-human/passages.jsonl", func(p passage) error {
		passages[p.DocID] = p.Text
		return nil
	}); err != nil {
		return nil, err
	}
	type task struct {
		TaskID         string `json:"task_id"`
		ConversationID string `json:"conversation_id"`
		Turns          []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
		} `json:"turns"`
		ContextIDs    []string `json:"context_ids"`
		Answerability string   `json:"answerability"`
	}
	tasks := make(map[string]task)
	if err := eachLine(dir, "mtrag-human/tasks.jsonl", func(t task) error {
		tasks[t.TaskID] = t
		return nil
	}); err != nil {
		return nil, err
	}
	var cases []Case
	err := eachLine(dir, "mtrag-human/responses.jsonl", func(row struct {
		TaskID   string `json:"task_id"`
		Model    string `json:"model"`
		Response string `json:"response"`
		Human    struct {
			Faithfulness []float64 `json:"faithfulness"`
		} `json:"human"`
	},
	) error {
		t, ok := tasks[row.TaskID]
		if !ok {
			return unknown("task_id", row.TaskID, "a task of tasks.jsonl")
		}
		if t.Answerability != "ANSWERABLE" || len(t.ContextIDs) == 0 || len(row.Human.Faithfulness) == 0 {
			return nil
		}
		var chunks []string
		for _, id := range t.ContextIDs {
			text, ok := passages[id]
			if !ok {
				return unknown("context_ids", id, "a passage of passages.jsonl")
			}
			chunks = append(chunks, text)
		}
		query := ""
		if n := len(t.Turns); n > 0 {
			query = t.Turns[n-1].Text
		}
		sum := 0.0
		for _, rating := range row.Human.Faithfulness {
			sum += rating
		}
		cases = append(cases, Case{
			Sample:      sample(query, row.Response, chunks...),
			Unsupported: sum < faithful*float64(len(row.Human.Faithfulness)),
			Group:       t.ConversationID, Set: "mtrag-human", Model: row.Model,
		})
		return nil
	})
	return cases, err
}

// wice reads WiCE: the claim is the answer and the cited page its chunk. A claim
// that is supported in part says something that the page does not, so it counts
// as unsupported, as an answer with one bad span does in RAGTruth. Claims of one
// article share a group: they cite the same pages, or those of one site.
func wice(dir fs.FS) ([]Case, error) {
	var cases []Case
	err := eachLine(dir, "wice/claims.jsonl", func(row struct {
		Label    string   `json:"label"`
		Claim    string   `json:"claim"`
		Title    string   `json:"claim_title"`
		Evidence []string `json:"evidence_sentences"`
	},
	) error {
		c := Case{Sample: sample(row.Title, row.Claim, pages(row.Evidence)...), Set: "wice"}
		switch row.Label {
		case "supported":
		case "partially_supported", "not_supported":
			c.Unsupported = true
		default:
			return unknown("label", row.Label, "supported, partially_supported or not_supported")
		}
		c.Group = row.Title
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// pageSize is the length at which evidence that comes sentence by sentence is
// cut into chunks.
const pageSize = 1500

func pages(sentences []string) []string {
	var all []string
	var page []byte
	for _, s := range sentences {
		if len(page) > 0 && len(page)+len(s) > pageSize {
			all = append(all, string(page))
			page = page[:0]
		}
		page = append(append(page, s...), '\n')
	}
	return append(all, string(page))
}

// faithbench reads FaithBench: a summary is unsupported if the worst label that
// an annotator gave is Unwanted, and supported if it is Benign or if nobody
// marked anything. Questionable is neither and is left out.
func faithbench(dir fs.FS) ([]Case, error) {
	type source struct {
		ID   string `json:"source_id"`
		Text string `json:"text"`
	}
	sources := make(map[string]string)
	if err := eachLine(dir, "faithbench/sources.jsonl", func(s source) error {
		sources[s.ID] = s.Text
		return nil
	}); err != nil {
		return nil, err
	}
	var cases []Case
	err := eachLine(dir, "faithbench/samples.jsonl", func(row struct {
		SourceID   string `json:"source_id"`
		Summary    string `json:"summary"`
		Summarizer string `json:"summarizer"`
		Worst      string `json:"worst_label"`
	},
	) error {
		text, ok := sources[row.SourceID]
		if !ok {
			return unknown("source_id", row.SourceID, "a source of sources.jsonl")
		}
		c := Case{
			Sample: sample("", row.Summary, text), Group: sourceKey(text), Set: "faithbench", Model: row.Summarizer,
		}
		switch row.Worst {
		case "Consistent", "Benign":
		case "Unwanted":
			c.Unsupported = true
		case "Questionable":
			return nil
		default:
			return unknown("worst_label", row.Worst, "Consistent, Benign, Questionable or Unwanted")
		}
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// keyLength is how many letters and digits of a text name it. News articles of
// several ids differ in a correction further down.
const keyLength = 200

// sourceKey names a source by how its text begins, whatever its case, spaces and
// punctuation: BEGIN has many texts in two cases, for models that know no capital
// letters, and FaithBench has articles twice.
func sourceKey(text string) string {
	var key []rune
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			key = append(key, unicode.ToLower(r))
		}
		if len(key) == keyLength {
			break
		}
	}
	return string(key)
}

func sample(query, answer string, chunks ...string) rag.Sample {
	s := rag.Sample{Query: query, Answer: rag.Answer{Text: answer}}
	for i, text := range chunks {
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{ID: strconv.Itoa(i + 1), Text: text})
	}
	return s
}

func unknown(field, value, expected string) error {
	return fmt.Errorf("%s: expected %s, found %q", field, expected, value)
}

// eachLine calls use with every line of a file of JSON lines, which may be there
// as name or, compressed, as name.gz.
func eachLine[T any](dir fs.FS, name string, use func(T) error) error {
	data, err := readAll(dir, name)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, describe(err))
		}
		if err := use(row); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
	}
	return lines.Err()
}

// describe says what encoding/json found without the Go type that it looked for.
func describe(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("%s: expected a %s, found a JSON %s", wrong.Field, wrong.Type.Kind(), wrong.Value)
	} else if ok {
		return fmt.Errorf("expected a JSON object, found a JSON %s", wrong.Value)
	}
	return fmt.Errorf("expected a JSON object: %w", err)
}

func readAll(dir fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(dir, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	packed, err := dir.Open(name + ".gz")
	if err != nil {
		return nil, fmt.Errorf("%s: expected it, plain or as .gz, in the data directory: %w", name, err)
	}
	defer func() { _ = packed.Close() }()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: expected gzip: %w", name, err)
	}
	return io.ReadAll(z)
}
