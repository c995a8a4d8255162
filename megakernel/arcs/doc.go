// Package arcs is the part of waves that walks the rows of a graph, for any wave.
//
// A Go type with one method over its buffers defines the work for one arc:
//
//	type Reach struct{ Seen []uint32 }
//
//	func (r Reach) Arc(t gpu.Thread, from, to, mask uint32) bool {
//		bit := uint32(1) << (to & 31)
//		return gpu.AtomicOr(&r.Seen[to/32], bit)&bit == 0
//	}
//
// This package has the lists, tickets, votes and the end. [Round] is a wave of package megakernel: one step of a
// search in rounds, for every topology:
//
//	//vyre:kernel workgroup=256
//	func ReachRound(t gpu.Thread, round, n uint32, offsets, targets, seen, list, lengths, weight, edges []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Round(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
//	}
//
// [Stay] is the same for one group alone, for all rounds with little work:
//
//	//vyre:kernel workgroup=256
//	func ReachStay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, list, lengths, edges []uint32, result []uint64) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Stay(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
//	}
//
// [Drain] has no rounds: an idle worker takes the next item. It needs waves that end with the same result in any
// order, even if an arc is walked twice. Such waves only set bits, lower or raise numbers, or claim by an exchange.
//
//	//vyre:kernel workgroup=256
//	func ReachDrain(t gpu.Thread, offsets, targets, seen, list, lengths []uint32, slots []uint64, control []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Drain(t, Reach{seen}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
//	}
//
// [RoundBoth] is Round for a wave that can process an arc from either end. If that costs less, it visits the unreached
// nodes, and looks for an arc from the list to each of them:
//
//	//vyre:kernel workgroup=256
//	func LevelRound(t gpu.Thread, round, n uint32, offsets, targets, reverse, sources, level []uint32, sums []uint64, list, lengths, weight, edges []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources}, Sums: sums}
//		arcs.RoundBoth(t, Level{level, round}, g, turn, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
//	}
//
// [RoundBits] is RoundBoth with sets of what was found and of the list. It is for graphs that few rounds find.
//
// [StayBoth] is the form of RoundBoth for one group alone, for a wave that can be made for another round.
//
// The functions are ordinary Go. The compiler of kernels inlines them; natively they run as they are.
package arcs

//go:generate go run ../../internal/gen/generate .
