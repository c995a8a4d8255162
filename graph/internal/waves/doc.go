// Package waves has the kernels of sessions: the waves of a search from the seeds of one query of a batch.
//
// Queries are staged, one after another: how many seeds, the kinds of arcs allowed, the seeds. A word on the device has
// the number of the query that runs; each run takes its query from there, leaves its answer where that number says, and
// goes on to the next.
//
// Start reading at kernel.go.
package waves

//go:generate go run -tags bootstrap ../../../cmd/vyre gen .
