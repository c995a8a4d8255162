package dominance

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// GroupNodes is how many nodes a procedure has at most that a workgroup takes. Its sets are rows of bits in global memory.
const GroupNodes = 4096

const threads = 256

// InGroups finds the dominators of procedures of up to 4,096 nodes, a workgroup each; the first is entry begin of the list. What
// is not an argument of InWarps is the graph as it is, memory for sets, and for lists two words and one more a node.
//
// A round makes the sets of listed nodes anew, in place, and lists the nodes behind those that changed. A set may be read
// while another part of the group makes it smaller: whether it was seen so or not, its node is listed again.
//
//vyre:kernel workgroup=256
func InGroups(t gpu.Thread, begin, masked uint32, offsets, targets, masks, backOffsets, sources, backMasks, filter, list, order, place, roots, rows, queued, queue, idom []uint32, counts []uint64) {
	taken := gpu.Shared[uint32](t, 1) // places of all lists together
	entry, thread := (begin+t.Group().X)*Entry, t.LocalIndex()
	p := procedure{first: list[entry+FirstWord], nodes: list[entry+NodesWord], row: list[entry+RowsWord],
		order: order, place: place, roots: roots, rows: rows, queued: queued, queue: queue}
	p.words = (p.nodes + 31) / 32
	forth, back := arcs{masked, filter[0], offsets, targets, masks}, arcs{masked, filter[0], backOffsets, sources, backMasks}
	team := uint32(1) // threads that share the words of a set
	for team < p.words && team < 32 {
		team *= 2
	}
	if thread == 0 {
		taken[0] = 0
	}
	for i := thread; i < p.nodes*p.words; i += threads {
		rows[p.row+i] = None
	}
	t.Barrier()
	added := uint32(0)
	for i := thread; i < p.nodes; i += threads {
		queued[p.first+i] = 0
		if p.root(i) {
			queued[p.first+i] = 1
			queue[p.first+gpu.AtomicAdd(&taken[0], 1)] = i
			added++
		}
	}
	n := t.BarrierAdd(added)
	before, sets, looked := uint32(0), uint32(0), uint32(0)
	round := uint32(1)
	for ; n != 0; round++ {
		now, next := p.half(round), p.half(round+1)
		added = 0
		for base := uint32(0); base < n; base += threads / team {
			item := base + thread/team
			shrunk, at := false, uint32(0)
			if item < n {
				at = queue[now+item]
				shrunk = p.made(back, at, thread%team, team)
				if thread%team == 0 {
					sets++
					looked += back.offsets[order[p.first+at]+1] - back.offsets[order[p.first+at]]
				}
			}
			lanes := t.Ballot(shrunk) >> (t.Lane() / team * team)
			if team < 32 {
				lanes &= 1<<team - 1
			}
			if item < n && lanes != 0 {
				v := order[p.first+at]
				for k := forth.offsets[v] + thread%team; k < forth.offsets[v+1]; k += team {
					if forth.allowed(k) {
						to := place[forth.ends[k]]
						if gpu.AtomicMax(&queued[p.first+to], round+1) != round+1 {
							queue[next+gpu.AtomicAdd(&taken[0], 1)-before-n] = to
							added++
						}
					}
				}
			}
		}
		before += n
		n = t.BarrierAdd(added)
	}
	p.sizes(t)
	t.Barrier()
	p.nearest(t, team, idom)
	p.count(t, round-1, sets, looked, counts)
}

// arcs are those of a graph, in one direction. Where masked is 0 all masks are 1.
type arcs struct {
	masked, filter       uint32
	offsets, ends, masks []uint32
}

func (a arcs) allowed(k uint32) bool {
	return a.masked == 0 && a.filter&1 != 0 || a.masked != 0 && a.masks[k]&a.filter != 0
}

// procedure is nodes that hang together; here they count from 0.
type procedure struct {
	first, nodes uint32
	row, words   uint32 // of sets: where the first one stands, and how long each is

	order, place, roots, rows, queued, queue []uint32
}

func (p procedure) root(at uint32) bool {
	v := p.order[p.first+at]
	return p.roots[v/32]>>(v%32)&1 != 0
}

// half is where the list of a round stands.
func (p procedure) half(round uint32) uint32 {
	return p.first + (round+1)%2*uint32(len(p.queue)/2)
}

// made makes a node's set anew, a word of every team, and reports whether a word became less.
func (p procedure) made(back arcs, at, word, team uint32) bool {
	v, root, shrunk := p.order[p.first+at], p.root(at), false
	for w := word; w < p.words; w += team {
		set := None
		if root {
			set = 0
		} else {
			for k := back.offsets[v]; k < back.offsets[v+1]; k++ {
				if back.allowed(k) {
					set &= gpu.AtomicLoad(&p.rows[p.row+p.place[back.ends[k]]*p.words+w])
				}
			}
		}
		if w == at/32 {
			set |= 1 << (at % 32)
		}
		own := p.row + at*p.words + w
		if set != gpu.AtomicLoad(&p.rows[own]) {
			gpu.AtomicStore(&p.rows[own], set)
			shrunk = true
		}
	}
	return shrunk
}

// sizes puts down for each node that is reached, and so was listed, how many dominate it.
func (p procedure) sizes(t gpu.Thread) {
	for i := t.LocalIndex(); i < p.nodes; i += threads {
		if p.queued[p.first+i] == 0 {
			continue
		}
		n := uint32(0)
		for w := range p.words {
			n += uint32(bits.OnesCount32(p.rows[p.row+i*p.words+w]))
		}
		p.queued[p.first+i] = n
	}
}

// nearest finds for each node the dominator that has one less.
func (p procedure) nearest(t gpu.Thread, team uint32, idom []uint32) {
	thread := t.LocalIndex()
	for i := thread / team; i < p.nodes; i += threads / team {
		size, v := p.queued[p.first+i], p.order[p.first+i]
		if size == 1 && thread%team == 0 {
			idom[v] = v
		}
		if size <= 1 {
			continue
		}
		for w := thread % team; w < p.words; w += team {
			for rest := p.rows[p.row+i*p.words+w]; rest != 0; rest &= rest - 1 {
				u := 32*w + uint32(bits.TrailingZeros32(rest))
				if p.queued[p.first+u]+1 == size {
					idom[v] = p.order[p.first+u]
				}
			}
		}
	}
}

// count adds up what was done.
func (p procedure) count(t gpu.Thread, rounds, sets, looked uint32, counts []uint64) {
	sets, looked = gpu.ReduceAdd(t, sets), gpu.ReduceAdd(t, looked)
	if t.Lane() == 0 {
		gpu.AtomicMax(&counts[RoundsWord], uint64(rounds))
		gpu.AtomicAdd(&counts[SetsWord], uint64(sets))
		gpu.AtomicAdd(&counts[ArcsWord], uint64(looked))
	}
}
