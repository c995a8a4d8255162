package block

import "github.com/govyre/vyre/gpu"

const (
	// Quads is how many quads of neighbours a tile has: the length of the shared memory through which a workgroup
	// turns its elements.
	Quads = Tile / 4

	quadsOfWarp = Quads / Warps
	warpTile    = Tile / Warps
)

// cell is where quad q of a warp's part of a tile lies in shared memory. The four quads of an invocation stay together,
// rotated so that neither those who go along the rows nor those who go across them meet in a bank.
func cell(t gpu.Thread, q uint32) uint32 {
	return t.Warp()*quadsOfWarp + (q &^ 3) + ((q ^ q>>3) & 3)
}

// loadRows fetches the tile that begins at base, of elements that end at n: invocation j gets those from 16 j to 16 j + 15.
// What is absent is none. A warp reads neighbours from memory, and turns them in cells, which has Quads quads; the caller
// may write its own row there at once (putRows does).
func loadRows[T gpu.Number](t gpu.Thread, x []T, base, n uint64, none T, cells [][4]T) (v [Each]T) {
	at := base + uint64(t.Warp()*warpTile+4*t.Lane())
	if base+Tile <= n { // all at once: each would else wait for the one before
		for i := range uint64(Each) {
			v[i] = x[at+128*(i/4)+i%4]
		}
	} else {
		for i := range uint64(Each) {
			v[i] = none
			if k := at + 128*(i/4) + i%4; k < n {
				v[i] = x[k]
			}
		}
	}
	for r := range uint32(4) {
		cells[cell(t, 32*r+t.Lane())] = [4]T{v[4*r], v[4*r+1], v[4*r+2], v[4*r+3]}
	}
	t.WarpBarrier()
	for r := range uint32(4) {
		quad := cells[cell(t, 4*t.Lane()+r)]
		for i := range uint32(4) {
			v[4*r+i] = quad[i]
		}
	}
	return v
}

// putRows puts what each invocation has into cells, for takeRows to find. cells may hold another tile at once.
func putRows[T gpu.Number](t gpu.Thread, v [Each]T, cells [][4]T) {
	for r := range uint32(4) {
		cells[cell(t, 4*t.Lane()+r)] = [4]T{v[4*r], v[4*r+1], v[4*r+2], v[4*r+3]}
	}
	t.WarpBarrier()
}

// takeRows is what loadRows has read, of the elements in cells: those that a warp writes to memory side by side.
func takeRows[T gpu.Number](t gpu.Thread, cells [][4]T) (v [Each]T) {
	for r := range uint32(4) {
		quad := cells[cell(t, 32*r+t.Lane())]
		for i := range uint32(4) {
			v[4*r+i] = quad[i]
		}
	}
	return v
}

// storeRows writes what takeRows has returned to where loadRows would fetch it.
func storeRows[T gpu.Number](t gpu.Thread, y []T, base, n uint64, v [Each]T) {
	at := base + uint64(t.Warp()*warpTile+4*t.Lane())
	if base+Tile <= n {
		for i := range uint64(Each) {
			y[at+128*(i/4)+i%4] = v[i]
		}
		return
	}
	for i := range uint64(Each) {
		if k := at + 128*(i/4) + i%4; k < n {
			y[k] = v[i]
		}
	}
}

// window is most elements of x from one on, as far as there are so many.
func window[T any](x []T, from uint64, most uint32) []T {
	from = min(from, uint64(len(x)))
	return x[from:][:min(uint64(most), uint64(len(x))-from)]
}
