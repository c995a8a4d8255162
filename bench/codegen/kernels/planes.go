package kernels

import "github.com/govyre/vyre/gpu"

// What takes a colour from 0 to 1 to one with mean 0 and deviation 1 over a large collection of photographs.
var (
	colourMean      = [3]float32{0.485, 0.456, 0.406}
	colourDeviation = [3]float32{0.229, 0.224, 0.225}
)

// Planes makes three planes of halves, red, green and blue, of pixels that have those and their opacity in bytes. What is
// not opaque lets black through.
//
//vyre:kernel workgroup=256
func Planes(t gpu.Thread, pixels [][4]uint8, planes []gpu.Float16) {
	i, n := t.Global().X, uint32(len(pixels))
	if i >= n {
		return
	}
	p := pixels[i]
	opacity := float32(p[3]) * (1.0 / 255)
	for c := range uint32(3) {
		colour := float32(p[c]) * (1.0 / 255) * opacity
		planes[c*n+i] = gpu.ToFloat16((colour - colourMean[c]) * (1 / colourDeviation[c]))
	}
}
