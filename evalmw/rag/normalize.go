package rag

import "math"

// A Normalizer maps a retriever's score to 0..1, given the range of the
// scores of the same method in the sample. What it returns is clamped to
// 0..1; a NaN counts as no score.
type Normalizer func(score float64, of ScoreRange) float64

// ScoreRange is the range of one method's finite scores in one sample.
type ScoreRange struct {
	Min, Max float64
	N        int
}

// ByMax divides by the highest score of the method, or yields 0 where that is
// not positive.
func ByMax(score float64, of ScoreRange) float64 {
	if of.Max <= 0 {
		return 0
	}
	return score / of.Max
}

// MinMax maps the method's lowest score to 0 and its highest to 1. Where all
// are equal, each is 1.
func MinMax(score float64, of ScoreRange) float64 {
	if of.Max <= of.Min {
		return 1
	}
	return (score - of.Min) / (of.Max - of.Min)
}

// Logistic maps any score to 0..1 by 1/(1+exp(-score)).
func Logistic(score float64, _ ScoreRange) float64 { return 1 / (1 + math.Exp(-score)) }

// measure finds the score range of every method that has a normalizer.
func (m *chunkMerge) measure(chunks []Chunk, by map[string]Normalizer) {
	if len(by) == 0 {
		return
	}
	if m.ranges == nil {
		m.ranges = make(map[string]ScoreRange)
	}
	clear(m.ranges)
	for i := range chunks {
		score := chunks[i].Score
		if !score.Valid || !finite(score.V) {
			continue
		}
		for _, method := range chunks[i].Methods {
			if by[method] == nil {
				continue
			}
			r, ok := m.ranges[method]
			if !ok {
				r.Min, r.Max = score.V, score.V
			}
			m.ranges[method] = ScoreRange{Min: min(r.Min, score.V), Max: max(r.Max, score.V), N: r.N + 1}
		}
	}
}

// normalised returns the chunk's score in 0..1: by the normalizer of the
// first of its methods that has one, else as it is.
func (m *chunkMerge) normalised(c *Chunk, by map[string]Normalizer) Opt[float64] {
	if !c.Score.Valid {
		return Opt[float64]{}
	}
	score := c.Score.V
	if !finite(score) {
		m.ignoredScores++
		return Opt[float64]{}
	}
	for _, method := range c.Methods {
		if f := by[method]; f != nil {
			score = f(score, m.ranges[method])
			break
		}
	}
	if math.IsNaN(score) {
		m.ignoredScores++
		return Opt[float64]{}
	}
	return Some(min(max(score, 0), 1))
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
