package codegen

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
)

// Unseen kernels on pictures.

func convolve(s Size) *Problem {
	w, h := pick(s, 100, 1500, 9200), pick(s, 60, 1500, 9200) // the last tiles are cut off
	weights, x := floats(40, 25), floats(41, w*h)
	bw, bx, by := buffer("weights", In, weights), buffer("x", In, x), output("y", 4*len(x))
	return &Problem{
		N: fmt.Sprintf("%d × %d pixels", w, h), Buffers: []*Buffer{bw, bx, by}, Bytes: bx.Bytes + by.Bytes,
		Steps: []Step{{"Convolve", [3]uint32{uint32(w+31) / 32, uint32(h+7) / 8, 1}, args(uint32(w), uint32(h), bw, bx, by)}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, len(x))
			for i := range y {
				for k, weight := range weights {
					col, row := min(max(i%w+k%5-2, 0), w-1), min(max(i/w+k/5-2, 0), h-1)
					y[i] = gpu.FMA(weight, x[row*w+col], y[i])
				}
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func planes(s Size) *Problem {
	n := pick(s, 16<<10, 2<<20, 64<<20)
	in, out := buffer("pixels", In, words(42, n)), output("planes", 6*n)
	return &Problem{
		N: fmt.Sprintf("%d pixels", n), Buffers: []*Buffer{in, out}, Bytes: in.Bytes + out.Bytes,
		Steps: []Step{{"Planes", [3]uint32{uint32(n / 256), 1, 1}, args(in, out)}},
		Want: func() map[*Buffer][]byte {
			halves := make([]uint16, 3*n)
			mean, deviation := [3]float32{0.485, 0.456, 0.406}, [3]float32{0.229, 0.224, 0.225}
			for i := range halves {
				pixel := in.Data[4*(i%n):][:4]
				const byteUnit = float32(1.0 / 255)
				colour := float32(float32(pixel[i/n])*byteUnit) * float32(float32(pixel[3])*byteUnit)
				halves[i] = gpu.ToFloat16((float32(colour) - mean[i/n]) * (1 / deviation[i/n])).Bits()
			}
			return map[*Buffer][]byte{out: bytesOf(halves)}
		},
	}
}
