package dominance

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// WarpNodes is how many nodes a procedure has at most that a warp takes, with a set in a register of each lane.
const WarpNodes = 32

// What an entry of the list of procedures is.
const (
	FirstWord = 0 // its first node, in the order of nodes
	NodesWord = 1
	RowsWord  = 2 // where its sets stand; for warps nothing
	Entry     = 3
)

// What is counted.
const (
	RoundsWord = 0 // of the procedure that took most
	SetsWord   = 1 // made
	ArcsWord   = 2 // looked at for them
	Counts     = 3
)

// None is the dominator of a node that is not reached.
const None = ^uint32(0)

// InWarps finds the dominators of procedures of up to 32 nodes, which are the entries from begin to end of the list. Order has the
// nodes of each, one after another, place where in its procedure a node is; roots are bits. Where masked is 0 all masks are 1;
// offsets, sources and masks are those of the arcs turned round.
//
//vyre:kernel workgroup=256
func InWarps(t gpu.Thread, begin, end, masked uint32, offsets, sources, masks, filter, list, order, place, roots, idom []uint32, counts []uint64) {
	p := begin + t.Group().X*8 + t.Warp()
	if p >= end {
		return
	}
	first, nodes, lane := list[p*Entry+FirstWord], list[p*Entry+NodesWord], t.Lane()
	v, before, looked := uint32(0), uint32(0), uint32(0)
	root := false
	if lane < nodes {
		v = order[first+lane]
		root = roots[v/32]>>(v%32)&1 != 0
		back := arcs{masked, filter[0], offsets, sources, masks}
		for k := offsets[v]; k < offsets[v+1]; k++ {
			if back.allowed(k) {
				before |= 1 << place[sources[k]]
			}
		}
		looked = offsets[v+1] - offsets[v]
	}
	set, rounds := ^uint32(0), uint32(0)
	reached := t.Ballot(root)
	for changed := true; t.Any(changed); rounds++ {
		next := ^uint32(0)
		rest := before & reached
		for t.Any(rest != 0) {
			other := gpu.Shuffle(t, set, uint32(bits.TrailingZeros32(rest|1<<31)))
			if rest != 0 {
				next &= other
			}
			rest &= rest - min(rest, 1)
		}
		if root {
			next = 0
		}
		now := root || before&reached != 0
		if now {
			next |= 1 << lane
		}
		changed = now && (next != set || reached>>lane&1 == 0)
		set = next
		reached = t.Ballot(now)
	}
	size, over := uint32(bits.OnesCount32(set)), v
	for rest := set &^ (1 << lane); t.Any(rest != 0); rest &= rest - min(rest, 1) {
		at := uint32(bits.TrailingZeros32(rest | 1<<31))
		n, u := uint32(bits.OnesCount32(gpu.Shuffle(t, set, at))), gpu.Shuffle(t, v, at)
		if rest != 0 && n+1 == size {
			over = u
		}
	}
	if reached>>lane&1 != 0 {
		idom[v] = over
	}
	looked = gpu.ReduceAdd(t, looked)
	if lane == 0 {
		gpu.AtomicMax(&counts[RoundsWord], uint64(rounds))
		gpu.AtomicAdd(&counts[SetsWord], uint64(rounds*nodes))
		gpu.AtomicAdd(&counts[ArcsWord], uint64(looked))
	}
}
