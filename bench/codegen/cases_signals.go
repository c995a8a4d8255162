package codegen

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/gpu"
)

// Kernels of the second lot on signals and samples.

func fir(s Size) *Problem {
	n, order := pick(s, 16<<10, 2<<20, 64<<20), 32
	// Taps of at most a quarter, 13 bits behind the point: sums fit into 32 bits, and some results have to be clamped.
	taps := valuesOf[int16](bytesOf(words(64, order/2)))
	for i := range taps {
		taps[i] /= 16
	}
	samples := valuesOf[int16](bytesOf(words(65, n+order-1))) // left, right
	bt, bi, bo := buffer("taps", In, taps), buffer("in", In, samples), output("out", 4*n)
	return &Problem{
		N: fmt.Sprintf("%d frames, %d taps", n, order), Buffers: []*Buffer{bt, bi, bo}, Bytes: bi.Bytes + bo.Bytes,
		Steps: []Step{{"FIR", [3]uint32{uint32(n / 256), 1, 1}, args(bt, bi, bo)}},
		Want: func() map[*Buffer][]byte {
			out := make([]int16, 2*n)
			for i := range out {
				var sum int64
				for k, tap := range taps {
					sum += int64(tap) * int64(samples[i+2*k])
				}
				out[i] = int16(min(max((sum+4096)>>13, -32768), 32767))
			}
			return map[*Buffer][]byte{bo: bytesOf(out)}
		},
	}
}

func runningMedian(s Size) *Problem {
	channels, samples := pick(s, 256, 16<<10, 256<<10), pick(s, 64, 256, 320)
	x := floats(66, channels*(samples+8))
	bx, by := buffer("x", In, x), output("y", 4*channels*samples)
	return &Problem{
		N: fmt.Sprintf("%d channels of %d samples", channels, samples), Buffers: []*Buffer{bx, by}, Bytes: bx.Bytes + by.Bytes,
		Steps: []Step{{"Median", [3]uint32{uint32(channels / 128), 1, 1}, args(uint32(channels), bx, by)}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, channels*samples)
			for i := range y {
				var window [9]float32
				for k := range window {
					window[k] = x[i+k*channels]
				}
				slices.Sort(window[:])
				y[i] = window[4]
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func momentsOfSegments(s Size) *Problem {
	n := pick(s, 64, 4<<10, 96<<10)
	starts := lengths(67, n, 0, 1500)
	values := doubles(68, int(starts[n]))
	bs, bv, out := buffer("starts", In, starts), buffer("values", In, values), output("spreads", 16*n)
	return &Problem{
		N: fmt.Sprintf("%d values in %d segments", len(values), n), Buffers: []*Buffer{bs, bv, out}, Bytes: bs.Bytes + bv.Bytes + out.Bytes,
		Steps: []Step{{"Moments", [3]uint32{uint32(n), 1, 1}, args(bs, bv, out)}},
		Want: func() map[*Buffer][]byte {
			spreads := make([]float64, 2*n)
			for i := range n {
				spreads[2*i], spreads[2*i+1] = spread(values[starts[i]:starts[i+1]])
			}
			return map[*Buffer][]byte{out: bytesOf(spreads)}
		},
	}
}

// spread adds in the kernel's order: every 128th value, then halves of those sums.
func spread(values []float64) (mean, variance float64) {
	type sums struct{ n, mean, squares float64 }
	var of [128]sums
	for i, v := range values {
		x := &of[i%128]
		x.n++
		before := v - x.mean
		x.mean += before / x.n
		x.squares = gpu.FMA(before, v-x.mean, x.squares)
	}
	for half := 64; half > 0; half /= 2 {
		for i := range half {
			a, b := of[i], of[i+half]
			if b.n == 0 {
				continue
			}
			n := a.n + b.n
			apart, share := b.mean-a.mean, b.n/n
			of[i] = sums{n, gpu.FMA(apart, share, a.mean), gpu.FMA(float64(apart*apart), float64(a.n*share), a.squares+b.squares)}
		}
	}
	if of[0].n == 0 {
		return 0, 0
	}
	return of[0].mean, of[0].squares / of[0].n
}

func linearSystems(s Size) *Problem {
	n := pick(s, 256, 32<<10, 512<<10)
	systems := doubles(69, 72*n)
	for i := 0; i < n; i += 16 { // in each sixteenth, one equation is there twice
		for c := range 9 {
			systems[(9*2+c)*n+i] = systems[(9*5+c)*n+i]
		}
	}
	bs, bx, bm := buffer("systems", In, systems), output("solutions", 64*n), output("singular", 4*n)
	return &Problem{
		N: fmt.Sprintf("%d systems of 8 equations", n), Buffers: []*Buffer{bs, bx, bm}, Bytes: bs.Bytes + bx.Bytes + bm.Bytes,
		Steps: []Step{{"Solve", [3]uint32{uint32(n / 128), 1, 1}, args(bs, bx, bm)}},
		Want: func() map[*Buffer][]byte {
			solutions, singular := make([]float64, 8*n), make([]uint32, n)
			for i := range n {
				rows := make([][]float64, 8)
				for r := range rows {
					for c := range 9 {
						rows[r] = append(rows[r], systems[(9*r+c)*n+i])
					}
				}
				x := solution(rows)
				if x == nil {
					singular[i] = 1
				}
				for k, v := range x {
					solutions[k*n+i] = v
				}
			}
			return map[*Buffer][]byte{bx: bytesOf(solutions), bm: bytesOf(singular)}
		},
	}
}

// solution takes one unknown after the other out of the rows that follow; nil if a system is singular.
func solution(rows [][]float64) []float64 {
	if len(rows) == 0 {
		return []float64{}
	}
	largest := 0
	for r := range rows {
		if gpu.Abs(rows[r][0]) > gpu.Abs(rows[largest][0]) {
			largest = r
		}
	}
	rows[0], rows[largest] = rows[largest], rows[0]
	if rows[0][0] == 0 {
		return nil
	}
	var rest [][]float64
	for _, row := range rows[1:] {
		factor := row[0] / rows[0][0]
		var less []float64
		for c := 1; c < len(row); c++ {
			less = append(less, gpu.FMA(-factor, rows[0][c], row[c]))
		}
		rest = append(rest, less)
	}
	x := solution(rest)
	if x == nil {
		return nil
	}
	sum := rows[0][len(rows[0])-1]
	for k, v := range x {
		sum = gpu.FMA(-rows[0][k+1], v, sum)
	}
	return append([]float64{sum / rows[0][0]}, x...)
}
