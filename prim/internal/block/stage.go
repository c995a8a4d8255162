//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// A tile lies in shared memory in cells of 16 bytes at most, which is what a lane loads or stores at once. A warp has one part of a
// tile; a lane reads and writes memory across the rows of 32 cells of that part, and combines along them: it has as many neighbouring
// cells as there are rows. A tile of a scan in one pass stays there, from its reading to its writing.

// Cells is the shared memory of a tile: quads of elements of up to 4 bytes, or pairs of elements of 8. The other is empty. Lanes with
// four neighbours of 8 bytes would read every other 16 bytes of memory at once, and then those between: each sector twice.
type Cells[T gpu.Number] struct {
	Quads [][4]T
	Pairs [][2]T
}

// cellsOf is how many cells there are.
func cellsOf[T gpu.Number](c Cells[T]) uint32 { return uint32(len(c.Quads)) + uint32(len(c.Pairs)) }

// elementsOf is how many elements a cell has: 4 or 2.
func elementsOf[T gpu.Number](c Cells[T]) uint32 {
	if len(c.Pairs) != 0 {
		return 2
	}
	return 4
}

// rowsOf is how many rows a warp's part of a tile has: 4 or 8.
func rowsOf[T gpu.Number](c Cells[T]) uint32 { return cellsOf(c) / Threads }

// acrossAt is where the cell of a lane in row r of its warp's part lies, and alongAt where its own neighbouring cell r does. The cells of a
// lane stay together, in an order of its own, so that neither those who go along the rows nor those who go across them meet in a bank.
// In both r is apart from what depends on the lane: all places are one or two sums, and a constant.
func acrossAt[T gpu.Number](t gpu.Thread, c Cells[T], r uint32) uint32 {
	lane, last := t.Lane(), rowsOf(c)-1
	return (t.Warp()*32*rowsOf(c) + lane&^last + (lane^lane>>3)&last) ^ (4 * r & last) + 32*r
}

func alongAt[T gpu.Number](t gpu.Thread, c Cells[T], r uint32) uint32 {
	lane, rows := t.Lane(), rowsOf(c)
	return (t.Warp()*32*rows + lane*rows + lane*rows>>3&(rows-1)) ^ r
}

// getCell returns the elements of a cell.
func getCell[T gpu.Number](c Cells[T], at uint32) [4]T {
	if len(c.Pairs) == 0 {
		return c.Quads[at]
	}
	pair := c.Pairs[at]
	return [4]T{pair[0], pair[1]}
}

// putCell writes them.
func putCell[T gpu.Number](c Cells[T], at uint32, cell [4]T) {
	if len(c.Pairs) == 0 {
		c.Quads[at] = cell
	} else {
		c.Pairs[at] = [2]T{cell[0], cell[1]}
	}
}

// fetch loads so many elements of a lane, across the rows of its warp's part from row first on, of the tile that begins at base and of
// elements that end at n. What is absent is none. All loads of a whole tile are on their way before the first has arrived.
func fetch[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T], first, elements uint32) (v [Each]T) {
	each := elementsOf(cells)
	at := base + uint64(32*each*(t.Warp()*rowsOf(cells)+first)+each*t.Lane())
	if last := elements - 1; at < before(n, uint64(32*each*(last/each)+last%each)) {
		for i := range elements {
			v[i] = x[at+uint64(32*each*(i/each)+i%each)]
		}
		return v
	}
	for i := range elements {
		v[i] = none
		if k := at + uint64(32*each*(i/each)+i%each); k < n {
			v[i] = x[k]
		}
	}
	return v
}

// deliver stores what fetch would load.
func deliver[T gpu.Number](t gpu.Thread, y []T, base, n uint64, cells Cells[T], first, elements uint32, v [Each]T) {
	each := elementsOf(cells)
	at := base + uint64(32*each*(t.Warp()*rowsOf(cells)+first)+each*t.Lane())
	if last := elements - 1; at < before(n, uint64(32*each*(last/each)+last%each)) {
		for i := range elements {
			y[at+uint64(32*each*(i/each)+i%each)] = v[i]
		}
		return
	}
	for i := range elements {
		if k := at + uint64(32*each*(i/each)+i%each); k < n {
			y[k] = v[i]
		}
	}
}

// stage fetches a tile into cells, 16 elements of each lane at a time.
func stage[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T]) {
	each := elementsOf(cells)
	rows := Each / each
	for first := uint32(0); first < rowsOf(cells); first += rows {
		v := fetch(t, x, base, n, none, cells, first, Each)
		for r := range rows {
			putCell(cells, acrossAt(t, cells, first+r), cellOf(v, each, r))
		}
	}
	t.WarpBarrier()
}

// rowTotal combines the elements of an invocation, one after another.
func rowTotal[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, cells Cells[T]) T {
	total := none
	for r := range rowsOf(cells) {
		cell := getCell(cells, alongAt(t, cells, r))
		for i := range elementsOf(cells) {
			total = op.Apply(total, cell[i])
		}
	}
	return total
}

// runRow puts the running combinations of an invocation's elements in their place, given what comes before. It has four cells in hand
// at once, whose loads do not wait for stores.
func runRow[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, before T, cells Cells[T]) {
	rows := rowsOf(cells)
	for first := uint32(0); first < rows; first += 4 {
		var cell [4][4]T
		for r := range uint32(4) {
			cell[r] = getCell(cells, alongAt(t, cells, first+r))
		}
		for r := range uint32(4) {
			for i := range elementsOf(cells) {
				own := cell[r][i]
				cell[r][i] = before
				before = op.Apply(before, own)
				if exclusive == 0 {
					cell[r][i] = before
				}
			}
		}
		for r := range uint32(4) {
			putCell(cells, alongAt(t, cells, first+r), cell[r])
		}
	}
	t.WarpBarrier()
}

// unstage combines before with the elements of a tile, and writes them, two rows at a time: what waits here leaves registers to the
// ticket that is on its way.
func unstage[T gpu.Number, O Operator[T]](t gpu.Thread, op O, before T, y []T, base, n uint64, cells Cells[T]) {
	each := elementsOf(cells)
	for first := uint32(0); first < rowsOf(cells); first += 2 {
		var v [Each]T
		for r := range uint32(2) {
			cell := getCell(cells, acrossAt(t, cells, first+r))
			for i := range each {
				v[each*r+i] = op.Apply(before, cell[i])
			}
		}
		deliver(t, y, base, n, cells, first, 2*each, v)
	}
}
