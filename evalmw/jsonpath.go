package evalmw

import (
	"encoding/json"
	"strconv"
	"strings"
)

// path is a way into a JSON document: keys, indexes, and "*".
type path []string

func parsePath(s string) path {
	if s == "" || s[0] == '?' {
		return nil
	}
	return strings.Split(s, ".")
}

func pathOr(s string, usual ...string) []path {
	if s != "" {
		return []path{parsePath(s)}
	}
	out := make([]path, len(usual))
	for i := range usual {
		out[i] = parsePath(usual[i])
	}
	return out
}

// in returns every value that the path leads to. An empty path leads nowhere.
func (p path) in(doc any) []any {
	if len(p) == 0 {
		return nil
	}
	at := []any{doc}
	for _, step := range p {
		var next []any
		for _, v := range at {
			next = append(next, follow(v, step)...)
		}
		at = next
	}
	return at
}

func follow(v any, step string) []any {
	switch v := v.(type) {
	case map[string]any:
		if x, ok := v[step]; ok {
			return []any{x}
		}
	case []any:
		if step == "*" {
			return v
		}
		i, err := strconv.Atoi(step)
		if i < 0 {
			i += len(v)
		}
		if err == nil && i >= 0 && i < len(v) {
			return v[i : i+1]
		}
	}
	return nil
}

// flatten returns the values, with the elements of arrays in their place.
func flatten(values []any) []any {
	var out []any
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, list...)
		} else if v != nil {
			out = append(out, v)
		}
	}
	return out
}

// texts joins the strings and numbers among values.
func texts(values []any) string {
	if len(values) == 1 {
		return text(values[0])
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(text(v))
	}
	return b.String()
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// firstText returns the text of the first path that leads to one.
func firstText(doc any, paths []path) string {
	for _, p := range paths {
		if s := texts(p.in(doc)); s != "" {
			return s
		}
	}
	return ""
}
