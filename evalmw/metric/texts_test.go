package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

// languages are three sentences each: of the first chunk, of the second, and one
// that is in none. The second has a number, in native digits where the script has
// some, which is plain otherwise.
var languages = []struct{ name, first, second, nowhere, native, plain string }{
	{
		"English", "The committee approved the budget for the new harbour.", "The factory's output doubled to 345 tonnes within one summer.",
		"Penguins sleep standing up during polar storms.", "345", "345",
	},
	{
		"German", "Der Ausschuss genehmigte den Haushalt für den neuen Hafen.", "Die Förderung stieg im Frühjahr auf 1.345.000 Tonnen Überschuss.",
		"Pinguine schlafen während eines Schneesturms im Stehen.", "1.345.000", "1345000",
	},
	{
		"French", "L'assemblée a approuvé le budget du nouveau port.", "La récolte d'été a doublé, atteignant 345\u202f000 tonnes à l'étranger.",
		"Les manchots dorment debout pendant la tempête.", "345\u202f000", "345000",
	},
	{
		"Spanish", "El comité aprobó el presupuesto del nuevo puerto.", "La producción de la fábrica se duplicó hasta 345,5 toneladas en otoño.",
		"Los pingüinos duermen de pie durante la tormenta.", "345,5", "345.5",
	},
	{
		"Polish", "Komisja zatwierdziła budżet nowego portu.", "Wydobycie w źródłach wzrosło latem do 345 tysięcy baryłek.",
		"Pingwiny śpią na stojąco podczas zamieci.", "345", "345",
	},
	{
		"Russian", "Комиссия утвердила бюджет новой гавани.", "Добыча на шахте выросла летом до 345 тонн угля.",
		"Пингвины спят стоя во время метели.", "345", "345",
	},
	{
		"Greek", "Η επιτροπή ενέκρινε τον προϋπολογισμό του λιμανιού.", "Η παραγωγή ελαιόλαδου διπλασιάστηκε σε 345 τόνους φέτος.",
		"Οι πιγκουίνοι κοιμούνται όρθιοι στη χιονοθύελλα.", "345", "345",
	},
	{
		"Turkish", "Komisyon yeni limanın bütçesini onayladı.", "Fabrikanın üretimi yazın 345 ton çeliğe ulaştı.",
		"Penguenler kar fırtınasında ayakta uyur.", "345", "345",
	},
	{
		"Arabic", "وافقت اللجنة على ميزانية الميناء الجديد.", "تضاعف إنتاج المصنع إلى ٣٤٥ طنا خلال الصيف.",
		"تنام البطاريق واقفة أثناء العاصفة الثلجية.", "٣٤٥", "345",
	},
	{
		"Hebrew", "הוועדה אישרה את תקציב הנמל החדש.", "תפוקת המפעל הוכפלה והגיעה אל 345 טונות בקיץ.",
		"פינגווינים ישנים בעמידה בזמן סופה.", "345", "345",
	},
	{
		"Hindi", "समिति ने नए बंदरगाह का बजट मंजूर किया।", "कारखाने का उत्पादन गर्मियों में ३४५ टन तक पहुँच गया।",
		"पेंगुइन बर्फीले तूफान के दौरान खड़े सोते हैं।", "३४५", "345",
	},
	{
		"Chinese", "委员会批准了新港口的预算。", "工厂产量在夏季翻倍达到３４５吨钢铁。",
		"企鹅暴风雪中站着睡觉。", "３４５", "345",
	},
	{
		"Japanese", "委員会は新しい港の予算を承認した。", "工場の生産量は夏に倍増し３４５トンへ達しました。",
		"ペンギンは吹雪の中で眠る。", "３４５", "345",
	},
	{
		"Korean", "위원회는 새 항구의 예산을 승인했다.", "공장의 생산량은 여름에 두 배로 늘어 345톤에 이르렀다.",
		"펭귄은 눈보라 속에서 서서 잔다.", "345", "345",
	},
	{
		// Thai words are their characters, of which all sentences share many: this one is of the rare ones.
		"Thai", "คณะกรรมการอนุมัติงบประมาณท่าเรือใหม่", "โรงงานผลิตเหล็กเพิ่มเป็น ๓๔๕ ตันในฤดูร้อน",
		"ซฬฮฒฎ ฌฑฏฐ", "๓๔๕", "345",
	},
	{
		"Vietnamese", "Ủy ban đã phê duyệt ngân sách cảng mới.", "Sản lượng nhà máy tăng gấp đôi lên 345 tấn thép trong mùa hè.",
		"Chim cánh cụt ngủ đứng giữa bão tuyết.", "345", "345",
	},
}

// sourceOf returns the number of the chunk that an answer is attributed to, or 0.
func sourceOf(t *testing.T, answer string, chunks ...string) float64 {
	t.Helper()
	s := chunked(chunks...)
	s.Answer.Text = answer
	r := one(t, s, metric.ContextPrecision())
	if !r.Measured() {
		require.Equal(t, rag.ReasonNoContributions, r.Reason)
		return 0
	}
	for _, d := range r.Details {
		if d.Key == "avg_rank" {
			return d.Value.Float64()
		}
	}
	t.Fatal("no avg_rank")
	return 0
}

func TestTextIsReadInManyLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			require.Contains(t, l.second, l.native)
			assert.InDelta(t, 1, sourceOf(t, l.first, l.first, l.second), 0, "the sentence of the first chunk")
			assert.InDelta(t, 2, sourceOf(t, l.second, l.first, l.second), 0, "the sentence of the second chunk")
			assert.InDelta(t, 2, sourceOf(t, strings.ToUpper(l.second), l.first, l.second), 0, "in capitals")
			assert.InDelta(t, 2, sourceOf(t, "„"+strings.TrimRight(l.second, ".。।")+"“!", l.first, l.second), 0, "in quotes")
			assert.InDelta(t, 0, sourceOf(t, l.nowhere, l.first, l.second), 0, "a sentence that stands nowhere")
			assert.InDelta(t, 2, sourceOf(t, l.plain, l.first, l.second), 0, "the number alone, in plain digits")
			assert.InDelta(t, 0, sourceOf(t, "346", l.first, l.second), 0, "a number that stands nowhere")

			r := one(t, chunked(l.second, l.first+" "+l.second), metric.RedundancyNgram())
			assert.InDelta(t, 1, r.Value, 0, "a chunk that stands in another repeats it")
			r = one(t, chunked(l.first, l.second), metric.RedundancyNgram())
			assert.Less(t, r.Value, 0.1, "two that say different things do not")
			r = one(t, chunked(l.second, strings.ToUpper(l.second)), metric.RedundancyTFIDF())
			assert.InDelta(t, 1, r.Value, 1e-12, "case makes no difference")
		})
	}
}

func TestSharedTextsOfOneTurnDoNotReachTheNext(t *testing.T) {
	e, err := rag.NewEvaluator(rag.Config{Metrics: append(metric.Default(),
		metric.RedundancyNgram(), metric.RedundancyTFIDF(), metric.UniqueTokenRatio())})
	require.NoError(t, err)
	long, short := typical(), chunked("a b c d", "a b c e")
	var alone, after rag.Evaluation
	e.Score(short, rag.PhaseAnswer, &alone)
	e.Score(long, rag.PhaseAnswer, new(rag.Evaluation))
	e.Score(short, rag.PhaseAnswer, &after)
	assert.Equal(t, alone.Clone(), after.Clone())
}

func TestWarmTextMetricsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	e, err := rag.NewEvaluator(rag.Config{Metrics: metric.All()})
	require.NoError(t, err)
	samples := map[string]*rag.Sample{"extractions": typical(), "citations": cited(), "lexical": bare()}
	for _, l := range languages {
		s := chunked(l.first, l.second)
		s.Query, s.Answer.Text = l.nowhere, l.second+" [1]\n"+l.plain+" "+l.nowhere
		samples[l.name] = s
	}
	for name, s := range samples {
		t.Run(name, func(t *testing.T) {
			ev := new(rag.Evaluation)
			score := func() {
				ev.Reset()
				e.Score(s, rag.PhaseAnswer, ev)
			}
			score()
			assert.Zero(t, testing.AllocsPerRun(100, score))
		})
	}
}
