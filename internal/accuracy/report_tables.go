package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-rag/touchstone/internal/calibrate"
)

// columns is how many sets fit a table with intervals.
const columns = 4

func (w *writer) singleTables() {
	w.say("## Each metric and feature by itself")
	w.say(`
AUROC of a single value, where its bad end counts as risk: few supported claims, many fabricated numbers, little recall,
much redundancy. Below the line stand the features that `+"`support_risk`"+` is made of. A metric is measured among the answers
for which it has a value; – stands where fewer than %d of a class have one.`, minClass)
	for from := 0; from < len(w.sets); from += columns {
		w.WriteString(w.bySet(w.sets[from:min(from+columns, len(w.sets))], func(l *single) string { return l.auroc.decimal() }))
	}
	w.say("The share of the unsupported answers that each catches at a budget of 20%%, as above.")
	w.WriteString(w.bySet(w.sets, func(l *single) string { return percent(l.capture) }))
	w.say("The share of the answers for which a metric has a value, where that is not all of them. Answers without citations have no\n" +
		"validity of citations, and these sets have next to none. Answers that decline or state nothing have no risk: they rank last.")
	t := newTable(append([]string{"metric"}, w.names()...)...)
	cells := []string{"`support_risk`"}
	for i := range w.sets {
		cells = append(cells, percent(trueShare(w.sets[i].states)))
	}
	t.row(cells...)
	for k, line := range w.sets[0].singles {
		cells, full := []string{"`" + line.name + "`"}, true
		for i := range w.sets {
			coverage := w.sets[i].singles[k].coverage
			cells = append(cells, percent(coverage))
			full = full && coverage == 1
		}
		if !full {
			t.row(cells...)
		}
	}
	w.WriteString(t.String())
}

func trueShare(of []bool) float64 { return float64(count(of)) / float64(len(of)) }

// bySet makes a table of the single metrics, with a column per set.
func (w *writer) bySet(sets []setSurvey, cell func(*single) string) string {
	head := []string{"score"}
	for i := range sets {
		head = append(head, sets[i].name)
	}
	t := newTable(head...)
	for k, line := range w.sets[0].singles {
		if k == len(singleMetrics()) {
			t.row("—")
		}
		cells := []string{"`" + line.name + "`"}
		for i := range sets {
			cells = append(cells, cell(&sets[i].singles[k]))
		}
		t.row(cells...)
	}
	return t.String()
}

func (w *writer) names() []string {
	var names []string
	for i := range w.sets {
		names = append(names, w.sets[i].name)
	}
	return names
}

func (w *writer) ruleTable() {
	w.say("## The literal rule")
	w.say("What `context_recall_heuristic < 0.7` escalates and catches, and what other rankings catch when they escalate as many. In a set\n" +
		"with one chunk per answer the metric says whether the answer stands on it at all; with several it falls with each that was not used.")
	t := newTable("set", "escalates", "catches", "own labels catch", "zero-shot catches", "longest catch")
	for i := range w.sets {
		s := &w.sets[i]
		t.row(s.name, percent(s.rule.escalated), percent(s.rule.caught), percent(s.rule.own), percent(s.rule.zeroShot), percent(s.rule.length))
	}
	w.WriteString(t.String())
}

func (w *writer) ablationTables() {
	w.say("## What each feature is worth")
	w.say(`
The change of the AUROC when a feature is left out and the rest is fitted anew: below zero means that the feature helps.
A star marks changes whose interval, of the paired difference, excludes zero. A feature that the fit leaves out anyway,
since its weight would be negative, changes nothing.`)
	var weights []string
	for _, f := range w.weights.Features {
		weights = append(weights, fmt.Sprintf("`%s` %.2f", f.Name, f.Weight))
	}
	w.say("The shipped weights, in log-odds for each standard deviation of the feature: %s.", strings.Join(weights, ", "))
	w.say("With own labels:")
	w.WriteString(w.lossTable(func(l *loss) estimate { return l.own }))
	w.say("Zero-shot:")
	w.WriteString(w.lossTable(func(l *loss) estimate { return l.zeroShot }))
}

func (w *writer) lossTable(of func(*loss) estimate) string {
	t := newTable(append(append([]string{"left out"}, w.names()...), "mean")...)
	for k := range w.sets[0].lost {
		cells := []string{"`" + w.sets[0].lost[k].feature + "`"}
		var sum float64
		for i := range w.sets {
			e := of(&w.sets[i].lost[k])
			cell := change(e.value)
			if e.within.Known() && !e.within.Contains(0) {
				cell += "\\*"
			}
			cells = append(cells, cell)
			sum += e.value
		}
		if !math.IsNaN(sum) {
			t.row(append(cells, change(sum/float64(len(w.sets))))...)
		}
	}
	return t.String()
}

func (w *writer) fewLabelsTable() {
	if w.sets[0].few == nil {
		return // a single set has no zero-shot scores
	}
	w.say("## What few labels buy")
	w.say(`
Platt scaling of the zero-shot scores on 25, 50 or 100 answers labelled at random, the first step of `+"`touchstone calibrate`"+`,
measured on the answers left: means of %d draws. It moves the threshold and makes a probability; it does not change the
ranking. From 100 labels on calibrate also fits the weights anew and keeps them if they rank better, which is not counted here.
The error is the expected calibration error, which is above zero by chance alone: some .05 of 400 answers, .1 and more where a
hundred are left, as in mtrag-human and wice. "Declined" is the share of the draws of 25 with fewer than %d answers of a
class, or a score that ran the wrong way: then nothing is fitted. Calibrate is stricter than this simulation: it also declines
where the labels leave open whether the score is better than chance, on the RAGTruth tasks a third to three quarters of the
draws of 25 and up to a third of those of 50 (go test ./internal/calibrate -run FiftyLabels -v -draws 40). Label fifty or more.`, labelDraws, calibrate.MinClass)
	t := newTable("set", "balanced accuracy: none", "25", "50", "100", "error: none", "25", "50", "100", "declined at 25")
	for i := range w.sets {
		few := w.sets[i].few
		if few == nil {
			continue
		}
		cells := []string{w.sets[i].name}
		for _, l := range few {
			cells = append(cells, decimal(l.balanced))
		}
		for _, l := range few {
			cells = append(cells, decimal(l.ece))
		}
		t.row(append(cells, percent(few[1].declined))...)
	}
	w.WriteString(t.String())
}

func (w *writer) detectorTables() {
	w.say("## Beside detectors that are models")
	w.say(`
Balanced accuracy on RAGTruth. The figures of the detectors were reported by others (Vectara, and the FaithJudge paper) on
the whole test set; ours are from half of it, so the rows are not the same. A detector reads each answer with a model, which
takes a second of CPU or a call and its price; ours takes a fraction of a millisecond.`)
	t := newTable("detector", "qa", "summary", "data2txt")
	for _, f := range publishedFigures {
		cells := []string{f.detector + ", " + f.what}
		for _, x := range []float64{f.qa, f.summary, f.data2txt} {
			if x == 0 {
				x = math.NaN()
			}
			cells = append(cells, decimal(x))
		}
		t.row(cells...)
	}
	own, few, shot := []string{"`support_risk`, own labels"}, []string{"`support_risk`, zero-shot and 25 labels"}, []string{"`support_risk`, zero-shot"}
	for _, name := range []string{"ragtruth/qa", "ragtruth/summary", "ragtruth/data2txt"} {
		s, labelled := w.set(name), absentFigure
		if s == nil {
			s = new(setSurvey)
		}
		if s.few != nil {
			labelled = decimal(s.few[1].balanced)
		}
		own, few, shot = append(own, s.own.accuracy()), append(few, labelled), append(shot, s.zeroShot.accuracy())
	}
	t.row(own...)
	t.row(few...)
	t.row(shot...)
	w.WriteString(t.String())
	w.say(`
By F1 over all three tasks, fine-tuned detectors are far ahead of anything lexical: LettuceDetect 76.8 and 79.2, RAG-HAT
83.9, where calling every answer unsupported already gives 58.4 (as published, whole test set).`)
	if len(w.detectors) == 0 {
		return
	}
	w.say(`
On FaithBench the scores of detectors were published answer by answer, so this AUROC is of the same rows. The answers were
chosen because such detectors disagree on them, which holds the detectors down and not us: it shows that the set is hard,
not that counting words beats a model. A verdict of yes or no has fewer steps than a score, which costs it some AUROC too.`)
	t = newTable("detector", "AUROC on faithbench")
	for _, d := range w.detectors {
		t.row(d.name, d.auroc.decimal())
	}
	s := w.set("faithbench")
	t.row("`support_risk`, zero-shot", s.zeroShot.area())
	t.row("`support_risk`, own labels", s.own.area())
	w.WriteString(t.String())
}

func (w *writer) demoTable() {
	if w.demo == nil {
		return
	}
	w.say("## Against the official scores of the demo's answers")
	w.say(`
What five systems answered to the questions of the demo corpus (TAT-QA, annual reports), with the chunks of the document in
question; AUROC against wrong, an official exact match of 0. Wrong is not unsupported: a number from another row of
the table is supported and wrong, and so is a quotation that is a word too long. So this is a look at real answers with numbers, no
measurement of support. Where the answer is computed, an invented number tells; where it is quoted, nearly everything
stands in the chunks, the scorer is strict about where a quotation ends, and the risk says nothing, or the contrary. The
risk is that of the shipped weights, which have not seen these answers.`)
	t := newTable("answers, system", "answers", "wrong", "risk", "`claim_support_rate`", "`numeric_fabrication_count`", "with a fabricated number", "of these wrong")
	for _, l := range w.demo {
		t.row(l.kind+", "+l.system, strconv.Itoa(l.cases), percent(l.wrong), l.risk.decimal(), l.support.decimal(), l.numbers.decimal(),
			percent(l.fabricated), percent(l.wrongThere))
	}
	w.WriteString(t.String())
}

func (w *writer) limits() {
	w.say("## What it cannot do")
	lines := []string{
		"**It is never a verdict.** It says where to look first. At any threshold worth having it is wrong about many single answers; nothing may be\n" +
			"  blocked, shown or billed by it alone.",
		"**Paraphrase and inference.** It compares words, numbers and names. A true answer in other words looks risky; a false one made of the\n" +
			"  chunks' own words looks safe: roles swapped, a cause made up, a condition left out.",
		"**Contradiction** is seen where numbers, names or the attributes of a record clash. A negation (\"is supported\", \"is not supported\")\n" +
			"  and swapped pairs of copied words are not: one wrong detail in a sentence that is otherwise copied often passes, and a\n" +
			"  `claim_support_rate` of 1 does not mean that the answer is right.",
		"**Modern models** make subtler mistakes. RAGTruth's answers are from 2023, and nothing here measures answers of newer ones:\n" +
			"  expect less, and measure it on your own.",
		"**Hard cases.** " + w.hardCases(),
		"**Other languages.** Words, numbers and their matching are Unicode throughout, but function words, negations and hedges are known in\n" +
			"  English only, and every label here is on English text. How good it is elsewhere is not known.",
	}
	if small := w.smallSets(); len(small) > 0 {
		lines = append(lines, "**Small sets.** Fewer than 200 answers: "+strings.Join(small, ", ")+". Read the intervals, not the figures.")
	}
	w.say("- %s", strings.Join(lines, "\n- "))
	w.say("So keep a random share of the traffic under audit, calibrate on it, and look at what `touchstone calibrate` says of your own.")
}

func (w *writer) smallSets() []string {
	var names []string
	for i := range w.sets {
		if len(w.sets[i].cases) < 200 {
			names = append(names, w.sets[i].name)
		}
	}
	return names
}

func (w *writer) hardCases() string {
	s := w.set("faithbench")
	if s == nil {
		return "Where trained detectors disagree, so does chance with any of this."
	}
	return fmt.Sprintf("Where trained detectors disagree (faithbench) the zero-shot AUROC is %s: near chance. What is subtle enough to split\n  them is not told by words.",
		s.zeroShot.area())
}
