package block

import "github.com/govyre/vyre/gpu"

// A tile of a scan in one pass stays in shared memory, in cells, from its reading to its writing. It has 4*len(cells) elements, of
// which a warp has one part; a lane reads and writes memory across the rows of 32 quads of that part, and combines along them:
// it has as many neighbouring quads as there are rows.

// rowsOf is how many rows a warp's part of a tile has: 4 or 8.
func rowsOf[T any](cells [][4]T) uint32 { return uint32(len(cells)) / Threads }

// quadAt is where quad q of a warp's part lies. The quads of a lane stay together, rotated so that neither those who go along the
// rows nor those who go across them meet in a bank.
func quadAt[T any](t gpu.Thread, cells [][4]T, q uint32) uint32 {
	last := rowsOf(cells) - 1
	return t.Warp()*32*rowsOf(cells) + (q &^ last) + ((q ^ q>>3) & last)
}

// stage fetches the tile that begins at base, of elements that end at n. What is absent is none. It goes by halves of a warp's part:
// all loads of a half are on their way before the first has arrived.
func stage[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells [][4]T) {
	rows := rowsOf(cells)
	for first := uint32(0); first < rows; first += rows / 2 {
		at := base + uint64(128*(t.Warp()*rows+first)+4*t.Lane())
		var v [Each]T
		if base+4*uint64(len(cells)) <= n {
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
			cells[quadAt(t, cells, 32*(first+r)+t.Lane())] = [4]T{v[4*r], v[4*r+1], v[4*r+2], v[4*r+3]}
		}
	}
	t.WarpBarrier()
}

// rowTotal combines the elements of an invocation, one after another.
func rowTotal[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none T, cells [][4]T) T {
	rows := rowsOf(cells)
	total := none
	for r := range rows {
		quad := cells[quadAt(t, cells, rows*t.Lane()+r)]
		for i := range uint32(4) {
			total = op.Apply(total, quad[i])
		}
	}
	return total
}

// runRow puts the running combinations of an invocation's elements in their place, given what comes before.
func runRow[T gpu.Number, O Operator[T]](t gpu.Thread, op O, exclusive uint32, before T, cells [][4]T) {
	rows := rowsOf(cells)
	for r := range rows {
		at := quadAt(t, cells, rows*t.Lane()+r)
		quad := cells[at]
		var out [4]T
		for i := range uint32(4) {
			out[i] = before
			before = op.Apply(before, quad[i])
			if exclusive == 0 {
				out[i] = before
			}
		}
		cells[at] = out
	}
	t.WarpBarrier()
}

// unstage combines before with the elements of a tile, and writes them.
func unstage[T gpu.Number, O Operator[T]](t gpu.Thread, op O, before T, y []T, base, n uint64, cells [][4]T) {
	rows := rowsOf(cells)
	for first := uint32(0); first < rows; first += rows / 2 {
		at := base + uint64(128*(t.Warp()*rows+first)+4*t.Lane())
		var v [Each]T
		for r := range rows / 2 {
			quad := cells[quadAt(t, cells, 32*(first+r)+t.Lane())]
			for i := range uint32(4) {
				v[4*r+i] = op.Apply(before, quad[i])
			}
		}
		if base+4*uint64(len(cells)) <= n {
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
