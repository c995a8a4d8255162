package main

import "github.com/govyre/vyre/gpu"

// Scan writes the running sums of x to y: y[i] = x[0] + … + x[i]. One launch does it
// in three steps with grid barriers between: each workgroup sums its block, the first
// workgroup turns the sums into starting points, each workgroup scans its block from there.
//
//vyre:kernel workgroup=256
func Scan(t gpu.Thread, x, y, starts []uint32) {
	block := (uint32(len(x)) + t.Groups().X - 1) / t.Groups().X
	lo := t.Group().X * block
	hi := min(lo+block, uint32(len(x)))

	var sum uint32
	for i := lo + t.Local().X; i < hi; i += 256 {
		sum += x[i]
	}
	sum = t.BarrierAdd(sum)
	if t.Local().X == 0 {
		starts[t.Group().X] = sum
	}
	t.GridBarrier()

	if t.GlobalIndex() == 0 {
		var run uint32
		for g := range t.Groups().X {
			n := starts[g]
			starts[g] = run
			run += n
		}
	}
	t.GridBarrier()

	warps := gpu.Shared[uint32](t, 8)
	run := starts[t.Group().X]
	for base := lo; base < hi; base += 256 {
		i := base + t.Local().X
		var v uint32
		if i < hi {
			v = x[i]
		}
		v = gpu.ScanAdd(t, v) // within the warp
		if t.Lane() == 31 {
			warps[t.Warp()] = v
		}
		t.Barrier()
		var before, all uint32
		for w := range uint32(8) {
			if w < t.Warp() {
				before += warps[w]
			}
			all += warps[w]
		}
		if i < hi {
			y[i] = run + before + v
		}
		run += all
		t.Barrier()
	}
}
