package metric

import (
	"log/slog"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// reasonNoCitations says that the answer cites nothing.
const reasonNoCitations rag.Reason = "no_citations"

// citedCoverage is the share of a claim's terms that the chunks cited for it must hold.
const citedCoverage = 0.5

// CitationValidityForm returns the metric citation_validity_form: the share, 0 to
// 1, of the citations that name something that was retrieved.
//
// Citations are those that the service recorded and those written in the answer's
// text: [1], [2-4], 【1†source】, [doc-7], (Source: doc-7, p. 5), (passage 2),
// superscripts. Numbers are 1-based positions in the list of chunks; ids are those
// of chunks or documents without regard to case, or a document's file name. A page
// is not looked at. It is not measured without citations or without a recorded
// retrieval; where nothing was found, every citation is invalid.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func CitationValidityForm(...Option) rag.Metric {
	return rag.Metric{
		Name:  "citation_validity_form",
		Doc:   "The share of the citations that name a chunk or document that was retrieved.",
		Kind:  rag.KindScore,
		Score: citationValidityForm,
	}
}

func citationValidityForm(v *rag.View) rag.Result {
	s := v.Sample()
	if s.Answer.Empty() {
		return rag.Unmeasured(rag.ReasonNoAnswer)
	}
	if s.Retrieval.Chunks == nil {
		return rag.Unmeasured(rag.ReasonNoChunks)
	}
	inText := turnCitations.Of(v)
	valid := 0
	for i := range inText.cited {
		if inText.cited[i].known() {
			valid++
		}
	}
	for i := range s.Answer.Citations {
		if source := inText.source(v, &s.Answer.Citations[i]); source.known() {
			valid++
		}
	}
	citations := len(inText.cited) + len(s.Answer.Citations)
	if citations == 0 {
		return rag.Unmeasured(reasonNoCitations)
	}
	return rag.Scored(float64(valid)/float64(citations), v.Details(
		slog.Int("citations", citations), slog.Int("valid", valid), slog.Int("in_text", len(inText.cited)))...)
}

// source finds what a recorded citation names.
func (c *textCitations) source(v *rag.View, k *rag.Citation) citedSource {
	id := k.ChunkID
	if id == "" {
		id = k.DocID
	}
	if chunk, ok := v.ChunkID(id); ok && k.ChunkID != "" {
		return citedSource{chunk: chunk}
	}
	source, _ := c.resolve(v, id)
	if source.known() {
		source.page = k.Page
	}
	return source
}

// CitationValidityContent returns the metric citation_validity_content: the share,
// 0 to 1, of the cited claims whose terms stand in what is cited for them.
//
// A claim is cited by the markers in its text or directly behind it. It is valid
// if at least half of its terms stand in the chunks cited, taken together, and no
// number of it is fabricated. Where no claim has a marker, the recorded citations, or
// those in a list of sources at the end, say nothing of their place: then it is the
// share of these in whose chunks at least one claim stands so. A document means its chunks, those of
// the page where one is given and was retrieved. Citations of what was not retrieved
// are left to citation_validity_form.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func CitationValidityContent(...Option) rag.Metric {
	return rag.Metric{
		Name:  "citation_validity_content",
		Doc:   "The share of the cited claims whose terms stand in the chunks cited for them.",
		Kind:  rag.KindScore,
		Score: citationValidityContent,
	}
}

func citationValidityContent(v *rag.View) rag.Result {
	if v.Sample().Answer.Empty() {
		return rag.Unmeasured(rag.ReasonNoAnswer)
	}
	if !anyText(v.Chunks()) {
		return rag.Unmeasured(rag.ReasonNoChunks)
	}
	inText := turnCitations.Of(v)
	if len(inText.cited) == 0 && len(v.Sample().Answer.Citations) == 0 {
		return rag.Unmeasured(reasonNoCitations)
	}
	e := turnEvidence.Of(v)
	var checked, valid int
	basis := "text"
	if len(inText.cited) > 0 {
		checked, valid = e.checkMarkers(v, inText)
		if checked == 0 { // a list of sources, apart from any claim
			checked, valid = e.checkSources(v, len(inText.cited), func(i int) citedSource { return inText.cited[i] })
		}
	} else {
		basis = "recorded"
		citations := v.Sample().Answer.Citations
		checked, valid = e.checkSources(v, len(citations), func(i int) citedSource { return inText.source(v, &citations[i]) })
	}
	if checked == 0 {
		return rag.Unmeasured(rag.ReasonNotApplicable)
	}
	return rag.Scored(float64(valid)/float64(checked), v.Details(
		slog.Int("checked", checked), slog.Int("valid", valid), slog.String("basis", basis))...)
}

// checkMarkers counts the claims with a marker that names something retrieved, and
// those of them that stand there.
func (e *evidence) checkMarkers(v *rag.View, inText *textCitations) (checked, valid int) {
	t := turnTexts.Of(v)
	markers := inText.markers
	for i := range e.claims {
		c := &e.claims[i]
		for len(markers) > 0 && markers[0].start < c.start {
			markers = markers[1:]
		}
		e.clearCited()
		cited := false
		for ; len(markers) > 0 && markers[0].start < c.end; markers = markers[1:] {
			for k := markers[0].first; k < markers[0].last; k++ {
				cited = e.cite(v, &inText.cited[k]) || cited
			}
		}
		if !cited || c.kind == general || c.terms == 0 {
			continue
		}
		checked++
		if e.standsInCited(t, c) {
			valid++
		}
	}
	return checked, valid
}

// maxSources bounds the citations without a place that are checked: each is
// compared with every claim.
const maxSources = 32

// checkSources counts the citations, n of them, of something retrieved, and those
// in whose chunks a claim stands.
func (e *evidence) checkSources(v *rag.View, n int, at func(i int) citedSource) (checked, valid int) {
	t := turnTexts.Of(v)
	for i := range min(n, maxSources) {
		source := at(i)
		e.clearCited()
		if !e.cite(v, &source) {
			continue
		}
		checked++
		for k := range e.claims {
			c := &e.claims[k]
			if c.kind != general && c.terms > 0 && e.standsInCited(t, c) {
				valid++
				break
			}
		}
	}
	return checked, valid
}

// clearCited forgets which chunks are cited.
func (e *evidence) clearCited() { e.cited = fill(e.cited, len(e.order), false) }

// cite marks the chunks of a source. It reports false if none of them is looked at.
func (e *evidence) cite(v *rag.View, source *citedSource) bool {
	if !source.known() {
		return false
	}
	if source.chunk >= 0 {
		position := e.positions[source.chunk]
		if position >= 0 {
			e.cited[position] = true
		}
		return position >= 0
	}
	return source.page != "" && e.citeDocument(v, source.doc, source.page) || e.citeDocument(v, source.doc, "")
}

// citeDocument marks the chunks of a document, or of a page of it.
func (e *evidence) citeDocument(v *rag.View, doc, page string) bool {
	marked := false
	for position, chunk := range e.order {
		if k := &v.Chunks()[chunk]; k.DocID == doc && (page == "" || k.Page == page) {
			e.cited[position], marked = true, true
		}
	}
	return marked
}

// standsInCited reports whether a claim stands in the cited chunks.
func (e *evidence) standsInCited(t *texts, c *claim) bool {
	again := claim{statement: c.statement}
	e.stamp--
	e.collect(t, &again, e.stamp)
	found := 0
	for _, term := range e.terms {
		for p := e.heads[term]; p >= 0; p = e.postings[p].next {
			if e.cited[e.postings[p].position] {
				found++
				break
			}
		}
	}
	return c.fabricated == 0 && float64(found+c.elsewhere) >= citedCoverage*float64(c.terms)
}

// CitationCoverage returns the metric citation_coverage: 1 if the answer has at
// least one citation, recorded or in its text, else 0. The details say how many of
// its claims carry one in the text. It is not measured without an answer, and not
// for one that abstains or claims nothing.
//
// Definition: the catalogue, docs/metrics.md, "Groundedness and citations".
func CitationCoverage(...Option) rag.Metric {
	return rag.Metric{
		Name:  "citation_coverage",
		Doc:   "Whether the answer cites anything at all.",
		Kind:  rag.KindScore,
		Score: citationCoverage,
	}
}

func citationCoverage(v *rag.View) rag.Result {
	answer := &v.Sample().Answer
	if answer.Empty() {
		return rag.Unmeasured(rag.ReasonNoAnswer)
	}
	markers := turnCitations.Of(v).markers
	citations := len(answer.Citations) + len(turnCitations.Of(v).cited)
	claims, withMarker := 0, 0
	e := turnEvidence.Of(v)
	for i := range e.claims {
		c := &e.claims[i]
		if c.kind == general {
			continue
		}
		claims++
		for len(markers) > 0 && markers[0].start < c.start {
			markers = markers[1:]
		}
		if len(markers) > 0 && markers[0].start < c.end {
			withMarker++
		}
	}
	if citations == 0 && (claims == 0 || answer.Abstained.Valid && answer.Abstained.V) {
		return rag.Unmeasured(rag.ReasonNotApplicable)
	}
	value := 0.0
	if citations > 0 {
		value = 1
	}
	return rag.Scored(value, v.Details(
		slog.Int("citations", citations), slog.Int("claims", claims), slog.Int("claims_cited", withMarker))...)
}
