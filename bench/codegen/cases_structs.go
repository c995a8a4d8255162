package codegen

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/gpu"
)

// Kernels over slices of structs, and over arrays into which those are split by hand.

func bodies(s Size) *Problem {
	n := pick(s, 512, 16<<10, 128<<10)
	now := floats(50, n*8) // position, mass, velocity, potential
	for i := 0; i < len(now); i += 8 {
		now[i+3] = now[i+3]/2 + 1 // masses are positive
		now[i+7] = 0
	}
	in, next := buffer("bodies", In, now), output("next", n*32)
	places, motions := part("places", in, 8, 0, 4), part("motions", in, 8, 4, 4)
	nextPlaces, nextMotions := part("next places", next, 8, 0, 4), part("next motions", next, 8, 4, 4)
	const soft, dt = float32(0.001), float32(0.001)
	grid := [3]uint32{uint32(n / 256), 1, 1}
	return &Problem{
		N: fmt.Sprintf("%d bodies", n), Buffers: []*Buffer{in, next}, Bytes: in.Bytes + next.Bytes, Approximate: true,
		Steps: []Step{{"Bodies", grid, args(soft, dt, in, next)}},
		Split: &Split{
			Parts: []*Part{places, motions, nextPlaces, nextMotions},
			Steps: []Step{{"BodiesSplit", grid, args(soft, dt, places.Buffer, motions.Buffer, nextPlaces.Buffer, nextMotions.Buffer)}},
		},
		Want: func() map[*Buffer][]byte {
			out := make([]float32, n*8)
			for i := 0; i < len(out); i += 8 {
				var pull [3]float64
				var potential float64
				for j := 0; j < len(now); j += 8 {
					var d [3]float64
					r := float64(soft)
					for k := range d {
						d[k] = float64(now[j+k]) - float64(now[i+k])
						r += d[k] * d[k]
					}
					near := float64(now[j+3]) / math.Sqrt(r)
					potential -= near
					for k := range d {
						pull[k] += near / r * d[k]
					}
				}
				out[i+3], out[i+7] = now[i+3], float32(potential)
				for k := range pull {
					v := float64(now[i+4+k]) + float64(dt)*pull[k]
					out[i+k], out[i+4+k] = float32(float64(now[i+k])+float64(dt)*v), float32(v)
				}
			}
			return map[*Buffer][]byte{next: bytesOf(out)}
		},
	}
}

func particles(s Size) *Problem {
	n := pick(s, 4<<10, 128<<10, 12<<20)
	now := floats(51, n*12) // position, mass, velocity, age, spin, heat
	all := buffer("particles", Update, now)
	places, motions, states := part("places", all, 12, 0, 4), part("motions", all, 12, 4, 4), part("states", all, 12, 8, 4)
	const dt = float32(0.01)
	grid := [3]uint32{uint32(n / 256), 1, 1}
	return &Problem{
		N: fmt.Sprintf("%d particles", n), Buffers: []*Buffer{all}, Bytes: 2 * all.Bytes,
		Steps: []Step{{"Particles", grid, args(dt, all)}},
		Split: &Split{
			Parts: []*Part{places, motions, states},
			Steps: []Step{{"ParticlesSplit", grid, args(dt, places.Buffer, motions.Buffer, states.Buffer)}},
		},
		Want: func() map[*Buffer][]byte {
			out := make([]float32, n*12)
			for i := 0; i < len(out); i += 12 {
				p := [12]float32(now[i:])
				for k := range 3 {
					a, b := (k+1)%3, (k+2)%3
					bent := gpu.FMA(now[i+8+a], now[i+4+b], -float32(now[i+8+b]*now[i+4+a]))
					p[4+k] = gpu.FMA(float32(0.1*dt), bent, p[4+k]) * 0.999
					p[8+k] *= 0.995
				}
				p[5] = gpu.FMA(-9.81, dt, p[5])
				for k := range 3 {
					p[k] = gpu.FMA(dt, p[4+k], p[k])
				}
				p[3] = gpu.FMA(float32(-0.01*dt), p[11], p[3])
				p[7] += dt
				p[11] *= 0.99
				if p[1] < 0 {
					p[1], p[5] = -p[1], p[5]*-0.6
					for k := range 3 {
						p[8+k] *= 0.5
					}
				}
				copy(out[i:], p[:])
			}
			return map[*Buffer][]byte{all: bytesOf(out)}
		},
	}
}
