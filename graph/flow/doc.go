// Package flow is the device part of a fixpoint over a graph. Facts of 32 or 64 bits move along arcs, and facts that
// meet at a node are joined, until nothing changes.
//
// A Go type with a method defines how a fact moves, and Min, Max, And or Or of it is an analysis. A kernel calls
// [Round] with that, and session.NewFixpoint runs the kernel over the graph of a session. Widest paths are
//
//	type narrower struct{}
//
//	func (narrower) Along(x uint32, a flow.Arc) uint32 { return min(x, a.Weight) }
//
//	type Widest = flow.Max[uint32, narrower]
//
//	//vyre:kernel workgroup=256
//	func Paths(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint32, queued, filter, list, lengths, vote, edges []uint32) {
//		g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
//		s := flow.State[uint32]{Facts: facts, Queued: queued, Filter: filter[0]}
//		flow.Round(t, Widest{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
//	}
//
// "vyre gen --programs ." compiles the kernel and inlines the method. Every analysis has these parameters in this
// order.
//
// # Results
//
// If Along is monotone, there is one least fixpoint, and every order of steps reaches it. Facts only become smaller or
// greater, or only lose or gain bits. If Along is not monotone, the rounds may end with another result in every run,
// or continue for very long. Then they end at a bound, and the answer says so.
//
// Start reading at flow.go.
package flow

//go:generate go run ../../internal/gen/generate .
