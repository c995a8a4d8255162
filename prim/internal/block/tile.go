//vyre:library

package block

import "github.com/govyre/vyre/gpu"

const (
	// Quads and Pairs are how many cells a tile has, of quads or of pairs: the length of the shared memory through which a workgroup
	// turns its elements.
	Quads = Tile / 4
	Pairs = Tile / 2

	warpTile = Tile / Warps
)

// loadRows fetches the tile that begins at base, of elements that end at n: invocation j gets those from 16 j to 16 j + 15.
// What is absent is none. A warp reads neighbours from memory, and turns them in cells, which are Quads quads or Pairs pairs; the
// caller may write its own row there at once (putRows does).
func loadRows[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells Cells[T]) (v [Each]T) {
	stage(t, x, base, n, none, cells)
	each := elementsOf(cells)
	for r := range rowsOf(cells) {
		cell := getCell(cells, alongAt(t, cells, r))
		for i := range each {
			v[each*r+i] = cell[i]
		}
	}
	return v
}

// cellOf is number r of the cells of so many elements in v.
func cellOf[T gpu.Number](v [Each]T, each, r uint32) (cell [4]T) {
	for i := range each {
		cell[i] = v[each*r+i]
	}
	return cell
}

// putRows puts what each invocation has into cells, for storeRows to find. cells may hold another tile at once.
func putRows[T gpu.Number](t gpu.Thread, v [Each]T, cells Cells[T]) {
	rows, each := rowsOf(cells), elementsOf(cells)
	for r := range rows {
		putCell(cells, alongAt(t, cells, r), cellOf(v, each, r))
	}
	t.WarpBarrier()
}

// storeRows writes what putRows has left to where loadRows would fetch it: a warp writes neighbours.
func storeRows[T gpu.Number](t gpu.Thread, y []T, base, n uint64, cells Cells[T]) {
	rows, each := rowsOf(cells), elementsOf(cells)
	var v [Each]T
	for r := range rows {
		cell := getCell(cells, acrossAt(t, cells, r))
		for i := range each {
			v[each*r+i] = cell[i]
		}
	}
	deliver(t, y, base, n, cells, 0, Each, v)
}

// window is most elements of x from one on, as far as there are so many.
func window[T any](x []T, from uint64, most uint32) []T {
	from = min(from, uint64(len(x)))
	return x[from:][:min(uint64(most), uint64(len(x))-from)]
}

// before is last less than n, or 0. An index below that, and last more than it, are below n: the compiler sees it in this form.
func before(n, last uint64) uint64 { return max(n, last) - last }
