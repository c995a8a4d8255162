//vyre:library

package arcs

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// RoundBits is RoundBoth for graphs of which a few rounds find most. Sets have a bit a node. The wave's own is found: what was
// found before, and what need not be. Arc adds to it and, where it finds a node, to a set of front. That has three, empty but for
// seeds in the first: round r has the nodes of its list in number r%3, adds to the next one, and clears the third. Of a round
// backward, that is done for the wave, which looks at front for Leads.
func RoundBits[W Both](t gpu.Thread, w W, g Graph, turn Turn, found, front []uint32, l List, round, n uint32) {
	hubs, spread := gpu.Shared[uint32](t, groupWarps), gpu.Shared[uint32](t, 1+mostShared)
	s := tallying{next(l, round), g.Offsets, gpu.Shared[uint32](t, maxGroup), t.Local().X}
	s.arcs[s.thread] = 0
	way := uint32(0)
	if t.Local().X == 0 {
		way = turn.way(g, round, n)
	}
	way = gpu.BarrierBroadcast(t, way)
	if t.Group().X == 0 && t.Local().X == 0 {
		turn.rotate(round, n)
		gpu.AtomicStore(&turn.Sums[sumBackward+(round+1)%3], uint64(way&1))
	}
	words := uint32(len(front)) / 3
	now, next, then := words*(round%3), words*((round+1)%3), words*((round+2)%3)
	for i := t.Global().X; i < words; i += t.Groups().X * t.GroupSize().X {
		front[then+i] = 0
	}
	var items, seen uint32
	if way&goesBackward != 0 {
		items, seen = pullBits(t, w, turn.Reverse, found, front[next:next+words], s)
	} else {
		items, seen = walk(t, w, g, l, s, hubs, spread, round, n, front[now:], words, way&wentBackward != 0)
	}
	// A group adds up first: what all warps add to one word, one after the other, would take longer than they do.
	sum := t.BarrierAdd64(uint64(s.arcs[s.thread])<<32 | uint64(items))
	if arcs := sum >> 32; arcs != 0 && t.Local().X == 0 {
		gpu.AtomicAdd(&turn.Sums[sumFrontier+(round+1)%3], arcs)
	}
	if n := uint32(sum); n != 0 && way&goesBackward != 0 && t.Local().X == 0 {
		s.list.reserve(n)
	}
	vote(l, items, seen)
}

// How a round goes, and the one before it went.
const (
	goesBackward = 1
	wentBackward = 2
)

// way is both.
func (u Turn) way(g Graph, round, n uint32) (way uint32) {
	if gpu.AtomicLoad(&u.Sums[sumBackward+round%3]) != 0 {
		way = wentBackward
	}
	if u.backward(g, round, n) {
		way |= goesBackward
	}
	return way
}

// tallying is a list that counts the arcs of what is appended, for each thread. Unlike counting it asks where they are when it is
// known which nodes these are: most arcs of a graph that few rounds find lead to others.
type tallying struct {
	list    list
	offsets []uint32
	arcs    []uint32 // by thread of the group
	thread  uint32
}

func (s tallying) tally(node uint32) { s.arcs[s.thread] += s.offsets[node+1] - s.offsets[node] }

func (s tallying) mask(g Graph, k uint32) uint32 { return gpu.At(g.Masks, k) }

func (s tallying) look(g Graph, node uint32) (first, last uint32) { return 0, 0 }

func (s tallying) reserve(n uint32) uint32 { return s.list.reserve(n) }

func (s tallying) put(a arc, at uint32) {
	if a.found {
		s.tally(a.node)
	}
	s.list.put(a, at)
}

// walk walks the rows of the n nodes of the list, or of those of a set of so many words. A warp takes 32 words of that, and skips empty ones.
func walk[W Wave](t gpu.Thread, w W, g Graph, l List, s tallying, hubs, spread []uint32, round, n uint32, set []uint32, words uint32, isSet bool) (found, seen uint32) {
	from := (round & 1) * (uint32(len(l.Nodes)) / 2)
	threads := t.Groups().X * t.GroupSize().X
	lanes := lanesOf(n, threads)
	few := false
	if isSet {
		n, lanes = words, 0
	} else if n <= shortList {
		found, few = shared(t, w, g, l.Nodes[from:], s, spread, n)
	}
	var hub uint32
	for base := (t.Warp()*t.Groups().X + t.Group().X) * (32 >> lanes); base < n; base += threads >> lanes {
		word, turns := uint32(0), uint32(1)
		if isSet {
			if base+t.Lane() < n {
				word = set[base+t.Lane()]
			}
			turns = t.Ballot(word != 0)
		}
		for ; turns != 0; turns &= turns - 1 {
			v, listed := uint32(0), false
			if k := uint32(bits.TrailingZeros32(turns)); isSet {
				v, listed = 32*(base+k)+t.Lane(), gpu.Shuffle(t, word, k)>>t.Lane()&1 != 0
			} else if i := base + t.Lane()>>lanes; i < n {
				v, listed = l.Nodes[from+i], true
			}
			first, last := uint32(0), uint32(0)
			if listed {
				first, last = g.Offsets[v], g.Offsets[v+1]
			}
			if few && last-first > longest {
				if t.Lane()&(1<<lanes-1) == 0 {
					seen += last - first
				}
				first = last
			}
			h, f, k := rows(t, w, g, s, hub, lanes, v, first, last)
			hub, found, seen = h, found+f, seen+k
		}
	}
	return found + together(t, w, g, s, hubs, hub), seen
}

// A list is short if it has at most shortList nodes. Its longest rows are shared by all groups, if these are at most mostShared:
// each group looks at all of the list.
const (
	shortList  = 4096
	mostShared = 63
)

// shared walks the rows of more than longest arcs of the n nodes of a short list, each with all warps there are. If there are too
// many it walks none. rows is memory of the group.
func shared[W Wave](t gpu.Thread, w W, g Graph, nodes []uint32, s tallying, rows []uint32, n uint32) (found uint32, all bool) {
	if t.Local().X == 0 {
		rows[0] = 0
	}
	t.Barrier()
	for i := t.Local().X; i < n; i += t.GroupSize().X {
		if v := nodes[i]; g.Offsets[v+1]-g.Offsets[v] > longest {
			if k := gpu.AtomicAdd(&rows[0], 1); k < mostShared {
				rows[1+k] = v
			}
		}
	}
	t.Barrier()
	many := gpu.Shuffle(t, rows[0], 0)
	if many > mostShared {
		return 0, false
	}
	warps := t.GroupSize().X / 32
	first, step := 4*32*(t.Group().X*warps+t.Warp()), 4*32*t.Groups().X*warps
	for k := range many {
		node := gpu.Shuffle(t, rows[1+k], 0)
		from := gpu.Shuffle(t, g.Offsets[node], 0)
		arcs := gpu.Shuffle(t, g.Offsets[node+1], 0) - from
		for i := first; i < arcs; i += min(step, arcs-i) {
			a, b, c, d := look(t, w, g, s, node, from+i+t.Lane(), 32, from+arcs)
			found += add(t, s, a, b, c, d)
		}
	}
	return found, true
}

// wordsAtOnce is how many words of a set a warp takes: their loads are in flight together.
const wordsAtOnce = 8

// pullBits looks at all nodes that are not in found, each with a lane, until an arc comes from the list. A lane stores the words of
// a set: those of found and of next are the warp's alone.
func pullBits[W Both](t gpu.Thread, w W, reverse Graph, found, next []uint32, s tallying) (items, seen uint32) {
	words := uint32(len(found))
	for base := (t.Warp()*t.Groups().X + t.Group().X) * wordsAtOnce; base < words; base += t.Groups().X * (t.GroupSize().X / 32) * wordsAtOnce {
		mine, fresh := ^uint32(0), uint32(0)
		if t.Lane() < wordsAtOnce && base+t.Lane() < words {
			mine = found[base+t.Lane()]
		}
		for open := t.Ballot(mine != ^uint32(0)); open != 0; open &= open - 1 {
			k := uint32(bits.TrailingZeros32(open))
			set, v := gpu.Shuffle(t, mine, k), 32*(base+k)+t.Lane()
			at, end, hit := uint32(0), uint32(0), false
			if set>>t.Lane()&1 == 0 {
				at, end = reverse.Offsets[v], reverse.Offsets[v+1]
			}
			for at < end && !hit {
				one, two := comes(w, reverse, at, end), comes(w, reverse, at+1, end)
				three, four := comes(w, reverse, at+2, end), comes(w, reverse, at+3, end)
				hit = one || two || three || four
				seen += min(end-at, 4)
				at += 4
			}
			if hit {
				w.Take(v)
				s.tally(v)
			}
			if got := t.Ballot(hit); t.Lane() == k {
				fresh = got
			}
		}
		if fresh != 0 {
			found[base+t.Lane()], next[base+t.Lane()] = mine|fresh, fresh
			items += ones(fresh)
		}
	}
	return items, seen
}
