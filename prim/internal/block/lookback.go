//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// Tiles are taken by ticket, a number that a workgroup draws from a counter. So whoever has drawn a ticket knows that all
// smaller ones were drawn before, by groups that run: it may wait for their results, whatever the order in which a device
// starts groups, and however few of them it runs at once.
//
// The state of a scan is the counter and, for each tile, one word or two: what is known of it in the two top bits, and a
// value, or half of one, below. A word says itself whether it has been written, so nothing orders the accesses.
const (
	unknown = iota
	partial // the value is that of the tile
	entire  // the value is that of the tile and all before it

	knowledge = 62 // the bits below say what
	below     = 1<<knowledge - 1
	half      = 1<<32 - 1
)

// form is how a state is written. All of it is known when a kernel is made.
type form struct {
	wide    bool // a value takes two words: it may have more than 62 bits
	ordered bool // what a group has done before it tells of a tile happens before what others do once they know
}

// wide reports whether a T may take two words.
func wide[T gpu.Integer]() bool { return T(1)<<7<<7<<7<<7<<4 != 0 }

// ScanTile is how many elements of so many bytes a workgroup takes at once of a scan in one pass. What a group has in hand waits
// for the groups before it, in shared memory: the more bytes wait there, the more are on their way from memory meanwhile.
func ScanTile(bytes int) uint64 {
	if bytes > 4 {
		return 2 * ScanPairs
	}
	return 4 * ScanQuads
}

const (
	// ScanQuads is the length of the shared memory in which a scan in one pass keeps a tile, of quads of 4 bytes an element or
	// less; ScanPairs that of pairs of more.
	ScanQuads = 2048
	ScanPairs = 2048
)

// StateLen is how many words of 64 bits the state of a scan has, of n elements of so many bytes.
func StateLen(n uint64, bytes int) uint64 {
	tiles := (n + ScanTile(bytes) - 1) / ScanTile(bytes)
	if bytes > 4 {
		return 1 + 2*tiles
	}
	return 1 + tiles
}

// firstTicket takes the first ticket of a workgroup.
func firstTicket(t gpu.Thread, state []uint64) uint32 {
	if t.Groups().X == 1 {
		return 0
	}
	return gpu.BarrierBroadcast(t, draw(t, state))
}

// nextTicket takes another after ticket, of so many that mean something; only that of invocation 0 counts. A group takes one when it
// has told all about its last tile: who is earlier lets all that come after wait for what it has not begun. Where no group can get a
// second one, or there is but one group, nothing is drawn.
func nextTicket(t gpu.Thread, ticket, tickets uint32, state []uint64) uint32 {
	switch {
	case t.Groups().X == 1:
		return ticket + 1
	case t.Groups().X >= tickets:
		return tickets
	}
	return draw(t, state)
}

// draw takes a ticket from the counter.
func draw(t gpu.Thread, state []uint64) (ticket uint32) {
	if t.Local().X == 0 {
		ticket = uint32(gpu.AtomicAdd(&state[0], 1))
	}
	return ticket
}

// tell writes what is known of a tile.
func tell[T gpu.Integer](f form, state []uint64, tile uint32, what uint64, v T) {
	word := uint64(v)
	switch {
	case f.wide:
		gpu.AtomicStore(&state[1+tile], what<<knowledge|word&half)
		gpu.AtomicStore(&state[1+tile+highs(state)], what<<knowledge|word>>32)
	case f.ordered:
		gpu.AtomicStoreOrdered(&state[1+tile], what<<knowledge|word&below, gpu.Release, gpu.Device)
	default:
		gpu.AtomicStore(&state[1+tile], what<<knowledge|word&below)
	}
}

// highs is how far behind the low half of a value its high half stands.
func highs(state []uint64) uint32 { return uint32(len(state)) / 2 }

// ask reads what is known of a tile: nothing, where half of it is.
func ask[T gpu.Integer](f form, state []uint64, tile uint32) (what uint64, v T) {
	if f.wide {
		low, high := gpu.AtomicLoad(&state[1+tile]), gpu.AtomicLoad(&state[1+tile+highs(state)])
		if low>>knowledge == high>>knowledge {
			what = low >> knowledge
		}
		return what, T(high<<32 | low&half)
	}
	word := uint64(0)
	if f.ordered {
		word = gpu.AtomicLoadOrdered(&state[1+tile], gpu.Acquire, gpu.Device)
	} else {
		word = gpu.AtomicLoad(&state[1+tile])
	}
	return word >> knowledge, T(word & below)
}

// tellOwn makes a tile's own value known: as early as can be, since others wait for it.
func tellOwn[T gpu.Integer](t gpu.Thread, f form, state []uint64, tile uint32, own T) {
	if t.Local().X == 0 {
		what := uint64(partial)
		if tile == 0 {
			what = entire
		}
		tell(f, state, tile, what, own)
	}
}

// sight is how many tiles each lane of a warp looks at. The answer to a look takes the time in which dozens of tiles are
// finished elsewhere, so a scan gets on by 32*sight tiles in that time, and no faster.
const sight = 4

// lookBack returns the value of all tiles before one whose own value has been told, and tells that up to it. A warp calls it. Its
// lanes look at neighbours, nearest first, and take in 32 tiles as soon as all of them are known, or those up to one that knows
// everything before it, which ends the search.
func lookBack[T gpu.Integer, O Operator[T]](t gpu.Thread, op O, none T, f form, state []uint64, tile uint32, own T) (before T) {
	before = none
	for at, more := tile, tile > 0; more; {
		var says [sight]uint64
		var has [sight]T
		for k := range uint32(sight) { // without a branch, so that the answers come together
			i := 32*k + t.Lane()
			says[k], has[k] = ask[T](f, state, max(at, i+1)-1-i)
		}
		begin := at
		for k := range uint32(sight) {
			known, v := says[k], has[k]
			if 32*k+t.Lane() >= begin { // before the first tile there is nothing, and that is entire
				known, v = entire, none
			}
			ends, gaps := t.Ballot(known == entire), t.Ballot(known == unknown)
			nearer := ends&-ends - 1 // than the nearest end; all without one
			if (nearer<<1|1)>>t.Lane()&1 == 0 {
				v = none
			}
			for d := uint32(1); d < 32; d *= 2 { // lane 0 gets all; the left operand is of earlier tiles
				v = op.Apply(gpu.ShuffleDown(t, v, d), v)
			}
			v = gpu.Shuffle(t, v, 0)
			if more && at == begin-32*k && gaps&nearer == 0 {
				before = op.Apply(v, before)
				at -= 32
				more = ends == 0
			}
		}
		if more && at == begin {
			gpu.Pause(20)
		}
	}
	if f.ordered {
		t.WarpBarrier() // what other lanes learnt happens before what this one tells
	}
	if t.Lane() == 0 && tile > 0 {
		tell(f, state, tile, entire, op.Apply(before, own))
	}
	return before
}
