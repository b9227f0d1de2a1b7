package evalmw

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

const defaultCaptureBytes = 1 << 20

// captureMap is a Capture made ready.
type captureMap struct {
	Capture
	query, answer, chunks, citations path
	chunkID, chunkDoc, text, score   []path
}

func newCaptureMap(c Capture) *captureMap {
	if c.MaxBytes <= 0 {
		c.MaxBytes = defaultCaptureBytes
	}
	return &captureMap{
		Capture: c, query: parsePath(c.Query), answer: parsePath(c.Answer),
		chunks: parsePath(c.Chunks), citations: parsePath(c.Citations),
		chunkID:  pathOr(c.ChunkID, "id", "chunk_id"),
		chunkDoc: pathOr(c.ChunkDoc, "doc_id", "source", "url"),
		text:     pathOr(c.ChunkText, "text", "content", "page_content", "snippet"),
		score:    pathOr(c.ChunkScore, "score", "relevance_score"),
	}
}

// readRaw fills in what the handler did not record from the bodies that were
// captured. It runs on the worker, and says why nothing came of it, if so.
func (t *turn) readRaw() rag.Outcome {
	for i := range t.raw {
		b := &t.raw[i]
		switch b.kind {
		case requestBody:
			t.readRequest(b)
		case responseBody:
			t.readResponse(b)
		case modelReply: // there is at most one
			t.readModelReply(b)
			if request := t.rawBody(modelRequest, b.call); request != nil {
				t.readModelRequest(request)
			}
		}
	}
	t.sample.Truncated = t.sample.Truncated || t.arena.cut
	switch s := &t.sample; {
	case t.content, s.Retrieval.Chunks != nil, !s.Answer.Empty():
		return ""
	case s.Truncated:
		return rag.OutcomeTruncated
	}
	return rag.OutcomeNoContent
}

func (t *turn) readRequest(b *rawBody) {
	if t.sample.Query != "" || len(t.capture.query) == 0 {
		return
	}
	for doc := range t.documents(b) {
		t.sample.Query = t.str(texts(t.capture.query.in(doc)))
	}
}

func (t *turn) readResponse(b *rawBody) {
	m := t.capture
	if m.Answer == "*" && !b.is("application/json") && !b.is("text/event-stream") {
		if t.sample.Answer.Text == "" {
			t.sample.Answer.Text = t.str(trimPartial(string(t.data(b))))
		}
		return
	}
	var answer strings.Builder
	var chunks []rag.Chunk
	var citations []rag.Citation
	if m.Answer == "*" && b.is("text/event-stream") {
		answer.WriteString(t.plainEvents(b))
	}
	for doc := range t.documents(b) {
		answer.WriteString(texts(m.answer.in(doc)))
		if found, ok := m.chunksIn(doc); ok {
			chunks = found
		}
		for _, v := range flatten(m.citations.in(doc)) {
			if id := texts([]any{v}); id != "" {
				citations = append(citations, rag.Citation{ChunkID: id})
			}
		}
	}
	if t.sample.Retrieval.Chunks == nil && chunks != nil {
		t.setRetrieval(&rag.Retrieval{Chunks: chunks})
	}
	if t.sample.Answer.Text == "" {
		t.sample.Answer.Text = t.str(answer.String())
	}
	if len(t.sample.Answer.Citations) == 0 {
		t.setCitations(citations)
	}
}

// chunksIn reads the list of chunks and reports whether there is one.
func (m *captureMap) chunksIn(doc any) ([]rag.Chunk, bool) {
	lists := m.chunks.in(doc)
	if len(lists) == 0 || lists[0] == nil {
		return nil, false
	}
	out := []rag.Chunk{}
	for _, item := range flatten(lists) {
		if len(out) > maxItems {
			break // the turn will not take them
		}
		if s, ok := item.(string); ok {
			out = append(out, rag.Chunk{Text: s})
			continue
		}
		c := rag.Chunk{ID: firstText(item, m.chunkID), DocID: firstText(item, m.chunkDoc), Text: firstText(item, m.text)}
		if n, err := strconv.ParseFloat(firstText(item, m.score), 64); err == nil {
			c.Score = rag.Some(n)
		}
		out = append(out, c)
	}
	return out, true
}

// The places in OpenAI-compatible bodies: chat and plain completions, and the
// responses API, whole and streamed.
var (
	modelQuery  = []path{parsePath("input"), parsePath("prompt")}
	modelAnswer = []path{
		parsePath("choices.0.message.content"), parsePath("choices.0.message.content.*.text"),
		parsePath("choices.0.delta.content"), parsePath("choices.0.text"),
	}
	modelChoice = parsePath("choices.0.index")
	modelParts  = parsePath("output.*.content.*")
	modelName   = []path{parsePath("model"), parsePath("response.model")}
	modelInput  = []path{parsePath("usage.prompt_tokens"), parsePath("usage.input_tokens"), parsePath("response.usage.input_tokens")}
	modelOutput = []path{parsePath("usage.completion_tokens"), parsePath("usage.output_tokens"), parsePath("response.usage.output_tokens")}
	modelType   = parsePath("type")
	modelDelta  = parsePath("delta")
	modelText   = parsePath("text")
)

func (t *turn) readModelRequest(b *rawBody) {
	for doc := range t.documents(b) {
		if t.sample.Query == "" {
			t.sample.Query = t.str(userMessage(doc))
		}
	}
}

func (t *turn) readModelReply(b *rawBody) {
	var answer strings.Builder
	var used rag.Usage
	for doc := range t.documents(b) {
		answer.WriteString(answerIn(doc))
		if t.sample.Model == "" {
			t.sample.Model = t.str(firstText(doc, modelName))
		}
		if n, err := strconv.ParseInt(firstText(doc, modelInput), 10, 64); err == nil {
			used.InputTokens = n
		}
		if n, err := strconv.ParseInt(firstText(doc, modelOutput), 10, 64); err == nil {
			used.OutputTokens = n
		}
	}
	if u := &t.sample.Usage; u.InputTokens == 0 && u.OutputTokens == 0 {
		u.InputTokens, u.OutputTokens = used.InputTokens, used.OutputTokens
	}
	if t.sample.Answer.Text == "" {
		t.sample.Answer.Text = t.str(answer.String())
	}
}

// answerIn returns the answer in a reply, or the piece of it in an event.
func answerIn(doc any) string {
	if texts(modelType.in(doc)) == "response.output_text.delta" {
		return texts(modelDelta.in(doc))
	}
	if choice := texts(modelChoice.in(doc)); choice != "" && choice != "0" {
		return "" // one of several alternatives
	}
	if s := firstText(doc, modelAnswer); s != "" {
		return s
	}
	var b strings.Builder
	for _, part := range modelParts.in(doc) {
		if texts(modelType.in(part)) == "output_text" { // not a model's reasoning
			b.WriteString(texts(modelText.in(part)))
		}
	}
	return b.String()
}

// userMessage returns the last message of the user.
func userMessage(doc any) string {
	for _, list := range []path{parsePath("messages"), parsePath("input")} {
		messages := flatten(list.in(doc))
		for _, message := range slices.Backward(messages) {
			if texts(parsePath("role").in(message)) != "user" {
				continue
			}
			content := parsePath("content").in(message)
			if s := texts(content); s != "" {
				return s
			}
			return texts(parsePath("content.*.text").in(message))
		}
	}
	return firstText(doc, modelQuery)
}

func (b *rawBody) is(mediaType string) bool {
	got, _, err := mime.ParseMediaType(b.contentType)
	return err == nil && (got == mediaType || mediaType == "application/json" && strings.HasSuffix(got, "+json"))
}

// data is what was captured, without its gzip encoding. A few bytes can unpack
// to gigabytes, so that has a bound too. What came before a cut is still good.
//
// A header may speak of gzip where the bytes are plain: someone further out
// will compress them.
func (t *turn) data(b *rawBody) []byte {
	t.arena.cut = t.arena.cut || b.cut
	if !strings.EqualFold(b.encoding, "gzip") || !bytes.HasPrefix(b.body, []byte{0x1f, 0x8b}) {
		return b.body
	}
	z, err := gzip.NewReader(bytes.NewReader(b.body))
	if err != nil {
		t.arena.cut = true
		return nil
	}
	limit := unpackRatio * b.max
	data, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err != nil || len(data) > limit {
		t.arena.cut = true
	}
	return data[:min(len(data), limit)]
}

const unpackRatio = 8

// documents yields the JSON documents of a body: one, or one per event of a
// text/event-stream. What is not JSON is skipped.
func (t *turn) documents(b *rawBody) iter.Seq[any] {
	return func(yield func(any) bool) {
		data := t.data(b)
		if !b.is("text/event-stream") {
			dec := json.NewDecoder(bytes.NewReader(data)) // one, or a line each
			dec.UseNumber()
			for {
				var doc any
				if dec.Decode(&doc) != nil || !yield(doc) {
					return
				}
			}
		}
		for event := range events(data) {
			if doc, ok := parseJSON(event); ok && !yield(doc) {
				return
			}
		}
	}
}

// plainEvents joins the events that are text and not JSON objects, as services
// send that stream tokens without an envelope.
func (t *turn) plainEvents(b *rawBody) string {
	var out strings.Builder
	for event := range events(t.data(b)) {
		event = bytes.TrimSuffix(event, []byte("\n"))
		switch doc, _ := parseJSON(event); doc.(type) {
		case map[string]any, []any:
		default:
			if string(event) != "[DONE]" {
				out.Write(event)
			}
		}
	}
	return out.String()
}

// events yields the data of each server-sent event.
func events(stream []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var data []byte
		for line := range bytes.Lines(stream) {
			line = bytes.TrimRight(line, "\r\n")
			if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
				continue
			}
			if len(line) == 0 && len(data) > 0 {
				if !yield(data) {
					return
				}
				data = data[:0]
			}
		}
		if len(data) > 0 {
			yield(data)
		}
	}
}

func parseJSON(data []byte) (any, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var doc any
	err := dec.Decode(&doc)
	return doc, err == nil
}
