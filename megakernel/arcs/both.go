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

// Turn says when rounds go backward.
type Turn struct {
	Reverse Graph    // the same arcs, by the node they lead to; masks stand beside them
	Sums    []uint32 // SumsWords of them, 0 before the first round
	// Rounds begin to go backward with one whose list has more arcs, times Alpha, than the nodes that are not found. They
	// go forward where the nodes of the list, times Beta, are less than all nodes: the look at all of them, and at what is
	// left at the end of a long search, is not worth it. 0 is never of either.
	Alpha, Beta uint32
}

// What is usual: 15 and 18.
const (
	Alpha = 15
	Beta  = 18
)

// SumsWords is how many words Turn.Sums has.
const SumsWords = 9

// Parts of the sums, three words each: round r reads number r%3, adds to the next one, and clears the third, as it is
// with lengths of lists.
const (
	sumFrontier = 0 // arcs of the nodes of the list
	sumFound    = 3 // arcs of all nodes that were found
	sumBackward = 6 // 1 if the round before went backward
)

// RoundBoth is Round with the direction that needs to look at fewer arcs. The sums that decide it are those of the nodes
// that the rounds before appended, so that all groups decide the same, and it depends on nothing but the graph.
func RoundBoth[W Both](t gpu.Thread, w W, g Graph, turn Turn, l List, round, n uint32) {
	hubs := gpu.Shared[uint32](t, groupWarps)
	found := counting{next(l, round), gpu.Shared[uint32](t, maxGroup), t.Local().X}
	found.arcs[found.thread] = 0
	backward := t.BarrierAny(t.Local().X == 0 && turn.backward(g, round, n))
	if t.Group().X == 0 && t.Local().X == 0 {
		turn.rotate(round, backward)
	}
	var items, seen uint32
	if backward {
		items, seen = pull(t, w, g, turn.Reverse, found)
	} else {
		items, seen = forward(t, w, g, l, found, hubs, round, n)
	}
	turn.add(round, gpu.ReduceAdd(t, found.arcs[found.thread]), t.Lane())
	vote(l, items, seen)
}

// Timed is a wave that depends on the number of the round: At has it for another one.
type Timed[W any] interface {
	Wave
	At(round uint32) W
}

// MostAlone is the longest list, in a graph of so many nodes, from which a round is sure to go forward; 0 is none.
func MostAlone(nodes, beta uint32) uint32 {
	if beta == 0 {
		return ^uint32(0)
	}
	return (max(nodes, 1) - 1) / beta
}

// StayBoth is Stay for a wave whose rounds of all groups are those of RoundBoth, with the same sums, which it leaves as those rounds do.
// All rounds of a stay go forward; that they would anyway is ensured by lists of MostAlone nodes at most (see Stay.Most of package
// megakernel).
func StayBoth[W Timed[W]](t gpu.Thread, w W, g Graph, sums []uint32, l List, round, n, limit, many uint32, result []uint64) {
	end := stay(t, w, g, l, round, n, limit, many, result)
	t.Barrier() // the list is there
	from, mine := (end.round&1)*(uint32(len(l.Nodes))/2), uint32(0)
	for i := t.Local().X; i < end.n; i += t.GroupSize().X {
		v := l.Nodes[from+i]
		mine += g.Offsets[v+1] - g.Offsets[v]
	}
	now := end.round % 3
	if t.Local().X == 0 {
		found := gpu.AtomicLoad(&sums[sumFound+round%3])
		for k := range uint32(3) {
			gpu.AtomicStore(&sums[sumFrontier+k], 0)
			gpu.AtomicStore(&sums[sumFound+k], 0)
		}
		gpu.AtomicStore(&sums[sumFound+now], found)
		gpu.AtomicStore(&sums[sumBackward+now], 0)
	}
	t.Barrier()
	// Arcs of lists after the first one were found in the stay, those of the last list among them, which no round has seen.
	frontier, found := gpu.ReduceAdd(t, mine), gpu.ReduceAdd(t, mine+end.seen-end.first)
	if t.Lane() == 0 && found != 0 {
		gpu.AtomicAdd(&sums[sumFrontier+now], frontier)
		gpu.AtomicAdd(&sums[sumFound+now], found)
	}
}

// maxGroup is how many threads a group has at most.
const maxGroup = 1024

// backward decides about a round over n nodes.
func (u Turn) backward(g Graph, round, n uint32) bool {
	now := round % 3
	if uint64(n)*uint64(u.Beta) < uint64(len(g.Offsets)-1) {
		return false
	}
	open := uint32(len(g.Targets)) - gpu.AtomicLoad(&u.Sums[sumFound+now])
	return gpu.AtomicLoad(&u.Sums[sumBackward+now]) != 0 || uint64(gpu.AtomicLoad(&u.Sums[sumFrontier+now]))*uint64(u.Alpha) > uint64(open)
}

// rotate hands on what the sums say to the next round, and clears those of the one behind it.
func (u Turn) rotate(round uint32, backward bool) {
	now, next, then := round%3, (round+1)%3, (round+2)%3
	went := uint32(0)
	if backward {
		went = 1
	}
	gpu.AtomicStore(&u.Sums[sumBackward+next], went)
	gpu.AtomicAdd(&u.Sums[sumFound+next], gpu.AtomicLoad(&u.Sums[sumFound+now]))
	gpu.AtomicStore(&u.Sums[sumFrontier+then], 0)
	gpu.AtomicStore(&u.Sums[sumFound+then], 0)
}

// add takes the arcs of what a warp found into the sums.
func (u Turn) add(round, arcs, lane uint32) {
	if arcs != 0 && lane == 0 {
		gpu.AtomicAdd(&u.Sums[sumFrontier+(round+1)%3], arcs)
		gpu.AtomicAdd(&u.Sums[sumFound+(round+1)%3], arcs)
	}
}

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
