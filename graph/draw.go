package graph

import "math/bits"

// golden is 2⁶⁴ divided by the golden ratio: multiples of it are spread evenly (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014, from where mix64 is too).
const golden = 0x9E3779B97F4A7C15

// mix64 maps 64 bits to 64 bits, one to one, so that every bit depends on every other.
func mix64(z uint64) uint64 {
	z ^= z >> 30
	z *= 0xBF58476D1CE4E5B9
	z ^= z >> 27
	z *= 0x94D049BB133111EB
	return z ^ z>>31
}

// mix32 is the same for 32 bits (constants by Chris Wellons, "Prospecting for hash functions", 2018).
func mix32(v uint32) uint32 {
	v ^= v >> 16
	v *= 0x7FEB352D
	v ^= v >> 15
	v *= 0x846CA68B
	return v ^ v>>16
}

// stream is the random words that belong to one thing: an arc, or a node.
type stream uint64

// streamOf returns the words of thing i.
func streamOf(seed, i uint64) stream { return stream(mix64(seed + golden*(i+1))) }

// word returns word k of a stream.
func (s stream) word(k uint64) uint64 { return mix64(uint64(s) + golden*(k+1)) }

// draw returns word k of thing i.
func draw(seed, i, k uint64) uint64 { return streamOf(seed, i).word(k) }

// power returns 2 to the s.
func power(s uint64) uint64 { return 1 << s }

// product multiplies, stopping at the largest value: sizes are compared with limits far below it.
func product(factors ...uint64) uint64 {
	p := uint64(1)
	for _, f := range factors {
		hi, lo := bits.Mul64(p, f)
		if hi != 0 {
			return 1<<64 - 1
		}
		p = lo
	}
	return p
}
