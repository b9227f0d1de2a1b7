package metric_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-rag/touchstone/evalmw/metric"
	"github.com/touchstone-rag/touchstone/evalmw/rag"
)

func turn(query, answer string, chunks ...string) *rag.Sample {
	s := &rag.Sample{Query: query, Answer: rag.Answer{Text: answer}}
	for i, text := range chunks {
		s.Retrieval.Chunks = append(s.Retrieval.Chunks, rag.Chunk{ID: fmt.Sprint(i), Text: text})
	}
	return s
}

// riskFeatures returns the features of a turn by their names.
func riskFeatures(t *testing.T, s *rag.Sample) map[string]float64 {
	t.Helper()
	var features []float64
	evaluate(t, s, rag.Metric{Name: "features", Score: func(v *rag.View) rag.Result {
		features = metric.AppendRiskFeatures([]float64{42}, v)
		return rag.Result{}
	}})
	names := metric.RiskFeatureNames()
	require.Len(t, features, 1+len(names))
	require.InDelta(t, 42, features[0], 0, "dst is kept")
	byName := make(map[string]float64)
	for i, name := range names {
		byName[name] = features[1+i]
	}
	return byName
}

func TestRiskFeaturesTellWhatTheChunksDoNotHold(t *testing.T) {
	const record = `{"name": "Blue Door", "hours": {"Monday": "11:30-22:0"}, "attributes": {"OutdoorSeating": false, "WiFi": "free"}, "stars": 4.5}`
	prose := "The Blue Door opened in Santa Barbara in 2012. Its chef serves grilled fish and roasted vegetables."
	tests := []struct {
		feature, query, supported, unsupported, chunk string
	}{
		{"novel_words", "", "Its chef serves grilled fish.", "Its bakers knead sourdough loaves.", prose},
		{"longest_novel_run", "", "Its famous chef serves the grilled fish.", "Its chef won several prestigious culinary prizes.", prose},
		{"longest_novel_run", "Did the chef win prestigious culinary prizes?", "Its chef won prestigious culinary prizes.", "Its chef published cookery bestsellers.", prose},
		{"worst_claim", "", "It opened in 2012. Its chef serves fish.", "It opened in 2012. Nobody recommends visiting during winter.", prose},
		{"unsupported_claims", "", "The Blue Door opened in Santa Barbara.", "Reservations require several weeks of patience.", prose},
		{"unsupported_names", "", "It stands in Santa Barbara.", "It stands near Golden Gate Park.", prose},
		{"contradicted_details", "", "It opened in 2012.", "It opened in 2015.", prose},
		{"contradicted_details", "", "On Monday it closes at 10 PM.", "On Monday it closes at 9 PM.", record},
		{"contradicted_details", "", "It has free WiFi.", "It offers outdoor seating.", record},
	}
	for _, tt := range tests {
		t.Run(tt.feature+"/"+tt.unsupported, func(t *testing.T) {
			lower := riskFeatures(t, turn(tt.query, tt.supported, tt.chunk))[tt.feature]
			higher := riskFeatures(t, turn(tt.query, tt.unsupported, tt.chunk))[tt.feature]
			assert.Less(t, lower, higher)
		})
	}
}

func TestRiskIsLowerForWhatTheChunksSayInAnyLanguage(t *testing.T) {
	for _, tt := range []struct{ language, chunk, supported, unsupported string }{
		{"English", "Revenue rose by 15% to $2.3 billion in 2019, driven by services.", "Revenue rose by 15% to $2.3 billion in 2019.", "Profit fell by 8% after a costly lawsuit in Texas."},
		{"German", "Der Umsatz stieg 2019 um 15 % auf 2,3 Milliarden Euro.", "Der Umsatz stieg um 15 % auf 2,3 Milliarden Euro.", "Der Gewinn sank nach einem teuren Rechtsstreit um 8 %."},
		{"French", "Le chiffre d'affaires a progressé de 15 % grâce aux services.", "Le chiffre d'affaires a progressé de 15 %.", "Le bénéfice a reculé de 8 % après un procès coûteux."},
		{"Spanish", "Los ingresos aumentaron un 15 % gracias a los servicios.", "Los ingresos aumentaron un 15 %.", "El beneficio cayó un 8 % tras un pleito costoso."},
		{"Portuguese", "A receita cresceu 15% graças aos serviços.", "A receita cresceu 15%.", "O lucro caiu 8% depois de um processo caro."},
		{"Italian", "I ricavi sono cresciuti del 15% grazie ai servizi.", "I ricavi sono cresciuti del 15%.", "L'utile è sceso dell'8% dopo una causa costosa."},
		{"Polish", "Przychody wzrosły o 15% dzięki usługom.", "Przychody wzrosły o 15%.", "Zysk spadł o 8% po kosztownym procesie."},
		{"Turkish", "Hizmetler sayesinde gelir yüzde 15 arttı.", "Gelir yüzde 15 arttı.", "Pahalı bir davadan sonra kâr yüzde 8 düştü."},
		{"Russian", "Выручка выросла на 15% благодаря услугам.", "Выручка выросла на 15%.", "Прибыль упала на 8% после дорогого суда."},
		{"Greek", "Τα έσοδα αυξήθηκαν κατά 15% χάρη στις υπηρεσίες.", "Τα έσοδα αυξήθηκαν κατά 15%.", "Τα κέρδη μειώθηκαν κατά 8% μετά από μια δίκη."},
		{"Arabic", "ارتفعت الإيرادات بنسبة 15٪ بفضل الخدمات.", "ارتفعت الإيرادات بنسبة 15٪.", "انخفض الربح بنسبة 8٪ بعد دعوى مكلفة."},
		{"Hebrew", "ההכנסות עלו ב-15% בזכות השירותים.", "ההכנסות עלו ב-15%.", "הרווח ירד ב-8% לאחר תביעה יקרה."},
		{"Hindi", "सेवाओं के कारण राजस्व 15% बढ़ा।", "राजस्व 15% बढ़ा।", "महंगे मुकदमे के बाद लाभ 8% घटा।"},
		{"Thai", "รายได้เพิ่มขึ้น 15% จากบริการ", "รายได้เพิ่มขึ้น 15%", "กำไรลดลง 8% หลังคดีความที่แพง"},
		{"Chinese", "由于服务业务，收入增长了15%。", "收入增长了15%。", "昂贵的诉讼之后利润下降8%。"},
		{"Japanese", "サービスにより売上は15%増えた。", "売上は15%増えた。", "高額な訴訟の後に利益が8%減った。"},
		{"Korean", "서비스 덕분에 매출이 15% 늘었다.", "매출이 15% 늘었다.", "비싼 소송 이후 이익이 8% 줄었다."},
		{"Vietnamese", "Doanh thu tăng 15% nhờ dịch vụ.", "Doanh thu tăng 15%.", "Lợi nhuận giảm 8% sau một vụ kiện tốn kém."},
	} {
		t.Run(tt.language, func(t *testing.T) {
			low := one(t, turn("", tt.supported, tt.chunk), metric.SupportRisk())
			high := one(t, turn("", tt.unsupported, tt.chunk), metric.SupportRisk())
			require.True(t, low.Measured() && high.Measured())
			assert.Less(t, low.Value+0.2, high.Value)
		})
	}
}

func TestRiskIsNotMeasuredWhereNothingIsStated(t *testing.T) {
	abstained := turn("", "Revenue rose.", "Revenue rose.")
	abstained.Answer.Abstained = rag.Some(true)
	for _, tt := range []struct {
		name string
		in   *rag.Sample
		want rag.Reason
	}{
		{"no answer", turn("q", " \n", "Revenue rose."), rag.ReasonNoAnswer},
		{"no chunks", turn("q", "Revenue rose."), rag.ReasonNoChunks},
		{"chunks without text", turn("q", "Revenue rose.", "", " "), rag.ReasonNoChunks},
		{"the service says that it abstained", abstained, rag.ReasonNotApplicable},
		{"the answer declines", turn("q", "I cannot answer based on the provided passages.", "Revenue rose."), rag.ReasonNotApplicable},
		{"a bare denial", turn("Did it rise?", "No.", "Revenue rose."), rag.ReasonNotApplicable},
		{"signs only", turn("q", "?!", "Revenue rose."), rag.ReasonNotApplicable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, one(t, tt.in, metric.SupportRisk()).Reason)
		})
	}
}

// Questions and common knowledge are no claims, but they can bring in what no
// chunk has.
func TestRiskIsMeasuredOfWhatIsNoClaim(t *testing.T) {
	for _, answer := range []string{
		"Do you like the band Kurt Donald Cobain?",
		"Green is commonly associated with merchants.",
		"I do not know much, but he graduated from Mississippi State University.",
	} {
		assert.True(t, one(t, turn("q", answer, "Revenue rose."), metric.SupportRisk()).Measured(), answer)
	}
}

func TestRiskSaysWhyAndHowFarToTrustIt(t *testing.T) {
	s := turn("", "It opened in 2015 near Golden Gate Park.", "The Blue Door opened in Santa Barbara in 2012.")
	r := one(t, s, metric.SupportRisk())
	assert.Equal(t, metric.LabelUncalibrated, r.Label)
	details := make(map[string]any)
	var keys []string
	for _, d := range r.Details {
		details[d.Key] = d.Value.Any()
		keys = append(keys, d.Key)
	}
	assert.Equal(t, []string{"model", "calibrated", "reason_1", "log_odds_1", "reason_2", "log_odds_2", "reason_3", "log_odds_3"}, keys)
	assert.Equal(t, metric.DefaultRiskModel().Version, details["model"])
	assert.Equal(t, false, details["calibrated"])
	assert.Contains(t, []any{details["reason_1"], details["reason_2"], details["reason_3"]}, "contradicted_details")
	assert.GreaterOrEqual(t, details["log_odds_1"], details["log_odds_2"])
	assert.GreaterOrEqual(t, details["log_odds_2"], details["log_odds_3"])

	supported := one(t, turn("", "The Blue Door opened in 2012.", "The Blue Door opened in 2012."), metric.SupportRisk())
	for _, d := range supported.Details {
		if strings.HasPrefix(d.Key, "log_odds") {
			assert.GreaterOrEqual(t, d.Value.Float64(), 0.0, "only what raises the risk is a reason")
		}
	}
}

func TestCalibratedRiskHasNoLabel(t *testing.T) {
	model := *metric.DefaultRiskModel()
	model.Calibration = metric.RiskCalibration{Method: metric.CalibrationPlatt, A: 1, B: -1, Labels: metric.RiskLabelsNeeded}
	require.NoError(t, model.Validate())
	s := turn("", "Profit fell.", "Revenue rose.")
	calibrated := one(t, s, metric.SupportRisk(metric.WithRiskModel(&model)))
	assert.Empty(t, calibrated.Label)
	assert.Less(t, calibrated.Value, one(t, s, metric.SupportRisk()).Value, "the calibration applies")
	assert.Equal(t, one(t, s, metric.SupportRisk()).Value, one(t, s, metric.SupportRisk(metric.WithRiskModel(nil))).Value)
}

func TestRiskIsPureAndInRangeOnAnySample(t *testing.T) {
	var features []float64
	metrics := []rag.Metric{metric.SupportRisk(), {Name: "features", Score: func(v *rag.View) rag.Result {
		features = metric.AppendRiskFeatures(features[:0], v)
		return rag.Result{}
	}}}
	warm, err := rag.NewEvaluator(rag.Config{Metrics: metrics})
	require.NoError(t, err)
	d := drawer{rand.New(rand.NewPCG(11, 12))}
	ev := new(rag.Evaluation)
	for range 500 {
		s := d.sample()
		ev.Reset()
		warm.Score(s, rag.PhaseAnswer, ev)
		requireSound(t, ev)
		for i, x := range features {
			require.True(t, x >= 0 && x <= 1, "%s is %v", metric.RiskFeatureNames()[i], x)
		}
		want := slices.Clone(features)
		require.Equal(t, showAll(evaluate(t, s, metrics...), anyField), showAll(ev, anyField), "memory of earlier samples shows")
		require.Equal(t, want, features)
	}
}

func TestHostileSizesHaveASoundRisk(t *testing.T) {
	samples := hostile(10_000)
	for name, text := range map[string]string{
		"one word": strings.Repeat("word ", 20_000), "no blanks": strings.Repeat("x", 200_000), "names": strings.Repeat("Name ", 20_000),
		"numbers": strings.Repeat("5.5 12:30 ", 10_000), "invalid": strings.Repeat("\xff\xc3(", 50_000), "keys": strings.Repeat(`"word": false, `, 10_000),
	} {
		samples[name] = turn(text, text, text, text)
	}
	for name, s := range samples {
		t.Run(name, func(t *testing.T) { requireSound(t, evaluate(t, s, metric.SupportRisk())) })
	}
}

func TestWarmRiskDoesNotAllocate(t *testing.T) {
	e, err := rag.NewEvaluator(rag.Config{Metrics: []rag.Metric{metric.SupportRisk()}})
	require.NoError(t, err)
	for name, s := range map[string]*rag.Sample{
		"typical": typical(), "cited": cited(),
		"record": turn("", "It has outdoor seating until 9 PM.", `{"OutdoorSeating": false, "hours": "11:30-22:0"}`),
	} {
		t.Run(name, func(t *testing.T) {
			ev := new(rag.Evaluation)
			score := func() {
				ev.Reset()
				e.Score(s, rag.PhaseAnswer, ev)
			}
			score()
			if allocs := testing.AllocsPerRun(200, score); !raceEnabled {
				assert.Zero(t, allocs)
			}
		})
	}
}

func BenchmarkSupportRisk(b *testing.B) {
	b.Run("typical", func(b *testing.B) { benchmark(b, typical(), metric.SupportRisk()) })
}
