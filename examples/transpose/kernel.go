package main

import "github.com/govyre/vyre/gpu"

const tile = 16

// Transpose writes the transpose of the w × h matrix in to out. A tile travels through
// shared memory, so that both the reads and the writes of a warp are neighbours. The
// extra column keeps a column of the tile from falling into one memory bank.
//
//vyre:kernel workgroup=16x16
func Transpose(t gpu.Thread, w, h uint32, in, out []float32) {
	buf := gpu.Shared[float32](t, tile*(tile+1))
	lx, ly := t.Local().X, t.Local().Y
	x, y := t.Global().X, t.Global().Y
	if x < w && y < h {
		buf[ly*(tile+1)+lx] = in[y*w+x]
	}
	t.Barrier()
	x = t.Group().Y*tile + lx
	y = t.Group().X*tile + ly
	if x < h && y < w {
		out[y*h+x] = buf[lx*(tile+1)+ly]
	}
}
