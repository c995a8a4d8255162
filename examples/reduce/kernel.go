package main

import "github.com/govyre/vyre/gpu"

// Sum adds up x. Every workgroup walks its share of x, halves its partial sums in
// shared memory and leaves one number in part; the host adds those few.
//
//vyre:kernel workgroup=256
func Sum(t gpu.Thread, x []int64, part []int64) {
	sums := gpu.Shared[int64](t, 256)
	l := t.Local().X
	var sum int64
	for i := t.Global().X; i < uint32(len(x)); i += t.Groups().X * 256 {
		sum += x[i]
	}
	sums[l] = sum
	t.Barrier()
	for half := uint32(128); half > 0; half /= 2 {
		if l < half {
			sums[l] += sums[l+half]
		}
		t.Barrier()
	}
	if l == 0 {
		part[t.Group().X] = sums[0]
	}
}
