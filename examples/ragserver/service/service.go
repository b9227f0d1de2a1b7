// Package service is a RAG service as people write them, over HTTP and gRPC,
// with Touchstone around it: handlers tell the recorder of their request what
// was asked, retrieved and answered, and work the same without a pipeline.
//
// Its responses are samples in Touchstone's wire form, so that what it answers
// can be evaluated again later.
package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/touchstone-rag/touchstone/evalmw"
	"github.com/touchstone-rag/touchstone/examples/ragserver/answer"
	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
	"github.com/touchstone-rag/touchstone/examples/ragserver/index"
)

// Modes of answering.
const (
	Extractive = "extractive" // quote the chunks
	Recorded   = "recorded"   // repeat what a real system answered, right or wrong
	Chat       = "chat"       // ask a chat model
)

// Config configures [New].
type Config struct {
	_ struct{}

	Corpus *corpus.Corpus
	Index  *index.Index // of the corpus; stays the caller's to close

	Mode   string            // of requests that name none; empty means Extractive
	System string            // whose recorded answers, where a request names none; empty means the corpus's first
	Chat   answer.ChatConfig // without a model, Chat mode is refused
	K      int               // most chunks that an answer may stand on; 0 means 10

	Pipeline *evalmw.Pipeline // nil evaluates nothing
}

// Validate reports what would keep a service from answering requests that name
// neither mode nor system. It needs no index, so it can come before the wait for
// one.
func (c Config) Validate() error {
	_, err := New(c).answerer("", "")
	return err
}

// Service answers questions about the corpus and extracts fields from its
// documents. It is safe for concurrent use.
type Service struct {
	cfg     Config
	docs    map[string]bool
	chat    *answer.Chat
	chatErr error // why there is none
}

// New returns a service. [Config.Validate] tells beforehand whether its defaults
// can answer.
func New(cfg Config) *Service {
	if cfg.Mode == "" {
		cfg.Mode = Extractive
	}
	if cfg.System == "" && len(cfg.Corpus.Systems) > 0 {
		cfg.System = cfg.Corpus.Systems[0]
	}
	if cfg.K <= 0 {
		cfg.K = 10
	}
	s := &Service{cfg: cfg, docs: make(map[string]bool)}
	for _, c := range cfg.Corpus.Chunks {
		s.docs[c.DocID] = true
	}
	s.chat, s.chatErr = answer.NewChat(cfg.Chat)
	return s
}

// Build loads the shipped corpus and indexes it in memory, half a second of
// work. Progress may be nil; it is called from the goroutine of Build. Close
// the index after use.
func Build(ctx context.Context, progress func(index.Progress)) (*corpus.Corpus, *index.Index, error) {
	c, err := corpus.Load()
	if err != nil {
		return nil, nil, err
	}
	ix, err := index.Build(ctx, c.Chunks, index.Config{Progress: progress})
	if err != nil {
		return nil, nil, err
	}
	return c, ix, nil
}

// answerer returns what answers in a mode; empty names mean the defaults.
func (s *Service) answerer(mode, system string) (answer.Answerer, error) {
	if mode == "" {
		mode = s.cfg.Mode
	}
	if system == "" {
		system = s.cfg.System
	}
	switch mode {
	case Extractive:
		return answer.Extractive{}, nil
	case Recorded:
		if known := s.cfg.Corpus.Systems; !slices.Contains(known, system) {
			return nil, failf(BadRequest, "system: expected one of %q, found %q", known, system)
		}
		return answer.Recorded{Corpus: s.cfg.Corpus, System: system}, nil
	case Chat:
		if s.chatErr != nil {
			return nil, &Error{Class: BadRequest, Message: s.chatErr.Error(), cause: s.chatErr}
		}
		return s.chat, nil
	}
	return nil, failf(BadRequest, "mode: expected %s, %s or %s, found %q", Extractive, Recorded, Chat, mode)
}

func (s *Service) checkDoc(id string) error {
	if !s.docs[id] {
		return failf(NotFound, "doc_id: there is no document %q", id)
	}
	return nil
}

func failf(class, format string, args ...any) error {
	return &Error{Class: class, Message: fmt.Sprintf(format, args...)}
}
