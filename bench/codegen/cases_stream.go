package codegen

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
)

// The kernels that read their input in order.

func saxpy(s Size) *Problem {
	n := pick(s, 16<<10, 2<<20, 80<<20)
	x, y := floats(1, n), floats(2, n)
	bx, by := buffer("x", In, x), buffer("y", Update, y)
	const a = float32(1.7)
	return &Problem{
		N: fmt.Sprintf("%d numbers", n), Buffers: []*Buffer{bx, by}, Bytes: 12 * int64(n),
		Steps: []Step{{"Saxpy", [3]uint32{uint32(n / 1024), 1, 1}, args(a, bx, by)}},
		Want: func() map[*Buffer][]byte {
			z := make([]float32, n)
			for i := range z {
				z[i] = gpu.FMA(a, x[i], y[i])
			}
			return map[*Buffer][]byte{by: bytesOf(z)}
		},
	}
}

func reduce(s Size) *Problem {
	const block = 8192
	n := pick(s, 4*block, 4<<20, 160<<20)
	x := floats(3, n)
	bx, sums := buffer("x", In, x), output("sums", n/block*4)
	return &Problem{
		N: fmt.Sprintf("%d numbers", n), Buffers: []*Buffer{bx, sums}, Bytes: bx.Bytes + sums.Bytes,
		Steps: []Step{{"Reduce", [3]uint32{uint32(n / block), 1, 1}, args(bx, sums)}},
		Want: func() map[*Buffer][]byte {
			out := make([]float32, n/block)
			for g := range out {
				var v [256]float32
				for l := range v {
					var lanes [4]float32
					for k := range lanes {
						at := func(i int) float32 { return x[g*block+(i*256+l)*4+k] }
						lanes[k] = ((at(0) + at(1)) + (at(2) + at(3))) + ((at(4) + at(5)) + (at(6) + at(7)))
					}
					v[l] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
				}
				var warps []float32
				for w := 0; w < 256; w += 32 {
					warps = append(warps, halved(v[w:w+32]))
				}
				out[g] = halved(warps)
			}
			return map[*Buffer][]byte{sums: bytesOf(out)}
		},
	}
}

// halved sums x, a power of two of numbers, the way butterflies do: each half by itself is added to the other.
func halved(x []float32) float32 {
	v := append([]float32(nil), x...)
	for m := len(v) / 2; m > 0; m /= 2 {
		for i := range m {
			v[i] += v[i+m]
		}
	}
	return v[0]
}

func scan(s Size) *Problem {
	const tile = 4096
	n := pick(s, 4*tile, 2<<20, 80<<20)
	x := words(4, n)
	bx, by, sums := buffer("x", In, x), output("y", 4*n), output("sums", n/tile*4)
	tiles := [3]uint32{uint32(n / tile), 1, 1}
	return &Problem{
		N: fmt.Sprintf("%d numbers", n), Buffers: []*Buffer{bx, by, sums}, Bytes: 2*bx.Bytes + by.Bytes + 4*sums.Bytes,
		Steps: []Step{
			{"ScanSums", tiles, args(bx, sums)},
			{"ScanStarts", [3]uint32{1, 1, 1}, args(sums)},
			{"ScanTiles", tiles, args(bx, by, sums)},
		},
		Shapes: []Shape{{Name: "tiles in order", Steps: []Step{
			{"ScanSums", tiles, args(bx, sums)},
			{"ScanStarts", [3]uint32{1, 1, 1}, args(sums)},
			{"ScanTilesForward", tiles, args(bx, by, sums)},
		}}},
		Want: func() map[*Buffer][]byte {
			y, starts := make([]uint32, n), make([]uint32, n/tile)
			var run uint32
			for i, v := range x {
				if i%tile == 0 {
					starts[i/tile] = run
				}
				run += v
				y[i] = run
			}
			return map[*Buffer][]byte{by: bytesOf(y), sums: bytesOf(starts)}
		},
	}
}

func histogram(s Size) *Problem {
	n := pick(s, 16<<10, 4<<20, 160<<20) // words of four bytes
	data := words(5, n)
	in, bins := buffer("data", In, data), buffer("bins", Update, make([]uint32, 256))
	groups := min(n/4096, 660) // five on each of the 132 multiprocessors of an H200: as many as have room
	return &Problem{
		N: fmt.Sprintf("%d bytes", 4*n), Buffers: []*Buffer{in, bins}, Bytes: in.Bytes,
		Steps: []Step{{"Histogram", [3]uint32{uint32(groups), 1, 1}, args(in, bins)}},
		Want: func() map[*Buffer][]byte {
			count := make([]uint32, 256)
			for _, b := range in.Data {
				count[b]++
			}
			return map[*Buffer][]byte{bins: bytesOf(count)}
		},
	}
}

func transpose(s Size) *Problem {
	n := pick(s, 128, 1536, 9216)
	x := floats(6, n*n)
	bx, by := buffer("x", In, x), output("y", n*n*4)
	tiles := [3]uint32{uint32(n / 64), uint32(n / 64), 1}
	return &Problem{
		N: fmt.Sprintf("%d × %d", n, n), Buffers: []*Buffer{bx, by}, Bytes: 2 * bx.Bytes,
		Steps:  []Step{{"Transpose", tiles, args(uint32(n/4), bx, by)}},
		Shapes: []Shape{{Name: "in strips", Steps: []Step{{"TransposeStrips", tiles, args(uint32(n/4), bx, by)}}}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, n*n)
			for i := range n {
				for j := range n {
					y[j*n+i] = x[i*n+j]
				}
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func stencil(s Size) *Problem {
	n := pick(s, 128, 1536, 9216)
	x := floats(7, n*n)
	bx, by := buffer("x", In, x), output("y", n*n*4)
	const centre, side = float32(0.6), float32(0.1)
	arguments := args(uint32(n/4), centre, side, bx, bx, by)
	return &Problem{
		N: fmt.Sprintf("%d × %d", n, n), Buffers: []*Buffer{bx, by}, Bytes: 2 * bx.Bytes,
		Steps:  []Step{{"Stencil", [3]uint32{uint32(n / 128), uint32(n / 32), 1}, arguments}},
		Shapes: []Shape{{Name: "two rows", Steps: []Step{{"StencilTwo", [3]uint32{uint32(n / 128), uint32(n / 16), 1}, arguments}}}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, n*n)
			at := func(row, col int) float32 {
				if row < 0 || row >= n || col < 0 || col >= n {
					return 0
				}
				return x[row*n+col]
			}
			for r := range n {
				for c := range n {
					around := (at(r, c-1) + at(r, c+1)) + (at(r-1, c) + at(r+1, c))
					y[r*n+c] = gpu.FMA(centre, at(r, c), float32(side*around))
				}
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}
