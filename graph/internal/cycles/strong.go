package cycles

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Strong components are made by signatures: in(v) is the least key of a node that leads to v, out(v) the least that v
// leads to. If they are equal, v is on a cycle with that node. Nodes of one component have equal pairs, so that arcs
// between other pairs are dropped, and a phase with other keys follows, in which keys move only between nodes with
// equal pairs. (Slota, Rajamanickam and Madduri, "BFS and coloring-based parallel algorithms for strongly connected
// components", 2014, and Alabandi, Sands, Biros and Burtscher, "A high-performance GPU implementation of strongly
// connected components", 2023, have parts of it.)
//
// Before that, three rounds take away nodes that no arc comes to, or that none leaves. In a wide graph a phase
// follows in which only one node has a key: its component is most likely the giant one.
//
// All is one loop. Each round is of a kind, and works on the list of open nodes.
const (
	looking  = iota // whether arcs of open nodes come to nodes, and leave them
	trimming        // closes nodes of which one of the two is not so
	rating          // finds the greatest product of arcs in and out
	electing        // finds the least node that has it
	crowning        // gives that a key
	moving          // moves keys, until none moves
	settling        // closes nodes with two equal keys
)

// Words of the state of a round. There are three, in turn: of the round that runs, of the next one, and of the one
// after that, which is cleared.
const (
	kindWord   = iota
	phaseWord  // trims; then 0 is that of the giant component
	halfWord   // of the list
	openWord   // nodes in it
	movedWord  // 1 if a key moved in the round before
	stateWords // of a state
)

// Words of what strong components were told to come to.
const (
	Trimmed   = 0  // nodes by round
	Giant     = 3  // nodes
	Phases    = 4  // nodes, by phase from 1 on; the last word has those of all later ones
	Best      = 15 // the pivot of the giant component
	ToldWords = 16
	trims     = Giant

	// StateWords is the length of all three states.
	StateWords = 3 * stateWords
)

// Begin lists all nodes, which are open.
//
//vyre:kernel workgroup=256
func Begin(t gpu.Thread, label, least, in, out, wasIn, wasOut, list, lengths, state, told []uint32, rated []uint64) {
	i := t.Global().X
	if i < uint32(len(label)) {
		label[i], least[i] = none, none
		in[i], out[i], wasIn[i], wasOut[i] = none, none, 0, 0
		list[i] = i
	}
	if i < StateWords {
		word := uint32(0)
		if i == openWord {
			word = uint32(len(label))
		}
		state[i] = word
	}
	if i < ToldWords {
		word := uint32(0)
		if i == Best {
			word = none
		}
		told[i] = word
	}
	if i < 3 {
		lengths[i] = 0
	}
	if i == 0 {
		lengths[0], rated[0] = uint32(len(label)), 0
	}
}

// key is the key of a node in a phase. The first two phases have ids, so that names are right at once; then ids in a
// bad order would take as many phases as there are components.
func key(v, phase uint32) uint32 {
	if phase <= 2 {
		return v
	}
	v ^= phase * 0x9E3779B9
	v ^= v >> 16
	v *= 0x7FEB352D
	v ^= v >> 15
	v *= 0x846CA68B
	return v ^ v>>16
}

// owner is the node that has a key in a phase.
func owner(x, phase uint32) uint32 {
	if phase <= 2 {
		return x
	}
	x ^= x >> 16
	x *= 0x43021123
	x ^= x>>15 ^ x>>30
	x *= 0x1D69E2A5
	x ^= x >> 16
	return x ^ phase*0x9E3779B9
}

// signing moves keys along arcs, or marks nodes that have arcs with 0.
type signing struct {
	label, least, in, out, wasIn, wasOut []uint32

	masks          []uint32
	masked, filter uint32
	phase          uint32
	looks          bool     // which nodes have arcs
	counts         bool     // arcs to nodes, in least
	split          bool     // nodes are of several classes
	moved          []uint32 // of the next round, a word
}

// Arc looks at arc k, of an open node. A node that is closed has keys that do not move: 0 for in and none for out. What
// it reads hangs on nothing that it reads, so that a warp waits once.
func (s signing) Arc(t gpu.Thread, from, to, k uint32) bool {
	mask := uint32(1)
	if s.masked != 0 {
		mask = s.masks[k]
	}
	if mask&s.filter == 0 || from == to {
		return false
	}
	if s.looks {
		s.mark(from, to)
		return false
	}
	x, in := gpu.AtomicLoad(&s.in[from]), gpu.AtomicLoad(&s.in[to])
	y, out := gpu.AtomicLoad(&s.out[to]), gpu.AtomicLoad(&s.out[from])
	if s.split && s.wasIn[from]^s.wasIn[to]|s.wasOut[from]^s.wasOut[to] != 0 {
		return false
	}
	s.lower(s.in, to, in, x)
	s.lower(s.out, from, out, y)
	return false
}

// mark notes an arc to an open node.
func (s signing) mark(from, to uint32) {
	if s.label[to] != none {
		return
	}
	if s.counts {
		gpu.AtomicAdd(&s.least[to], 1)
	}
	if gpu.AtomicLoad(&s.in[to]) != 0 {
		gpu.AtomicStore(&s.in[to], 0)
	}
	if gpu.AtomicLoad(&s.out[from]) != 0 {
		gpu.AtomicStore(&s.out[from], 0)
	}
}

// lower gives a node a key that is less than the one it had.
func (s signing) lower(of []uint32, v, had, x uint32) {
	if had > x && gpu.AtomicMin(&of[v], x) > x && gpu.AtomicLoad(&s.moved[0]) == 0 {
		gpu.AtomicStore(&s.moved[0], 1)
	}
}

// jump takes keys from the nodes whose keys v has, and says to these what v knows: x leads to v, and v to y.
func (s signing) jump(v uint32) {
	x, y := gpu.AtomicLoad(&s.in[v]), gpu.AtomicLoad(&s.out[v])
	from, to := owner(x, s.phase), owner(y, s.phase)
	before, back := gpu.AtomicLoad(&s.in[from]), gpu.AtomicLoad(&s.out[from])
	after, ahead := gpu.AtomicLoad(&s.out[to]), gpu.AtomicLoad(&s.in[to])
	s.lower(s.in, v, x, before)
	s.lower(s.out, from, back, y)
	s.lower(s.out, v, y, after)
	s.lower(s.in, to, ahead, x)
}

// follows is the kind of the round after one, and its phase.
func follows(kind, phase, wide uint32) (then, later uint32) {
	switch kind {
	case looking:
		return trimming, phase
	case trimming:
		switch {
		case phase+1 != trims:
			return looking, phase + 1
		case wide != 0:
			return rating, 0
		}
		return moving, 1
	case rating:
		return electing, phase
	case electing:
		return crowning, phase
	case settling:
		return moving, phase + 1
	}
	return moving, phase
}

// close ends what a node is in.
func (s signing) close(v, name uint32) {
	s.label[v] = name
	s.in[v], s.out[v] = 0, none
}

// trim closes a node that has no arcs to it, or none from it, and reports whether it has both. After the last trim nodes have keys.
func (s signing) trim(v uint32) bool {
	stays := s.in[v] == 0 && s.out[v] == 0
	s.in[v], s.out[v] = none, none
	if s.phase+1 == trims {
		s.in[v], s.out[v] = v, v
	}
	if !stays {
		s.least[v] = v
		s.close(v, v)
	}
	return stays
}

// settle closes a node with two equal keys, and reports whether it has others, with which the next phase begins.
func (s signing) settle(v, giant uint32) bool {
	x, y := s.in[v], s.out[v]
	if x != y || s.phase == 0 && x == none {
		s.wasIn[v], s.wasOut[v] = x, y
		s.in[v], s.out[v] = key(v, s.phase+1), key(v, s.phase+1)
		return true
	}
	name := giant
	if s.phase > 0 {
		name = owner(x, s.phase)
	}
	s.close(v, name)
	if gpu.AtomicLoad(&s.least[name]) > v {
		gpu.AtomicMin(&s.least[name], v)
	}
	return false
}

// Sign is a round.
//
//vyre:kernel workgroup=256
func Sign(t gpu.Thread, round, wide, masked uint32, offsets, targets, masks, filter, label, least, in, out, wasIn, wasOut, list, lengths, state, told []uint32, rated []uint64, vote, edges []uint32) {
	now, next, after := round%3*stateWords, (round+1)%3*stateWords, (round+2)%3*stateWords
	kind, phase, half := state[now+kindWord], state[now+phaseWord], state[now+halfWord]
	if kind == moving && gpu.AtomicLoad(&state[now+movedWord]) == 0 {
		kind = settling
	}
	both := gpu.BarrierBroadcast(t, uint64(gpu.AtomicLoad(&state[now+openWord]))<<32|uint64(phase<<3|kind)) // a group stays together
	n := uint32(both >> 32)
	kind, phase = uint32(both)&7, uint32(both)>>3
	closes := kind == trimming || kind == settling
	if t.Global().X == 0 {
		gpu.AtomicStore(&state[after+openWord], 0)
		gpu.AtomicStore(&state[after+movedWord], 0)
		then, later := follows(kind, phase, wide)
		state[next+kindWord], state[next+phaseWord], state[next+halfWord] = then, later, half
		if closes {
			state[next+halfWord] = 1 - half
		} else {
			gpu.AtomicStore(&state[next+openWord], n)
			gpu.AtomicAdd(&vote[0], n)
		}
		if then == moving && kind != moving {
			gpu.AtomicStore(&state[next+movedWord], 1)
		}
	}
	s := signing{label: label, least: least, in: in, out: out, wasIn: wasIn, wasOut: wasOut, masks: masks, masked: masked, filter: filter[0], phase: phase,
		looks: kind == looking, counts: wide != 0 && kind == looking && phase+1 == trims, split: phase > 1 || wide != 0 && phase == 1,
		moved: state[next+movedWord : next+movedWord+1]}
	size, walked := uint32(len(list))/2, uint32(0)
	if kind == looking || kind == moving {
		walked = n
	}
	arcs.RoundNumbered(t, s, arcs.Graph{Offsets: offsets, Targets: targets}, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, half, walked)
	if kind == looking || kind == moving && phase == 0 {
		n = 0
	}
	closed, most, first := uint32(0), uint64(0), uint32(none)
	for base := 32 * (t.Warp()*t.Groups().X + t.Group().X); base < n; base += t.Groups().X * t.GroupSize().X {
		i, v, stays := base+t.Lane(), uint32(0), false
		if i < n {
			v = list[half*size+i]
			switch kind {
			case trimming:
				stays = s.trim(v)
			case rating:
				most = max(most, uint64(least[v]+1)*uint64(offsets[v+1]-offsets[v]))
			case electing:
				if uint64(least[v]+1)*uint64(offsets[v+1]-offsets[v]) == rated[0] {
					first = min(first, v)
				}
			case crowning:
				least[v], in[v], out[v] = none, none, none
				if v == told[Best] {
					in[v], out[v] = 0, 0
				}
			case moving:
				s.jump(v)
			case settling:
				stays = s.settle(v, told[Best])
			}
			if closes && !stays {
				closed++
			}
		}
		open, at := t.Ballot(stays), uint32(0)
		if t.Lane() == 0 && open != 0 {
			at = gpu.AtomicAdd(&state[next+openWord], uint32(bits.OnesCount32(open)))
			gpu.AtomicAdd(&vote[0], uint32(bits.OnesCount32(open)))
		}
		at = gpu.Shuffle(t, at, 0) + uint32(bits.OnesCount32(open&(1<<t.Lane()-1)))
		if stays {
			list[(1-half)*size+at] = v
		}
	}
	tell(t, kind, phase, closed, first, most, told, rated)
}

// tell gives what the lanes of a warp have found to all: how many nodes they closed, and the best pivot.
func tell(t gpu.Thread, kind, phase, closed, first uint32, most uint64, told []uint32, rated []uint64) {
	most, first = gpu.ReduceMax(t, most), gpu.ReduceMin(t, first)
	if t.Lane() == 0 && most != 0 {
		gpu.AtomicMax(&rated[0], most)
	}
	if t.Lane() == 0 && first != none {
		gpu.AtomicMin(&told[Best], first)
	}
	if closed = gpu.ReduceAdd(t, closed); t.Lane() == 0 && closed != 0 {
		word := phase // of a trim
		if kind == settling {
			word = min(Giant+phase, Best-1)
		}
		gpu.AtomicAdd(&told[word], closed)
	}
}

// Name names each node's component by its least node, and makes room to count.
//
//vyre:kernel workgroup=256
func Name(t gpu.Thread, label, least, sizes []uint32, tally []uint64) {
	v := t.Global().X
	if v < uint32(len(tally)) {
		tally[v] = 0
	}
	if v < uint32(len(label)) {
		sizes[v] = 0
		label[v] = least[label[v]]
	}
}
