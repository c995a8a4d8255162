//vyre:library

package arcs

import "github.com/govyre/vyre/gpu"

// Words of what a stay came to.
const (
	StayRound    = 0 // the round to go on with
	StayWeight   = 1 // nodes that are left for it
	StayItems    = 2 // nodes of all rounds
	StayGreatest = 3 // most nodes of a round
	StayWords    = 4
)

// lonely is how many nodes of a list fit into shared memory. What exceeds it goes to the list.
const lonely = 1024

// Stay does rounds with one group alone, from one over the n nodes of the list on, until nothing is left,
// more than many nodes are or two million, or it comes to round limit. Then the list is the one to go on with, and
// the first thread stores in result what was done. In between the list is in shared memory, each node with where its
// arcs are: then a round takes two dependent trips to memory, one for the targets, one for the claims. Rounds of few
// nodes are the first warp's (see oneWarp).
func Stay[W Wave](t gpu.Thread, w W, g Graph, l List, round, n, limit, many uint32, result []uint64) {
	stay(t, timeless[W]{w}, g, l, weight{}, round, n, limit, many, result)
}

// clock has the wave of a round.
type clock[W Wave] interface{ At(round uint32) W }

// timeless is the clock of a wave that is the same in every round.
type timeless[W Wave] struct{ wave W }

func (c timeless[W]) At(round uint32) W { return c.wave }

// weight is the arcs of the list of a round, if they are counted: a stay ends in front of a list that has more than most.
type weight struct {
	counted    bool
	most, arcs uint64   // arcs are those of the first list
	found      []uint32 // of what each thread found
}

// stayed is what a stay came to: the round to go on with.
type stayed struct {
	round uint32
	items uint64 // nodes of all rounds, in the first thread
	arcs  uint64 // of the list that is left, in the first thread, if they are counted
	seen  uint32 // arcs that the thread walked, or others for it
}

// stay is Stay for waves of any clock.
func stay[W Wave, C clock[W]](t gpu.Thread, c C, g Graph, l List, h weight, round, n, limit, many uint32, result []uint64) stayed {
	hubs := gpu.Shared[uint32](t, groupWarps)
	s := own{list: l.Nodes, nodes: gpu.Shared[uint32](t, 2*lonely), rows: gpu.Shared[uint64](t, 2*lonely), lengths: gpu.Shared[uint32](t, 2), weight: h, thread: t.Local().X}
	half := uint32(len(l.Nodes)) / 2
	if t.Local().X < 2 {
		s.lengths[t.Local().X] = 0
	}
	if h.counted {
		h.found[t.Local().X] = 0
	}
	t.Barrier()
	held := uint32(0) // nodes of the list that are in shared memory
	items, greatest, seen := uint64(0), uint32(0), uint32(0)
	few, longest := uint32(fewest), uint32(Split)
	if h.counted {
		// Rows of up to four lanes have 2*fewest arcs at most, and longer ones are those of half as many nodes.
		if h.most < 2*fewest {
			few = uint32(h.most) / 4
		}
		longest = uint32(min(h.most/uint64(max(min(few, fewest/2), 1)), Split))
	}
	for {
		if n == held && n <= few {
			end := turns{round: round, n: n, arcs: h.arcs}
			if t.Warp() == 0 {
				end = oneWarp(t, c, g, s, round, n, limit, few, longest, h.arcs)
				items, greatest, seen = items+end.items, max(greatest, end.greatest), seen+end.seen
			}
			end.heavy = h.counted && end.arcs > h.most
			h.arcs = end.arcs
			end = end.together(t)
			if round, n, held = end.round, end.n, end.n; n == 0 || n > many || end.heavy || round == limit {
				break
			}
			if end.long && n > fewest/2 {
				few = fewest / 2 // lists of more have rows that their lanes are too few for
			}
		}
		w := c.At(round)
		items += uint64(n)
		greatest = max(greatest, n)
		from := (round & 1) * lonely
		s = s.into(round+1, half)
		var hub, found uint32
		lanes := lanesOf(n, t.GroupSize().X)
		for base := t.Warp() * (32 >> lanes); base < n; base += t.GroupSize().X >> lanes {
			v, start, end := uint32(0), uint32(0), uint32(0)
			if i := base + t.Lane()>>lanes; i < held {
				v = s.nodes[from+i]
				row := unpack(s.rows[from+i])
				start, end = row.first, row.last
			} else if i < n {
				v = l.Nodes[(round&1)*half+i]
				start, end = g.Offsets[v], g.Offsets[v+1]
			}
			h, f, k := rows(t, w, g, s, hub, lanes, v, start, end)
			hub, found, seen = h, found+f, seen+k
		}
		if t.Local().X == 0 {
			s.lengths[round&1] = 0 // what the round before appended to, and the next one will
		}
		n, h.arcs = s.vote(t, found, hub)
		if n >= someHub {
			more, arcs := s.vote(t, walkHubs(t, w, g, s, hubs, hub), 0)
			n, h.arcs = n%someHub+more, h.arcs+arcs
		}
		held = min(n, lonely)
		round++
		if n == 0 || n > min(many, countable) || h.counted && h.arcs > h.most || round == limit {
			break
		}
	}
	n = s.lengths[round&1] // a warp that found more than is countable voted for less
	for i := t.Local().X; i < held; i += t.GroupSize().X {
		l.Nodes[(round&1)*half+i] = s.nodes[(round&1)*lonely+i]
	}
	if i := t.Local().X; i < 3 {
		size := uint32(0)
		if i == round%3 {
			size = n
		}
		gpu.AtomicStore(&l.Lengths[i], size)
	}
	if seen != 0 {
		gpu.AtomicAdd(&l.Edges[0], seen)
	}
	if t.Local().X == 0 { // the first warp did rounds that the others did not see
		result[StayRound], result[StayWeight] = uint64(round), uint64(n)
		result[StayItems], result[StayGreatest] = items, uint64(greatest)
	}
	return stayed{round, items, h.arcs, seen}
}

// A round of Stay ends with one vote: on what was found, and on whether a warp kept a row for the group. The first lanes
// of at most 32 warps vote: what they found comes to less than someHub, and rows that all of them kept to no more than 1<<31.
const (
	someHub   = 1 << 26
	countable = 1<<21 - 1 // of nodes that a warp found; Stay leaves when there are more
)

// ballot is the vote of a lane.
func ballot(t gpu.Thread, found, hub uint32) uint32 {
	found = min(found, countable)
	if hub != 0 && t.Lane() == 0 {
		found += someHub
	}
	return found
}

// vote sums what was found, with whether a warp kept a row, and the arcs of that.
func (s own) vote(t gpu.Thread, found, hub uint32) (n uint32, arcs uint64) {
	if !s.weight.counted {
		return t.BarrierAdd(ballot(t, found, hub)), 0
	}
	sum := t.BarrierAdd64(uint64(s.weight.found[s.thread])<<32 | uint64(ballot(t, found, hub)))
	s.weight.found[s.thread] = 0
	return uint32(sum), sum >> 32
}

// own is the list of a group alone.
type own struct {
	nodes       []uint32 // two halves
	rows        []uint64 // of these nodes
	lengths     []uint32 // of the halves
	list        []uint32 // for what they do not hold
	half, first uint32   // to which it appends, and where that begins in list
	weight      weight   // of what it appends
	thread      uint32   // of the group
}

// into is the list with the half of a round to append to.
func (s own) into(round, half uint32) own {
	s.half = round & 1
	s.first = s.half * half
	return s
}

func (s own) mask(g Graph, k uint32) uint32 { return gpu.At(g.Masks, k) }

func (s own) look(g Graph, node uint32) (first, last uint32) {
	return g.Offsets[node], g.Offsets[node+1]
}

func (s own) reserve(n uint32) uint32 { return gpu.AtomicAdd(&s.lengths[s.half], n) }

func (s own) put(a arc, at uint32) {
	if a.found && s.weight.counted {
		s.weight.found[s.thread] += a.last - a.first
	}
	switch {
	case !a.found:
	case at < lonely:
		s.keep(a, at)
	default:
		s.list[s.first+at] = a.node
	}
}

// keep stores an arc in shared memory.
func (s own) keep(a arc, at uint32) {
	s.nodes[s.half*lonely+at] = a.node
	s.rows[s.half*lonely+at] = pack(a.first, a.last)
}
