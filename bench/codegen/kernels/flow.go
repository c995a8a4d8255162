package kernels

import "github.com/govyre/vyre/gpu"

// The nine directions in which a fluid moves, the one opposite of each, and their weights.
var (
	flowX        = [9]int32{0, 1, 0, -1, 0, 1, -1, -1, 1}
	flowY        = [9]int32{0, 0, 1, 0, -1, 1, 1, -1, -1}
	flowOpposite = [9]uint32{0, 3, 4, 1, 2, 7, 8, 5, 6}
	flowWeight   = [9]float32{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}
)

// Flow makes one step of a fluid on a lattice (D2Q9, the collision of Bhatnagar, Gross and Krook). The plane of each
// direction has width by height cells, whose borders meet. Walls bounce back what comes.
//
//vyre:kernel workgroup=32x4
func Flow(t gpu.Thread, width, height uint32, rate float32, wall []bool, now, next []float32) {
	x, y := t.Global().X, t.Global().Y
	if x >= width || y >= height {
		return
	}
	cells := width * height
	here := y*width + x
	var f [9]float32
	for k := range f {
		fromX := (x + width - uint32(flowX[k])) % width
		fromY := (y + height - uint32(flowY[k])) % height
		f[k] = now[uint32(k)*cells+fromY*width+fromX]
	}
	if wall[here] {
		for k := range uint32(9) {
			next[k*cells+here] = f[flowOpposite[k]]
		}
		return
	}
	var density, ux, uy float32
	for k, v := range f {
		density += v
		ux += v * float32(flowX[k])
		uy += v * float32(flowY[k])
	}
	ux /= density
	uy /= density
	still := 1 - 1.5*(ux*ux+uy*uy)
	for k, v := range f {
		along := 3 * (ux*float32(flowX[k]) + uy*float32(flowY[k]))
		equal := flowWeight[k] * density * (still + along + 0.5*along*along)
		next[uint32(k)*cells+here] = v + rate*(equal-v)
	}
}
