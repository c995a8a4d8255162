// Package facts keeps a graph of tokens and facts on a device, and expands parts of it there.
//
// Nodes are what a front end makes of a text: tokens, macros, semantic objects, facts, diagnostics. Each
// has a number of its own, a kind, and a part of a payload. Edges have bits of kinds.
//
//	r, err := facts.Load(ctx, dev, nodes, edges, payload, facts.Options{Visited: true})
//	…
//	found, err := r.Run(ctx, []uint64{17, 4})  // all that 17 and 4 lead to
//	for _, id := range found.Nodes {
//
// # Flow
//
//	nodes, edges ─▶ plan.Facts: rows by id, each by (to, kind) ─▶ one buffer, uploaded once
//	degrees ─▶ plan.PlanExpansion ─▶ queue                         │
//	active ids ─▶ queue ─▶ waves of package megakernel over rows ◀─┘ ─▶ ids
//
// A run is waves one after another: the first expands the active nodes, each later one what the one
// before found. Without Visited a node is found as often as an edge leads to it.
//
// # The queue
//
// Rounds take turns at its two ends, so it has room for what two rounds that follow each other have
// together, and no more. How much that is at worst follows from the degrees: so many active nodes expand to
// at most the sum of as many of the largest. With a budget below that some runs fit, and the others are
// refused with what they would have needed at least; nothing is lost without an error.
//
// # Invariants
//
// The device has exactly [Resident.DeviceBytes], and what the plan of the waves says that it takes. Load
// uploads the graph once; a run uploads its active nodes, 16 bytes and 4 each, and takes no memory of the
// device. Equal graphs give equal columns, in whatever order nodes and edges are named.
//
// # Errors
//
// A Run that failed leaves nothing that the next one relies on: that begins with the nodes that it is given, and with no marks.
//
// # Concurrency
//
// A Resident is for one goroutine at a time.
//
// # Not here
//
// Graphs of 2³¹ edges and more; graphs whose nodes are numbered from 0, which package graph has.
//
// Start reading at facts.go, then kernels.go.
package facts

//go:generate go run ../../cmd/vyre gen .
