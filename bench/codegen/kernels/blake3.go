package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// BLAKE3 compresses one block of 64 bytes an invocation, each the only block of its message number i
// (counter i, flags chunk start, chunk end and root). A block is four vectors of little-endian words, a
// chaining value two.
//
//vyre:kernel workgroup=256
func BLAKE3(t gpu.Thread, blocks, values [][4]uint32) {
	i := t.Global().X
	m0, m1, m2, m3 := blocks[4*i], blocks[4*i+1], blocks[4*i+2], blocks[4*i+3]
	m := [16]uint32{m0[0], m0[1], m0[2], m0[3], m1[0], m1[1], m1[2], m1[3],
		m2[0], m2[1], m2[2], m2[3], m3[0], m3[1], m3[2], m3[3]}
	v := [16]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, i, 0, 64, 11}
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	m = permuted(m)
	v = blakeRound(v, m)
	values[2*i] = [4]uint32{v[0] ^ v[8], v[1] ^ v[9], v[2] ^ v[10], v[3] ^ v[11]}
	values[2*i+1] = [4]uint32{v[4] ^ v[12], v[5] ^ v[13], v[6] ^ v[14], v[7] ^ v[15]}
}

// blakeRound mixes the columns, then the diagonals.
func blakeRound(v, m [16]uint32) [16]uint32 {
	v[0], v[4], v[8], v[12] = mix(v[0], v[4], v[8], v[12], m[0], m[1])
	v[1], v[5], v[9], v[13] = mix(v[1], v[5], v[9], v[13], m[2], m[3])
	v[2], v[6], v[10], v[14] = mix(v[2], v[6], v[10], v[14], m[4], m[5])
	v[3], v[7], v[11], v[15] = mix(v[3], v[7], v[11], v[15], m[6], m[7])
	v[0], v[5], v[10], v[15] = mix(v[0], v[5], v[10], v[15], m[8], m[9])
	v[1], v[6], v[11], v[12] = mix(v[1], v[6], v[11], v[12], m[10], m[11])
	v[2], v[7], v[8], v[13] = mix(v[2], v[7], v[8], v[13], m[12], m[13])
	v[3], v[4], v[9], v[14] = mix(v[3], v[4], v[9], v[14], m[14], m[15])
	return v
}

func mix(a, b, c, d, x, y uint32) (uint32, uint32, uint32, uint32) {
	a += b + x
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 20)
	a += b + y
	d = bits.RotateLeft32(d^a, 24)
	c += d
	b = bits.RotateLeft32(b^c, 25)
	return a, b, c, d
}

// permuted is the order of the message words for the next round.
func permuted(m [16]uint32) [16]uint32 {
	return [16]uint32{m[2], m[6], m[3], m[10], m[7], m[0], m[4], m[13],
		m[1], m[11], m[12], m[5], m[9], m[14], m[15], m[8]}
}
