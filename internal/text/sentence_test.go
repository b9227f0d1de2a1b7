package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/internal/text"
)

func sentences(s string) []string {
	out := []string{}
	for start, end := range text.Sentences(s) {
		out = append(out, s[start:end])
	}
	return out
}

func TestSentencesEndWhereReadersEndThem(t *testing.T) {
	t.Parallel()
	// A bar marks each expected boundary; it is not part of the text.
	for _, marked := range []string{
		"One. |Two! |Three? |Four",
		"Sales rose to 3.14 million. |Costs were 1,000.5.",
		"Firms, e.g. Apple, i.e. the maker, vs. others. |Next.",
		"Apple Inc. reported growth. |The U.S. Government agreed.",
		"It left the U.S. |The company stayed.",
		"Mr. Smith met Dr. Who. |J. P. Morgan rose. |J.P. Morgan fell.",
		"See No. 5 and Fig. 3. |No. |We did not.",
		"On Sept. 30 it ended. |It was p. 12 of Vol. 3.",
		"Wait... and see. |Wait... |They came.",
		"\"What?\" he asked. |\"Go!\" |She went.",
		"He left (at 5 p.m. or so.) |Then we ate.",
		"Visit example.com or v1.2.3. |Done.",
		"1. First item. |Next.",
		"Really?! |Yes!!! |No.",
		"The company, Yahoo Inc. (the “Company”). |Our sales.",
		// Languages.
		"这是第一句。|这是第二句！|第三句？|“好。”|第四句",
		"売上は増えた。|利益も増えた。",
		"ارتفعت الإيرادات؟ |نعم. |انتهى",
		"यह पहला वाक्य है। |यह दूसरा है।",
		"Am 30. September 2019 stieg der Umsatz, z.B. in Bonn. |Danach fiel er.",
		"Mme. Dupont est là. |Où est-elle ? |Ici !",
		"¿Qué pasó? |¡Nada! |La Sra. García llegó.",
		"Выручка выросла. |Это хорошо!",
		"Η εταιρεία αυξήθηκε. |Ναι.",
		"한국어 문장이다. |다음 문장이다.",
		"Đây là câu một. |Đây là câu hai.",
		"To jest zdanie. |A to drugie.",
		"זה משפט. |וזה עוד אחד.",
		"Bu bir cümle. |İkincisi bu.",
	} {
		t.Run(marked, func(t *testing.T) {
			t.Parallel()
			var want []string
			for part := range strings.SplitSeq(marked, "|") {
				want = append(want, strings.TrimSpace(part))
			}
			assert.Equal(t, want, sentences(strings.ReplaceAll(marked, "|", "")))
		})
	}
}

func TestSentencesEndAtLinesUnlessWrapped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
	}{
		{"rows", "Fixed Price | $  1,452.4\nOther | 44.1\n", []string{"Fixed Price | $  1,452.4", "Other | 44.1"}},
		{"wrapped", "The revenue rose\nby five. It was\nthe Company, and\nOthers, too.", []string{"The revenue rose\nby five.", "It was\nthe Company, and\nOthers, too."}},
		{"paragraphs", "no stop here\n\nnext paragraph", []string{"no stop here", "next paragraph"}},
		{"bullets", "Items:\n• one thing\n- second\n* Third", []string{"Items:", "one thing", "second", "Third"}},
		{"inline bullets", "List • alpha • beta", []string{"List", "alpha", "beta"}},
		{"nothing but signs", "--- | --- \n ... !!! \n\n", []string{}},
		{"blank", " \n\t ", []string{}},
		{"windows", "One\r\nTwo\r\n\r\nthree", []string{"One", "Two", "three"}},
		{"invalid", "a\xff. \xff B\x00.", []string{"a\xff.", "\xff B\x00."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, sentences(tt.in))
		})
	}
}

func TestSentencesStopWhenTheReaderDoes(t *testing.T) {
	t.Parallel()
	n := 0
	for range text.Sentences("One. Two. Three.") {
		n++
		break
	}
	assert.Equal(t, 1, n)
}
