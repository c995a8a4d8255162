package kernels

import "github.com/govyre/vyre/gpu"

// Stencil is one step of diffusion on a grid with rows of w vectors of four cells: centre times a cell and side times
// the sum of its four neighbours, which outside the grid are zero. x and cells are the same memory.
//
// An invocation has a vector in each of four rows and loads those, the rows above and below, and all else before it
// uses the first. What lies left and right of a vector comes from the lanes beside it; the first and the last lane of
// a warp load theirs as cells. At the top and at the bottom a row of the grid is loaded in place of the missing one.
//
//vyre:kernel workgroup=32x8
func Stencil(t gpu.Thread, w uint32, centre, side float32, x [][4]float32, cells []float32, y [][4]float32) {
	lane, col := t.Lane(), t.Global().X
	i := t.Global().Y*4*w + col
	above, below := i, i+3*w
	if i >= w {
		above = i - w
	}
	if i+4*w < uint32(len(x)) {
		below = i + 4*w
	}
	beside := i*4 - 1
	if lane > 0 {
		beside = i*4 + 4
	}
	var p, q, r, s float32
	if lane == 0 && col > 0 || lane == 31 && col < w-1 {
		p, q, r, s = cells[beside], cells[beside+4*w], cells[beside+8*w], cells[beside+12*w]
	}
	up, down := x[above], x[below]
	a, b, c, d := x[i], x[i+w], x[i+2*w], x[i+3*w]
	if above == i {
		up = [4]float32{}
	}
	if below == i+3*w {
		down = [4]float32{}
	}
	e := diffused(t, centre, side, up, a, b, p)
	f := diffused(t, centre, side, a, b, c, q)
	g := diffused(t, centre, side, b, c, d, r)
	h := diffused(t, centre, side, c, d, down, s)
	y[i], y[i+w], y[i+2*w], y[i+3*w] = e, f, g, h
}

// diffused is the step for v, which lies between two rows. Beside the warp's vectors is edge.
func diffused(t gpu.Thread, centre, side float32, up, v, down [4]float32, edge float32) [4]float32 {
	left, right := gpu.ShuffleUp(t, v[3], 1), gpu.ShuffleDown(t, v[0], 1)
	if t.Lane() == 0 {
		left = edge
	}
	if t.Lane() == 31 {
		right = edge
	}
	return [4]float32{
		gpu.FMA(centre, v[0], side*((left+v[1])+(up[0]+down[0]))),
		gpu.FMA(centre, v[1], side*((v[0]+v[2])+(up[1]+down[1]))),
		gpu.FMA(centre, v[2], side*((v[1]+v[3])+(up[2]+down[2]))),
		gpu.FMA(centre, v[3], side*((v[2]+right)+(up[3]+down[3]))),
	}
}
