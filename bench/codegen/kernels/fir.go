package kernels

import "github.com/govyre/vyre/gpu"

// Frame is what both channels have at one time.
type Frame struct{ Left, Right int16 }

const firPoint = 13 // bits after the binary point of a tap

// FIR filters both channels with the same taps, in fixed point. What 16 bits cannot hold is clamped. Frame i of out
// comes from as many frames of in as there are taps, from i on.
//
//vyre:kernel workgroup=256
func FIR(t gpu.Thread, taps []int16, in, out []Frame) {
	i := int(t.Global().X)
	if i >= len(out) {
		return
	}
	left, right := int32(1<<(firPoint-1)), int32(1<<(firPoint-1)) // a half, to round
	for k, tap := range taps {
		f := in[i+k]
		left += int32(tap) * int32(f.Left)
		right += int32(tap) * int32(f.Right)
	}
	out[i] = Frame{clamped16(left >> firPoint), clamped16(right >> firPoint)}
}

func clamped16(v int32) int16 {
	if v < -1<<15 {
		return -1 << 15
	}
	if v > 1<<15-1 {
		return 1<<15 - 1
	}
	return int16(v)
}
