package main

import "github.com/govyre/vyre/gpu"

// Histogram counts how often each byte value occurs in data. Every workgroup counts in
// shared memory first, so that the counters in global memory see little traffic.
//
//vyre:kernel workgroup=256
func Histogram(t gpu.Thread, data []uint8, bins []uint32) {
	part := gpu.Shared[uint32](t, 256)
	l := t.Local().X
	part[l] = 0
	t.Barrier()
	for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
		gpu.AtomicAdd(&part[data[i]], 1)
	}
	t.Barrier()
	gpu.AtomicAdd(&bins[l], part[l])
}
