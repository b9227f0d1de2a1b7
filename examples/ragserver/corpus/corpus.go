// Package corpus holds the documents that the example service answers about:
// excerpts of company annual reports (one table and its paragraphs each),
// questions about them with human answers, and the real answers that five
// systems once gave to these questions. It is the development split of TAT-QA;
// origin and licences stand in the file NOTICE.
package corpus

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of chunk.
const (
	KindTable = "table"
	KindText  = "text"
)

// Chunk is a table or a paragraph of a document.
type Chunk struct {
	_ struct{}

	ID          string     `json:"chunk_id"`
	DocID       string     `json:"doc_id"`
	Title       string     `json:"title"`
	HeadingPath []string   `json:"heading_path"`
	Section     string     `json:"section"`
	Kind        string     `json:"kind"`            // KindTable or KindText
	Text        string     `json:"text"`            // a table's rows are lines, its cells separated by " | "
	Cells       [][]string `json:"cells"`           // rows of cells; nil for text
	TableID     string     `json:"source_table_id"` // empty for text
}

// Question is a question about one document, with what its annotators answered.
type Question struct {
	_ struct{}

	ID               string     `json:"id"`
	Text             string     `json:"question"`
	Filters          Filters    `json:"filters"`
	Answerable       bool       `json:"answerable"`
	AnswerableOrigin string     `json:"answerable_origin"` // human, or constructed: another document's question
	Gold             Strings    `json:"gold_answer"`       // none if not answerable
	AnswerType       string     `json:"answer_type"`       // span, multi-span, arithmetic, count, no_answer
	Numeric          *Numeric   `json:"numeric"`           // nil if the answer is not a number
	Derivation       string     `json:"derivation"`
	Evidence         []Evidence `json:"evidence"`
	SupportGroups    [][]string `json:"required_support_groups"` // chunk ids; every group must be hit
	MultiHop         bool       `json:"multi_hop"`
	AnswerFrom       string     `json:"answer_from"` // table, text, table-text, or empty
	Category         string     `json:"category"`
	Difficulty       string     `json:"difficulty"` // easy, medium, hard
	Smoke            bool       `json:"smoke"`      // one of a small fixed subset for quick runs
}

// Filters restricts a question to one document: most excerpts do not name
// their company, so a question alone seldom says which document it means.
type Filters struct {
	_ struct{}

	DocID string `json:"doc_id"`
}

// Numeric is a numeric gold answer.
type Numeric struct {
	_ struct{}

	Value         float64 `json:"value"`          // as annotated
	Scale         string  `json:"scale"`          // empty, thousand, million, billion or percent
	ExpectedValue float64 `json:"expected_value"` // Value times its scale; percent points for percent
	Unit          string  `json:"unit"`
	Currency      string  `json:"currency"` // ISO code where the gold answer shows a symbol
	Decimals      int     `json:"decimals"` // to which the official scorer rounds
}

// Evidence names a chunk that supports the gold answer.
type Evidence struct {
	_ struct{}

	ChunkID string   `json:"chunk_id"`
	DocID   string   `json:"doc_id"`
	Snippet string   `json:"snippet"`  // empty for tables and where no sentence could be told
	Cells   [][2]int `json:"cells"`    // row and column, from 0
	RowText []string `json:"row_text"` // the rows of these cells
}

// Answer is what a system answered to a question when it was run; right or wrong.
type Answer struct {
	_ struct{}

	QuestionID string  `json:"question_id"`
	System     string  `json:"system"`
	Text       string  `json:"answer"` // as produced
	Parsed     Strings `json:"parsed"` // the value or values read out of Text
	Scale      string  `json:"parsed_scale"`
	OfficialEM float64 `json:"official_em"` // exact match by the official scorer, 0 or 1
	OfficialF1 float64 `json:"official_f1"` // 0 to 1
}

// Value returns the answer without the reasoning around it, with its scale
// where one was given, or "" if the system gave none.
func (a Answer) Value() string {
	value := strings.TrimSpace(strings.Join(a.Parsed, "; "))
	if value != "" && a.Scale != "" {
		return a.Text // systems with a parsed scale produce nothing but the value
	}
	return value
}

// Corpus is the loaded corpus. It is read-only and safe for concurrent use.
type Corpus struct {
	_ struct{}

	Chunks    []Chunk
	Questions []Question
	Answers   []Answer
	Systems   []string // that answered, in order of name

	chunks    map[string]int
	questions map[string]int
	recorded  map[answerKey]int
	asked     map[string][]int
}

type answerKey struct{ question, system string }

// Load unpacks the embedded corpus, about a tenth of a second of work.
func Load() (*Corpus, error) {
	c := new(Corpus)
	if err := readLines("corpus.jsonl.gz", &c.Chunks); err != nil {
		return nil, err
	}
	if err := readLines("questions.jsonl.gz", &c.Questions); err != nil {
		return nil, err
	}
	if err := readLines("recorded_answers.jsonl.gz", &c.Answers); err != nil {
		return nil, err
	}
	return c, c.link()
}

// link builds the lookups and verifies that every id that is named exists.
func (c *Corpus) link() error {
	c.chunks = make(map[string]int, len(c.Chunks))
	docs := make(map[string]bool)
	for i, chunk := range c.Chunks {
		c.chunks[chunk.ID] = i
		docs[chunk.DocID] = true
	}
	c.questions = make(map[string]int, len(c.Questions))
	c.asked = make(map[string][]int, len(c.Questions))
	for i, q := range c.Questions {
		if !docs[q.Filters.DocID] {
			return fmt.Errorf("corpus: question %s is about document %q, which has no chunks", q.ID, q.Filters.DocID)
		}
		for _, e := range q.Evidence {
			if _, ok := c.chunks[e.ChunkID]; !ok {
				return fmt.Errorf("corpus: question %s has evidence in chunk %q, which does not exist", q.ID, e.ChunkID)
			}
		}
		c.questions[q.ID] = i
		c.asked[q.Text] = append(c.asked[q.Text], i)
	}
	c.recorded = make(map[answerKey]int, len(c.Answers))
	for i, a := range c.Answers {
		if _, ok := c.questions[a.QuestionID]; !ok {
			return fmt.Errorf("corpus: recorded answer %d is to question %q, which does not exist", i+1, a.QuestionID)
		}
		c.recorded[answerKey{a.QuestionID, a.System}] = i
		if !slices.Contains(c.Systems, a.System) {
			c.Systems = append(c.Systems, a.System)
		}
	}
	slices.Sort(c.Systems)
	return nil
}

// Chunk returns the chunk of that id.
func (c *Corpus) Chunk(id string) (Chunk, bool) {
	i, ok := c.chunks[id]
	if !ok {
		return Chunk{}, false
	}
	return c.Chunks[i], true
}

// Question returns the question of that id.
func (c *Corpus) Question(id string) (Question, bool) {
	i, ok := c.questions[id]
	if !ok {
		return Question{}, false
	}
	return c.Questions[i], true
}

// Find returns the first question of exactly that text. The same words are
// asked about several documents; a docID that is not empty tells them apart.
func (c *Corpus) Find(text, docID string) (Question, bool) {
	for _, i := range c.asked[text] {
		if q := c.Questions[i]; docID == "" || q.Filters.DocID == docID {
			return q, true
		}
	}
	return Question{}, false
}

// Asked returns the questions about a document.
func (c *Corpus) Asked(docID string) []Question {
	var list []Question
	for _, q := range c.Questions {
		if q.Filters.DocID == docID {
			list = append(list, q)
		}
	}
	return list
}

// Recorded returns what a system answered to a question.
func (c *Corpus) Recorded(questionID, system string) (Answer, bool) {
	i, ok := c.recorded[answerKey{questionID, system}]
	if !ok {
		return Answer{}, false
	}
	return c.Answers[i], true
}
