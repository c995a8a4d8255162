//vyre:library

package arcs

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// longest is the greatest number of arcs of a row that one warp walks in a round. Rows of more than Split
// arcs are walked by a warp, rows of more than longest arcs by a whole group.
const longest = 32 * Split

// groupWarps is how many warps a group has at most.
const groupWarps = 32

// arc is where an arc leads to, and whether that node is worth looking at.
type arc struct {
	node, first, last uint32 // first and last if the sink asks for them
	found             bool
}

// sink takes what is found. look says where the arcs of a node are, which may be found or not, if that
// is of use: it is asked while claims are in flight. reserve returns the first of n places, and put
// stores an arc, if it was found. mask is what a wave gets of the arc at k.
type sink interface {
	mask(g Graph, k uint32) uint32
	look(g Graph, node uint32) (first, last uint32)
	reserve(n uint32) uint32
	put(a arc, at uint32)
}

// Round walks the arcs of the n nodes of the list, with all threads there are: its domain is Spread,
// and n the Size of that. It is called once, with the same arguments in all threads. Order does not
// matter within a round.
//
// Warps that work on neighbours in the list stand in different groups, so that a short list keeps
// many multiprocessors busy. Groups have at most 1024 threads, whole warps.
func Round[W Wave](t gpu.Thread, w W, g Graph, l List, round, n uint32) {
	hubs := gpu.Shared[uint32](t, groupWarps)
	found, seen := forward(t, w, g, l, next(l, round), hubs, round, n)
	vote(l, found, seen)
}

// RoundNumbered is Round for a wave that gets the number of the arc in the place of its mask: where it stands among
// the targets, so that the wave finds what else it keeps of each arc.
func RoundNumbered[W Wave](t gpu.Thread, w W, g Graph, l List, round, n uint32) {
	hubs := gpu.Shared[uint32](t, groupWarps)
	found, seen := forward(t, w, g, l, numbered{next(l, round)}, hubs, round, n)
	vote(l, found, seen)
}

// vote adds up what all threads found, and how many arcs they looked at.
func vote(l List, found, seen uint32) {
	if found != 0 {
		gpu.AtomicAdd(&l.Weight[0], found)
	}
	if seen != 0 {
		gpu.AtomicAdd(&l.Edges[0], seen)
	}
}

// forward walks the rows of the n nodes of the list.
func forward[W Wave, S sink](t gpu.Thread, w W, g Graph, l List, s S, hubs []uint32, round, n uint32) (found, seen uint32) {
	from := (round & 1) * (uint32(len(l.Nodes)) / 2)
	threads := t.Groups().X * t.GroupSize().X
	lanes := lanesOf(n, threads)
	var hub uint32
	for base := (t.Warp()*t.Groups().X + t.Group().X) * (32 >> lanes); base < n; base += threads >> lanes {
		v, first, last := uint32(0), uint32(0), uint32(0)
		if i := base + t.Lane()>>lanes; i < n {
			v = l.Nodes[from+i]
			first, last = g.Offsets[v], g.Offsets[v+1]
		}
		h, f, k := rows(t, w, g, s, hub, lanes, v, first, last)
		hub, found, seen = h, found+f, seen+k
	}
	return found + together(t, w, g, s, hubs, hub), seen
}

// next is the list that a round makes.
func next(l List, round uint32) list {
	return list{l, ((round + 1) & 1) * (uint32(len(l.Nodes)) / 2), (round + 1) % 3}
}

// list is where a round appends to.
type list struct {
	List
	first uint32 // node of the half
	word  uint32 // of Lengths
}

func (l list) mask(g Graph, k uint32) uint32 { return gpu.At(g.Masks, k) }

func (l list) look(g Graph, node uint32) (first, last uint32) { return 0, 0 }

func (l list) reserve(n uint32) uint32 { return l.first + gpu.AtomicAdd(&l.Lengths[l.word], n) }

func (l list) put(a arc, at uint32) {
	if a.found {
		l.Nodes[at] = a.node
	}
}

// numbered is a list whose waves get numbers of arcs.
type numbered struct{ list list }

func (l numbered) mask(g Graph, k uint32) uint32 { return k }

func (l numbered) look(g Graph, node uint32) (first, last uint32) { return 0, 0 }

func (l numbered) reserve(n uint32) uint32 { return l.list.reserve(n) }

func (l numbered) put(a arc, at uint32) { l.list.put(a, at) }

// add takes what all lanes of a warp found, with one reservation, and returns how much that is in
// lane 0, elsewhere 0.
func add[S sink](t gpu.Thread, s S, a, b, c, d arc) uint32 {
	la, lb, lc, ld := t.Ballot(a.found), t.Ballot(b.found), t.Ballot(c.found), t.Ballot(d.found)
	n := ones(la) + ones(lb) + ones(lc) + ones(ld)
	if n == 0 {
		return 0
	}
	at := reserve(t, s, n)
	s.put(a, at+below(t, la))
	s.put(b, at+ones(la)+below(t, lb))
	s.put(c, at+ones(la)+ones(lb)+below(t, lc))
	s.put(d, at+ones(la)+ones(lb)+ones(lc)+below(t, ld))
	return leads(t, n)
}

// addOne is add with one arc of every lane.
func addOne[S sink](t gpu.Thread, s S, a arc) uint32 {
	la := t.Ballot(a.found)
	if la == 0 {
		return 0
	}
	s.put(a, reserve(t, s, ones(la))+below(t, la))
	return leads(t, ones(la))
}

// reserve reserves n places, in lane 0 for the warp.
func reserve[S sink](t gpu.Thread, s S, n uint32) uint32 {
	at := uint32(0)
	if t.Lane() == 0 {
		at = s.reserve(n)
	}
	return gpu.Shuffle(t, at, 0)
}

func ones(lanes uint32) uint32 { return uint32(bits.OnesCount32(lanes)) }

// leads is n in lane 0, else 0.
func leads(t gpu.Thread, n uint32) uint32 {
	if t.Lane() == 0 {
		return n
	}
	return 0
}

// lanesOf is the logarithm of the number of lanes that share a row: four where there are enough threads,
// so that they claim at the same time what one would claim after another.
func lanesOf(n, threads uint32) uint32 {
	switch {
	case n <= threads/4:
		return 2
	case n <= threads/2:
		return 1
	}
	return 0
}

// rows walks a row for every lane of a warp, or for 1<<lanes next to each other which have the same,
// the longer ones with all lanes. A warp may keep one row for the whole group: it returns that, the
// node and 1, what was found, and how many arcs the lane's row has if it is the first of its lanes.
func rows[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, hub, lanes, v, first, last uint32) (newHub, found, seen uint32) {
	mine := t.Lane() & (1<<lanes - 1)
	if mine == 0 {
		seen = last - first
	}
	// Where lanes share a row, one vote says in most rounds that each has an arc at most, and no row is long.
	short := uint32(1) << lanes
	if lanes == 0 {
		short = Split
	}
	long := t.Any(last-first > short)
	if long {
		hub, found = longRows(t, w, g, s, hub, mine, v, first, last)
		if last-first > Split {
			first = last
		}
	}
	if lanes == 0 {
		for t.Any(first < last) {
			a, b, c, d := look(t, w, g, s, v, first, 1, last)
			found += add(t, s, a, b, c, d)
			first += min(last-first, 4)
		}
		return hub, found, seen
	}
	for first += min(mine, last-first); ; {
		found += addOne(t, s, lookOne(t, w, g, s, v, first, last))
		first += min(1<<lanes, last-first)
		if !long || !t.Any(first < last) {
			break
		}
	}
	return hub, found, seen
}

// longRows walks the rows of more than Split arcs that a warp has, with all lanes. One of more than longest arcs is left for
// the whole group, if none is yet.
func longRows[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, hub, mine, v, first, last uint32) (newHub, found uint32) {
	for long := t.Ballot(mine == 0 && last-first > Split); long != 0; long &= long - 1 {
		lane := uint32(bits.TrailingZeros32(long))
		node, k, end := gpu.Shuffle(t, v, lane), gpu.Shuffle(t, first, lane), gpu.Shuffle(t, last, lane)
		if hub == 0 && end-k > longest {
			hub = node + 1
			continue
		}
		for ; k < end; k += 4 * 32 {
			a, b, c, d := look(t, w, g, s, node, k+t.Lane(), 32, end)
			found += add(t, s, a, b, c, d)
		}
	}
	return hub, found
}

// together walks the rows that warps kept for the whole group, which all of its threads call.
func together[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, hubs []uint32, hub uint32) (found uint32) {
	if !t.BarrierAny(hub != 0) {
		return 0
	}
	return walkHubs(t, w, g, s, hubs, hub)
}

// walkHubs is together where it is known that some warp kept a row.
func walkHubs[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, hubs []uint32, hub uint32) (found uint32) {
	if t.Lane() == 0 {
		hubs[t.Warp()] = hub
	}
	t.Barrier()
	for k := uint32(0); k < t.GroupSize().X/32; k++ {
		node := gpu.Shuffle(t, hubs[k], 0)
		if node == 0 {
			continue
		}
		node--
		end := gpu.Shuffle(t, g.Offsets[node+1], 0)
		for at := gpu.Shuffle(t, g.Offsets[node], 0) + 4*32*t.Warp(); at < end; at += 4 * t.GroupSize().X {
			a, b, c, d := look(t, w, g, s, node, at+t.Lane(), 32, end)
			found += add(t, s, a, b, c, d)
		}
	}
	t.Barrier()
	return found
}

// lookOne walks one arc of node v, if there is one at k.
func lookOne[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, v, k, last uint32) (a arc) {
	a.node = g.Targets[min(k, uint32(len(g.Targets))-1)]
	a.first, a.last = s.look(g, a.node)
	a.found = k < last && w.Arc(t, v, a.node, s.mask(g, k))
	return a
}

// look walks up to four arcs of node v, at k and every step arcs further, whose loads and claims are
// in flight together.
func look[W Wave, S sink](t gpu.Thread, w W, g Graph, s S, v, k, step, last uint32) (a, b, c, d arc) {
	top := uint32(len(g.Targets)) - 1 // a lane without work looks somewhere, too
	a.node, b.node = g.Targets[min(k, top)], g.Targets[min(k+step, top)]
	c.node, d.node = g.Targets[min(k+2*step, top)], g.Targets[min(k+3*step, top)]
	a.first, a.last = s.look(g, a.node)
	b.first, b.last = s.look(g, b.node)
	c.first, c.last = s.look(g, c.node)
	d.first, d.last = s.look(g, d.node)
	a.found = k < last && w.Arc(t, v, a.node, s.mask(g, k))
	b.found = k+step < last && w.Arc(t, v, b.node, s.mask(g, k+step))
	c.found = k+2*step < last && w.Arc(t, v, c.node, s.mask(g, k+2*step))
	d.found = k+3*step < last && w.Arc(t, v, d.node, s.mask(g, k+3*step))
	return a, b, c, d
}
