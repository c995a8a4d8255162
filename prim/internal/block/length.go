//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// Length is how many elements there are: n, or what at holds, if anything, as one word or as a low and a high one. More than
// limit is a trap that tells how many, and none are taken then.
func Length(limit, n uint64, at []uint32) uint64 {
	if len(at) > 0 {
		n = uint64(at[0])
		if len(at) > 1 {
			n |= uint64(at[1]) << 32
		}
		gpu.Assert(n <= limit, "the length that the device holds is greater than what the primitive was made for", n)
		if n > limit {
			n = 0
		}
	}
	return n
}
