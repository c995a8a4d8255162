package kernels

import "github.com/govyre/vyre/gpu"

// Histogram counts bytes, 64 an invocation at a time: four loads are in flight. Every lane has bins of its own in shared
// memory, which it shares with that lane of the workgroup's other warps. Bin b of a lane is word 32·b + lane, so the
// lanes of a warp never meet in a bank, whatever they count. The data is whole tiles of 1024 vectors.
//
//vyre:kernel workgroup=256
func Histogram(t gpu.Thread, data [][4]uint32, bins []uint32) {
	part := gpu.Shared[uint32](t, 256*32)
	l := t.Local().X
	for k := uint32(0); k < 256*32; k += 1024 {
		s := k + 4*l
		part[s], part[s+1], part[s+2], part[s+3] = 0, 0, 0, 0
	}
	t.Barrier()
	step := t.Groups().X * 1024
	for i := t.Group().X*1024 + l; i < uint32(len(data)); i += step {
		a, b, c, d := data[i], data[i+256], data[i+512], data[i+768]
		count(part, t.Lane(), a)
		count(part, t.Lane(), b)
		count(part, t.Lane(), c)
		count(part, t.Lane(), d)
	}
	t.Barrier()
	var sum uint32
	for k := range uint32(32) {
		sum += part[32*l+(k+l)%32]
	}
	gpu.AtomicAdd(&bins[l], sum)
}

// count counts the sixteen bytes of v.
func count(part []uint32, lane uint32, v [4]uint32) {
	for k := range uint32(4) {
		gpu.AtomicAdd(&part[v[k]&255*32+lane], 1)
		gpu.AtomicAdd(&part[v[k]>>8&255*32+lane], 1)
		gpu.AtomicAdd(&part[v[k]>>16&255*32+lane], 1)
		gpu.AtomicAdd(&part[v[k]>>24*32+lane], 1)
	}
}
