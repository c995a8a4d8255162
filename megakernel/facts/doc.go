// Package facts keeps a graph of tokens and facts on a device, and expands parts of it there.
//
// Nodes are the output of a front end: tokens, macros, semantic objects, facts, diagnostics. Each has a number of its
// own, a kind, and a part of a payload. Edges have bits of kinds.
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
// A run is a sequence of waves. The first expands the active nodes, and each later one the nodes that the previous
// wave found. Without Visited, a node is found once for each edge that leads to it.
//
// # The queue
//
// Rounds take turns at the two ends of the queue, so it has room for exactly two consecutive rounds. The degrees bound
// that size: a number of active nodes expands at most to the sum of that many largest degrees. With a smaller budget
// some runs fit. The others are refused with the least size that they need, and nothing is lost without an error.
//
// # Invariants
//
// The device has exactly [Resident.DeviceBytes], and the memory in the plan of the waves. Load uploads the graph once.
// A run uploads its active nodes, 16 bytes and 4 each, and allocates no device memory. Equal graphs give equal
// columns, for every order of nodes and edges.
//
// # Errors
//
// A failed Run does not affect the next one, which begins with its own nodes and without marks.
//
// # Concurrency
//
// A Resident is for one goroutine at a time.
//
// # Not here
//
// Graphs of 2³¹ edges and more. Graphs whose nodes are numbered from 0 are in package graph.
//
// Start reading at facts.go, then kernels.go.
package facts

//go:generate go run ../../internal/gen/generate .
