//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// runSums puts parts of an array together, each a word: above, how many runs begin in it, and below, 32 bits of what the elements
// from the last beginning on give, or all of them where none begins.
type runSums[O Operator[uint32]] struct{ op O }

func (s runSums[O]) Apply(a, b uint64) uint64 {
	if b>>32 != 0 {
		return a&^half + b
	}
	return a&^half | uint64(s.op.Apply(uint32(a), uint32(b)))
}

func (s runSums[O]) Identity() uint64 { return uint64(s.op.Identity()) }

// headBits has a bit for each of the keys of an invocation, of which so many are there, that differs from the one before. first is
// the key before those of the warp, and the element from which the invocation has 16 is at; the first of all begins a run.
func headBits[K gpu.Integer](t gpu.Thread, keys [Each]K, first K, at, n uint64) (mask uint32) {
	last := gpu.ShuffleUp(t, keys[Each-1], 1)
	if t.Lane() == 0 {
		last = first
	}
	for i := range uint32(Each) {
		if keys[i] != last {
			mask |= 1 << i
		}
		last = keys[i]
	}
	if at == 0 {
		mask |= 1
	}
	return mask & (1<<uint32(min(Each, n-min(at, n))) - 1)
}

// cellWord returns element k of cells, and putWord writes it, wherever alongAt would put its cell.
func cellWord[T gpu.Number](c Cells[T], k uint32) T {
	if len(c.Pairs) == 0 {
		return c.Quads[k/4][k%4]
	}
	return c.Pairs[k/2][k%2]
}

func putWord[T gpu.Number](c Cells[T], k uint32, v T) {
	if len(c.Pairs) == 0 {
		c.Quads[k/4][k%4] = v
	} else {
		c.Pairs[k/2][k%2] = v
	}
}

// ReduceRuns combines the values of each run of equal neighbours of keys[:n], in one launch of any grid: the first key of each goes to
// outKeys, what its values give to out, and how many runs there are to count, one word or two. Each element is read once. There
// are fewer than 1<<30.
//
// Workgroups take tiles by ticket. A tile lists its beginnings with what ends there in shared memory, before it looks back for where
// they go, and for what the run has given that it begins in. state has RunsLen(n) words, which are 0 when a launch of several begins; cells
// are Quads quads or, of keys of 8 bytes, Pairs pairs, and part is of Warps elements. The operator is associative exactly.
func ReduceRuns[K gpu.Integer, O Operator[uint32]](t gpu.Thread, op O, keys []K, values []uint32, n uint64, outKeys []K, out, count []uint32, state []uint64, keyCells Cells[K], cells Cells[uint32], part []uint64) {
	o := runSums[O]{op}
	none, f := op.Identity(), form{}
	n = min(n, uint64(len(keys)), uint64(len(values))) // which it is
	tiles := uint32(tilesOf(n))
	if n == 0 && t.GlobalIndex() == 0 {
		putCount(count, 0)
	}
	for tile := firstTicket(t, state); tile < tiles; {
		base := uint64(tile) * Tile
		first := K(0)
		if at := base + uint64(warpTile*t.Warp()); t.Lane() == 0 && at > 0 && at < n {
			first = keys[at-1]
		}
		k := loadRows(t, keys, base, n, 0, keyCells)
		v := loadRows(t, values, base, n, none, cells)
		heads := headBits(t, k, first, base+uint64(Each*t.Local().X), n)
		sum := none
		for i := range uint32(Each) {
			if heads>>i&1 != 0 {
				sum = none
			}
			sum = op.Apply(sum, v[i])
		}
		warps, lanes, all := scan(t, o, o.Identity(), uint64(bits.OnesCount32(heads))<<32|uint64(sum), part)
		tellOwn(t, f, state, tile, all)
		before := o.Apply(warps, lanes)
		at := uint32(before >> 32)
		sum = uint32(before)
		for i := range uint32(Each) {
			if heads>>i&1 != 0 {
				putWord(keyCells, at&(Tile-1), k[i])
				putWord(cells, at&(Tile-1), sum)
				at++
				sum = none
			}
			sum = op.Apply(sum, v[i])
		}
		if t.Warp() == 0 {
			before = lookBack(t, o, o.Identity(), f, state, tile, all)
		}
		before = gpu.BarrierBroadcast(t, before)
		next := nextTicket(t, tile, tiles, state)
		putRuns(t, op, before, uint32(all>>32), outKeys, out, keyCells, cells)
		if tile+1 == tiles && t.Local().X == 0 {
			all = o.Apply(before, all)
			out[all>>32-1] = uint32(all)
			putCount(count, all>>32)
		}
		tile = gpu.BarrierBroadcast(t, next)
	}
}

// putRuns writes the keys of the runs that begin in a tile, and what the runs have given that end at those.
func putRuns[K gpu.Integer, O Operator[uint32]](t gpu.Thread, op O, before uint64, begin uint32, outKeys []K, out []uint32, keyCells Cells[K], cells Cells[uint32]) {
	runs := before >> 32
	none := uint32(0) // the first run of all ends none
	if runs == 0 {
		none = min(begin, 1)
	}
	to, ended := window(outKeys, runs, begin), window(out, max(runs, 1)-1, begin-none)
	for k := t.Local().X; k < begin; k += Threads {
		to[k] = cellWord(keyCells, k)
		sum := cellWord(cells, k)
		if k == 0 {
			sum = op.Apply(uint32(before), sum)
		}
		if k >= none {
			ended[k-none] = sum
		}
	}
}

// putCount writes a count of one word or two.
func putCount(count []uint32, n uint64) {
	count[0] = uint32(n)
	if len(count) > 1 {
		count[1] = uint32(n >> 32)
	}
}

// RunsLen is how many words the state of ReduceRuns has.
func RunsLen(n uint64) uint64 { return 1 + tilesOf(n) }
