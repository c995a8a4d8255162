package waves

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Words of what components come to.
const (
	TallyCount = 0 // components
	TallyMost  = 1 // the nodes of the greatest in the upper half, and the complement of its name, so that the least of several wins
	TallyWords = 2
)

// LinkAll joins the ends of all arcs, of graphs with so few that no sample of them says much. If every arc stands in
// the rows of both its ends, once is enough.
//
//vyre:kernel workgroup=256 long=targets,masks
func LinkAll(t gpu.Thread, symmetric, masked uint32, offsets, targets, masks, filter, parent, edges []uint32) {
	nodes, kinds, seen := uint32(len(parent)), filter[0], uint32(0)
	for base := 32 * (t.Group().X*8 + t.Warp()); base < nodes; base += t.Groups().X * 256 {
		v := base + t.Lane()
		first, last := uint32(0), uint32(0)
		if v < nodes {
			first, last = offsets[v], offsets[v+1]
			seen += last - first
		}
		for long := t.Ballot(last-first > arcs.Split); long != 0; long &= long - 1 {
			lane := uint32(bits.TrailingZeros32(long))
			node, end := gpu.Shuffle(t, v, lane), gpu.Shuffle(t, last, lane)
			for k := gpu.Shuffle(t, first, lane) + t.Lane(); k < end; k += 32 {
				if to := targets[k]; (symmetric == 0 || to < node) && allows(kinds, masked, masks, k) {
					join(parent, node, to)
				}
			}
		}
		if last-first <= arcs.Split {
			for ; first < last; first++ {
				if to := targets[first]; (symmetric == 0 || to < v) && allows(kinds, masked, masks, first) {
					join(parent, v, to)
				}
			}
		}
	}
	gpu.AtomicAdd(&edges[0], seen)
}

// Settle is Compress, and makes room to count.
//
//vyre:kernel workgroup=256
func Settle(t gpu.Thread, parent, sizes []uint32, tally []uint64) {
	v := t.Global().X
	if v < TallyWords {
		tally[v] = 0
	}
	if v >= uint32(len(parent)) {
		return
	}
	sizes[v] = 0
	p := gpu.AtomicLoad(&parent[v])
	for {
		up := gpu.AtomicLoad(&parent[p])
		if up == p {
			return
		}
		gpu.AtomicStore(&parent[v], up)
		p = up
	}
}

// Tally counts components and their nodes. A warp counts the label of its first lane in a register as long as that
// stays, another one with one addition, and the rest by itself: in most graphs nearly all nodes have one label.
//
//vyre:kernel workgroup=256
func Tally(t gpu.Thread, label, sizes []uint32, tally []uint64) {
	nodes := uint32(len(label))
	words := (nodes + 31) / 32
	roots, held, n := uint32(0), uint32(none), uint32(0)
	for w := t.Group().X*8 + t.Warp(); w < words; w += t.Groups().X * 8 {
		v, mine := 32*w+t.Lane(), uint32(none)
		if v < nodes {
			mine = label[v]
		}
		roots += ones(t.Ballot(v < nodes && mine == v))
		first := gpu.Shuffle(t, mine, 0)
		if first != held {
			if t.Lane() == 0 && n != 0 {
				gpu.AtomicAdd(&sizes[held], n)
			}
			held, n = first, 0
		}
		n += ones(t.Ballot(mine == first))
		others := t.Ballot(mine != none && mine != first)
		lead := uint32(bits.TrailingZeros32(others)) % 32
		second := gpu.Shuffle(t, mine, lead)
		same := ones(t.Ballot(mine == second))
		switch {
		case mine == none || mine == first:
		case mine != second:
			gpu.AtomicAdd(&sizes[mine], 1)
		case t.Lane() == lead:
			gpu.AtomicAdd(&sizes[mine], same)
		}
	}
	if t.Lane() == 0 && n != 0 {
		gpu.AtomicAdd(&sizes[held], n)
		gpu.AtomicAdd(&tally[TallyCount], uint64(roots))
	}
}

// Most finds the greatest component.
//
//vyre:kernel workgroup=256
func Most(t gpu.Thread, label, sizes []uint32, tally []uint64) {
	most := uint64(0)
	for v := t.Group().X*256 + t.Local().X; v < uint32(len(label)); v += t.Groups().X * 256 {
		if label[v] == v {
			most = max(most, uint64(sizes[v])<<32|uint64(^v))
		}
	}
	if most = gpu.ReduceMax(t, most); t.Lane() == 0 && most != 0 {
		gpu.AtomicMax(&tally[TallyMost], most)
	}
}
