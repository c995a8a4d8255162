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

// cellAt is where cell q of a warp's part lies. The cells of a lane stay together, rotated so that neither those who go along the
// rows nor those who go across them meet in a bank.
func cellAt[T gpu.Number](t gpu.Thread, c Cells[T], q uint32) uint32 {
	last := rowsOf(c) - 1
	return t.Warp()*32*rowsOf(c) + (q &^ last) + ((q ^ q>>3) & last)
}

// getCell returns the elements of cell q of a warp's part.
func getCell[T gpu.Number](t gpu.Thread, c Cells[T], q uint32) [4]T {
	at := cellAt(t, c, q)
	if len(c.Pairs) == 0 {
		return c.Quads[at]
	}
	pair := c.Pairs[at]
	return [4]T{pair[0], pair[1]}
}

// putCell writes them: those of v from element from on.
func putCell[T gpu.Number](t gpu.Thread, c Cells[T], q uint32, v [Each]T, from uint32) {
	at := cellAt(t, c, q)
	if len(c.Pairs) == 0 {
		c.Quads[at] = [4]T{v[from], v[from+1], v[from+2], v[from+3]}
	} else {
		c.Pairs[at] = [2]T{v[from], v[from+1]}
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

// stage fetches a tile into cells. It goes by halves of a warp's part: 64 bytes for each lane.
func stage[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T]) {
	stageHalf(t, x, base, n, none, cells, 0)
	stageHalf(t, x, base, n, none, cells, rowsOf(cells)/2)
	t.WarpBarrier()
}

func stageHalf[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T], first uint32) {
	rows, each := rowsOf(cells)/2, elementsOf(cells)
	v := fetch(t, x, base, n, none, cells, first, each*rows)
	for r := range rows {
		putCell(t, cells, 32*(first+r)+t.Lane(), v, each*r)
	}
}

// rowTotal combines the elements of an invocation, one after another.
func rowTotal[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, cells Cells[T]) T {
	rows := rowsOf(cells)
	total := none
	for r := range rows {
		cell := getCell(t, cells, rows*t.Lane()+r)
		for i := range elementsOf(cells) {
			total = op.Apply(total, cell[i])
		}
	}
	return total
}

// runRow puts the running combinations of an invocation's elements in their place, given what comes before.
func runRow[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, before T, cells Cells[T]) {
	rows := rowsOf(cells)
	for r := range rows {
		cell := getCell(t, cells, rows*t.Lane()+r)
		var out [Each]T
		for i := range elementsOf(cells) {
			out[i] = before
			before = op.Apply(before, cell[i])
			if exclusive == 0 {
				out[i] = before
			}
		}
		putCell(t, cells, rows*t.Lane()+r, out, 0)
	}
	t.WarpBarrier()
}

// unstage combines before with the elements of a tile, and writes them.
func unstage[T gpu.Number, O Operator[T]](t gpu.Thread, op O, before T, y []T, base, n uint64, cells Cells[T]) {
	rows, each := rowsOf(cells), elementsOf(cells)
	for first := uint32(0); first < rows; first += rows / 2 {
		var v [Each]T
		for r := range rows / 2 {
			cell := getCell(t, cells, 32*(first+r)+t.Lane())
			for i := range each {
				v[each*r+i] = op.Apply(before, cell[i])
			}
		}
		deliver(t, y, base, n, cells, first, each*rows/2, v)
	}
}
