//vyre:library

package random

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Multipliers and increments of Philox4x32.
const (
	mulA, mulB   = 0xD2511F53, 0xCD9E8D57
	stepA, stepB = 0x9E3779B9, 0xBB67AE85
)

// Philox returns the block of four words that belongs to a counter and a key.
func Philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	k0, k1 := key[0], key[1]
	for range 10 {
		hiA, loA := bits.Mul32(mulA, c0)
		hiB, loB := bits.Mul32(mulB, c2)
		c0, c1, c2, c3 = hiB^c1^k0, loB, hiA^c3^k1, loA
		k0 += stepA
		k1 += stepB
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Block returns words 4i to 4i+3 of a stream under a seed.
func Block(seed, stream, i uint64) [4]uint32 {
	return Philox([4]uint32{uint32(i), uint32(i >> 32), uint32(stream), uint32(stream >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// Word returns word i of a stream under a seed. Who needs several neighbours takes them from one Block.
func Word(seed, stream, i uint64) uint32 {
	b := Block(seed, stream, i/4)
	switch i % 4 {
	case 0:
		return b[0]
	case 1:
		return b[1]
	case 2:
		return b[2]
	}
	return b[3]
}

// Uniform turns a word into one of 2²⁴ equally likely numbers from 0 up to, but not including, 1.
func Uniform(w uint32) float32 { return float32(w>>8) * (1.0 / (1 << 24)) }

// Uniform64 turns two words into one of 2⁵³ equally likely numbers from 0 up to, but not including, 1.
func Uniform64(lo, hi uint32) float64 {
	return float64((uint64(hi)<<32|uint64(lo))>>11) * (1.0 / (1 << 53))
}

// Below turns a word into a number below n, 0 if n is. Each is drawn equally often but for one part in 2³²/n: for n
// above 2²⁴ take Below64.
func Below(w, n uint32) uint32 {
	hi, _ := bits.Mul32(w, n)
	return hi
}

// Below64 turns two words into a number below n, 0 if n is.
func Below64(lo, hi uint32, n uint64) uint64 {
	r, _ := bits.Mul64(uint64(hi)<<32|uint64(lo), n)
	return r
}

// Normal turns two words into two independent normal numbers of mean 0 and variance 1, by the method of Box and Muller.
func Normal(a, b uint32) (x, y float32) {
	const turn = 6.2831855 // 2π as float32
	r := gpu.Sqrt(float32(-2) * gpu.Log(1-Uniform(a)))
	v := float32(turn * Uniform(b))
	return float32(r * gpu.Cos(v)), float32(r * gpu.Sin(v))
}

// Normal64 turns two pairs of words, low before high, into two independent normal numbers of mean 0 and variance 1.
func Normal64(aLo, aHi, bLo, bHi uint32) (x, y float64) {
	const turn = 6.283185307179586 // 2π as float64
	r := gpu.Sqrt(-2 * gpu.Log(1-Uniform64(aLo, aHi)))
	v := float64(turn * Uniform64(bLo, bHi))
	return float64(r * gpu.Cos(v)), float64(r * gpu.Sin(v))
}
