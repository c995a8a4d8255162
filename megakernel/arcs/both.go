//vyre:library

package arcs

import "github.com/govyre/vyre/gpu"

// Both is a wave whose rounds may also go backward: not from the nodes of the list along their arcs, but from each node
// that nobody found yet, to see whether an arc comes to it from one of the list. Both find the same nodes.
type Both interface {
	Wave
	// Open reports whether nobody found a node before the round that runs.
	Open(node uint32) bool
	// Leads reports whether from is in the list of the round, and the arc with the mask may be taken. What is
	// found in the round is in none yet.
	Leads(from, mask uint32) bool
	// Take makes a node that is open worth looking at in the next round. Only one thread does so.
	Take(node uint32)
}

// Turn says when rounds go backward: where that costs less, as far as the arcs and nodes that were found so far tell.
type Turn struct {
	Reverse Graph    // the same arcs, by the node they lead to; masks stand beside them
	Sums    []uint64 // SumsWords of them, 0 before the first Seed
	Closed  uint32   // nodes that no arc comes to
	// Forward is what an arc costs forward, in quarters of a look backward; Scan what a node costs that a round backward
	// passes, in sixteenths of one. 0 is what is usual, 8 and 1.
	Forward, Scan uint32
}

// SumsWords is how many words Turn.Sums has.
const SumsWords = 12

// Parts of the sums, three words each: round r reads number r%3, writes the next one, and clears the third, as it is
// with lengths of lists.
const (
	sumFrontier = 0 // arcs of the nodes of the list
	sumFound    = 3 // arcs of the nodes of all lists before
	sumNodes    = 6 // nodes of all lists before, less seeds that are closed
	sumBackward = 9 // of RoundBits: 1 if the round before went backward
)

// Seed counts a node of the first list.
func (u Turn) Seed(g Graph, node uint32) {
	gpu.AtomicAdd(&u.Sums[sumFrontier], uint64(g.Offsets[node+1]-g.Offsets[node]))
	if u.Reverse.Offsets[node] == u.Reverse.Offsets[node+1] {
		gpu.AtomicAdd(&u.Sums[sumNodes], ^uint64(0))
	}
}

// RoundBoth is Round with the direction that costs less. The sums that decide it are those of the nodes that the rounds
// before appended, so that all groups decide the same, and it depends on nothing but the graph.
func RoundBoth[W Both](t gpu.Thread, w W, g Graph, turn Turn, l List, round, n uint32) {
	hubs := gpu.Shared[uint32](t, groupWarps)
	found := counting{next(l, round), gpu.Shared[uint32](t, maxGroup), t.Local().X}
	found.arcs[found.thread] = 0
	backward := t.BarrierAny(t.Local().X == 0 && turn.backward(g, round, n))
	if t.Group().X == 0 && t.Local().X == 0 {
		turn.rotate(round, n)
	}
	var items, seen uint32
	if backward {
		items, seen = pull(t, w, g, turn.Reverse, found)
	} else {
		items, seen = forward(t, w, g, l, found, hubs, round, n)
	}
	if arcs := gpu.ReduceAdd(t, found.arcs[found.thread]); arcs != 0 && t.Lane() == 0 {
		gpu.AtomicAdd(&turn.Sums[sumFrontier+(round+1)%3], uint64(arcs))
	}
	vote(l, items, seen)
}

// costs are Forward and Scan, or what is usual.
func (u Turn) costs() (forward, scan uint64) {
	forward, scan = uint64(u.Forward), uint64(u.Scan)
	if forward == 0 {
		forward = 8
	}
	if scan == 0 {
		scan = 1
	}
	return forward, scan
}

// backward decides about a round over n nodes. An open node meets the list after as many arcs as there are for one of the list.
func (u Turn) backward(g Graph, round, n uint32) bool {
	now, nodes, arcs := round%3, uint64(len(g.Offsets))-1, uint64(len(g.Targets))
	forward, scan := u.costs()
	front := gpu.AtomicLoad(&u.Sums[sumFrontier+now])
	if forward *= 4 * front; forward <= scan*nodes {
		return false
	}
	open := nodes - uint64(u.Closed) - gpu.AtomicLoad(&u.Sums[sumNodes+now]) - uint64(n)
	looks := min(arcs-gpu.AtomicLoad(&u.Sums[sumFound+now])-front, open*min(arcs/front, 1<<31))
	return forward > 16*looks+scan*nodes
}

// rotate hands on what the sums of a round over n nodes say, and clears those of the one behind the next.
func (u Turn) rotate(round, n uint32) {
	now, next, then := round%3, (round+1)%3, (round+2)%3
	gpu.AtomicStore(&u.Sums[sumFound+next], gpu.AtomicLoad(&u.Sums[sumFound+now])+gpu.AtomicLoad(&u.Sums[sumFrontier+now]))
	gpu.AtomicStore(&u.Sums[sumNodes+next], gpu.AtomicLoad(&u.Sums[sumNodes+now])+uint64(n))
	gpu.AtomicStore(&u.Sums[sumFrontier+then], 0)
}

// Timed is a wave that depends on the number of the round: At has it for another one.
type Timed[W any] interface {
	Wave
	At(round uint32) W
}

// light is how many arcs a list may have at most that is sure to go forward.
func (u Turn) light(nodes uint32) uint64 {
	forward, scan := u.costs()
	return scan * uint64(nodes) / (4 * forward)
}

// MostAlone is the longest list that is worth a stay in a graph of so many nodes: with an arc for each node, it is as heavy as a
// list may be. 0 is none.
func MostAlone(nodes, forward, scan uint32) uint32 {
	return uint32(min(Turn{Forward: forward, Scan: scan}.light(nodes), 1<<31))
}

// StayBoth is Stay for a wave whose rounds of all groups are those of RoundBoth, with the same sums, which it leaves as those rounds do.
// All rounds of a stay go forward: it ends in front of one that might not, if need be in front of its first. Of turn it needs
// neither Reverse nor Closed.
func StayBoth[W Timed[W]](t gpu.Thread, w W, g Graph, turn Turn, l List, round, n, limit, many uint32, result []uint64) {
	h := weight{counted: true, most: turn.light(uint32(len(g.Offsets)) - 1), found: gpu.Shared[uint32](t, maxGroup)}
	h.arcs = gpu.BarrierBroadcast(t, gpu.AtomicLoad(&turn.Sums[sumFrontier+round%3]))
	if h.arcs > h.most {
		if t.Local().X == 0 {
			result[StayRound], result[StayWeight] = uint64(round), uint64(n)
			result[StayItems], result[StayGreatest] = 0, 0
		}
		return
	}
	end := stay(t, w, g, l, h, round, n, limit, many, result)
	seen := t.BarrierAdd64(uint64(end.seen))
	if now, then := round%3, end.round%3; t.Local().X == 0 {
		found, nodes := gpu.AtomicLoad(&turn.Sums[sumFound+now])+seen, gpu.AtomicLoad(&turn.Sums[sumNodes+now])+end.items
		for k := range uint32(3) {
			gpu.AtomicStore(&turn.Sums[sumFrontier+k], 0)
		}
		gpu.AtomicStore(&turn.Sums[sumFrontier+then], end.arcs)
		gpu.AtomicStore(&turn.Sums[sumFound+then], found)
		gpu.AtomicStore(&turn.Sums[sumNodes+then], nodes)
	}
}

// maxGroup is how many threads a group has at most.
const maxGroup = 1024

// counting is a list that counts the arcs of what is appended, for each thread.
type counting struct {
	list   list
	arcs   []uint32 // by thread of the group
	thread uint32
}

func (c counting) mask(g Graph, k uint32) uint32 { return gpu.At(g.Masks, k) }

func (c counting) look(g Graph, node uint32) (first, last uint32) {
	return g.Offsets[node], g.Offsets[node+1]
}

func (c counting) reserve(n uint32) uint32 { return c.list.reserve(n) }

func (c counting) put(a arc, at uint32) {
	if a.found {
		c.arcs[c.thread] += a.last - a.first
	}
	c.list.put(a, at)
}

// pull looks at all open nodes, each with a lane, until an arc comes from the list.
func pull[W Both, S sink](t gpu.Thread, w W, g, reverse Graph, s S) (found, seen uint32) {
	nodes := uint32(len(g.Offsets)) - 1
	for base := (t.Warp()*t.Groups().X + t.Group().X) * 32; base < nodes; base += t.Groups().X * t.GroupSize().X {
		var a arc
		k, end := uint32(0), uint32(0)
		if a.node = base + t.Lane(); a.node < nodes && w.Open(a.node) {
			k, end = reverse.Offsets[a.node], reverse.Offsets[a.node+1]
			a.first, a.last = s.look(g, a.node)
		}
		for k < end {
			// Four looks are in flight together.
			one, two := comes(w, reverse, k, end), comes(w, reverse, k+1, end)
			three, four := comes(w, reverse, k+2, end), comes(w, reverse, k+3, end)
			a.found = one || two || three || four
			seen += min(end-k, 4)
			if k += 4; a.found {
				w.Take(a.node)
				break
			}
		}
		found += addOne(t, s, a)
	}
	return found, seen
}

// comes looks at the arc at k, or once more at the last one.
func comes[W Both](w W, reverse Graph, k, end uint32) bool {
	at := min(k, end-1)
	return w.Leads(reverse.Targets[at], gpu.At(reverse.Masks, at))
}
