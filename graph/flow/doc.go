// Package flow is the part of a fixpoint over a graph that runs on the device: facts of 32 or 64 bits move along arcs, and
// where two meet at a node they are joined, until nothing changes.
//
// How a fact moves is a Go type with a method, Min, Max, And or Or of it is an analysis, and a kernel calls [Round] with
// that; graph.NewFixpoint runs it over the graph of a session. Shortest paths are
//
//	type longer struct{}
//
//	func (longer) Along(x uint64, a flow.Arc) uint64 {
//		if sum := x + uint64(a.Weight); sum >= x {
//			return sum
//		}
//		return math.MaxUint64
//	}
//
//	type Shortest = flow.Min[uint64, longer]
//
//	//vyre:kernel workgroup=256
//	func Paths(t gpu.Thread, round, n, has uint32, offsets, targets, masks, weights []uint32, facts []uint64, queued, filter, list, lengths, vote, edges []uint32) {
//		g := flow.Graph{Has: has, Offsets: offsets, Targets: targets, Masks: masks, Weights: weights}
//		s := flow.State[uint64]{Facts: facts, Queued: queued, Filter: filter[0]}
//		flow.Round(t, Shortest{}, g, s, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
//	}
//
// "vyre gen --programs ." compiles the kernel; the method is inlined into it. The parameters are those, in that order, of
// any analysis.
//
// # What comes out
//
// Where Along is monotone there is one least fixpoint, and every order of steps comes to it: facts only ever get smaller,
// greater, or lose or gain bits. If it is not, the rounds may end somewhere else in every run, or go on for very
// long; then they end at a bound, and the answer says so.
//
// Start reading at flow.go.
package flow
