package paths

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Distances are found in buckets of two (Davidson, Baxter, Garland and Owens, "Work-efficient parallel GPU methods
// for single-source shortest paths", 2014). Nodes nearer than a limit are in the list of the round, the others in a
// set. If the list is empty, the limit moves beyond the least distance of the set, which is split. Here the set is
// one of bits, so a node is in it once, nothing is appended, and a node that came nearer meanwhile is dropped when
// the set is split.

// Words of the state of a round. There are three states, in turn: of the round that runs, of the next one, and of the
// one after that, whose least distance is cleared.
const (
	limitWord  = iota // nodes nearer than this are in the list
	stepWord          // by how much the limit moves
	shortWord         // lists that were short, one after another
	leastWord         // of the distances in the set, or of some that were; none if the set is empty
	stateWords        // of a state

	// StateWords is the length of all three.
	StateWords = 3 * stateWords
)

// A list is short if it has fewer nodes than so many a group. After so many short lists the step doubles, up to so
// many times the first.
const (
	shortList  = 32
	shortLists = 8
	longest    = 64
)

// Words of what paths came to.
const (
	Reached     = 0 // nodes
	Farthest    = 1 // distance of one
	AnswerWords = 2
)

// StartHead is how many words are in front of the seeds: how many they are.
const StartHead = 1

// word is what distances are kept in.
type word interface{ uint32 | uint64 }

// Clear begins a search: no node has a distance, and the limit is one step.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func Clear[T uint32 | uint64](t gpu.Thread, step T, distance []T, queued, far []uint32, state []T, lengths []uint32, answer []uint64) {
	i := t.Global().X
	if i < uint32(len(distance)) {
		distance[i] = ^T(0)
		queued[i] = 0
	}
	if i < uint32(len(far)) {
		far[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
		state[i*stateWords+limitWord] = step
		state[i*stateWords+stepWord] = step
		state[i*stateWords+shortWord] = 0
		state[i*stateWords+leastWord] = ^T(0)
	}
	if i < AnswerWords {
		answer[i] = 0
	}
}

// Seed lists the seeds, each once.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func Seed[T uint32 | uint64](t gpu.Thread, staged []uint32, distance []T, list, lengths []uint32) {
	i := t.Global().X
	if i >= staged[0] {
		return
	}
	v := staged[StartHead+i]
	if gpu.AtomicExchange(&distance[v], 0) != 0 {
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
	}
}

// near hands on distances.
//
// A distance that changes while the arcs of its node are looked at may be seen there or not. If it is not, the node
// is in the next list or in the set, since its distance changed; so nothing is lost.
type near[T word] struct {
	distance       []T
	masks, weights []uint32
	masked, filter uint32
	queued         []uint32 // by node: 2 + the last round that listed it
	far            []uint32 // the set
	state          []T
	limit          T
	next           uint32 // state
	round          uint32
	vote           []uint32
}

// Arc takes a distance along arc k. The node goes into the set if it is not near.
func (w near[T]) Arc(t gpu.Thread, from, to, k uint32) bool {
	mask := uint32(1)
	if w.masked != 0 {
		mask = w.masks[k]
	}
	if mask&w.filter == 0 {
		return false
	}
	x := gpu.AtomicLoad(&w.distance[from]) + T(w.weights[k])
	if gpu.AtomicLoad(&w.distance[to]) <= x || gpu.AtomicMin(&w.distance[to], x) <= x {
		return false
	}
	if x < w.limit {
		return gpu.AtomicMax(&w.queued[to], w.round+2) != w.round+2
	}
	gpu.AtomicOr(&w.far[to/32], uint32(1)<<(to%32))
	if least := &w.state[w.next+leastWord]; gpu.AtomicLoad(least) > x {
		gpu.AtomicMin(least, x)
	}
	gpu.AtomicAdd(&w.vote[0], 1)
	return false
}

// Round hands on the distances of the list, or splits the set if the list is empty. It votes for what is in the set,
// too, so that the size of its domain is not the length of the list.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func Round[T uint32 | uint64](t gpu.Thread, first T, round, masked uint32, offsets, targets, masks, weights, filter []uint32, distance []T, queued, far []uint32, state []T, list, lengths, vote, edges []uint32) {
	now, next := round%3*stateWords, (round+1)%3*stateWords
	n := gpu.BarrierBroadcast(t, gpu.AtomicLoad(&lengths[round%3]))
	limit, least := state[now+limitWord], gpu.AtomicLoad(&state[now+leastWord])
	moved := least + state[now+stepWord]
	if moved < least {
		moved = ^T(0)
	}
	if t.Global().X == 0 {
		gpu.AtomicStore(&state[(round+2)%3*stateWords+leastWord], ^T(0))
		step, short := state[now+stepWord], state[now+shortWord]
		state[next+limitWord] = limit
		switch {
		case n == 0:
			state[next+limitWord] = moved
		case n >= shortList*t.Groups().X:
			short = 0
		case step <= first*(longest/2):
			short++
		}
		if short == shortLists {
			step, short = 2*step, 0
		}
		state[next+stepWord], state[next+shortWord] = step, short
		if n != 0 && least != ^T(0) { // what is in the set stays there
			gpu.AtomicMin(&state[next+leastWord], least)
			gpu.AtomicAdd(&vote[0], 1)
		}
	}
	w := near[T]{distance: distance, masks: masks, weights: weights, masked: masked, filter: filter[0], queued: queued, far: far, state: state, limit: limit, next: next, round: round, vote: vote}
	l := arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}
	if n == 0 {
		w.split(t, moved, l)
	}
	arcs.RoundNumbered(t, w, arcs.Graph{Offsets: offsets, Targets: targets}, l, round, n)
}

// split lists the nodes of the set that are nearer than a limit. A warp takes 32 words, and then a word with all its
// lanes.
func (w near[T]) split(t gpu.Thread, limit T, l arcs.List) {
	words, half := uint32(len(w.far)), (w.round+1)&1*(uint32(len(l.Nodes))/2)
	least, left := ^T(0), uint32(0)
	warps := t.GroupSize().X / 32
	for base := 32 * (t.Warp()*t.Groups().X + t.Group().X); base < words; base += 32 * warps * t.Groups().X {
		word := uint32(0)
		if base+t.Lane() < words {
			word = w.far[base+t.Lane()]
		}
		stays := word
		for some := t.Ballot(word != 0); some != 0; some &= some - 1 {
			lane := uint32(bits.TrailingZeros32(some))
			v, d := 32*(base+lane)+t.Lane(), ^T(0)
			in := gpu.Shuffle(t, word, lane)>>t.Lane()&1 != 0
			if in {
				d = w.distance[v]
			}
			in = in && d >= w.limit // else it was in a list since
			listed, kept := t.Ballot(in && d < limit), t.Ballot(in && d >= limit)
			at := uint32(0)
			if t.Lane() == 0 && listed != 0 {
				at = gpu.AtomicAdd(&l.Lengths[(w.round+1)%3], uint32(bits.OnesCount32(listed)))
			}
			at = gpu.Shuffle(t, at, 0) + uint32(bits.OnesCount32(listed&(1<<t.Lane()-1)))
			if listed>>t.Lane()&1 != 0 {
				l.Nodes[half+at] = v
			}
			if kept>>t.Lane()&1 != 0 {
				least = min(least, d)
			}
			if t.Lane() == lane {
				stays = kept
			}
			left |= listed | kept
		}
		if stays != word {
			w.far[base+t.Lane()] = stays
		}
	}
	least = gpu.ReduceMin(t, least)
	if t.Lane() == 0 && least != ^T(0) {
		gpu.AtomicMin(&w.state[w.next+leastWord], least)
	}
	if t.Lane() == 0 && left != 0 {
		gpu.AtomicAdd(&l.Weight[0], 1)
	}
}

// Answer counts what is reached.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func Answer[T uint32 | uint64](t gpu.Thread, distance []T, answer []uint64) {
	n, most := uint64(0), T(0)
	for v := t.Group().X*256 + t.Local().X; v < uint32(len(distance)); v += t.Groups().X * 256 {
		if d := distance[v]; d != ^T(0) {
			n++
			most = max(most, d)
		}
	}
	n, most = gpu.ReduceAdd(t, n), gpu.ReduceMax(t, most)
	if t.Lane() == 0 && n != 0 {
		gpu.AtomicAdd(&answer[Reached], n)
		gpu.AtomicMax(&answer[Farthest], uint64(most))
	}
}
