package tabulation

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// What the tag of an arc says. From CallTag on it is a call, and CallTag less is which.
const (
	InnerTag  = 0 // in its procedure
	SharedTag = 1 // to another one without a call: whoever called
	FreeTag   = 2 // back to a caller that was never entered
	CallTag   = 3
)

// Round takes what is listed one step further.
//
// Offsets, targets and tags are arcs in rows, of nodes by number; they lead to first items. If wide says that there are nodes of
// several words, numbers has the node of each item and starts the first item of each node; else they are the same. A call is
// made from a node with so many words, for a bit of the entry's procedure; what its procedure may return to are the entries
// begin to end of returnTo, sorted by the exit they come from. Callers is, by entry, where its calls begin. Entries is, by the
// items of exits, the number of the entry whose bit is the first one of the item. Rows and callers longer than a portion are
// left for the next round, in portions (see portions.go).
//
//vyre:kernel workgroup=256
func Round(t gpu.Thread, round, n, wide, exits, listed, portion uint32, offsets, numbers, starts, targets, tags, callFrom, callWords, callBit, callBegin, callEnd, callers, returnFrom, returnTo, entries []uint32,
	rows, coming, known []uint64, queued, list, lengths []uint32, portions []uint64, portioned []uint32, summaries, counts []uint64, vote, edges []uint32) {
	p := program{offsets, numbers, starts, targets, tags, callFrom, callWords, callBit, callBegin, callEnd, callers, returnFrom, returnTo, entries}
	half := uint32(len(list)) / 2
	s := state{rows: rows, coming: coming, known: known, queued: queued, list: list, lengths: lengths, portions: portions, portioned: portioned,
		round: round, exits: exits, wide: wide, portion: portion, next: (round + 1) & 1 * half, word: (round + 1) % 3}
	if t.Group().X == 0 && t.Local().X == 0 {
		portioned[(round+2)%3] = 0 // the round before went over those
	}
	warps := t.Groups().X * (t.GroupSize().X / 32)
	take := uint32(1) // items of a warp
	for take < 32 && take*warps < n {
		take *= 2
	}
	grown, looked := uint32(0), uint32(0)
	for base := (t.Warp()*t.Groups().X + t.Group().X) * take; base < n; base += warps * take {
		w := taken{}
		if i := base + t.Lane(); t.Lane() < take && i < n {
			w = s.load(p, list[round&1*half+i])
		}
		if t.Any(w.arcs > portion) {
			grown += s.leaveArcs(t, w)
			if w.arcs > portion {
				w.arcs = 0
			}
		}
		looked += w.arcs
		grown += s.walk(t, p, w)
		if t.Any(w.fresh != 0) {
			grown += s.leave(t, p, w, listed, summaries, counts)
		}
		if t.Any(w.calls != 0) {
			grown += s.back(t, p, w.call, w.calls, w.start)
		}
	}
	if grown != 0 {
		gpu.AtomicAdd(&vote[0], grown)
	}
	if looked != 0 {
		gpu.AtomicAdd(&edges[0], looked)
	}
}

// program is what does not change.
type program struct {
	offsets, numbers, starts, targets, tags          []uint32
	callFrom, callWords, callBit, callBegin, callEnd []uint32
	callers, returnFrom, returnTo, entries           []uint32
}

// state is what grows.
type state struct {
	rows    []uint64
	coming  []uint64 // of exits, what came in a round: odd rounds and even ones take turns
	known   []uint64 // of exits, what has been taken from there
	queued  []uint32 // by item, one more than the round in whose list it was last
	list    []uint32
	lengths []uint32

	portions  []uint64 // what the list has of parts: for this round, and for the next one
	portioned []uint32 // how many, as lengths

	round, exits, wide, portion uint32
	next, word                  uint32 // where the list of the next round stands, and its length
}

// taken is an item that a lane has; its arcs are none in a lane that has no item. Or it is a part of one: of its arcs, or of the
// calls of an entry, which an exit leads back to.
type taken struct {
	item, start uint32 // and the first one of its node
	row         uint64
	first, arcs uint32
	fresh       uint64 // at an exit, entries that are new
	entry       uint32 // the number of its first bit's
	call, calls uint32
}

// load is what an entry of the list stands for.
func (s state) load(p program, listed uint32) (w taken) {
	w.item = listed
	what, number, part := uint64(arcsPart), uint32(0), listed&partBit != 0
	if part {
		at := s.portionAt(s.round) + 2*(listed&^partBit)
		what, number = s.portions[at], uint32(s.portions[at+1])
		w.item = uint32(s.portions[at+1] >> 32)
		w.start = w.item
	}
	if what != arcsPart { // calls of an entry, and w.item is an exit
		first, end := p.callers[what], p.callers[what+1]
		w.call = first + number*s.portion
		w.calls = min(end-w.call, s.portion)
		return w
	}
	w.row = gpu.AtomicLoad(&s.rows[w.item])
	node := w.item
	w.start = node
	if s.wide != 0 {
		node = p.numbers[w.item]
		w.start = p.starts[node]
	}
	w.first = p.offsets[node]
	w.arcs = p.offsets[node+1] - w.first
	if part {
		w.first += number * s.portion
		w.arcs = min(w.arcs-number*s.portion, s.portion)
		return w
	}
	if w.item < s.exits {
		w.fresh = s.take(w.item)
		w.entry = p.entries[w.item]
		if w.item == w.start {
			w.fresh &^= 1 // from a seed, and so from no entry
		}
	}
	return w
}

// take makes known what came to an exit in the round before.
func (s state) take(item uint32) uint64 {
	at := s.round&1*uint32(len(s.known)) + item
	fresh := gpu.AtomicLoad(&s.coming[at])
	gpu.AtomicStore(&s.coming[at], 0)
	gpu.AtomicStore(&s.known[item], gpu.AtomicLoad(&s.known[item])|fresh)
	return fresh
}

// join puts bits into the word of an item, and lists that if it is more than before. All lanes of a warp call it, those that
// have nothing with no bits. Lane 0 gets how many items were listed.
func (s state) join(t gpu.Thread, item uint32, add uint64) uint32 {
	grown := false
	if add != 0 {
		if fresh := add &^ gpu.AtomicOr(&s.rows[item], add); fresh != 0 {
			if item < s.exits {
				gpu.AtomicOr(&s.coming[(s.round+1)&1*uint32(len(s.known))+item], fresh)
			}
			grown = gpu.AtomicMax(&s.queued[item], s.round+2) != s.round+2
		}
	}
	lanes := t.Ballot(grown)
	if lanes == 0 {
		return 0
	}
	n, at := uint32(bits.OnesCount32(lanes)), uint32(0)
	if t.Lane() == 0 {
		at = gpu.AtomicAdd(&s.lengths[s.word], n)
	}
	at = gpu.Shuffle(t, at, 0)
	if grown {
		s.list[s.next+at+uint32(bits.OnesCount32(lanes&(1<<t.Lane()-1)))] = item
	}
	if t.Lane() != 0 {
		return 0
	}
	return n
}

// share is things that lanes of a warp have, so many each, to be shared out among all lanes.
type share struct{ start, total uint32 }

func newShare(t gpu.Thread, n uint32) share {
	start := gpu.ExclusiveScanAdd(t, n)
	return share{start, gpu.Shuffle(t, start+n, 31)}
}

// owner is the lane that has thing k, if there are so many.
func (s share) owner(t gpu.Thread, k uint32) (lane uint32) {
	for step := uint32(16); step > 0; step /= 2 {
		if gpu.Shuffle(t, s.start, lane+step) <= k {
			lane += step
		}
	}
	return lane
}

// walk goes along the arcs of what the warp has.
func (s state) walk(t gpu.Thread, p program, w taken) (grown uint32) {
	arcs := newShare(t, w.arcs)
	for base := uint32(0); base < arcs.total; base += 32 {
		k := base + t.Lane()
		lane := arcs.owner(t, k)
		at := gpu.Shuffle(t, w.first-arcs.start, lane) + k
		word, row := gpu.Shuffle(t, w.item-w.start, lane), gpu.Shuffle(t, w.row, lane)
		to, add := uint32(0), uint64(0)
		first, returns, bit := uint32(0), uint32(0), uint32(0)
		if k < arcs.total {
			to = p.targets[at]
			switch tag := p.tags[at]; {
			case tag == InnerTag:
				to, add = to+word, row
			case tag == SharedTag:
				add = 1
			case tag == FreeTag && word == 0:
				add = row & 1
			case tag >= CallTag:
				bit = p.callBit[tag-CallTag]
				first = p.callBegin[tag-CallTag]
				returns = p.callEnd[tag-CallTag] - first
				to, add = to+bit/64, 1<<(bit%64)
			}
		}
		grown += s.join(t, to, add)
		if t.Any(returns != 0) {
			grown += s.passBy(t, p, first, returns, bit, word, row)
		}
	}
	return grown
}

// passBy goes from calls to what follows them, as far as exits are known for the entries that they lead to.
func (s state) passBy(t gpu.Thread, p program, first, returns, bit, word uint32, row uint64) (grown uint32) {
	all := newShare(t, returns)
	for base := uint32(0); base < all.total; base += 32 {
		k := base + t.Lane()
		lane := all.owner(t, k)
		at, entry := gpu.Shuffle(t, first-all.start, lane)+k, gpu.Shuffle(t, bit, lane)
		of, x := gpu.Shuffle(t, word, lane), gpu.Shuffle(t, row, lane)
		to, add := uint32(0), uint64(0)
		if k < all.total && gpu.AtomicLoad(&s.known[p.returnFrom[at]+entry/64])>>(entry%64)&1 != 0 {
			to, add = p.returnTo[at]+of, x
		}
		grown += s.join(t, to, add)
	}
	return grown
}
