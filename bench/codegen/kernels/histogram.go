package kernels

import "github.com/govyre/vyre/gpu"

// Histogram counts bytes, sixteen a load. Every warp counts into bins of its own in shared memory.
//
//vyre:kernel workgroup=256
func Histogram(t gpu.Thread, data [][4]uint32, bins []uint32) {
	part := gpu.Shared[uint32](t, 8*256)
	l := t.Local().X
	for k := uint32(0); k < 8*256; k += 256 {
		part[k+l] = 0
	}
	t.Barrier()
	mine := t.Warp() * 256
	step := t.Groups().X * 256
	for i := t.Global().X; i < uint32(len(data)); i += step {
		v := data[i]
		count(part, mine, v[0])
		count(part, mine, v[1])
		count(part, mine, v[2])
		count(part, mine, v[3])
	}
	t.Barrier()
	var sum uint32
	for k := uint32(0); k < 8*256; k += 256 {
		sum += part[k+l]
	}
	gpu.AtomicAdd(&bins[l], sum)
}

// count counts the four bytes of w.
func count(part []uint32, mine, w uint32) {
	gpu.AtomicAdd(&part[mine+w&255], 1)
	gpu.AtomicAdd(&part[mine+w>>8&255], 1)
	gpu.AtomicAdd(&part[mine+w>>16&255], 1)
	gpu.AtomicAdd(&part[mine+w>>24], 1)
}
