package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// SHA256 compresses one block of 64 bytes an invocation, from the initial state. A block is four
// vectors of big-endian words, a state two (FIPS 180-4, 6.2.2).
//
//vyre:kernel workgroup=256
func SHA256(t gpu.Thread, blocks, states [][4]uint32) {
	i := t.Global().X
	m0, m1, m2, m3 := blocks[4*i], blocks[4*i+1], blocks[4*i+2], blocks[4*i+3]
	w := [16]uint32{m0[0], m0[1], m0[2], m0[3], m1[0], m1[1], m1[2], m1[3],
		m2[0], m2[1], m2[2], m2[3], m3[0], m3[1], m3[2], m3[3]}
	a, b, c, d := uint32(0x6a09e667), uint32(0xbb67ae85), uint32(0x3c6ef372), uint32(0xa54ff53a)
	e, f, g, h := uint32(0x510e527f), uint32(0x9b05688c), uint32(0x1f83d9ab), uint32(0x5be0cd19)
	d, h = shaRound(a, b, c, d, e, f, g, h, 0x428a2f98+w[0])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0x71374491+w[1])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0xb5c0fbcf+w[2])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0xe9b5dba5+w[3])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x3956c25b+w[4])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0x59f111f1+w[5])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x923f82a4+w[6])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0xab1c5ed5+w[7])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0xd807aa98+w[8])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0x12835b01+w[9])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0x243185be+w[10])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0x550c7dc3+w[11])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x72be5d74+w[12])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0x80deb1fe+w[13])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x9bdc06a7+w[14])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0xc19bf174+w[15])
	w[0] += wordOf(w[1], w[9], w[14])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0xe49b69c1+w[0])
	w[1] += wordOf(w[2], w[10], w[15])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0xefbe4786+w[1])
	w[2] += wordOf(w[3], w[11], w[0])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0x0fc19dc6+w[2])
	w[3] += wordOf(w[4], w[12], w[1])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0x240ca1cc+w[3])
	w[4] += wordOf(w[5], w[13], w[2])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x2de92c6f+w[4])
	w[5] += wordOf(w[6], w[14], w[3])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0x4a7484aa+w[5])
	w[6] += wordOf(w[7], w[15], w[4])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x5cb0a9dc+w[6])
	w[7] += wordOf(w[8], w[0], w[5])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0x76f988da+w[7])
	w[8] += wordOf(w[9], w[1], w[6])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0x983e5152+w[8])
	w[9] += wordOf(w[10], w[2], w[7])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0xa831c66d+w[9])
	w[10] += wordOf(w[11], w[3], w[8])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0xb00327c8+w[10])
	w[11] += wordOf(w[12], w[4], w[9])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0xbf597fc7+w[11])
	w[12] += wordOf(w[13], w[5], w[10])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0xc6e00bf3+w[12])
	w[13] += wordOf(w[14], w[6], w[11])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0xd5a79147+w[13])
	w[14] += wordOf(w[15], w[7], w[12])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x06ca6351+w[14])
	w[15] += wordOf(w[0], w[8], w[13])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0x14292967+w[15])
	w[0] += wordOf(w[1], w[9], w[14])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0x27b70a85+w[0])
	w[1] += wordOf(w[2], w[10], w[15])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0x2e1b2138+w[1])
	w[2] += wordOf(w[3], w[11], w[0])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0x4d2c6dfc+w[2])
	w[3] += wordOf(w[4], w[12], w[1])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0x53380d13+w[3])
	w[4] += wordOf(w[5], w[13], w[2])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x650a7354+w[4])
	w[5] += wordOf(w[6], w[14], w[3])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0x766a0abb+w[5])
	w[6] += wordOf(w[7], w[15], w[4])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x81c2c92e+w[6])
	w[7] += wordOf(w[8], w[0], w[5])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0x92722c85+w[7])
	w[8] += wordOf(w[9], w[1], w[6])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0xa2bfe8a1+w[8])
	w[9] += wordOf(w[10], w[2], w[7])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0xa81a664b+w[9])
	w[10] += wordOf(w[11], w[3], w[8])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0xc24b8b70+w[10])
	w[11] += wordOf(w[12], w[4], w[9])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0xc76c51a3+w[11])
	w[12] += wordOf(w[13], w[5], w[10])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0xd192e819+w[12])
	w[13] += wordOf(w[14], w[6], w[11])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0xd6990624+w[13])
	w[14] += wordOf(w[15], w[7], w[12])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0xf40e3585+w[14])
	w[15] += wordOf(w[0], w[8], w[13])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0x106aa070+w[15])
	w[0] += wordOf(w[1], w[9], w[14])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0x19a4c116+w[0])
	w[1] += wordOf(w[2], w[10], w[15])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0x1e376c08+w[1])
	w[2] += wordOf(w[3], w[11], w[0])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0x2748774c+w[2])
	w[3] += wordOf(w[4], w[12], w[1])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0x34b0bcb5+w[3])
	w[4] += wordOf(w[5], w[13], w[2])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x391c0cb3+w[4])
	w[5] += wordOf(w[6], w[14], w[3])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0x4ed8aa4a+w[5])
	w[6] += wordOf(w[7], w[15], w[4])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0x5b9cca4f+w[6])
	w[7] += wordOf(w[8], w[0], w[5])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0x682e6ff3+w[7])
	w[8] += wordOf(w[9], w[1], w[6])
	d, h = shaRound(a, b, c, d, e, f, g, h, 0x748f82ee+w[8])
	w[9] += wordOf(w[10], w[2], w[7])
	c, g = shaRound(h, a, b, c, d, e, f, g, 0x78a5636f+w[9])
	w[10] += wordOf(w[11], w[3], w[8])
	b, f = shaRound(g, h, a, b, c, d, e, f, 0x84c87814+w[10])
	w[11] += wordOf(w[12], w[4], w[9])
	a, e = shaRound(f, g, h, a, b, c, d, e, 0x8cc70208+w[11])
	w[12] += wordOf(w[13], w[5], w[10])
	h, d = shaRound(e, f, g, h, a, b, c, d, 0x90befffa+w[12])
	w[13] += wordOf(w[14], w[6], w[11])
	g, c = shaRound(d, e, f, g, h, a, b, c, 0xa4506ceb+w[13])
	w[14] += wordOf(w[15], w[7], w[12])
	f, b = shaRound(c, d, e, f, g, h, a, b, 0xbef9a3f7+w[14])
	w[15] += wordOf(w[0], w[8], w[13])
	e, a = shaRound(b, c, d, e, f, g, h, a, 0xc67178f2+w[15])
	states[2*i] = [4]uint32{a + 0x6a09e667, b + 0xbb67ae85, c + 0x3c6ef372, d + 0xa54ff53a}
	states[2*i+1] = [4]uint32{e + 0x510e527f, f + 0x9b05688c, g + 0x1f83d9ab, h + 0x5be0cd19}
}

// shaRound is one round; it returns the new d and h. kw is the round's constant and word.
func shaRound(a, b, c, d, e, f, g, h, kw uint32) (uint32, uint32) {
	h += kw + (g ^ e&(f^g)) + (bits.RotateLeft32(e, 26) ^ bits.RotateLeft32(e, 21) ^ bits.RotateLeft32(e, 7))
	d += h
	h += (a&b | c&(a|b)) + (bits.RotateLeft32(a, 30) ^ bits.RotateLeft32(a, 19) ^ bits.RotateLeft32(a, 10))
	return d, h
}

// wordOf is what the schedule adds to a word for its place sixteen rounds on.
func wordOf(w1, w9, w14 uint32) uint32 {
	s0 := bits.RotateLeft32(w1, 25) ^ bits.RotateLeft32(w1, 14) ^ w1>>3
	s1 := bits.RotateLeft32(w14, 15) ^ bits.RotateLeft32(w14, 13) ^ w14>>10
	return s0 + w9 + s1
}
