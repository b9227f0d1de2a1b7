package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/touchstone-rag/touchstone/examples/ragserver/corpus"
)

// traffic is the demo's clients: real questions, each asked of the service
// with and without evaluation, and requests that extract fields.
type traffic struct {
	servers     *demoServers
	client      *http.Client
	concurrency int
	requests    []demoRequest

	mu               sync.Mutex
	evaluated, plain []time.Duration // latencies of the same questions
	failed           int
	firstFailure     string
}

type demoRequest struct {
	path string
	id   string // empty lets the service choose one
	body []byte
}

const seed = 1 // of the order in which questions are asked

func newTraffic(c *corpus.Corpus, servers *demoServers, cfg demoConfig) *traffic {
	t := &traffic{
		servers: servers, concurrency: cfg.concurrency,
		client: &http.Client{
			Timeout:   30 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: cfg.concurrency},
		},
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	questions := slices.Clone(c.Questions)
	rng.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	t.addQuestions(c, questions, cfg.questions)
	t.addExtractions(c, questions, cfg.documents)
	rng.Shuffle(len(t.requests), func(i, j int) { t.requests[i], t.requests[j] = t.requests[j], t.requests[i] })
	return t
}

// addQuestions asks each question once, answered by the next system in turn.
// One in ten is asked of all documents at once, where retrieval is harder and
// runs into its limits.
func (t *traffic) addQuestions(c *corpus.Corpus, questions []corpus.Question, n int) {
	for _, q := range questions {
		if n == 0 {
			return
		}
		system := c.Systems[n%len(c.Systems)]
		if _, ok := c.Recorded(q.ID, system); !ok {
			continue
		}
		doc := q.Filters.DocID
		if n%10 == 0 {
			doc = ""
		}
		t.add("/query", requestID(q.ID, system), map[string]any{"question": q.Text, "doc_id": doc, "mode": "recorded", "system": system})
		n--
	}
}

// addExtractions asks documents for up to five fields at once, which are what
// people asked of them.
func (t *traffic) addExtractions(c *corpus.Corpus, questions []corpus.Question, n int) {
	seen := make(map[string]bool)
	for _, q := range questions {
		doc := q.Filters.DocID
		if n == 0 || seen[doc] {
			continue
		}
		seen[doc] = true
		var fields []map[string]string
		for i, asked := range c.Asked(doc) {
			if asked.Answerable && len(fields) < 5 {
				fields = append(fields, map[string]string{"name": "q" + strconv.Itoa(i+1), "question": asked.Text})
			}
		}
		if len(fields) >= 3 {
			t.add("/extract", "", map[string]any{"doc_id": doc, "fields": fields})
			n--
		}
	}
}

func (t *traffic) add(path, id string, body map[string]any) {
	b, _ := json.Marshal(body) // strings alone
	t.requests = append(t.requests, demoRequest{path, id, b})
}

// total is the number of requests that will be sent.
func (t *traffic) total() int { return len(t.requests) * 2 }

// run sends every request to both servers, in random order, a few at a time.
func (t *traffic) run(ctx context.Context, step func()) error {
	work := make(chan demoRequest)
	var wg sync.WaitGroup
	for range t.concurrency {
		wg.Go(func() {
			for r := range work {
				first, second := t.servers.plainURL, t.servers.evaluatedURL
				if rand.IntN(2) == 0 {
					first, second = second, first
				}
				t.send(ctx, first, r)
				step()
				t.send(ctx, second, r)
				step()
			}
		})
	}
	defer wg.Wait()
	defer close(work)
	for _, r := range t.requests {
		select {
		case work <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (t *traffic) send(ctx context.Context, url string, r demoRequest) {
	start := time.Now()
	err := t.post(ctx, url+r.path, r)
	took := time.Since(start)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.failed++
		if t.firstFailure == "" {
			t.firstFailure = err.Error()
		}
	case r.path != "/query":
	case url == t.servers.plainURL:
		t.plain = append(t.plain, took)
	default:
		t.evaluated = append(t.evaluated, took)
	}
}

func (t *traffic) post(ctx context.Context, url string, r demoRequest) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.id != "" {
		req.Header.Set("X-Request-Id", r.id)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // to its end, so that the connection is used again
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: expected 200, found %s", req.URL.Path, resp.Status)
	}
	return nil
}
