package kernels

import "github.com/govyre/vyre/gpu"

// The running sums of a buffer take three launches: sums of tiles of 1024 numbers, where each tile
// starts, then the tiles themselves.

// ScanSums writes the sum of each tile.
//
//vyre:kernel workgroup=256
func ScanSums(t gpu.Thread, x [][4]uint32, sums []uint32) {
	part := gpu.Shared[uint32](t, 8)
	v := x[t.Global().X]
	s := gpu.ReduceAdd(t, v[0]+v[1]+v[2]+v[3])
	if t.Lane() == 0 {
		part[t.Warp()] = s
	}
	t.Barrier()
	if t.Warp() == 0 {
		s = 0
		if t.Lane() < 8 {
			s = part[t.Lane()]
		}
		s = gpu.ReduceAdd(t, s)
		if t.Lane() == 0 {
			sums[t.Group().X] = s
		}
	}
}

// ScanStarts turns the sums into the sums of all tiles before. It is one workgroup.
//
//vyre:kernel workgroup=1024
func ScanStarts(t gpu.Thread, sums []uint32) {
	part := gpu.Shared[uint32](t, 32)
	var run uint32
	for base := uint32(0); base < uint32(len(sums)); base += 1024 {
		i := base + t.Local().X
		var v uint32
		if i < uint32(len(sums)) {
			v = sums[i]
		}
		before := run + scanBefore(t, part, 32, v)
		if i < uint32(len(sums)) {
			sums[i] = before
		}
		run += part[31]
		t.Barrier() // part is written again
	}
}

// ScanTiles writes the running sums of each tile from where it starts.
//
//vyre:kernel workgroup=256
func ScanTiles(t gpu.Thread, x, y [][4]uint32, starts []uint32) {
	part := gpu.Shared[uint32](t, 8)
	v := x[t.Global().X]
	v[1] += v[0]
	v[2] += v[1]
	v[3] += v[2]
	s := starts[t.Group().X] + scanBefore(t, part, 8, v[3])
	y[t.Global().X] = [4]uint32{v[0] + s, v[1] + s, v[2] + s, v[3] + s}
}

// scanBefore returns the sum of v over the invocations before this one, and leaves the running sums of
// its so many warps in part.
func scanBefore(t gpu.Thread, part []uint32, warps, v uint32) uint32 {
	upto := gpu.ScanAdd(t, v)
	if t.Lane() == 31 {
		part[t.Warp()] = upto
	}
	t.Barrier()
	if t.Warp() == 0 {
		var s uint32
		if t.Lane() < warps {
			s = part[t.Lane()]
		}
		s = gpu.ScanAdd(t, s)
		if t.Lane() < warps {
			part[t.Lane()] = s
		}
	}
	t.Barrier()
	if t.Warp() > 0 {
		upto += part[t.Warp()-1]
	}
	return upto - v
}
