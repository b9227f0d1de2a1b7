// Package evaltest helps an application test what it records and what becomes
// of it, without a backend and without waiting.
//
// [NewPipeline] starts a pipeline that a test owns, and a [Sink] that keeps
// what it delivers. [Judge] stands in for a model that takes a second look.
//
// There is no clock here. The pipeline asks package time for the time, so a
// test that depends on it runs in a bubble of testing/synctest, where waiting
// costs nothing; a pipeline made inside the bubble needs nothing more.
package evaltest
