package codegen

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/gpu"
)

// Unseen kernels on rows and lists of numbers.

func biquad(s Size) *Problem {
	channels, samples := pick(s, 256, 8<<10, 256<<10), pick(s, 64, 256, 320)
	// A low pass at a tenth of the sampling rate, with a quality of 1/√2.
	const b0, b1, b2, a1, a2 = float32(0.0674553), float32(0.1349105), float32(0.0674553), float32(-1.1429805), float32(0.4128016)
	x := floats(20, channels*samples)
	bx, by := buffer("x", In, x), output("y", 4*len(x))
	return &Problem{
		N: fmt.Sprintf("%d channels of %d samples", channels, samples), Buffers: []*Buffer{bx, by}, Bytes: bx.Bytes + by.Bytes,
		Steps: []Step{{"Biquad", [3]uint32{uint32(channels / 128), 1, 1}, args(uint32(channels), b0, b1, b2, a1, a2, bx, by)}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, len(x))
			for c := range channels {
				var s1, s2 float32
				for i := c; i < len(x); i += channels {
					y[i] = gpu.FMA(b0, x[i], s1)
					s1 = gpu.FMA(-a1, y[i], gpu.FMA(b1, x[i], s2))
					s2 = gpu.FMA(-a2, y[i], float32(b2*x[i]))
				}
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func blackScholes(s Size) *Problem {
	n := pick(s, 4<<10, 1<<20, 32<<20)
	spot, strike, years := between(21, n, 5, 30), between(22, n, 1, 100), between(23, n, 0.25, 10)
	bs, bk, by := buffer("spot", In, spot), buffer("strike", In, strike), buffer("years", In, years)
	call, put := output("call", 4*n), output("put", 4*n)
	const rate, volatility = float32(0.02), float32(0.3)
	return &Problem{
		N: fmt.Sprintf("%d options", n), Buffers: []*Buffer{bs, bk, by, call, put}, Bytes: 20 * int64(n),
		Approximate: true, Library: true,
		Steps: []Step{{"BlackScholes", [3]uint32{uint32(n / 256), 1, 1}, args(rate, volatility, bs, bk, by, call, put)}},
		Want: func() map[*Buffer][]byte {
			calls, puts := make([]float32, n), make([]float32, n)
			const r, v = float64(rate), float64(volatility)
			for i := range n {
				s, k, y := float64(spot[i]), float64(strike[i]), float64(years[i])
				d := (math.Log(s/k) + (r+v*v/2)*y) / (v * math.Sqrt(y))
				normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
				price := s*normal(d) - k*math.Exp(-r*y)*normal(d-v*math.Sqrt(y))
				calls[i], puts[i] = float32(price), float32(price-s+k*math.Exp(-r*y))
			}
			return map[*Buffer][]byte{call: bytesOf(calls), put: bytesOf(puts)}
		},
	}
}

func softmax(s Size) *Problem {
	rows, n := pick(s, 64, 2<<10, 80<<10), pick(s, 200, 1000, 1000)
	x := between(24, rows*n, -8, 8)
	bx, by := buffer("x", In, x), output("y", 4*len(x))
	return &Problem{
		N: fmt.Sprintf("%d rows of %d", rows, n), Buffers: []*Buffer{bx, by}, Bytes: bx.Bytes + by.Bytes,
		Approximate: true, Library: true,
		Steps: []Step{{"Softmax", [3]uint32{uint32(rows / 8), 1, 1}, args(uint32(n), bx, by)}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, len(x))
			for first := 0; first < len(x); first += n {
				var sum float64
				for _, v := range x[first : first+n] {
					sum += math.Exp(float64(v))
				}
				for i := first; i < first+n; i++ {
					y[i] = float32(math.Exp(float64(x[i])) / sum)
				}
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func rays(s Size) *Problem {
	n, m := pick(s, 512, 64<<10, 1<<20), pick(s, 64, 512, 1024)
	// Rays from a square in front of a cube of triangles, into it.
	from, bent := floats(25, 2*n), floats(26, 2*n)
	var in []float32
	for i := range n {
		in = append(in, from[2*i], from[2*i+1], -2, bent[2*i]/2, bent[2*i+1]/2, 1)
	}
	corners := floats(27, 9*m)
	for i := range corners {
		if i%9 >= 3 { // the others lie near the first
			corners[i] = corners[i-i%9+i%3] + corners[i]/3
		}
	}
	bt, br, bh := buffer("triangles", In, corners), buffer("rays", In, in), output("hits", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d rays, %d triangles", n, m), Buffers: []*Buffer{bt, br, bh}, Bytes: bt.Bytes + br.Bytes + bh.Bytes,
		Steps: []Step{{"Rays", [3]uint32{uint32(n / 128), 1, 1}, args(bt, br, bh)}},
		Want: func() map[*Buffer][]byte {
			hits := make([]uint32, 2*n)
			for i := range n {
				nearest, which := float32(math.MaxFloat32), ^uint32(0)
				for k := range m {
					if d, ok := meets([6]float32(in[6*i:]), [9]float32(corners[9*k:])); ok && d < nearest {
						nearest, which = d, uint32(k)
					}
				}
				hits[2*i], hits[2*i+1] = math.Float32bits(nearest), which
			}
			return map[*Buffer][]byte{bh: bytesOf(hits)}
		},
	}
}

// meets says where a ray, from a point along a direction, meets a triangle.
func meets(ray [6]float32, corners [9]float32) (at float32, ok bool) {
	minus := func(a, b []float32) []float32 { return []float32{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
	dot := func(a, b []float32) float32 {
		return gpu.FMA(a[0], b[0], gpu.FMA(a[1], b[1], float32(a[2]*b[2])))
	}
	cross := func(a, b []float32) []float32 {
		out := make([]float32, 3)
		for i := range out {
			j, k := (i+1)%3, (i+2)%3
			out[i] = gpu.FMA(a[j], b[k], -float32(a[k]*b[j]))
		}
		return out
	}
	from, along := ray[:3], ray[3:]
	e, f, s := minus(corners[3:6], corners[:3]), minus(corners[6:], corners[:3]), minus(from, corners[:3])
	p, q := cross(along, f), cross(s, e)
	det := dot(e, p)
	inv := 1 / det
	u, v, d := float32(dot(s, p)*inv), float32(dot(along, q)*inv), float32(dot(f, q)*inv)
	return d, gpu.Abs(det) >= 1e-8 && u >= 0 && u <= 1 && v >= 0 && u+v <= 1 && d >= 0
}
