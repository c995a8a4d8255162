package codegen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/gpu"
	"lukechampine.com/blake3"
)

// The kernels that are bound by arithmetic, by shared memory or by many passes.

func bitonicSort(s Size) *Problem {
	n := pick(s, 8<<10, 4<<20, 128<<20)
	x := words(14, n)
	keys := buffer("keys", Update, x)
	tiles := [3]uint32{uint32(n / 2048), 1, 1}
	steps := []Step{{"BitonicTile", tiles, args(keys)}}
	for k := 4096; k <= n; k *= 2 {
		for j := k / 2; j >= 2048; j /= 2 {
			steps = append(steps, Step{"BitonicStep", tiles, args(uint32(j/4), uint32(k/4), keys)})
		}
		steps = append(steps, Step{"BitonicMerge", tiles, args(uint32(k), keys)})
	}
	return &Problem{
		N: fmt.Sprintf("%d keys", n), Buffers: []*Buffer{keys}, Bytes: 2 * keys.Bytes * int64(len(steps)), Steps: steps,
		Want: func() map[*Buffer][]byte {
			y := slices.Clone(x)
			slices.Sort(y)
			return map[*Buffer][]byte{keys: bytesOf(y)}
		},
	}
}

// messages is how many blocks a hash kernel gets.
func messages(s Size) int { return pick(s, 512, 128<<10, 6<<20) }

// sha256Blocks are messages of 32 bytes with the padding that completes a block, so that the state after
// that block is the message's hash.
func sha256Blocks(s Size) *Problem {
	n := messages(s)
	blocks := words(15, n*16)
	for i := range n {
		pad := blocks[i*16+8 : i*16+16]
		clear(pad)
		pad[0], pad[7] = 1<<31, 256
	}
	in, out := buffer("blocks", In, blocks), output("states", n*32)
	return &Problem{
		N: fmt.Sprintf("%d blocks", n), Buffers: []*Buffer{in, out}, Bytes: in.Bytes + out.Bytes,
		Steps: []Step{{"SHA256", [3]uint32{uint32(n / 256), 1, 1}, args(in, out)}},
		Want: func() map[*Buffer][]byte {
			states := make([]uint32, n*8)
			for i := range n {
				var msg [32]byte
				for k := range 8 {
					binary.BigEndian.PutUint32(msg[4*k:], blocks[i*16+k])
				}
				sum := sha256.Sum256(msg[:])
				for k := range 8 {
					states[i*8+k] = binary.BigEndian.Uint32(sum[4*k:])
				}
			}
			return map[*Buffer][]byte{out: bytesOf(states)}
		},
	}
}

// blake3Blocks are messages of one block. Number i is compressed with counter i, which is how block i
// of the message's extended output is made.
func blake3Blocks(s Size) *Problem {
	n := messages(s)
	blocks := words(16, n*16)
	in, out := buffer("blocks", In, blocks), output("values", n*32)
	return &Problem{
		N: fmt.Sprintf("%d blocks", n), Buffers: []*Buffer{in, out}, Bytes: in.Bytes + out.Bytes,
		Steps: []Step{{"BLAKE3", [3]uint32{uint32(n / 256), 1, 1}, args(in, out)}},
		Want: func() map[*Buffer][]byte {
			values := make([]uint32, n*8)
			for i := range n {
				var msg [64]byte
				for k := range 16 {
					binary.LittleEndian.PutUint32(msg[4*k:], blocks[i*16+k])
				}
				h := blake3.New(64, nil)
				h.Write(msg[:])
				xof := make([]byte, 64*(i+1))
				h.XOF().Read(xof)
				for k := range 8 {
					values[i*8+k] = binary.LittleEndian.Uint32(xof[64*i+4*k:])
				}
			}
			return map[*Buffer][]byte{out: bytesOf(values)}
		},
	}
}

func mandelbrot(s Size) *Problem {
	w, most := pick(s, 64, 2048, 12288), pick[uint32](s, 128, 256, 256)
	x0, y0, step := float32(-2), float32(-1.25), 2.5/float32(w)
	out := output("rounds", w*w*4)
	return &Problem{
		N: fmt.Sprintf("%d × %d, %d rounds", w, w, most), Buffers: []*Buffer{out}, Bytes: out.Bytes,
		Steps: []Step{{"Mandelbrot", [3]uint32{uint32(w / 16), uint32(w / 16), 1}, args(uint32(w), most, x0, y0, step, out)}},
		Want: func() map[*Buffer][]byte {
			rounds := make([]uint32, w*w)
			for i := range rounds {
				cx, cy := gpu.FMA(float32(i%w), step, x0), gpu.FMA(float32(i/w), step, y0)
				var x, y float32
				for rounds[i] < most {
					y2 := float32(y * y)
					if gpu.FMA(x, x, y2) > 4 {
						break
					}
					x, y = gpu.FMA(x, x, cx-y2), gpu.FMA(x+x, y, cy)
					rounds[i]++
				}
			}
			return map[*Buffer][]byte{out: bytesOf(rounds)}
		},
	}
}

func nbody(s Size) *Problem {
	n := pick(s, 512, 16<<10, 128<<10)
	bodies := floats(17, n*4)
	for i := 3; i < len(bodies); i += 4 {
		bodies[i] = bodies[i]/2 + 1 // masses are positive
	}
	in, pull := buffer("bodies", In, bodies), output("pull", n*16)
	const soft = float32(0.001)
	return &Problem{
		N: fmt.Sprintf("%d bodies", n), Buffers: []*Buffer{in, pull}, Bytes: in.Bytes + pull.Bytes, Approximate: true,
		Steps: []Step{{"NBody", [3]uint32{uint32(n / 256), 1, 1}, args(soft, in, pull)}},
		Want: func() map[*Buffer][]byte {
			out := make([]float32, n*4)
			for i := 0; i < len(out); i += 4 {
				var sum [3]float64
				for j := 0; j < len(bodies); j += 4 {
					var d [3]float64
					r := float64(soft)
					for k := range d {
						d[k] = float64(bodies[j+k]) - float64(bodies[i+k])
						r += d[k] * d[k]
					}
					f := float64(bodies[j+3]) / (r * math.Sqrt(r))
					for k := range d {
						sum[k] += f * d[k]
					}
				}
				for k := range sum {
					out[i+k] = float32(sum[k])
				}
			}
			return map[*Buffer][]byte{pull: bytesOf(out)}
		},
	}
}

func sgemm(s Size) *Problem {
	n := pick(s, 64, 1024, 4096)
	a, b := floats(18, n*n), floats(19, n*n)
	ba, bb, bc := buffer("a", In, a), buffer("b", In, b), output("c", n*n*4)
	return &Problem{
		N: fmt.Sprintf("%d × %d", n, n), Buffers: []*Buffer{ba, bb, bc}, Bytes: 3 * ba.Bytes,
		Steps: []Step{{"SGEMM", [3]uint32{uint32(n / 64), uint32(n / 64), 1}, args(uint32(n/4), ba, bb, bc)}},
		Want: func() map[*Buffer][]byte {
			c := make([]float32, n*n)
			for i := range n {
				for k := range n {
					for j := range n {
						c[i*n+j] = gpu.FMA(a[i*n+k], b[k*n+j], c[i*n+j])
					}
				}
			}
			return map[*Buffer][]byte{bc: bytesOf(c)}
		},
	}
}
