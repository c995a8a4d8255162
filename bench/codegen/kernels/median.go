package kernels

import "github.com/govyre/vyre/gpu"

// Median smooths so many channels: each sample of y is the median of nine of x. The samples that all channels have at
// one time stand beside one another. An invocation has a channel, and keeps its last samples sorted.
//
//vyre:kernel workgroup=128
func Median(t gpu.Thread, channels uint32, x, y []float32) {
	c := t.Global().X
	if c >= channels {
		return
	}
	var sorted [9]float32
	for k := range len(sorted) - 1 {
		insert(sorted[:k+1], x[uint32(k)*channels+c])
	}
	for i := c; i < uint32(len(y)); i += channels {
		insert(sorted[:], x[i+8*channels])
		y[i] = sorted[4]
		remove(sorted[:], x[i])
	}
}

// insert puts v where it belongs. The last place of the slice is free.
func insert(sorted []float32, v float32) {
	k := len(sorted) - 1
	for k > 0 && sorted[k-1] > v {
		sorted[k] = sorted[k-1]
		k--
	}
	sorted[k] = v
}

// remove takes out v, which is there. The last place becomes free.
func remove(sorted []float32, v float32) {
	k := 0
	for sorted[k] != v {
		k++
	}
	for ; k < len(sorted)-1; k++ {
		sorted[k] = sorted[k+1]
	}
}
