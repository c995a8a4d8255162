package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	viterbiStates = 64
	viterbiBits   = 256 // of a frame, with the six zeros at its end
)

// Viterbi decodes frames in the convolutional code of rate 1/2 and length 7 with the polynomials 171 and 133 (Viterbi,
// "Error bounds for convolutional codes", 1967). Each bit came as two soft ones, negative for 0. A workgroup has a
// frame, an invocation a state.
//
//vyre:kernel workgroup=64
func Viterbi(t gpu.Thread, symbols [][2]int8, frames []uint8) {
	costs := gpu.Shared[int32](t, viterbiStates)
	choices := gpu.Shared[uint32](t, 2*viterbiBits) // of the 64 states, which of two states comes before
	frame := t.Group().X
	state := t.Local().X
	bit, before := state&1, state>>1
	first, second := viterbiPair(before<<1|bit), viterbiPair((before+32)<<1|bit)
	if state > 0 {
		costs[state] = 1 << 20
	} else {
		costs[0] = 0
	}
	t.Barrier()
	for k, s := range symbols[frame*viterbiBits:][:viterbiBits] {
		a := costs[before] + first.cost(s)
		b := costs[before+32] + second.cost(s)
		word := t.Ballot(b < a)
		if t.Elect() {
			choices[uint32(k)*2+t.Warp()] = word
		}
		t.Barrier()
		costs[state] = min(a, b)
		t.Barrier()
	}
	if state != 0 {
		return
	}
	at := uint32(0)
	out := frames[frame*(viterbiBits/8):][:viterbiBits/8]
	letter := uint8(0)
	for k := viterbiBits - 1; k >= 0; k-- {
		letter |= uint8(at&1) << (k % 8)
		if k%8 == 0 {
			out[k/8] = letter
			letter = 0
		}
		choice := choices[uint32(k)*2+at/32] >> (at % 32) & 1
		at = at>>1 + choice*32
	}
}

// pair are two bits that a sender sends.
type pair [2]bool

func viterbiPair(register uint32) pair {
	return pair{bits.OnesCount32(register&0o171)%2 == 1, bits.OnesCount32(register&0o133)%2 == 1}
}

// cost says how unlike what came is.
func (p pair) cost(s [2]int8) (sum int32) {
	for k, one := range p {
		if one {
			sum -= int32(s[k])
		} else {
			sum += int32(s[k])
		}
	}
	return sum
}
