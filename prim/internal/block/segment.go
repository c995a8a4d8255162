//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Segments are parts of an array, one after another: from one offset to the next. Short ones are the work of an invocation, longer
// ones that of a warp, and those that a warp would be long over go into a list, tile by tile, for later launches, in any order: what
// comes of a segment does not depend on the others.
const (
	alone = 32 // elements that an invocation combines

	// WarpSegment is how many elements a segment has at most that a warp combines at once.
	WarpSegment = 1024

	// SegmentLists, SegmentTiles, SegmentTops and SegmentRest are the launches over segments, in this order.
	SegmentLists = iota - 2
	SegmentTiles
	SegmentTops
	SegmentRest
)

// ListedTiles is how many tiles the segments that a warp does not combine can have in all, of n elements.
func ListedTiles(n uint64) uint64 { return n / WarpSegment }

// LongTiles is how many tiles the segments that have more than one can have in all, of n elements.
func LongTiles(n uint64) uint64 { return 2 * (n / Tile) }

// TileList is how many words a list of so many tiles takes.
func TileList(tiles uint64) uint64 { return 1 + 2*tiles }

// Segments says where segments are: offsets of one word or two, one more than there are segments.
type Segments struct{ Words uint32 }

func (s Segments) offset(offsets []uint32, k uint64) uint64 {
	if s.Words == 1 {
		return uint64(offsets[k])
	}
	return uint64(offsets[2*k]) | uint64(offsets[2*k+1])<<32
}

// ends returns where segment k begins and ends; of no elements, if that makes no sense.
func (s Segments) ends(offsets []uint32, k, n uint64) (lo, hi uint64) {
	lo, hi = s.offset(offsets, k), s.offset(offsets, k+1)
	gpu.Assert(lo <= hi && hi <= n, "a segment ends before it begins, or beyond the elements", k)
	if lo > hi || hi > n {
		lo, hi = 0, 0
	}
	return lo, hi
}

// enlist notes the tiles of a segment for later launches. A warp calls it. list[0] is how many tiles there are; then come
// for each its segment, and the first tile of that.
func enlist(t gpu.Thread, segment, length uint64, list []uint32) {
	tiles := uint32(tilesOf(length))
	first := uint32(0)
	if t.Lane() == 0 {
		first = gpu.AtomicAdd(&list[0], tiles)
	}
	first = gpu.Shuffle(t, first, 0)
	for k := t.Lane(); k < tiles; k += 32 {
		list[1+2*(first+k)], list[2+2*(first+k)] = uint32(segment), first
	}
}

// quadOf combines four neighbours of a segment, from element k on: (a + b) + (c + d).
func quadOf[T gpu.Number, O Operator[T]](op O, e [4]T) T {
	return op.Apply(op.Apply(e[0], e[1]), op.Apply(e[2], e[3]))
}

// few combines the elements of a segment of at most 32, in the order of a tile. A warp calls it, each lane with a segment of its own:
// all loads of 8 elements, and of the rest, are on their way before the first has arrived.
func few[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, segment []T) T {
	var e [alone]T
	for i := range uint32(8) {
		e[i] = none
		if i < uint32(len(segment)) {
			e[i] = segment[i]
		}
	}
	first, second := quadOf(op, [4]T{e[0], e[1], e[2], e[3]}), quadOf(op, [4]T{e[4], e[5], e[6], e[7]})
	if !t.Any(len(segment) > 8) {
		return op.Apply(first, second)
	}
	for i := uint32(8); i < alone; i++ {
		e[i] = none
		if i < uint32(len(segment)) {
			e[i] = segment[i]
		}
	}
	q := [alone / 4]T{first, second}
	for j := uint32(2); j < alone/4; j++ {
		q[j] = quadOf(op, [4]T{e[4*j], e[4*j+1], e[4*j+2], e[4*j+3]})
	}
	for i := range uint32(4) {
		q[i] = op.Apply(q[i], q[i+4])
	}
	return op.Apply(op.Apply(q[0], q[2]), op.Apply(q[1], q[3]))
}

// fourWarps combines what four warps of a workgroup would combine, those from element first of a segment of at most WarpSegment on:
// each takes 128 elements, a quad for each lane. A warp calls it, and lane 0 gets the results.
func fourWarps[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, segment []T, first uint32) (v [4]T) {
	var e [4][4]T
	for w := range uint32(4) {
		for i := range uint32(4) {
			e[w][i] = none
			if k := first + 4*t.Lane() + 128*w + i; k < uint32(len(segment)) {
				e[w][i] = segment[k]
			}
		}
	}
	for w := range uint32(4) {
		v[w] = quadOf(op, e[w])
	}
	for h := uint32(16); h > 0; h /= 2 {
		for w := range uint32(4) {
			v[w] = op.Apply(v[w], gpu.ShuffleDown(t, v[w], h))
		}
	}
	return v
}

// byWarp combines a segment of at most WarpSegment elements in the order of a tile. A warp calls it, and lane 0 gets the result.
func byWarp[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, segment []T) T {
	v := fourWarps(t, op, none, segment, 0)
	if t.Any(len(segment) > WarpSegment/2) {
		more := fourWarps(t, op, none, segment, WarpSegment/2)
		for w := range uint32(4) {
			v[w] = op.Apply(v[w], more[w])
		}
	}
	return op.Apply(op.Apply(v[0], v[2]), op.Apply(v[1], v[3]))
}

// ReduceSegments combines each of n segments of x into out, as ReduceAll would combine it alone, and of nothing into empty.
// It takes three launches of any grid: step is SegmentLists, SegmentTiles and SegmentTops. list has the words of
// ListedTiles(len(x)) tiles, of which the first is 0 before the first launch, and sums room for as many elements; part is shared
// memory of Warps elements. Without a segment that a warp does not combine there is no list, and the first launch is all.
func ReduceSegments[T gpu.Number, O Operator[T]](t gpu.Thread, op O, empty T, step uint32, s Segments, offsets []uint32, n uint64, x, out []T, list []uint32, sums, part []T) {
	none := op.Identity()
	switch step {
	case SegmentLists:
		reduceShort(t, op, none, empty, s, offsets, n, x, out, list)
	case SegmentTiles:
		units := gpu.BarrierBroadcast(t, list[0])
		for u := t.Group().X; u < units; u += t.Groups().X {
			k, first := uint64(list[1+2*u]), list[2+2*u]
			lo, hi := s.ends(offsets, k, uint64(len(x)))
			v := tile(t, op, none, x, lo+uint64(u-first)*Tile, hi, part)
			if t.Local().X == 0 {
				sums[u] = v
			}
			t.Barrier() // part is used again
		}
	case SegmentTops:
		units := gpu.BarrierBroadcast(t, list[0])
		for u := t.Group().X; u < units; u += t.Groups().X {
			k, first := uint64(list[1+2*u]), gpu.BarrierBroadcast(t, list[2+2*u])
			if u != first {
				continue
			}
			lo, hi := s.ends(offsets, k, uint64(len(x)))
			for m := gpu.BarrierBroadcast(t, tilesOf(hi-lo)); m > 1; m = tilesOf(m) {
				for b := range tilesOf(m) {
					v := tile(t, op, none, sums, uint64(first)+b*Tile, uint64(first)+m, part)
					if t.Local().X == 0 {
						sums[uint64(first)+b] = v
					}
					t.Barrier()
				}
			}
			if t.Local().X == 0 {
				out[k] = sums[first]
			}
		}
	}
}

// tile combines a tile of x that begins at base and ends at n at the latest; invocation 0 gets the result.
func tile[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, x []T, base, n uint64, part []T) T {
	v := load(t, x, base, n, none)
	for d := uint32(1); d < Each; d *= 2 {
		for i := uint32(0); i < Each; i += 2 * d {
			v[i] = op.Apply(v[i], v[i+d])
		}
	}
	return Reduce(t, op, v[0], part)
}

// reduceShort combines the segments that a warp combines, and enlists the others. A warp takes up to 32 at once: fewer, if there
// would else be warps without any.
func reduceShort[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none, empty T, s Segments, offsets []uint32, n uint64, x, out []T, list []uint32) {
	warps := uint64(t.Groups().X * Warps)
	each := min(32, (n+warps-1)/warps)
	for base := each * uint64(t.Group().X*Warps+t.Warp()); base < n; base += each * warps {
		k := base + uint64(t.Lane())
		mine := uint64(t.Lane()) < each && k < n
		lo, hi := uint64(0), uint64(0)
		if mine {
			lo, hi = s.ends(offsets, k, uint64(len(x)))
		}
		length := hi - lo
		if length > alone {
			length = 0
		}
		v := few(t, op, none, x[lo:][:uint32(length)])
		if lo == hi {
			v = empty
		}
		if mine && hi-lo <= alone {
			out[k] = v
		}
		for more := t.Ballot(hi-lo > alone); more != 0; more &= more - 1 {
			from := uint32(bits.TrailingZeros32(more))
			lo, hi := gpu.Shuffle(t, lo, from), gpu.Shuffle(t, hi, from)
			if t.Any(hi-lo > WarpSegment) {
				enlist(t, base+uint64(from), hi-lo, list)
				continue
			}
			v := byWarp(t, op, none, x[lo:][:uint32(hi-lo)])
			if t.Lane() == 0 {
				out[base+uint64(from)] = v
			}
		}
	}
}

// SegmentLengths leaves the lengths of n segments in out.
func SegmentLengths[T gpu.Integer](t gpu.Thread, s Segments, offsets []uint32, n uint64, out []T) {
	for k := uint64(t.Global().X); k < n; k += Threads * uint64(t.Groups().X) {
		out[k] = T(s.offset(offsets, k+1) - s.offset(offsets, k))
	}
}
