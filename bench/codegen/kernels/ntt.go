package kernels

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	nttPoints = 1024
	nttPrime  = 998244353 // 119 * 2**23 + 1
)

// residue is a number modulo nttPrime.
type residue uint32

func (a residue) plus(b residue) residue {
	if s := a + b; s >= nttPrime {
		return s - nttPrime
	}
	return a + b
}

func (a residue) minus(b residue) residue {
	if a < b {
		return a + nttPrime - b
	}
	return a - b
}

func (a residue) times(b residue) residue { return residue(uint64(a) * uint64(b) % nttPrime) }

// NTT transforms polynomials of 1024 coefficients modulo a prime, in place (Cooley and Tukey, 1965). Powers are those
// of a root of unity, from its zeroth to the 511th. A workgroup has a polynomial.
//
//vyre:kernel workgroup=256
func NTT(t gpu.Thread, powers, polynomials []residue) {
	v := gpu.Shared[residue](t, nttPoints)
	mine := polynomials[t.Group().X*nttPoints:][:nttPoints]
	for k := t.Local().X; k < nttPoints; k += 256 {
		v[bits.Reverse32(k)>>22] = mine[k]
	}
	t.Barrier()
	for half := uint32(1); half < nttPoints; half *= 2 {
		for k := t.Local().X; k < nttPoints/2; k += 256 {
			j := k % half
			at := (k-j)*2 + j
			a, b := v[at], v[at+half].times(powers[j*(nttPoints/2/half)])
			v[at], v[at+half] = a.plus(b), a.minus(b)
		}
		t.Barrier()
	}
	for k := t.Local().X; k < nttPoints; k += 256 {
		mine[k] = v[k]
	}
}
