package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Segments are parts of an array, one after another: from one offset to the next. Those of up to alone elements are the work
// of an invocation, those of up to a tile that of a warp. Longer ones go into a list, tile by tile, for later launches, in
// any order: what comes of a segment does not depend on the others.
const (
	alone = 32

	// SegmentLists, SegmentTiles, SegmentTops and SegmentRest are the launches over segments, in this order.
	SegmentLists = iota - 1
	SegmentTiles
	SegmentTops
	SegmentRest
)

// LongTiles is how many tiles the segments that have more than one can have in all, of n elements.
func LongTiles(n uint64) uint64 { return 2 * (n / Tile) }

// LongList is how many words the list of tiles takes, of n elements.
func LongList(n uint64) uint64 { return 1 + 2*LongTiles(n) }

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
		hi = lo
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

// quads combines quads of x that begin at k, k + 1024 and so on, up to four, each (a + b) + (c + d), and they likewise.
func quads[T gpu.Number, O Operator[T]](op O, none T, x []T, k, hi uint64) T {
	var s [4]T
	for r := range uint64(4) {
		var q [4]T
		for i := range uint64(4) {
			q[i] = none
			if at := k + 1024*r + i; at < hi {
				q[i] = x[at]
			}
		}
		for d := uint32(1); d < 4; d *= 2 {
			for i := uint32(0); i < 4; i += 2 * d {
				q[i] = op.Apply(q[i], q[i+d])
			}
		}
		s[r] = q[0]
	}
	for d := uint32(1); d < 4; d *= 2 {
		for i := uint32(0); i < 4; i += 2 * d {
			s[i] = op.Apply(s[i], s[i+d])
		}
	}
	return s[0]
}

// few combines up to 32 elements in the order of a tile.
func few[T gpu.Number, O Operator[T]](op O, none T, x []T, lo, hi uint64) T {
	var q [alone / 4]T
	for j := range uint64(alone / 4) {
		q[j] = none
		if lo+4*j < hi {
			var e [4]T
			for i := range uint64(4) {
				e[i] = none
				if at := lo + 4*j + i; at < hi {
					e[i] = x[at]
				}
			}
			q[j] = op.Apply(op.Apply(e[0], e[1]), op.Apply(e[2], e[3]))
		}
	}
	for h := uint32(alone / 8); h > 0; h /= 2 {
		for i := range h {
			q[i] = op.Apply(q[i], q[i+h])
		}
	}
	return q[0]
}

// tileByWarp combines up to a tile of elements in the order of a tile: a warp does the work of all warps of a workgroup, one
// after another. Lane 0 gets the result.
func tileByWarp[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, x []T, lo, hi uint64) T {
	all := none // of warp w, in lane w
	for w := uint32(0); w < Warps && t.Any(lo+uint64(128*w) < hi); w++ {
		v := quads(op, none, x, lo+uint64(128*w+4*t.Lane()), hi)
		for h := uint32(16); h > 0; h /= 2 {
			v = op.Apply(v, gpu.ShuffleDown(t, v, h))
		}
		v = gpu.Shuffle(t, v, 0)
		if t.Lane() == w {
			all = v
		}
	}
	for h := uint32(Warps / 2); h > 0; h /= 2 {
		all = op.Apply(all, gpu.ShuffleDown(t, all, h))
	}
	return all
}

// ReduceSegments combines each of n segments of x into out, as ReduceAll would combine it alone, and of nothing into empty.
// It takes three launches of any grid: step is SegmentLists, SegmentTiles and SegmentTops. list has LongList(len(x)) words,
// of which the first is 0 before the first launch, and sums room for LongTiles(len(x)) elements; part is shared memory of
// Warps elements.
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

// reduceShort combines the segments that are no longer than a tile, and enlists the others. A warp takes 32 at once.
func reduceShort[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none, empty T, s Segments, offsets []uint32, n uint64, x, out []T, list []uint32) {
	warp := uint64(t.Group().X*Warps + t.Warp())
	for base := 32 * warp; base < n; base += 32 * Warps * uint64(t.Groups().X) {
		k := base + uint64(t.Lane())
		lo, hi := uint64(0), uint64(0)
		if k < n {
			lo, hi = s.ends(offsets, k, uint64(len(x)))
			if lo == hi {
				out[k] = empty
			} else if hi-lo <= alone {
				out[k] = few(op, none, x, lo, hi)
			}
		}
		for more := t.Ballot(hi-lo > alone); more != 0; more &= more - 1 {
			from := uint32(bits.TrailingZeros32(more))
			lo, hi := gpu.Shuffle(t, lo, from), gpu.Shuffle(t, hi, from)
			if t.Any(hi-lo > Tile) {
				enlist(t, base+uint64(from), hi-lo, list)
				continue
			}
			v := tileByWarp(t, op, none, x, lo, hi)
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
