package paths

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// The parent of a node is the least of those that are nearer and lead to it on a shortest path. If there are none,
// arcs of weight 0 lead to it from a node that has a parent, or from a seed. Then the parent is the least of those
// that are as near and one arc closer to such a node. So following parents ends at a seed.

const none = ^uint32(0)

// ListAll lists all nodes, none of which has a parent.
//
//vyre:kernel workgroup=256
func ListAll(t gpu.Thread, parent, list, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(parent)) {
		parent[i] = none
		list[i] = i
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[i] = uint32(len(parent))
		}
	}
}

// last says which arcs are the last of shortest paths.
type last[T word] struct {
	distance       []T
	parent, hops   []uint32
	masks, weights []uint32
	masked, filter uint32
	level, round   uint32
}

// allows reports whether an arc is allowed.
func (w last[T]) allows(k uint32) bool {
	mask := uint32(1)
	if w.masked != 0 {
		mask = w.masks[k]
	}
	return mask&w.filter != 0
}

// Arc proposes a node that is nearer as a parent, or one that is as near, and one arc closer to the nodes that the rounds
// began with.
func (w last[T]) Arc(t gpu.Thread, from, to, k uint32) bool {
	d, x := w.distance[from], w.distance[to]
	if x-d != T(w.weights[k]) || d > x || x == ^T(0) || (d == x) != (w.level != 0) || !w.allows(k) {
		return false
	}
	hops := w.round + 1
	if w.level != 0 {
		hops = gpu.AtomicCompareExchange(&w.hops[to], none, hops)
	}
	if hops > w.round {
		gpu.AtomicMin(&w.parent[to], from)
	}
	return hops == none
}

// Parents finds those that are nearer, or if level is 1 others by arcs of weight 0.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func Parents[T uint32 | uint64](t gpu.Thread, level, round, n, masked uint32, offsets, targets, masks, weights, filter []uint32, distance []T, parent, hops, list, lengths, vote, edges []uint32) {
	w := last[T]{distance: distance, parent: parent, hops: hops, masks: masks, weights: weights, masked: masked, filter: filter[0], level: level, round: round}
	arcs.RoundNumbered(t, w, arcs.Graph{Offsets: offsets, Targets: targets}, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}

// Reset empties the list.
//
//vyre:kernel workgroup=32
func Reset(t gpu.Thread, lengths []uint32) {
	if i := t.Global().X; i < 3 {
		lengths[i] = 0
	}
}

// Close lists the nodes that have parents.
//
//vyre:kernel workgroup=256
func Close(t gpu.Thread, parent, hops, list, lengths []uint32) {
	nodes := uint32(len(parent))
	words := (nodes + 31) / 32
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		v := 32*w + t.Lane()
		has := v < nodes && parent[v] != none
		lanes, at := t.Ballot(has), uint32(0)
		if t.Lane() == 0 && lanes != 0 {
			at = gpu.AtomicAdd(&lengths[0], uint32(bits.OnesCount32(lanes)))
		}
		at = gpu.Shuffle(t, at, 0) + uint32(bits.OnesCount32(lanes&(1<<t.Lane()-1)))
		if has {
			list[at] = v
			hops[v] = 0
		} else if v < nodes {
			hops[v] = none
		}
	}
}

// CloseSeeds lists the seeds, too, each once.
//
//vyre:kernel workgroup=256
func CloseSeeds(t gpu.Thread, staged, hops, list, lengths []uint32) {
	i := t.Global().X
	if i >= staged[0] {
		return
	}
	v := staged[StartHead+i]
	if gpu.AtomicExchange(&hops[v], 0) == none {
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
	}
}
