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
// more than many nodes are, or it comes to round limit. Then the list is the one to go on with, and
// result says what was done. In between the list is in shared memory, each node with where its arcs
// are: then a round takes two dependent trips to memory, one for the targets, one for the claims.
func Stay[W Wave](t gpu.Thread, w W, g Graph, l List, round, n, limit, many uint32, result []uint64) {
	hubs := gpu.Shared[uint32](t, groupWarps)
	s := own{list: l.Nodes, nodes: gpu.Shared[uint32](t, 2*lonely), rows: gpu.Shared[uint64](t, 2*lonely), lengths: gpu.Shared[uint32](t, 2)}
	half := uint32(len(l.Nodes)) / 2
	if t.Local().X < 2 {
		s.lengths[t.Local().X] = 0
	}
	t.Barrier()
	held := uint32(0) // nodes of the list that are in shared memory
	items, greatest, seen := uint64(0), uint32(0), uint32(0)
	for {
		items += uint64(n)
		greatest = max(greatest, n)
		from := (round & 1) * lonely
		s.half = (round + 1) & 1
		s.first = s.half * half
		var hub, found uint32
		lanes := lanesOf(n, t.GroupSize().X)
		for base := t.Warp() * (32 >> lanes); base < n; base += t.GroupSize().X >> lanes {
			v, first, last := uint32(0), uint32(0), uint32(0)
			if i := base + t.Lane()>>lanes; i < held {
				v = s.nodes[from+i]
				c := unpack(s.rows[from+i])
				first, last = c.first, c.last
			} else if i < n {
				v = l.Nodes[(round&1)*half+i]
				first, last = g.Offsets[v], g.Offsets[v+1]
			}
			h, f, k := rows(t, w, g, s, hub, lanes, v, first, last)
			hub, found, seen = h, found+f, seen+k
		}
		found += together(t, w, g, s, hubs, hub)
		if t.Local().X == 0 {
			s.lengths[round&1] = 0 // what the round before appended to, and the next one will
		}
		n = t.BarrierAdd(found)
		held = min(n, lonely)
		round++
		if n == 0 || n > many || round == limit {
			break
		}
	}
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
	result[StayRound], result[StayWeight] = uint64(round), uint64(n)
	result[StayItems], result[StayGreatest] = items, uint64(greatest)
}

// own is the list of a group alone.
type own struct {
	nodes       []uint32 // two halves
	rows        []uint64 // of these nodes
	lengths     []uint32 // of the halves
	list        []uint32 // for what they do not hold
	half, first uint32   // to which it appends, and where that begins in list
}

func (s own) mask(g Graph, k uint32) uint32 { return gpu.At(g.Masks, k) }

func (s own) look(g Graph, node uint32) (first, last uint32) {
	return g.Offsets[node], g.Offsets[node+1]
}

func (s own) reserve(n uint32) uint32 { return gpu.AtomicAdd(&s.lengths[s.half], n) }

func (s own) put(a arc, at uint32) {
	switch {
	case !a.found:
	case at < lonely:
		s.nodes[s.half*lonely+at] = a.node
		s.rows[s.half*lonely+at] = pack(a.first, a.last)
	default:
		s.list[s.first+at] = a.node
	}
}
