package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// serviceStatus is what the doctor reads of a status page.
type serviceStatus struct {
	SchemaVersion int    `json:"schema_version"`
	Enabled       bool   `json:"enabled"`
	Submitted     uint64 `json:"submitted"`
	Evaluated     uint64 `json:"evaluated"`
	Outcomes      []struct {
		Outcome string `json:"outcome"`
		Turns   uint64 `json:"turns"`
		Meaning string `json:"meaning"`
	} `json:"outcomes"`
	Sinks []struct {
		Name   string `json:"name"`
		Errors uint64 `json:"errors"`
	} `json:"sinks"`
	Metrics []struct {
		Name       string            `json:"name"`
		Measured   uint64            `json:"measured"`
		Unmeasured map[string]uint64 `json:"unmeasured"`
	} `json:"metrics"`
}

// readStatus explains a running service by its status page.
func (d *doctor) readStatus(ctx context.Context, url string) {
	st, err := d.fetchStatus(ctx, url)
	if err != nil {
		d.bad("service", "the URL is that of Pipeline.StatusHandler, usually on an admin port", "%v", err)
		return
	}
	switch {
	case !st.Enabled:
		d.bad("service", "unset TOUCHSTONE_DISABLED, or call SetEnabled(true)", "the kill switch is on: requests pass unevaluated")
	case st.Submitted == 0:
		d.bad("service", "is the middleware on the route, and does its filter match?", "no turn has reached the pipeline")
	case st.Evaluated == 0:
		d.bad("service", "", "%d turns came, none was evaluated", st.Submitted)
	default:
		d.ok("service", "%d of %d turns evaluated", st.Evaluated, st.Submitted)
	}
	for _, o := range st.Outcomes {
		if o.Outcome == "evaluated" {
			continue
		}
		share := float64(o.Turns) / float64(st.Submitted)
		if o.Outcome == "not_sampled" || share < .01 {
			d.off(o.Outcome, "%d turns (%.1f%%): %s", o.Turns, 100*share, o.Meaning)
		} else {
			d.bad(o.Outcome, "", "%d turns (%.1f%%): %s", o.Turns, 100*share, o.Meaning)
		}
	}
	for i, s := range st.Sinks {
		if s.Errors > 0 {
			d.bad("sink", "evalmw.WithErrorHandler tells you why", "sink %d, %s, failed %d times", i, s.Name, s.Errors)
		}
	}
	for _, m := range st.Metrics {
		if m.Measured > 0 {
			continue
		}
		why := make(map[string]int, len(m.Unmeasured))
		for reason, n := range m.Unmeasured {
			why[reason] = int(n)
		}
		d.off(m.Name, "never measured: %s", counts(why))
	}
}

const maxStatus = 16 << 20 // bytes of a status page

func (d *doctor) fetchStatus(ctx context.Context, url string) (*serviceStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: expected 200, found %s", url, resp.Status)
	}
	var st serviceStatus
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxStatus)).Decode(&st); err != nil || st.SchemaVersion != 1 {
		return nil, fmt.Errorf("GET %s: expected the JSON of a status page, schema_version 1", url)
	}
	return &st, nil
}
