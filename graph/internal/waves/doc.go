// Package waves has the kernels of sessions: the waves of searches from the seeds of the queries of a batch.
//
// Queries are staged, one after another: how many seeds, the kinds of arcs allowed, the seeds. They are answered in
// turns, of one query or of several that allow the same kinds. A word on the device has the number of the turn; each run
// takes its queries from there, leaves their answers where those stand, and goes on to the next turn.
//
// A turn of one query claims nodes, a bit each, and can be drained. In a turn of several each has a bit of a word a node,
// which takes rounds: a node may come again, with more bits.
//
// Analyses are not about queries: components.go has the waves of weak components.
//
// Start reading at kernel.go, then lanes.go.
package waves

//go:generate go run ../../../internal/gen/generate --programs .
