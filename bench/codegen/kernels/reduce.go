package kernels

import "github.com/govyre/vyre/gpu"

// Reduce sums blocks of 8192 numbers, one a workgroup. The order is fixed: a tree over the eight vectors
// of an invocation, then its four lanes, then butterflies over the warp and over the warps.
//
//vyre:kernel workgroup=256
func Reduce(t gpu.Thread, x [][4]float32, sums []float32) {
	part := gpu.Shared[float32](t, 8)
	i := t.Group().X*2048 + t.Local().X
	a, b, c, d := x[i], x[i+256], x[i+512], x[i+768]
	e, f, g, h := x[i+1024], x[i+1280], x[i+1536], x[i+1792]
	v := add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h)))
	s := warpSum(t, (v[0]+v[1])+(v[2]+v[3]))
	if t.Lane() == 0 {
		part[t.Warp()] = s
	}
	t.Barrier()
	if t.Warp() == 0 {
		s = 0
		if t.Lane() < 8 {
			s = part[t.Lane()]
		}
		s += gpu.ShuffleXor(t, s, 4)
		s += gpu.ShuffleXor(t, s, 2)
		s += gpu.ShuffleXor(t, s, 1)
		if t.Lane() == 0 {
			sums[t.Group().X] = s
		}
	}
}

func add(a, b [4]float32) [4]float32 {
	return [4]float32{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}
}

// warpSum sums over the warp; every lane gets the same bits, since adding commutes.
func warpSum(t gpu.Thread, s float32) float32 {
	s += gpu.ShuffleXor(t, s, 16)
	s += gpu.ShuffleXor(t, s, 8)
	s += gpu.ShuffleXor(t, s, 4)
	s += gpu.ShuffleXor(t, s, 2)
	s += gpu.ShuffleXor(t, s, 1)
	return s
}
