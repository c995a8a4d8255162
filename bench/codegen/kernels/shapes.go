package kernels

import "github.com/govyre/vyre/gpu"

// Kernels of the suite in other shapes, without reference kernels: compare -shapes times them beside the kernels, since
// which shape suits a device only the device says.

// TransposeStrips takes the tiles down strips of 16, not along whole rows: what runs at one time is closer to a
// square, so that neither side is far apart.
//
//vyre:kernel workgroup=16x16
func TransposeStrips(t gpu.Thread, n uint32, x, y [][4]float32) {
	side := t.Groups().X
	i := t.Group().Y*side + t.Group().X
	strip := i / (16 * side)
	i -= strip * 16 * side
	wide := min(16, side-strip*16)
	transposeTile(t, n, strip*16+i%wide, i/wide, x, y)
}

// ScanTilesForward takes the tiles in their order.
//
//vyre:kernel workgroup=256
func ScanTilesForward(t gpu.Thread, x, y [][4]uint32, starts []uint32) {
	scanTile(t, t.Group().X, x, y, starts)
}

// SpMVEighths gives a row to eight lanes: four times as many rows are under way, and fewer lanes have nothing to do
// in the last round of a row.
//
//vyre:kernel workgroup=256
func SpMVEighths(t gpu.Thread, rows, cols []uint32, values, x, y []float32) {
	row := t.Group().X*32 + t.Local().X/8
	end := rows[row+1]
	var s float32
	for j := rows[row] + t.Local().X%8; j < end; j += 8 {
		s = gpu.FMA(values[j], x[cols[j]], s)
	}
	s += gpu.ShuffleXor(t, s, 4)
	s += gpu.ShuffleXor(t, s, 2)
	s += gpu.ShuffleXor(t, s, 1)
	if t.Local().X%8 == 0 {
		y[row] = s
	}
}

// StencilTwo has two rows an invocation, not four: more warps fit beside one another, and all rows are loaded twice,
// the second time mostly from the nearest cache.
//
//vyre:kernel workgroup=32x8
func StencilTwo(t gpu.Thread, w uint32, centre, side float32, x [][4]float32, cells []float32, y [][4]float32) {
	lane, col := t.Lane(), t.Global().X
	i := t.Global().Y*2*w + col
	above, below := i, i+w
	if i >= w {
		above = i - w
	}
	if i+2*w < uint32(len(x)) {
		below = i + 2*w
	}
	beside := i*4 - 1
	if lane > 0 {
		beside = i*4 + 4
	}
	var p, q float32
	if lane == 0 && col > 0 || lane == 31 && col < w-1 {
		p, q = cells[beside], cells[beside+4*w]
	}
	up, a, b, down := x[above], x[i], x[i+w], x[below]
	if above == i {
		up = [4]float32{}
	}
	if below == i+w {
		down = [4]float32{}
	}
	e, f := diffused(t, centre, side, up, a, b, p), diffused(t, centre, side, a, b, down, q)
	y[i], y[i+w] = e, f
}
