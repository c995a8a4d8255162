//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// A scan of floats has one order, whatever the timing: within an invocation one after another, then the lanes by doubling,
// the warps one after another, and then the totals of tiles by the same rule, as if they were elements. Look-back would add
// them in another order each time. So the elements are read twice: for the totals, and for the result.

// ScanTotals leaves the totals of the tiles of x[:n] in totals and, if exclusive is not 0, the last running combination of
// each in lasts: it stands to the left of the next tile, and is rounded differently. cells and part are shared memory of
// Quads and 2*Warps elements.
func ScanTotals[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, x []T, n uint64, totals, lasts []T, cells Cells[T], part []T) {
	none := op.Identity()
	n = min(n, uint64(len(x))) // which it is
	for tile := uint64(t.Group().X); tile < tilesOf(n); tile += uint64(t.Groups().X) {
		v := running(op, loadRows(t, x, tile*Tile, n, none, cells))
		warps, lanes, all := scan(t, op, none, v[Each-1], part)
		if t.Local().X == Threads-1 {
			totals[tile] = all
			if exclusive != 0 {
				lasts[tile] = op.Apply(warps, op.Apply(lanes, v[Each-1]))
			}
		}
		t.Barrier() // part is used again
	}
}

// ScanTiles leaves the running combinations of x[:n] in y[:n], given those of its tiles' totals in before, which is not
// looked at where there is but one tile. If exclusive is not 0, they are moved by one, and empty comes first; lasts is what
// ScanTotals has left. x and y may be one. cells and part are as there.
func ScanTiles[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, empty T, x, y []T, n uint64, before, lasts []T, cells Cells[T], part []T) {
	none := op.Identity()
	n = min(n, uint64(len(x)), uint64(len(y))) // which it is
	for tile := uint64(t.Group().X); tile < tilesOf(n); tile += uint64(t.Groups().X) {
		v := running(op, loadRows(t, x, tile*Tile, n, none, cells))
		warps, lanes, _ := scan(t, op, none, v[Each-1], part)
		left := none // of the tile
		if tile > 0 {
			left = before[tile-1]
		}
		for i := range uint32(Each) {
			v[i] = op.Apply(left, op.Apply(warps, op.Apply(lanes, v[i])))
		}
		if exclusive != 0 {
			last := gpu.ShuffleUp(t, v[Each-1], 1)
			if t.Lane() == 31 {
				part[Warps+t.Warp()] = v[Each-1]
			}
			t.Barrier()
			switch {
			case t.Lane() > 0:
			case t.Warp() > 0:
				last = part[Warps+t.Warp()-1]
			case tile > 0:
				left = none
				if tile > 1 {
					left = before[tile-2]
				}
				last = op.Apply(left, lasts[tile-1])
			default:
				last = empty
			}
			for i := Each - 1; i > 0; i-- {
				v[i] = v[i-1]
			}
			v[0] = last
		}
		putRows(t, v, cells)
		storeRows(t, y, tile*Tile, n, cells)
		t.Barrier() // part is used again
	}
}

// Above is how many tiles so many elements have, and how many tiles those, and so on, level times.
func Above(level uint32, n uint64) uint64 {
	for range level {
		n = tilesOf(n)
	}
	return n
}
