// Package arcs is the part of waves that walk the rows of a graph which is the same for all of them.
//
// A wave says what happens along one arc, by a Go type with one method over its buffers:
//
//	type Reach struct{ Seen []uint32 }
//
//	func (r Reach) Arc(t gpu.Thread, from, to, mask uint32) bool {
//		bit := uint32(1) << (to & 31)
//		return gpu.AtomicOr(&r.Seen[to/32], bit)&bit == 0
//	}
//
// Lists, tickets, votes and the end are here, once. [Round] is a wave of package megakernel, one
// step of a search in rounds, which runs in every topology:
//
//	//vyre:kernel workgroup=256
//	func ReachRound(t gpu.Thread, round, n uint32, offsets, targets, seen, list, lengths, weight, edges []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Round(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
//	}
//
// [Stay] is the same for one group alone, all rounds in which little is to be done:
//
//	//vyre:kernel workgroup=256
//	func ReachStay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, list, lengths, edges []uint32, result []uint64) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Stay(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
//	}
//
// [Drain] has no rounds at all: whoever has no work takes the next item there is. It needs waves
// that come to the same end in any order, and if an arc is walked twice: those that only set bits, lower or raise numbers,
// or claim by an exchange.
//
//	//vyre:kernel workgroup=256
//	func ReachDrain(t gpu.Thread, offsets, targets, seen, list, lengths []uint32, slots []uint64, control []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		arcs.Drain(t, Reach{seen}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
//	}
//
// [RoundBoth] is Round for a wave that can look at an arc from either end. Where the list has many arcs, it goes over the
// nodes that nobody found yet, and asks of each whether an arc comes to it from the list:
//
//	//vyre:kernel workgroup=256
//	func LevelRound(t gpu.Thread, round, n uint32, offsets, targets, reverse, sources, level, sums, list, lengths, weight, edges []uint32) {
//		g := arcs.Graph{Offsets: offsets, Targets: targets}
//		turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources}, Sums: sums, Alpha: arcs.Alpha, Beta: arcs.Beta}
//		arcs.RoundBoth(t, Level{level, round}, g, turn, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
//	}
//
// [StayBoth] is to it what Stay is to Round, of a wave that can be had for another round.
//
// The functions are ordinary Go. The compiler of kernels inlines them, natively they run as they are.
package arcs
