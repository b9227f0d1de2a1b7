package answer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

const (
	notFound     = "NOT FOUND"
	instructions = "Answer the question from the numbered passages alone, briefly and exactly. " +
		"Put the number of the passage behind each statement, like [1]. " +
		"If the passages do not hold the answer, reply with the two words " + notFound + " and nothing else."
)

// ChatConfig names an OpenAI-compatible server and a model on it.
type ChatConfig struct {
	_ struct{}

	BaseURL string // up to and with /v1; empty means OpenAI's own
	APIKey  string
	Model   string
	Client  *http.Client // nil means http.DefaultClient
}

// Chat asks a chat model and streams its answer.
type Chat struct {
	client *openai.Client
	model  string
}

// NewChat returns an answerer for a configured model.
func NewChat(cfg ChatConfig) (*Chat, error) {
	if cfg.Model == "" {
		return nil, errors.New("answer: no chat model is configured; set ChatConfig.Model")
	}
	client := openai.DefaultConfig(cfg.APIKey)
	if cfg.BaseURL != "" {
		client.BaseURL = cfg.BaseURL
	}
	if cfg.Client != nil {
		client.HTTPClient = cfg.Client
	}
	return &Chat{openai.NewClientWithConfig(client), cfg.Model}, nil
}

// Answer implements [Answerer].
func (c *Chat) Answer(ctx context.Context, req Request, emit func(string) error) (Answer, error) {
	stream, err := c.client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model: c.model,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: instructions},
			{Role: openai.ChatMessageRoleUser, Content: prompt(req)},
		},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		return Answer{}, fmt.Errorf("answer: asking model %q: %w", c.model, err)
	}
	defer stream.Close() //nolint:errcheck // the answer is complete or lost by then

	answer := Answer{Model: c.model}
	var text strings.Builder
	finished := false
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Answer{}, fmt.Errorf("answer: reading from model %q: %w", c.model, err)
		}
		if part.Usage != nil {
			answer.Usage = Usage{InputTokens: part.Usage.PromptTokens, OutputTokens: part.Usage.CompletionTokens}
		}
		if len(part.Choices) == 0 {
			continue
		}
		delta := part.Choices[0].Delta.Content
		finished = finished || part.Choices[0].FinishReason != ""
		text.WriteString(delta)
		if delta != "" && emit != nil {
			if err := emit(delta); err != nil {
				return Answer{}, err
			}
		}
	}
	if !finished { // a connection that broke looks like the end to the client
		return Answer{}, fmt.Errorf("answer: the stream of model %q ended after %d bytes, before the answer did", c.model, text.Len())
	}
	answer.Text = text.String()
	answer.Abstained = strings.HasPrefix(strings.TrimSpace(answer.Text), notFound)
	answer.Citations = cited(answer.Text, req.Chunks)
	return answer, nil
}

func prompt(req Request) string {
	var b strings.Builder
	for i, c := range req.Chunks {
		fmt.Fprintf(&b, "[%d] %s\n%s\n\n", i+1, strings.Join(c.HeadingPath, " > "), c.Text)
	}
	return b.String() + "Question: " + req.Question
}

var citationPattern = regexp.MustCompile(`\[(\d+(?:\s*,\s*\d+)*)\]`)

// cited reads references such as [2] or [1, 3]; numbers of no passage are not
// references.
func cited(text string, chunks []corpus.Chunk) []string {
	var ids []string
	for _, match := range citationPattern.FindAllStringSubmatch(text, -1) {
		for number := range strings.SplitSeq(match[1], ",") {
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 1 || n > len(chunks) {
				continue
			}
			if id := chunks[n-1].ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
