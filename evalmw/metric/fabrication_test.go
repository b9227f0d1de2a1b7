package metric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// verdicts reads the counts of numeric_fabrication_count.
func verdicts(t *testing.T, s *rag.Sample) (count float64, held, misplaced, derived int64) {
	t.Helper()
	r := one(t, s, metric.NumericFabricationCount())
	for _, d := range r.Details {
		switch d.Key {
		case "held":
			held = d.Value.Int64()
		case "misplaced":
			misplaced = d.Value.Int64()
		case "derived":
			derived = d.Value.Int64()
		}
	}
	return r.Value, held, misplaced, derived
}

func TestNumbersOfTheAnswerHaveASource(t *testing.T) {
	for _, c := range []struct {
		name, query, chunk, answer string
		fabricated                 float64
		held, misplaced, derived   int64
	}{
		{"separators do not matter", "", "It has 1,000 seats.", "It has 1000 seats.", 0, 1, 0, 0},
		{"nor does the word for percent", "", "Growth was 15 percent.", "Growth was 15%.", 0, 1, 0, 0},
		{"nor the scale", "", "Revenue was 2,300 million dollars.", "Revenue was $2.3 billion.", 0, 1, 0, 0},
		{"rounding is human", "", "Revenue was 2,345 million.", "Revenue was 2.3 billion.", 0, 1, 0, 0},
		{"wrong rounding is not", "", "Revenue was 2,345 million.", "Revenue was 2.4 billion.", 1, 0, 0, 0},
		{"about allows rounding to zeros", "", "There were 9,813 visitors.", "There were about 10,000 visitors.", 0, 1, 0, 0},
		{"which an exact statement does not", "", "There were 9,813 visitors.", "There were 10,000 visitors.", 1, 0, 0, 0},
		{"a table states its scale once", "", "(in millions) Sales | 1,452.4", "Sales were $1,452.4 million.", 0, 1, 0, 0},
		{"a percentage may be a ratio", "", "The share is 0.153.", "The share is 15.3%.", 0, 1, 0, 0},
		{"signs do not count", "", "Net loss (4.5) million.", "Net loss was 4.5 million.", 0, 1, 0, 0},
		{"another currency is another number", "", "It costs €45.", "It costs $45.", 1, 0, 0, 0},
		{"words for numbers", "", "They own 12 hotels.", "They own twelve hotels.", 0, 1, 0, 0},
		{"an invented number", "", "The hotel has 12 rooms.", "The hotel has 14 rooms.", 1, 0, 0, 0},
		{"the query's numbers are held", "What happened in room 14?", "The room was empty.", "Room 14 was empty.", 0, 1, 0, 0},
		{"a number with another unit is fabricated", "", "They are in 12 countries. " + filler + " They have many employees.", "It employs staff: 12 employees.", 1, 0, 0, 0},
		{"a number beside other words is misplaced", "", "They are in 12 countries. " + filler + " They have many employees.", "Its staff: 12.", 0, 0, 1, 0},
		{"a sum", "", "It sold 120 cars and 345 vans.", "In total it sold 465 cars and vans.", 0, 0, 0, 1},
		{"a difference", "", "Sales were 1,146.2 in 2018 and 1,452.4 in 2019.", "Sales rose by 306.2.", 0, 0, 0, 1},
		{"a relative change", "", "Other | 44.1 | 56.7", "Other fell by 22.22%.", 0, 0, 0, 1},
		{"the other way round it is wrong", "", "Other | 44.1 | 56.7", "Other fell by 23.22%.", 1, 0, 0, 0},
		{"an average of a row", "", "Sales | 1,011 | 1,022 | 1,036", "The average of sales is 1,023.", 0, 0, 0, 1},
		{"a share", "", "Debt 36,675 of 424,561.", "The debt is 8.64% of it.", 0, 0, 0, 1},
		{"operands that the answer quotes", "", "A | 7 | B | 12", "A is 7 and B is 12, a difference of 5.", 0, 2, 0, 1},
		{"small numbers come out of anything", "", "A | 7 | B | 12", "It has 5 doors.", 1, 0, 0, 0},
		{"how many items are listed", "", "Alpha and beta cost money.", "There are 2 of them:\n- Alpha costs money.\n- Beta costs money.", 0, 0, 0, 1},
		{"out of five", "", "It has 4.5 stars.", "It has 4.5 out of 5 stars.", 0, 1, 0, 1},
		{"the numbers of a list say nothing", "", "Rinse the hair. Dry the hair.", "1. Rinse the hair.\n2. Dry the hair.", 0, 0, 0, 0},
		{"nor do those of a list on one line", "", "Smoking, radiation and noise are causes.", "Causes are: 1. Smoking 2. Radiation 3. Noise", 0, 0, 0, 0},
		{"nor steps", "", "Rinse the hair.", "Step 4: Rinse the hair.", 0, 0, 0, 0},
		{"nor citations", "", "Rinse the hair.", "Rinse the hair [1].", 0, 0, 0, 0},
		{"nor ordinals", "", "The quarter was good.", "The 3rd quarter was good.", 0, 0, 0, 0},
		{"nor one", "", "The best is red.", "The best one is red.", 0, 0, 0, 0},
		{"nor talk about the answer", "", "The best is red.", "Here is a summary in 82 words:\nThe best is red.", 0, 0, 0, 0},
		{"a date in another notation", "", "Signed on 2019-09-30.", "It was signed on September 30, 2019.", 0, 1, 0, 0},
		{"another date", "", "Signed on 2019-09-30.", "It was signed on September 29, 2019.", 1, 0, 0, 0},
		{"a year that stands in a date", "", "Signed on 2019-09-30.", "It was signed in 2019.", 0, 1, 0, 0},
		{"a code within a longer one", "", "See form AB-1111.", "See form AB-111.", 1, 0, 0, 0},
		{"a time of day", "", `"Monday": "11:30-19:0"`, "Open on Monday from 11:30 AM to 7 PM.", 0, 2, 0, 0},
		{"another time", "", `"Monday": "11:30-19:0"`, "Open on Monday from 11:30 AM to 8 PM.", 1, 1, 0, 0},
		{"a time with seconds", "", "03:13:02 WARN breaker opened", "The breaker opened at 03:13:02.", 0, 1, 0, 0},
		{"another second", "", "03:13:02 WARN breaker opened", "The breaker opened at 03:13:20.", 1, 0, 0, 0},
		{"seconds may be left out", "", "03:13:02 WARN breaker opened", "The breaker opened at 3:13.", 0, 1, 0, 0},
		{"another unit of time is another number", "", "The warranty lasts 24 months.", "The warranty lasts 24 days.", 1, 0, 0, 0},
		{"in German too", "", "Melden Sie Schäden in 7 Tagen.", "Melden Sie Schäden in 7 Monaten.", 1, 0, 0, 0},
		{"and of mass", "", "The dose is 500 mg.", "The dose is 500 g.", 1, 0, 0, 0},
		{"written without a blank", "", "The dose is 500mg.", "The dose is 500 mg.", 0, 1, 0, 0},
		{"an amount in another unit", "", "Charging takes 90 minutes.", "Charging takes 1.5 hours.", 0, 1, 0, 0},
		{"converted wrongly", "", "Charging takes 90 minutes.", "Charging takes 2.5 hours.", 1, 0, 0, 0},
		{"months and years convert", "", "It lasts 24 months.", "It lasts 2 years.", 0, 1, 0, 0},
		{"months and days do not", "", "It lasts 2 months.", "It lasts 60 days.", 1, 0, 0, 0},
		{"a unit that only one side states", "", "Timeout: 30", "The timeout is 30 seconds.", 0, 1, 0, 0},
		{"a rate per another time", "", "Interest is 1.5% per month.", "Interest is 1.5% per year.", 1, 0, 0, 0},
		{"the same rate", "", "Interest is 1.5% per month.", "Interest is 1.5% a month.", 0, 1, 0, 0},
		{"a number that counts something else", "", "It has offices in 12 countries and 400 employees.", "It has 12 employees.", 1, 0, 0, 0},
		{"and the one that counts it", "", "It has offices in 12 countries and 400 employees.", "It has 400 employees.", 0, 1, 0, 0},
		{"a number between others", "", "It has 5 engineers, 3 designers and 2 managers.", "It has 3 engineers.", 1, 0, 0, 0},
		{"and the right one of them", "", "It has 5 engineers, 3 designers and 2 managers.", "It has 3 designers.", 0, 1, 0, 0},
		{"a range", "", "It takes 10 to 15 guests. It had 80 guests in 2019.", "It takes 10 guests.", 0, 1, 0, 0},
		{"a count that a table names", "", "It has 12 offices. Employees: 400. In 2019 it had 300 employees.", "It has 400 employees.", 0, 1, 0, 0},
		{"a rate behind a stroke", "", "It costs $5/month.", "It costs $5 per year.", 1, 0, 0, 0},
		{"Chinese units", "", "有效期为30天。", "有效期为30年。", 1, 0, 0, 0},
		{"words between a number and what it counts", "", "It has 12 modern offices and 3 offices in Asia.", "It has 12 offices.", 0, 1, 0, 0},
		{"a version", "", "It came with version 2.14.1.", "It came with v2.14.1.", 0, 1, 0, 0},
		{"another version", "", "It came with version 2.14.1.", "It came with version 2.15.1.", 1, 0, 0, 0},
		{"an address", "", "host=10.0.4.17", "The host is 10.0.4.71.", 1, 0, 0, 0},
		{"an id that the query asks about", "What is AB4012x?", "It means a timeout.", "AB4012x means a timeout.", 0, 1, 0, 0},
		{"names with a digit or two are words", "", "Carbon dioxide rose.", "CO2 rose.", 0, 0, 0, 0},
		{"short percentages come out of anything too", "", "Staff cost $40 million and rent $60 million.", "Staff got 40%.", 1, 0, 0, 0},
		{"a part of a whole", "", "Staff cost $40 million and rent $60 million.", "Staff made up 40% of the total.", 0, 0, 0, 1},
		{"an answer without numbers", "", "The best is red.", "The best is red.", 0, 0, 0, 0},
		{"German", "", "Der Umsatz betrug 1.234,5 Mio. Euro.", "Der Umsatz lag bei 1.234,5 Mio. Euro und 77 Läden.", 1, 1, 0, 0},
		{"a point between thousands in the answer", "", "Der Umsatz betrug 2,3 Milliarden Euro.", "Der Umsatz betrug 2.300 Millionen Euro.", 0, 1, 0, 0},
		{"and in the chunk", "", "Der Umsatz betrug 2.300 Millionen Euro.", "Der Umsatz betrug 2,3 Milliarden Euro.", 0, 1, 0, 0},
		{"Chinese", "", "公司收入为1200万元。", "公司收入为1200万元，利润为300万元。", 1, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rag.Sample{Query: c.query, Retrieval: chunks(rag.Chunk{Text: c.chunk}), Answer: rag.Answer{Text: c.answer}}
			fabricated, held, misplaced, derived := verdicts(t, &s)
			assert.Equal(t, []any{c.fabricated, c.held, c.misplaced, c.derived}, []any{fabricated, held, misplaced, derived}, "fabricated, held, misplaced, derived")
		})
	}
}

// filler parts what stands before it from what stands behind.
const filler = "Alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa."

func TestFabricatedNumbersAreListedByTheirPlace(t *testing.T) {
	s := rag.Sample{Retrieval: chunks(rag.Chunk{Text: "Café rooms."}), Answer: rag.Answer{Text: "Café: 14 rooms and $3.5 million."}}
	assert.Equal(t, "2 numbers=2 held=0 misplaced=0 derived=0 fabricated=[1=[start=6 end=8] 2=[start=19 end=31]]",
		show(one(t, &s, metric.NumericFabricationCount())))
}

func TestFabricationNeedsAnswerAndChunks(t *testing.T) {
	assert.Equal(t, "no_answer", show(one(t, &rag.Sample{Retrieval: chunks(rag.Chunk{Text: "a"})}, metric.NumericFabricationCount())))
	assert.Equal(t, "no_chunks", show(one(t, &rag.Sample{Answer: rag.Answer{Text: "5"}}, metric.NumericFabricationCount())))
}

func TestHostileAnswersTakeLinearTime(t *testing.T) {
	// Most took ten seconds to two minutes at this size while cost grew with the square.
	const n = 100_000
	distinct := func(format string, step int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i*step+1000)
		}
		return b.String()
	}
	for name, c := range map[string][2]string{
		"numbers in one sentence": {distinct("%d ", 1), distinct("%d ", 7)},
		"brackets and numbers":    {strings.Repeat("[1, ", n), "1"},
		"dates":                   {strings.Repeat("3 March 2019 ", n), strings.Repeat("4 March 2018 ", n)},
		"codes":                   {distinct("A%d ", 1), distinct("B%d ", 1)},
		"one endless code":        {"It is x" + strings.Repeat("1", n) + " here.", strings.Repeat("1", 5*n)},
		"units":                   {distinct("%d days ", 1), distinct("%d months ", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := &rag.Sample{Retrieval: chunks(rag.Chunk{Text: c[1]}), Answer: rag.Answer{Text: c[0]}}
			assert.Empty(t, one(t, s, metric.NumericFabricationCount()).Reason)
		})
	}
}
