package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// legacy is a service that has never heard of Touchstone. Its response does not
// even hold the model's words.
type legacy struct {
	modelURL string
	client   *http.Client
}

func (l *legacy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Question string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "expected a question", http.StatusBadRequest)
		return
	}
	err := l.askModel(r.Context(), map[string]any{
		"model": "chat-mini", "messages": []map[string]string{{"role": "user", "content": in.Question}},
	})
	if err != nil {
		http.Error(w, "the model did not answer", http.StatusBadGateway)
		return
	}
	_, _ = io.WriteString(w, `{"result":{"html":"<b>330 m</b>","used":["t1"],"sources":[{"id":"t1","passage":"The Eiffel Tower is 330 metres tall.","score":0.9}]}}`+"\n")
}

func (l *legacy) askModel(ctx context.Context, prompt any) error {
	body, err := json.Marshal(prompt)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.modelURL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

func replyAsModel(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"model":"chat-mini","choices":[{"message":{"role":"assistant","content":"It is 330 metres tall."}}],`+
		`"usage":{"prompt_tokens":20,"completion_tokens":7}}`)
}
