package freelist

import "math/bits"

// Above largeBytes sizes are rounded to a multiple of largeStep, so that little is lost on
// buffers that matter.
const (
	largeBytes = 16 << 20
	largeStep  = 2 << 20
)

// ClassOf returns the size that n bytes are rounded up to, so that a block can serve again
// for a size near the one it was made for. Less than an eighth is lost, or 511 bytes.
func ClassOf(n int64) int64 {
	step := int64(largeStep)
	switch {
	case n <= 0:
		return 0
	case n <= largeBytes:
		step = max(512, int64(1)<<bits.Len64(uint64(n))>>4) // an eighth of the power of two below n
	}
	return (n + step - 1) / step * step
}

// smallClasses is the number of classes up to largeBytes: 8 of up to 4096 bytes, and 8 for
// each power of two beyond.
const smallClasses = 104

// classIndex numbers the classes up to largeBytes, ascending.
func classIndex(size int64) int {
	if size <= 4096 {
		return int(size/512) - 1
	}
	power := bits.Len64(uint64(size-1)) - 1 // size is beyond 1<<power
	return 8 + (power-12)*8 + int((size-1<<power)>>(power-3)) - 1
}
