package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// sampleGen writes samples in wire form. clear generates only what the
// catalogue settles; hostile does not care.
type sampleGen struct {
	*rand.Rand
	n int
}

type object = map[string]any

func newSampleGen(seed uint64) *sampleGen {
	return &sampleGen{Rand: rand.New(rand.NewPCG(seed, 2))}
}

// chance is true with probability p.
func (g *sampleGen) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *sampleGen, from ...T) T { return from[g.IntN(len(from))] }

// set puts the key, or now and then a null or nothing at all.
func (g *sampleGen) set(o object, key string, value any) {
	switch {
	case g.chance(0.80):
		o[key] = value
	case g.chance(0.30):
		o[key] = nil
	}
}

// word is made of letters alone and occurs once in a run.
func (g *sampleGen) word() string {
	g.n++
	w := []byte("vq")
	for n := g.n; n > 0; n /= 15 {
		w = append(w, "bcdfghjklmnprst"[n%15], "aeiou"[g.IntN(5)])
	}
	return string(w)
}

func (g *sampleGen) sentence() string {
	words := make([]string, 5+g.IntN(6))
	for i := range words {
		words[i] = g.word()
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// clear returns one sample as a JSON line.
func (g *sampleGen) clear(id string) string {
	s := object{"id": id}
	if g.chance(0.8) {
		s["query"] = g.sentence()
	}
	rows, texts := g.rows()
	if g.chance(0.95) {
		s["retrieval"] = g.retrieval(rows)
	} else {
		rows, texts = nil, nil
	}
	if g.chance(0.55) {
		s["extractions"] = g.extractions(len(rows))
	} else {
		g.set(s, "extractions", []any{})
	}
	if g.chance(0.8) {
		s["answer"] = g.answer(rows, texts)
	}
	if g.chance(0.2) {
		s["x_unknown"] = object{"deep": []any{1, "two", nil, object{"id": "other"}}}
	}
	return g.rough(s)
}

// rough marshals the sample, and roughens what JSON readers disagree about
// the least: a key twice, and bytes that are not UTF-8.
func (g *sampleGen) rough(s object) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	line := string(raw)
	if g.chance(0.05) {
		line = `{"query":"first","unknown":1,"unknown":[2],` + line[1:]
	}
	if g.chance(0.05) {
		line = `{"model":"m` + "\xff\xfe\xc3\x28" + `",` + line[1:]
	}
	return line
}

// rows returns retrieval rows, and the sentences of those that have text.
func (g *sampleGen) rows() (rows []object, texts []string) {
	methods := [][]string{nil, {"bm25"}, {"bm25", "knn"}, {"bm25", "knn", "splade"}}[g.IntN(4)]
	ids := pick(g, 0, 1, 2, 5, 8, 12, 17, 24)
	if g.chance(0.01) {
		ids = 900
	}
	scored, paged, ranked := g.chance(0.8), g.chance(0.7), g.chance(0.5)
	texted := ids < 100 && g.chance(0.6) // how far attribution looks is the product's choice
	low, high := 0.0, 1.0
	if g.chance(0.1) { // a caller that clips nothing
		low, high = -0.5, 1.0
	}
	for i := range ids {
		id := fmt.Sprintf("c%d", i)
		doc, page := fmt.Sprintf("d%d", i/3), fmt.Sprint(1+i%3)
		if g.chance(0.3) { // its pages are shared by several chunks
			doc = "shared"
		}
		sentence := g.sentence()
		if texted {
			texts = append(texts, sentence)
		}
		for range pick(g, 1, 1, 1, 2, 3) {
			row := object{"id": id, "doc_id": doc}
			if paged {
				row["page"] = page
			}
			if texted {
				row["text"] = g.word() + " " + g.word() + ". " + sentence + "."
			}
			if scored && g.chance(0.9) {
				row["score"] = pick(g, low+(high-low)*g.Float64(), g.Float64(), 0, 1)
			} else if g.chance(0.2) {
				row["score"] = nil
			}
			if len(methods) > 0 {
				some := []string{methods[g.IntN(len(methods))]}
				if g.chance(0.3) {
					some = append(some, methods[g.IntN(len(methods))])
				}
				row["methods"] = some
			}
			rows = append(rows, row)
		}
	}
	g.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if ranked {
		g.rank(rows)
	}
	return rows, texts
}

// rank numbers the rows overall, or within the first method of each.
func (g *sampleGen) rank(rows []object) {
	perMethod := g.chance(0.5)
	next := map[string]int{}
	for _, row := range rows {
		list := ""
		if m, ok := row["methods"].([]string); ok && perMethod {
			list = m[0]
		}
		next[list]++
		row["rank"] = next[list]
	}
}

func (g *sampleGen) retrieval(rows []object) object {
	r := object{}
	switch {
	case rows != nil:
		r["chunks"] = rows
	case g.chance(0.5):
		r["chunks"] = []any{}
	}
	annotated := len(rows) == 0 || rows[0]["methods"] != nil
	limits := object{}
	for _, m := range []string{"bm25", "knn", "splade"} {
		if annotated && g.chance(0.6) {
			limits[m] = pick(g, 1, 5, 10, 20, 50, 1000)
		}
	}
	g.set(r, "limits", limits)
	g.set(r, "before_filter", pick(g, 0, len(rows), 2*len(rows), 2*len(rows)+1, 57))
	return r
}

func (g *sampleGen) confidence() any {
	return pick[any](g, "HIGH", "MEDIUM", "LOW", g.Float64(), 0, 1, 0.5, 1.5, -0.25)
}

func (g *sampleGen) extractions(rows int) []object {
	var list []object
	for range pick(g, 1, 1, 2, 3) {
		field := pick(g, "revenue", "roof type", "as_of", "größe", "نوع")
		facts := []refFact{pick(g, refFacts...), pick(g, refFacts...), pick(g, refFacts...)}
		for range pick(g, 1, 1, 2, 3, 5, 7, 10, 20) {
			fact := facts[min(g.IntN(8)/4*g.IntN(3), 2)]
			e := object{"field": field, "value": pick(g, fact.spellings...)}
			if g.chance(0.08) {
				e["value"] = pick[any](g, "", nil, "  ")
			}
			if g.chance(0.85) {
				e["chunk_number"] = g.IntN(rows + 1)
				if g.chance(0.1) {
					e["chunk_number"] = pick(g, 0, -1, rows+1, rows+100, 1<<40)
				}
			}
			g.set(e, "confidence", g.confidence())
			if g.chance(0.7) {
				shown := pick(g, facts...)
				e["evidence"] = fmt.Sprintf("According to the filing %s was reported by management", pick(g, shown.spellings...))
			}
			if g.chance(0.3) {
				e["format"] = fact.kind
				if fact.kind == "text" || fact.kind == "percent" {
					e["format"] = pick(g, "", "text")
				}
				if fact.kind == "text" && g.chance(0.5) {
					e["format"] = pick(g, "number", "currency", "date")
				}
			}
			list = append(list, e)
		}
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func (g *sampleGen) answer(rows []object, texts []string) object {
	a := object{}
	if g.chance(0.6) {
		a["text"] = g.answerText(texts)
	}
	if g.chance(0.4) {
		a["citations"] = g.citations(rows)
	} else {
		g.set(a, "citations", []any{})
	}
	g.set(a, "confidence", g.confidence())
	return a
}

// answerText quotes some chunks and says things that stand in none.
func (g *sampleGen) answerText(texts []string) string {
	var said []string
	for range g.IntN(4) {
		said = append(said, g.sentence())
		if len(texts) > 0 {
			said = append(said, pick(g, texts...))
		}
	}
	if len(said) == 0 {
		return pick(g, "", "  ")
	}
	return strings.Join(said, ". ") + "."
}

func (g *sampleGen) citations(rows []object) []object {
	var list []object
	for range 1 + g.IntN(4) {
		c := object{"chunk_id": "never retrieved"}
		if len(rows) > 0 && g.chance(0.8) {
			row := pick(g, rows...)
			c = object{"chunk_id": row["id"]}
			if page, ok := row["page"]; ok && row["doc_id"] != "shared" && g.chance(0.5) {
				c = object{"doc_id": row["doc_id"], "page": page}
			}
		}
		list = append(list, c)
	}
	return list
}

// hostileStrings are values that readers of numbers, dates and words trip on.
var hostileStrings = []string{
	"", " ", "\x00", "a\x00b", "\u202eevil\u202c", "\u200b\u200d\ufeff", strings.Repeat("x", 10_000),
	strings.Repeat("é", 5_000), strings.Repeat("9", 10_000), "1e308", "1e999", "-1e-999", "NaN", "Inf", "-.", ".", "-", "+-3",
	"$ (12.3) million", "((((", "))))", "١٢٣", "१२३ लाख", "一百万", "½", "²", "1,2,3,4", "1.2.3.4", "0x1p-2", "%", "$", "€ %",
	"99999999999999999999999999 trillion billion", "2025-13-45", "0000-00-00", "31 February 2025", "January", "\U0010ffff",
	"👩‍👩‍👧‍👧", "ﬀ", "ẞ", "İ", "ǅ", "\ufffd", "e\u0301", strings.Repeat("\u0301", 500), "\r\n\t\v\f", "。", "a.b.c.d.", "...",
	strings.Repeat("1,", 3_000), strings.Repeat("(", 3_000), strings.Repeat("- ", 3_000), strings.Repeat("a. ", 3_000),
	"<|im_start|>", `"}],"id":"x`, "\\u0000", "BYTE", "x BYTE y BYTE",
}

func (g *sampleGen) str() string { return pick(g, hostileStrings...) }

func (g *sampleGen) hostile(id string) string {
	number := func() any {
		return pick[any](g, 0, -1, 1e308, -1e308, 5e-324, 3.7, 1e17, g.NormFloat64(), nil)
	}
	whole := func() any { return pick[any](g, 0, -1, 1, 2, 3, 1<<40, -(1 << 50), nil) }
	strs := func() []string { return []string{g.str(), pick(g, "bm25", "knn", ""), g.str()}[:g.IntN(4)] }
	var rows, extractions, citations []any
	for range pick(g, 0, 1, 3, 8, 40) {
		rows = append(rows, object{
			"id": pick(g, g.str(), "c1", "c2"), "doc_id": g.str(), "rank": whole(), "text": g.str() + " " + g.str(),
			"page": g.str(), "score": number(), "methods": strs(), "metadata": object{g.str(): g.str()},
		})
	}
	for range pick(g, 0, 1, 2, 9) {
		extractions = append(extractions, object{
			"field": pick(g, "f", g.str()), "value": g.str(), "chunk_number": whole(), "confidence": number(),
			"evidence": pick(g, g.str(), g.str()+" "+g.str()), "format": pick(g, "", "number", "date", "currency", "percent", "enum", "regexp", "enum:", "regexp:(", g.str()),
		})
		citations = append(citations, object{"chunk_id": pick(g, g.str(), "c1"), "doc_id": g.str(), "page": g.str()})
	}
	s := object{"id": id, "query": g.str()}
	g.set(s, "retrieval", object{"chunks": rows, "limits": object{g.str(): whole(), "bm25": 0, "knn": -3}, "before_filter": whole()})
	g.set(s, "extractions", extractions)
	g.set(s, "answer", object{"text": g.str() + ". " + g.str(), "citations": citations, "confidence": number()})
	g.set(s, g.str()+"?", g.str())
	line := strings.ReplaceAll(g.rough(s), "BYTE", pick(g, "\xff", "\xc0\xaf", "\xed\xa0\x80"))
	return line
}
