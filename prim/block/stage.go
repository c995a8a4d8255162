package block

import "github.com/govyre/vyre/gpu"

// A tile of a scan in one pass stays in shared memory, from its reading to its writing. It has 4*quadsOf(c) elements, of which a
// warp has one part; a lane reads and writes memory across the rows of 32 quads of that part, and combines along them: it has as
// many neighbouring quads as there are rows.

// Cells is the shared memory in which a scan keeps a tile, of elements of up to 4 bytes in quads, and of 8 in halves of quads, the
// first halves before the second ones: a warp's access of 16 bytes a lane takes as long as its slowest bank, and halves side by side
// would use every other bank twice. One of the two is empty.
type Cells[T gpu.Number] struct {
	Quads  [][4]T
	Halves [][2]T
}

// quadsOf is how many quads there are.
func quadsOf[T gpu.Number](c Cells[T]) uint32 { return uint32(len(c.Quads)) + uint32(len(c.Halves))/2 }

// rowsOf is how many rows a warp's part of a tile has: 4 or 8.
func rowsOf[T gpu.Number](c Cells[T]) uint32 { return quadsOf(c) / Threads }

// quadAt is where quad q of a warp's part lies. The quads of a lane stay together, rotated so that neither those who go along the
// rows nor those who go across them meet in a bank.
func quadAt[T gpu.Number](t gpu.Thread, c Cells[T], q uint32) uint32 {
	last := rowsOf(c) - 1
	return t.Warp()*32*rowsOf(c) + (q &^ last) + ((q ^ q>>3) & last)
}

// getQuad returns quad q of a warp's part.
func getQuad[T gpu.Number](t gpu.Thread, c Cells[T], q uint32) [4]T {
	at := quadAt(t, c, q)
	if len(c.Halves) == 0 {
		return c.Quads[at]
	}
	low, high := c.Halves[at], c.Halves[at+quadsOf(c)]
	return [4]T{low[0], low[1], high[0], high[1]}
}

// putQuad writes it.
func putQuad[T gpu.Number](t gpu.Thread, c Cells[T], q uint32, v [4]T) {
	at := quadAt(t, c, q)
	if len(c.Halves) == 0 {
		c.Quads[at] = v
		return
	}
	c.Halves[at], c.Halves[at+quadsOf(c)] = [2]T{v[0], v[1]}, [2]T{v[2], v[3]}
}

// stage fetches the tile that begins at base, of elements that end at n. What is absent is none. It goes by halves of a warp's part:
// all loads of a half are on their way before the first has arrived.
func stage[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T]) {
	rows := rowsOf(cells)
	for first := uint32(0); first < rows; first += rows / 2 {
		at := base + uint64(128*(t.Warp()*rows+first)+4*t.Lane())
		var v [Each]T
		if base+4*uint64(quadsOf(cells)) <= n {
			for i := range uint64(2 * rows) {
				v[i] = x[at+128*(i/4)+i%4]
			}
		} else {
			for i := range uint64(2 * rows) {
				v[i] = none
				if k := at + 128*(i/4) + i%4; k < n {
					v[i] = x[k]
				}
			}
		}
		for r := range rows / 2 {
			putQuad(t, cells, 32*(first+r)+t.Lane(), [4]T{v[4*r], v[4*r+1], v[4*r+2], v[4*r+3]})
		}
	}
	t.WarpBarrier()
}

// rowTotal combines the elements of an invocation, one after another.
func rowTotal[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, cells Cells[T]) T {
	rows := rowsOf(cells)
	total := none
	for r := range rows {
		quad := getQuad(t, cells, rows*t.Lane()+r)
		for i := range uint32(4) {
			total = op.Apply(total, quad[i])
		}
	}
	return total
}

// runRow puts the running combinations of an invocation's elements in their place, given what comes before.
func runRow[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, before T, cells Cells[T]) {
	rows := rowsOf(cells)
	for r := range rows {
		quad := getQuad(t, cells, rows*t.Lane()+r)
		var out [4]T
		for i := range uint32(4) {
			out[i] = before
			before = op.Apply(before, quad[i])
			if exclusive == 0 {
				out[i] = before
			}
		}
		putQuad(t, cells, rows*t.Lane()+r, out)
	}
	t.WarpBarrier()
}

// unstage combines before with the elements of a tile, and writes them.
func unstage[T gpu.Number, O Operator[T]](t gpu.Thread, op O, before T, y []T, base, n uint64, cells Cells[T]) {
	rows := rowsOf(cells)
	for first := uint32(0); first < rows; first += rows / 2 {
		at := base + uint64(128*(t.Warp()*rows+first)+4*t.Lane())
		var v [Each]T
		for r := range rows / 2 {
			quad := getQuad(t, cells, 32*(first+r)+t.Lane())
			for i := range uint32(4) {
				v[4*r+i] = op.Apply(before, quad[i])
			}
		}
		if base+4*uint64(quadsOf(cells)) <= n {
			for i := range uint64(2 * rows) {
				y[at+128*(i/4)+i%4] = v[i]
			}
			continue
		}
		for i := range uint64(2 * rows) {
			if k := at + 128*(i/4) + i%4; k < n {
				y[k] = v[i]
			}
		}
	}
}
