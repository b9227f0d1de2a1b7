package service_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/examples/ragserver/service"
)

func TestErrorsSayWhatIsWrong(t *testing.T) {
	cfg := config(t)
	p, _ := pipeline(t)
	cfg.Pipeline = p
	cfg.Chat = chatServer(t, func(io.Writer, *http.Request) {})
	srv := serve(t, service.New(cfg).Handler())
	for name, tc := range map[string]struct {
		path, body string
		status     int
		class, say string
	}{
		"no JSON":           {"/query", `what?`, 400, service.BadRequest, "one JSON object"},
		"unknown key":       {"/query", `{"question":"q","oops":1}`, 400, service.BadRequest, `"oops"`},
		"more than one":     {"/query", `{"question":"q"}{}`, 400, service.BadRequest, "more follows"},
		"no question":       {"/query", `{}`, 400, service.BadRequest, "question"},
		"unknown mode":      {"/query", `{"question":"q","mode":"psychic"}`, 400, service.BadRequest, `"psychic"`},
		"unknown system":    {"/query", `{"question":"q","mode":"recorded","system":"hal"}`, 400, service.BadRequest, `"hal"`},
		"unknown document":  {"/query", `{"question":"q","doc_id":"tq-0"}`, 404, service.NotFound, `"tq-0"`},
		"never asked":       {"/query", `{"question":"q","mode":"recorded"}`, 404, service.NotFound, "no recorded answer"},
		"too large":         {"/query", `{"question":"` + strings.Repeat("q", 70<<10) + `"}`, 413, service.BadRequest, "too large"},
		"silent model":      {"/query", `{"question":"q","mode":"chat"}`, 502, service.ModelError, "did not answer"},
		"no field":          {"/extract", `{"doc_id":"` + salesDoc + `"}`, 400, service.BadRequest, "fields"},
		"too many fields":   {"/extract", `{"doc_id":"` + salesDoc + `","fields":[{}` + strings.Repeat(",{}", 64) + `]}`, 400, service.BadRequest, "found 65"},
		"nameless field":    {"/extract", `{"doc_id":"` + salesDoc + `","fields":[{"question":"q"}]}`, 400, service.BadRequest, "fields[0]"},
		"extract from none": {"/extract", `{"fields":[{"name":"n","question":"q"}]}`, 404, service.NotFound, "doc_id"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := post(t, srv.URL+tc.path, tc.body)
			assert.Equal(t, tc.status, resp.StatusCode)
			var got map[string]string
			require.NoError(t, json.Unmarshal([]byte(body), &got), body)
			assert.Equal(t, tc.class, got["error"])
			assert.Contains(t, got["message"], tc.say)
		})
	}
	require.NoError(t, p.Flush(t.Context()))
	stats := p.Stats()
	assert.Equal(t, map[rag.Outcome]uint64{rag.OutcomeNoContent: 8, rag.OutcomeEvaluated: 2}, stats.Turns,
		"what is refused is no turn; what fails after the retrieval is one")
}

func TestServiceWorksTheSameWithoutAPipeline(t *testing.T) {
	cfg := config(t)
	without := serve(t, service.New(cfg).Handler())
	cfg.Pipeline, _ = pipeline(t)
	with := serve(t, service.New(cfg).Handler())
	for _, body := range []string{
		ask(salesQuery, salesDoc, ""),
		ask(salesQuery, "", ""),
		ask(salesQuery, salesDoc, `,"mode":"recorded","system":"tagop"`),
		ask("Qxyz?", salesDoc, ""),
	} {
		_, a := post(t, without.URL+"/query", body)
		_, b := post(t, with.URL+"/query", body)
		assertSameTurn(t, sampleIn(t, a), sampleIn(t, b))
	}
	_, stream := post(t, without.URL+"/query", ask(salesQuery, salesDoc, `,"stream":true`))
	events := eventsIn(t, stream)
	assert.Equal(t, "done", events[len(events)-1].name)
	resp, _ := post(t, without.URL+"/extract", `{"doc_id":"`+salesDoc+`","fields":[{"name":"sales","question":"`+salesQuery+`"}]}`)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
}
