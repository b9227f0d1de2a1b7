// Package stats measures how well a score tells positive cases from negative
// ones, and fits the models that turn features into such a score.
//
// A case has a score, a label (positive or not; here a positive is what one
// wants to find, such as an unsupported answer) and a group, such as the source
// document that it shares with others. Cases of a group are not independent, so
// intervals resample whole groups ([Bootstrap]) and cross-validation never
// splits one ([Folds]).
//
// Every function is pure and deterministic: the same arguments give the same
// digits. The statistics and [Folds] do not depend on the order of the cases
// either; only the draws of a [Bootstrap], and the last digits of a fit, go by it.
// What is not defined, such as the AUROC of one class, is
// NaN. Slices that belong together must have the same length; anything else is a
// mistake of the program and panics. Everything is safe for concurrent use, as
// long as the arguments are not changed.
package stats

import "fmt"

// sameLength panics if two slices that belong together differ in length.
func sameLength(what string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("stats: expected as many %s as cases (%d), found %d", what, a, b))
	}
}

// indicator is 1 for true.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
