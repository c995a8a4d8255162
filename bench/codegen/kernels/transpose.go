package kernels

import "github.com/govyre/vyre/gpu"

// Transpose writes the transpose of the matrix x to y. Both are square with rows of n vectors of four. A
// workgroup takes a tile of 64 × 64, an invocation 4 × 4 of it: four loads are in flight at once, and a row of the
// tile is 256 bytes on either side.
//
// Shared memory holds the tile by columns, 68 numbers apart: aligned to vectors, and eight that follow one another
// begin in different banks. Column 4·l + k has place l + 16·k, so that invocations write to places that
// follow one another.
//
//vyre:kernel workgroup=16x16
func Transpose(t gpu.Thread, n uint32, x, y [][4]float32) {
	transposeTile(t, n, t.Group().X, t.Group().Y, x, y)
}

// transposeTile does tile gx of row gy.
func transposeTile(t gpu.Thread, n, gx, gy uint32, x, y [][4]float32) {
	tile := gpu.Shared[float32](t, 64*68)
	lx, ly := t.Local().X, t.Local().Y
	at := (gy*64+ly*4)*n + gx*16 + lx
	a, b, c, d := x[at], x[at+n], x[at+2*n], x[at+3*n]
	s := lx*68 + ly*4
	for k := range uint32(4) {
		tile[s], tile[s+1], tile[s+2], tile[s+3] = a[k], b[k], c[k], d[k]
		s += 16 * 68
	}
	t.Barrier()
	s = ly*68 + lx*4
	a, b, c, d = four(tile, s), four(tile, s+16*68), four(tile, s+32*68), four(tile, s+48*68)
	at = (gx*64+ly*4)*n + gy*16 + lx
	y[at], y[at+n], y[at+2*n], y[at+3*n] = a, b, c, d
}

// four returns four numbers from place i on.
func four(x []float32, i uint32) [4]float32 { return [4]float32{x[i], x[i+1], x[i+2], x[i+3]} }
