package codegen

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Unseen kernels on texts, records and polynomials.

// lengths returns where so many records begin, each of least to most-1 elements, and where the last ends.
func lengths(seed random, n, least, most int) []uint32 {
	starts := make([]uint32, n+1)
	for i := range n {
		starts[i+1] = starts[i] + uint32(least) + seed.below(uint32(most-least))
	}
	return starts
}

func bitDistance(s Size) *Problem {
	n, texts := pick(s, 16, 512, 4<<10), pick(s, 64, 512, 2<<10)
	starts := lengths(40, texts, 40, 80)
	few := func(seed random, n int) []byte { // letters of four, so that words and texts share many
		b := bytesOf(words(seed, (n+3)/4))[:n]
		for i := range b {
			b[i] = 'a' + b[i]&3
		}
		return b
	}
	first, letters := few(41, 64*n), few(42, int(starts[texts]))
	bw, bl, bs := buffer("words", In, first), buffer("letters", In, letters), buffer("starts", In, starts)
	out := output("distances", 4*n*texts)
	return &Problem{
		N: fmt.Sprintf("%d words, %d texts", n, texts), Buffers: []*Buffer{bw, bl, bs, out}, Bytes: bw.Bytes + bl.Bytes + bs.Bytes + out.Bytes,
		Steps: []Step{{"BitDistance", [3]uint32{uint32(n), 1, 1}, args(bw, bl, bs, out)}},
		Want: func() map[*Buffer][]byte {
			var distances []uint32
			for w := range n {
				for k := range texts {
					distances = append(distances, edits(first[64*w:64*w+64], letters[starts[k]:starts[k+1]]))
				}
			}
			return map[*Buffer][]byte{out: bytesOf(distances)}
		},
	}
}

// edits is the distance of two words, row by row of the table.
func edits(a, b []byte) uint32 {
	row := make([]uint32, len(a)+1)
	for i := range row {
		row[i] = uint32(i)
	}
	for _, c := range b {
		corner := row[0]
		row[0]++
		for i := range a {
			other := uint32(1)
			if a[i] == c {
				other = 0
			}
			corner, row[i+1] = row[i+1], min(corner+other, row[i]+1, row[i+1]+1)
		}
	}
	return row[len(a)]
}

func newtonRoots(s Size) *Problem {
	n := pick(s, 4<<10, 1<<20, 16<<20)
	polynomials := between(43, 6*n, -1, 1)
	bp, br, bk := buffer("polynomials", In, polynomials), output("roots", 4*n), output("rounds", 4*n)
	const from = float32(0.5)
	return &Problem{
		N: fmt.Sprintf("%d polynomials", n), Buffers: []*Buffer{bp, br, bk}, Bytes: bp.Bytes + br.Bytes + bk.Bytes,
		Steps: []Step{{"Newton", [3]uint32{uint32(n / 128), 1, 1}, args(from, bp, br, bk)}},
		Want: func() map[*Buffer][]byte {
			roots, rounds := make([]float32, n), make([]int32, n)
			for i := range n {
				roots[i], rounds[i] = newton(polynomials[6*i:6*i+6], from)
			}
			return map[*Buffer][]byte{br: bytesOf(roots), bk: bytesOf(rounds)}
		},
	}
}

func newton(p []float32, x float32) (at float32, rounds int32) {
	for k := range int32(30) {
		var value, slope float32
		for j := 5; j >= 0; j-- {
			slope = gpu.FMA(slope, x, value)
			value = gpu.FMA(value, x, p[j])
		}
		next := x - value/slope
		switch {
		case gpu.Abs(value) < 1e-6:
			return x, k
		case slope == 0:
			return 0, -1
		case gpu.Abs(next) > 1e6:
			return 0, -2
		case math.Float32bits(next) == math.Float32bits(x):
			return x, k
		}
		x = next
	}
	return 0, -3
}

func xxHash(s Size) *Problem {
	n := pick(s, 1<<10, 128<<10, 2<<20)
	starts := lengths(44, n, 0, 32)
	data := longs(45, int(starts[n]))
	bs, bw, bh := buffer("starts", In, starts), buffer("words", In, data), output("hashes", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d records of up to 31 words", n), Buffers: []*Buffer{bs, bw, bh}, Bytes: bs.Bytes + bw.Bytes + bh.Bytes,
		Steps: []Step{{"XXHash", [3]uint32{uint32(n / 128), 1, 1}, args(bs, bw, bh)}},
		Want: func() map[*Buffer][]byte {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = xxHash64(bytesOf(data[starts[i]:starts[i+1]]))
			}
			return map[*Buffer][]byte{bh: bytesOf(hashes)}
		},
	}
}

// xxHash64 is the hash of whole words with seed 0.
func xxHash64(b []byte) uint64 {
	p := [...]uint64{11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261}
	round := func(sum, word uint64) uint64 { return bits.RotateLeft64(sum+word*p[1], 31) * p[0] }
	h, length := p[4], uint64(len(b))
	if len(b) >= 32 {
		v := [4]uint64{p[0] + p[1], p[1], 0, -p[0]}
		for ; len(b) >= 32; b = b[32:] {
			for k := range v {
				v[k] = round(v[k], binary.LittleEndian.Uint64(b[8*k:]))
			}
		}
		h = 0
		for k, turn := range [4]int{1, 7, 12, 18} {
			h += bits.RotateLeft64(v[k], turn)
		}
		for _, x := range v {
			h = (h^round(0, x))*p[0] + p[3]
		}
	}
	h += length
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(b)), 27)*p[0] + p[3]
	}
	h = (h ^ h>>33) * p[1]
	h = (h ^ h>>29) * p[2]
	return h ^ h>>32
}
