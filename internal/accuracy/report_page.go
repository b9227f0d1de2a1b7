package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A writer puts a survey into Markdown.
type writer struct {
	strings.Builder
	*survey
}

// page returns docs/accuracy.md.
func (s *survey) page() string {
	w := &writer{survey: s}
	w.opening()
	w.material()
	w.method()
	w.ranking()
	w.thresholds()
	w.captures()
	w.confounders()
	w.singleTables()
	w.ruleTable()
	w.ablationTables()
	w.fewLabelsTable()
	w.detectorTables()
	w.demoTable()
	w.limits()
	return w.String()
}

// say writes a paragraph, one line of the source a line of the page.
func (w *writer) say(format string, args ...any) {
	w.WriteString(fmt.Sprintf(strings.TrimSpace(format), args...) + "\n\n")
}

func (w *writer) opening() {
	w.say(`
# Accuracy

How well the metrics that need no gold and no model tell answers that their chunks do not support from those that they
do, measured against people's judgements. Weights: version %s of `+"`support_risk`"+`, fitted on %s.`,
		w.weights.Version, w.weights.Provenance.Date)
	w.say("This page and its figure are written by `go run ./internal/accuracy report`, which gives the same bytes each time; `-check`\n" +
		"fails if they say anything else, and so does a test wherever the data (digest `" + w.data + "`) is there.")
	if qa := w.set("ragtruth/qa"); qa != nil && qa.zeroShot != nil {
		w.say("![What an escalation budget catches](%s)", figureName)
		w.say("In short:")
		w.inShort(qa)
	}
}

// inShort says in a few lines what matters most, of questions above all.
func (w *writer) inShort(qa *setSurvey) {
	w.say(`
- On answers to RAGTruth's questions the risk ranks with an AUROC of %s once fitted to labels of the same
  traffic, and of %s with weights that have seen other data only. Length alone has %s.
- If one answer in ten is unsupported and a fifth may be escalated, the riskiest fifth holds %s of the unsupported
  ones with own labels and %s without; the longest fifth holds %s, a random one 20%%.
- A threshold does not carry over as the ranking does: without labels its balanced accuracy is %s, with 25 labels %s.
- The literal rule, `+"`context_recall_heuristic < 0.7`"+`, escalates %s of these answers and catches %s of the unsupported ones.`,
		qa.own.area(), qa.zeroShot.area(), qa.length.area(),
		qa.own.capture[fifthAt].percent(), qa.zeroShot.capture[fifthAt].percent(), qa.length.capture[fifthAt].percent(),
		decimal(qa.few[0].balanced), decimal(qa.few[1].balanced),
		percent(qa.rule.escalated), percent(qa.rule.caught))
	if hard := w.set("faithbench"); hard != nil {
		w.say("On FaithBench, whose answers were chosen because detectors disagree on them, its AUROC is %s: it is no judge.", hard.zeroShot.area())
	}
}

// fifthAt is where fifth stands among the budgets.
const fifthAt = 2

// setNotes tell what people judged, and who they were.
var setNotes = map[string][2]string{
	"ragtruth/qa":       {"answers to a question from three retrieved passages", "annotators, span by span"},
	"ragtruth/summary":  {"summaries of news", "annotators, span by span"},
	"ragtruth/data2txt": {"texts about a business from its JSON record", "annotators, span by span"},
	"begin":             {"dialogue turns on a Wikipedia snippet", "three crowd workers"},
	"mtrag-human":       {"answers in a conversation, answerable turns", "three annotators"},
	"wice":              {"Wikipedia claims and the page that they cite", "crowd workers, checked"},
	"faithbench":        {"summaries on which detectors disagree", "two or more trained annotators"},
}

func (w *writer) material() {
	w.say("## What was measured, and on what")
	what := newTable("set", "what", "judged by", "licence", "shipped, fits the weights")
	size := newTable("set", "answers", "sources", "models", "unsupported")
	for i := range w.sets {
		s := &w.sets[i]
		models := absentFigure
		if n := s.modelCount(); n > 1 {
			models = strconv.Itoa(n)
		}
		what.row(s.name, setNotes[s.name][0], setNotes[s.name][1], s.licence, yes(s.shippable))
		size.row(s.name, strconv.Itoa(len(s.cases)), strconv.Itoa(len(distinct(s.groups))), models, percent(trueShare(s.positive)))
	}
	w.WriteString(what.String() + size.String())
	if len(w.absent) > 0 {
		var names []string
		for _, d := range w.absent {
			names = append(names, d.name)
		}
		w.say("Not measured, since the data directory does not hold them: %s.", strings.Join(names, ", "))
	}
	w.say(`
Each case is an answer, the chunks that it was made from, and whether people found something in it that the chunks do not
support. Left out are the answers on which they could not say: generic ones in BEGIN, questionable ones in FaithBench,
turns without an answer in the passages in MTRAG. In MTRAG a mean faithfulness below 3.5 of 4 counts as unsupported; in
WiCE "partially supported" does. Where each set comes from stands in ` + "`internal/accuracy/data/NOTICE`" + ` and, of those that may
not be shipped, in their own publications: RAGTruth (Niu et al., ACL 2024), BEGIN (Dziri et al., TACL 2022), MTRAG (IBM,
2025), WiCE (Kamoi et al., EMNLP 2023), FaithBench (Vectara, 2024). All are parts of the sets, cut by source.`)
}

func (w *writer) method() {
	w.say("## How")
	w.say(`
- **AUROC** is the probability that an unsupported answer ranks above a supported one; .500 is chance.
- **Capture** is the share of the unsupported answers among the riskiest 5, 10, 20 or 30%%. How large it can be depends on
  how many are unsupported, so cases are weighed as if that were %s in every set; random is then the budget itself.
- **Balanced accuracy** is the mean of the shares of both classes that a threshold decides rightly; .500 is chance. The
  threshold comes from the fit, never from the cases that it is measured on.
- **Intervals** are 95%%, by %d seeded resamples of whole sources, since answers to one source are alike; those of few
  sources are widened as Student's distribution asks, and rough all the same. A difference resamples both sides together.
- **Own labels**: fitted to four fifths of the set's sources, measured on the fifth that was left out, in turn. What one
  gets from some hundred labels of one's own traffic.
- **As shipped**: the same, but fitted to the other shipped sets too, as the weights that ship are.
- **Zero-shot**: fitted to the other shipped sets only, nothing of this one%s. The three tasks of
  RAGTruth share no source, but they share models and annotators; so **other corpora** is zero-shot without any of them.`,
		percent(prevalence), w.draws, w.whereShipped())
	w.say(`
The shipped weights have seen every row of the shipped sets, so they are not measured on them here; the columns above are the
honest ones. One thing they cannot undo: the features were invented and chosen while looking at these rows, so
expect somewhat less on others.`)
}

// whereShipped says where zero-shot means the shipped weights.
func (w *writer) whereShipped() string {
	var names []string
	for i := range w.sets {
		s := &w.sets[i]
		if s.shippable || s.zeroShot == nil {
			continue
		}
		for k, features := range s.features {
			if s.states[k] && math.Abs(s.zeroShot.scores[k]-w.weights.LogOdds(features)) > 1e-4 {
				return ""
			}
		}
		names = append(names, s.name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; on " + strings.Join(names, " and ") + " that is the shipped weights"
}

func (w *writer) ranking() {
	w.say("## How well `support_risk` ranks")
	w.say("AUROC, with its interval.")
	t := newTable("set", "answer length", "own labels", "as shipped", "zero-shot", "other corpora")
	for i := range w.sets {
		s := &w.sets[i]
		t.row(s.name, s.length.area(), s.own.area(), s.recipe.area(), s.zeroShot.area(), s.otherCorpora.area())
	}
	w.WriteString(t.String())
	w.unstated()
}

// unstated tells what answers without a risk cost where they are not a few.
func (w *writer) unstated() {
	for i := range w.sets {
		s := &w.sets[i]
		without := 1 - trueShare(s.states)
		if without < 0.01 || s.zeroShot == nil {
			continue
		}
		var silent []bool
		for k, states := range s.states {
			if !states {
				silent = append(silent, s.positive[k])
			}
		}
		w.say("In %s %s of the answers have no risk, since by their words they decline, ask or state nothing that chunks could hold;\n"+
			"people judged %s of those unsupported. In all figures they rank last, as they would in an application. Among the others\n"+
			"the AUROC is %s with own labels and %s zero-shot.",
			s.name, percent(without), percent(trueShare(silent)), s.statedArea(s.own), s.statedArea(s.zeroShot))
	}
}

// statedArea writes the AUROC among the answers that have a risk.
func (s *setSurvey) statedArea(w *way) string {
	line := s.single("", w.scores)
	return line.auroc.decimal()
}

// area writes the AUROC of a way that a set may not have.
func (w *way) area() string {
	if w == nil {
		return absentFigure
	}
	return w.auroc.decimal()
}

func (w *writer) thresholds() {
	w.say("Balanced accuracy. A ranking carries over from one kind of traffic to another better than a threshold does: that is what\n" +
		"`touchstone calibrate` is for.")
	t := newTable("set", "own labels", "as shipped", "zero-shot", "other corpora")
	for i := range w.sets {
		s := &w.sets[i]
		t.row(s.name, s.own.accuracy(), s.recipe.accuracy(), s.zeroShot.accuracy(), s.otherCorpora.accuracy())
	}
	w.WriteString(t.String())
}

func (w *way) accuracy() string {
	if w == nil {
		return absentFigure
	}
	return w.balanced.decimal()
}

func (w *writer) captures() {
	w.say("## What a budget catches")
	w.say(`
The share of the unsupported answers that is caught by escalating so many, if one answer in ten is unsupported. Random
catches 5, 10, 20 and 30%%. The last two columns compare with the longest answers at a budget of 20%%, in points.`)
	t := newTable("set, ranked by", "5%", "10%", "20%", "30%", "over length at 20%", "above length")
	for i := range w.sets {
		s := &w.sets[i]
		t.row("**" + s.name + "**")
		for _, line := range []struct {
			name string
			way  *way
		}{
			{"own labels", s.own},
			{"as shipped", s.recipe},
			{"zero-shot", s.zeroShot},
			{"other corpora", s.otherCorpora},
			{"answer length", s.length},
		} {
			if line.way == nil {
				continue
			}
			cells := []string{line.name}
			for _, c := range line.way.capture {
				cells = append(cells, c.percent())
			}
			if line.way != s.length {
				cells = append(cells, line.way.overLength.points(), yes(line.way.overLength.above(0)))
			}
			t.row(cells...)
		}
	}
	w.WriteString(t.String())
}

func (w *writer) confounders() {
	w.say("## Is it only length, or only the model?")
	w.say(`
AUROC over pairs of similar length only (fifths of the set), and over pairs of answers by the same model only. If a score
merely knew that long answers, or those of a weak model, are worse, it would be at .500 here.`)
	t := newTable("set", "own labels, same length", "zero-shot, same length", "own labels, same model", "zero-shot, same model", "length, same model")
	for i := range w.sets {
		s := &w.sets[i]
		cells := []string{s.name, s.own.lengthMatched.decimal(), absentFigure, s.own.withinModel.decimal(), absentFigure, s.length.withinModel.decimal()}
		if s.zeroShot != nil {
			cells[2], cells[4] = s.zeroShot.lengthMatched.decimal(), s.zeroShot.withinModel.decimal()
		}
		t.row(cells...)
	}
	w.WriteString(t.String())
}
