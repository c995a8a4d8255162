//go:build !arm64

package native

// Target names the instruction set of the processor; of one that has none here, that which is listed.
const Target = "amd64.avx2"

func hostTarget() target { return amd64Target() }
