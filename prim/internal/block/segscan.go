//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// scanByWarp scans up to a tile of x, from base to hi, in the order of a tile; it leaves the result in y if store says so. A
// warp does the work of all warps of a workgroup, one after another. left is combined with everything, on the left. If
// exclusive is not 0, the result is moved by one, and first comes first. It returns the total, without left, and the last.
func scanByWarp[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, exclusive uint32, x, y []T, base, hi uint64, store bool, left, first T) (all, last T) {
	all, last = none, first
	for w := uint32(0); w < Warps && t.Any(base+uint64(warpTile*w) < hi); w++ {
		at := base + uint64(warpTile*w+Each*t.Lane())
		var v [Each]T
		for i := range uint64(Each) {
			v[i] = none
			if at+i < hi {
				v[i] = x[at+i]
			}
		}
		v = running(op, v)
		total := v[Each-1]
		for d := uint32(1); d < 32; d *= 2 {
			if u := gpu.ShuffleUp(t, total, d); t.Lane() >= d {
				total = op.Apply(u, total)
			}
		}
		lanes := gpu.ShuffleUp(t, total, 1)
		if t.Lane() == 0 {
			lanes = none
		}
		for i := range uint32(Each) {
			v[i] = op.Apply(left, op.Apply(all, op.Apply(lanes, v[i])))
		}
		before := gpu.ShuffleUp(t, v[Each-1], 1)
		if t.Lane() == 0 {
			before = last
		}
		last = gpu.Shuffle(t, v[Each-1], 31)
		all = op.Apply(all, gpu.Shuffle(t, total, 31))
		if exclusive != 0 {
			for i := Each - 1; i > 0; i-- {
				v[i] = v[i-1]
			}
			v[0] = before
		}
		for i := range uint64(Each) {
			if store && at+i < hi {
				y[at+i] = v[i]
			}
		}
	}
	return all, last
}

// ScanSegments leaves the running combinations of each of n segments of x in y, as ScanTotals and ScanTiles would leave them
// of it alone. It takes four launches of any grid: step is SegmentLists, SegmentTiles, SegmentTops and SegmentRest. list has
// the words of LongTiles(len(x)) tiles, of which the first is 0 before the first launch; sums and scanned have room for 2 LongTiles(len(x))
// elements each, lasts for half of that. There are at most 1<<36 elements.
func ScanSegments[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, empty T, step uint32, s Segments, offsets []uint32, n uint64, x, y []T, list []uint32, sums, scanned, lasts []T) {
	none := op.Identity()
	warp := t.Group().X*Warps + t.Warp()
	if step == SegmentLists {
		scanShort(t, op, none, exclusive, empty, s, offsets, n, x, y, list)
		return
	}
	units := gpu.Shuffle(t, list[0], 0)
	for u := warp; t.Any(u < units); u += Warps * t.Groups().X {
		k, first := uint64(list[1+2*u]), list[2+2*u]
		lo, hi := s.ends(offsets, k, uint64(len(x)))
		if step == SegmentTops {
			if t.Any(u == first) {
				scanTops(t, op, none, uint64(first), tilesOf(hi-lo), sums, scanned)
			}
			continue
		}
		left, before := none, empty
		if step == SegmentRest && u > first {
			left, before = scanned[u-1], lasts[u-1]
			if u > first+1 {
				before = op.Apply(scanned[u-2], before)
			}
		}
		all, last := scanByWarp(t, op, none, exclusive, x, y, lo+uint64(u-first)*Tile, hi, step == SegmentRest, left, before)
		if step == SegmentTiles && t.Lane() == 0 {
			sums[u], lasts[u] = all, last
		}
	}
}

// scanTops scans the totals of the tiles of a segment, m from first on, by the same rule: if they are more than a tile, their
// tiles' totals come first, which stand in the second half of sums.
func scanTops[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, first, m uint64, sums, scanned []T) {
	top := uint64(len(sums))/2 + first
	for pass := range uint32(3) { // totals of tiles, their scan, tiles
		rounds := tilesOf(m)
		if pass < 2 && m <= Tile {
			rounds = 0
		} else if pass == 1 {
			rounds = 1
		}
		for b := uint64(0); t.Any(b < rounds); b++ {
			base, end, left := first+b*Tile, first+m, none
			if pass == 1 {
				base, end = top, top+tilesOf(m)
			}
			if pass == 2 && b > 0 {
				left = scanned[top+b-1]
			}
			all, _ := scanByWarp(t, op, none, 0, sums, scanned, base, end, pass > 0, left, none)
			if pass == 0 && t.Lane() == 0 {
				sums[top+b] = all
			}
		}
		t.WarpBarrier()
	}
}

// scanShort scans the segments that are no longer than a tile, and enlists the others. A warp takes 32 at once: up to 16
// elements are the work of an invocation.
func scanShort[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, exclusive uint32, empty T, s Segments, offsets []uint32, n uint64, x, y []T, list []uint32) {
	warp := uint64(t.Group().X*Warps + t.Warp())
	for base := 32 * warp; base < n; base += 32 * Warps * uint64(t.Groups().X) {
		k := base + uint64(t.Lane())
		lo, hi := uint64(0), uint64(0)
		if k < n {
			lo, hi = s.ends(offsets, k, uint64(len(x)))
		}
		if hi-lo <= Each {
			v, before := none, empty
			for i := lo; i < hi; i++ {
				v = op.Apply(v, x[i])
				if exclusive != 0 {
					y[i] = before
				} else {
					y[i] = v
				}
				before = v
			}
		}
		for more := t.Ballot(hi-lo > Each); more != 0; more &= more - 1 {
			from := uint32(bits.TrailingZeros32(more))
			lo, hi := gpu.Shuffle(t, lo, from), gpu.Shuffle(t, hi, from)
			if t.Any(hi-lo > Tile) {
				enlist(t, base+uint64(from), hi-lo, list)
			} else {
				scanByWarp(t, op, none, exclusive, x, y, lo, hi, true, none, empty)
			}
		}
	}
}
