// Package plot draws curves of shares against shares, such as a ROC curve, into
// a terminal and as SVG. Both axes run from 0 to 100%. The same figure gives the
// same bytes.
package plot

import "github.com/touchstone-rag/touchstone/internal/stats"

// A Panel is one plot: lines, and points with intervals.
type Panel struct {
	_ struct{}

	Title, X, Y string
	Lines       []Line
	Points      []IntervalPoint
}

// A Line is a curve from point to point, from the left to the right.
type Line struct {
	_ struct{}

	Name   string
	Style  Style
	Points []stats.Point
}

// IntervalPoint is a point whose height is known up to an interval.
type IntervalPoint struct {
	_ struct{}

	At     stats.Point
	Within stats.Interval
}

// Style tells lines apart.
type Style uint8

// The styles.
const (
	Main  Style = iota // what the plot is about
	Other              // what it is compared with
	Guide              // what chance, or perfection, would be
)

// Diagonal is the line from (0, 0) to (1, 1).
func Diagonal(name string) Line {
	return Line{Name: name, Style: Guide, Points: []stats.Point{{}, {X: 1, Y: 1}}}
}

// at returns the height of a line at x, between the points around it.
func (l *Line) at(x float64) (y float64, ok bool) {
	for i := 1; i < len(l.Points); i++ {
		a, b := l.Points[i-1], l.Points[i]
		if x > b.X && i+1 < len(l.Points) {
			continue
		}
		if b.X <= a.X {
			return b.Y, true
		}
		t := min(1, max(0, (x-a.X)/(b.X-a.X)))
		return a.Y + float64(t*(b.Y-a.Y)), true
	}
	return 0, false
}
