package cuda

import "math/bits"

// alignment is what the driver promises of an allocation.
const alignment = 256

// Above largeBytes sizes are rounded to a multiple of largeStep, so that little is lost on
// buffers that matter.
const (
	largeBytes = 16 << 20
	largeStep  = 2 << 20
)

// classOf returns the size that n bytes are rounded up to, so that a block can serve again
// for a size near the one it was made for. Less than an eighth is lost, or 511 bytes.
func classOf(n int64) int64 {
	step := int64(largeStep)
	switch {
	case n <= 0:
		return 0
	case n <= largeBytes:
		step = max(512, int64(1)<<bits.Len64(uint64(n))>>4) // an eighth of the power of two below n
	}
	return (n + step - 1) / step * step
}
