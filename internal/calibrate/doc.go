// Package calibrate fits the model of support_risk to labels of one's own
// traffic, and tells how good it is there.
//
// A [Collector] reads labelled samples into cases, [Fit] makes a model and a
// [Report] of them. From [metric.RiskLabelsNeeded] labels on the score of the
// given model is turned into a probability by two numbers (Platt scaling); from
// [RefitLabels] on the weights are fitted anew, and taken if they are better.
// The quality of the result is measured on sources that it was not fitted on, with
// three exceptions: the choice between old and new weights was made on all labels;
// after a new fit, the two numbers of the scaling have seen the left-out sources
// through the weights of the others; and what a proposed threshold would have
// escalated and caught is counted on the labels that it was chosen on.
//
// Fit declines, and says why, where labels are too few or of one class, or where
// the score says nothing about them: a probability made of chance would be
// believed.
package calibrate
