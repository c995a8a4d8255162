package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

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

// StateLen is how many words of 64 bits the state of a scan has, of n elements of so many bytes.
func StateLen(n uint64, bytes int) uint64 {
	if bytes > 4 {
		return 1 + 2*tilesOf(n)
	}
	return 1 + tilesOf(n)
}

// draw takes a ticket; only that of invocation 0 counts. A group draws one when it has told all about its last tile: who
// draws earlier lets all that come after wait for what it has not begun.
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
		gpu.AtomicStore(&state[1+2*tile], what<<knowledge|word&half)
		gpu.AtomicStore(&state[2+2*tile], what<<knowledge|word>>32)
	case f.ordered:
		gpu.AtomicStoreOrdered(&state[1+tile], what<<knowledge|word&below, gpu.Release, gpu.Device)
	default:
		gpu.AtomicStore(&state[1+tile], what<<knowledge|word&below)
	}
}

// ask reads what is known of a tile: nothing, where half of it is.
func ask[T gpu.Integer](f form, state []uint64, tile uint32) (what uint64, v T) {
	if f.wide {
		low, high := gpu.AtomicLoad(&state[1+2*tile]), gpu.AtomicLoad(&state[2+2*tile])
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

// sight is how many tiles each lane of a warp looks at. The answer to a look takes the time in which dozens of tiles are
// finished elsewhere, so a scan gets on by 32*sight tiles in that time, and no faster.
const sight = 4

// lookBack tells the tile's own value and returns that of all tiles before it. A warp calls it. It looks at 32*sight tiles
// at once, of which the nearest that knows everything before it ends the search.
func lookBack[T gpu.Integer, O Operator[T]](t gpu.Thread, op O, none T, f form, state []uint64, tile uint32, own T) T {
	before := none
	what := uint64(partial)
	if tile == 0 {
		what = entire
	}
	for at := tile; ; at -= 32 * sight {
		if f.ordered {
			t.WarpBarrier() // what other lanes learnt happens before what this one tells
		}
		if t.Lane() == 0 && (at == tile || what == entire) {
			v := own
			if what == entire {
				v = op.Apply(before, own)
			}
			tell(f, state, tile, what, v)
		}
		if what == entire {
			return before
		}
		known, v := uint64(partial), none
		for {
			known, v = look(t, op, none, f, state, at)
			if t.All(known != unknown) {
				break
			}
			gpu.Pause(20)
		}
		ends := t.Ballot(known == entire)
		if ends != 0 {
			what = entire
			if t.Lane() > uint32(bits.TrailingZeros32(ends)) {
				v = none
			}
		}
		for d := uint32(1); d < 32; d *= 2 { // lane 0 gets all; the left operand is of earlier tiles
			v = op.Apply(gpu.ShuffleDown(t, v, d), v)
		}
		before = op.Apply(gpu.Shuffle(t, v, 0), before)
	}
}

// look asks about the tiles before at that are a lane's to look at, up to the nearest that knows everything before it, and
// combines them. Before the first tile there is nothing, and that is entire.
func look[T gpu.Integer, O Operator[T]](t gpu.Thread, op O, none T, f form, state []uint64, at uint32) (known uint64, v T) {
	var says [sight]uint64
	var has [sight]T
	for k := range uint32(sight) { // without a branch, so that the answers come together
		i := sight*t.Lane() + k
		says[k], has[k] = ask[T](f, state, max(at, i+1)-1-i)
	}
	known, v = partial, none
	for k := range uint32(sight) {
		if sight*t.Lane()+k >= at {
			says[k], has[k] = entire, none
		}
		if known == partial {
			if known = says[k]; known != unknown {
				v = op.Apply(has[k], v)
			}
		}
	}
	return known, v
}
