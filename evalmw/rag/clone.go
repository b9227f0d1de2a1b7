package rag

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// cloner copies strings out of whatever buffer they point into. Equal
// neighbours, such as a method's name on every chunk, are copied once.
type cloner struct{ last string }

func (c *cloner) str(s string) string {
	if s != c.last {
		c.last = strings.Clone(s)
	}
	if s == "" {
		return ""
	}
	return c.last
}

func (c *cloner) strings(fields ...*string) {
	for _, f := range fields {
		*f = c.str(*f)
	}
}

func (c *cloner) list(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = c.str(out[i])
	}
	return out
}

func cloneMap[V any](c *cloner, in map[string]V) map[string]V {
	if in == nil {
		return nil
	}
	out := make(map[string]V, len(in))
	for k, v := range in {
		out[c.str(k)] = v
	}
	return out
}

func (c *cloner) retrieval(r Retrieval) Retrieval {
	r.Chunks = slices.Clone(r.Chunks)
	for i := range r.Chunks {
		k := &r.Chunks[i]
		c.strings(&k.ID, &k.DocID, &k.Text, &k.Page, &k.Space, &k.DocType, &k.Quarter,
			&k.TableID, &k.Slide, &k.RelPath, &k.HeadingPath)
		k.Methods = c.list(k.Methods)
		k.Metadata = maps.Clone(k.Metadata)
	}
	r.Limits = cloneMap(c, r.Limits)
	r.Folders.Mode = c.str(r.Folders.Mode)
	r.Folders.Selected = c.list(r.Folders.Selected)
	return r
}

func (c *cloner) answer(a Answer) Answer {
	c.strings(&a.Text, &a.Value.Unit)
	a.Citations = slices.Clone(a.Citations)
	for i := range a.Citations {
		k := &a.Citations[i]
		c.strings(&k.ChunkID, &k.DocID, &k.DocType, &k.Quarter, &k.Page, &k.TableID, &k.Slide)
	}
	a.Speakers = slices.Clone(a.Speakers)
	for i := range a.Speakers {
		c.strings(&a.Speakers[i].Name, &a.Speakers[i].Role)
	}
	a.Flags = c.list(a.Flags)
	return a
}

func (c *cloner) results(in []Result) []Result {
	out := slices.Clone(in)
	for i := range out {
		out[i] = c.result(out[i])
	}
	return out
}

func (c *cloner) result(r Result) Result {
	c.strings(&r.Name, &r.Field, &r.Category, &r.Label)
	r.Reason = Reason(c.str(string(r.Reason)))
	r.Details = c.attrs(r.Details)
	return r
}

func (c *cloner) attrs(in []slog.Attr) []slog.Attr {
	out := slices.Clone(in)
	for i, a := range out {
		out[i].Key = c.str(a.Key)
		switch a.Value.Kind() {
		case slog.KindString:
			out[i].Value = slog.StringValue(c.str(a.Value.String()))
		case slog.KindGroup:
			out[i].Value = slog.GroupValue(c.attrs(a.Value.Group())...)
		}
	}
	return out
}
