package cases

import (
	"math/cmplx"

	"github.com/govyre/vyre/gpu"
)

// Signal is a record with complex parts.
type Signal struct {
	At   complex64
	Gain [2]complex128
	N    uint32
}

type phase complex64

var twiddles = [4]complex64{1, 0.70710677 - 0.70710677i, -1i, -0.70710677 - 0.70710677i}

var turns = [...]struct {
	by complex128
	k  int32
}{{2i, 3}, {0.5, -1}, {}}

func power[T complex64 | complex128](z T, n uint32) T {
	p := T(1)
	for range n {
		p *= z
	}
	return p - T(0.5i) + 2
}

func mirrored(z complex128) (w complex128, same bool) {
	return complex(imag(z), real(z)), real(z) == imag(z)
}

// Complex uses complex numbers in all places where a value may stand.
//
//vyre:kernel workgroup=32
func Complex(t gpu.Thread, by complex128, x, y []complex64, out []complex128, halves []complex64, of []Signal, counts []uint32) {
	shared := gpu.Shared[complex64](t, 32)
	i, k := t.Global().X, t.Local().X
	var z, w complex64
	if i < uint32(len(x)) {
		z, w = x[i], y[i]
	}
	shared[k] = z + w
	t.Barrier()
	if i >= uint32(len(x)) {
		return
	}
	var line [8]complex64
	for j := range line {
		line[j] = shared[(k+uint32(j))%32]
		line[j] *= twiddles[uint32(j)&3]
	}
	for j := range uint32(4) {
		a, b := line[j], line[j^4^i&3]
		line[j], line[j^4] = a+b, a-b
	}
	halves[2*i], halves[2*i+1] = z*w-line[i&7], z/w
	v := complex128(z)
	v += by * complex128(w)
	v /= 3 - complex128(phase(w))*1i
	v++
	v = -v + complex(0, float64(i))
	u, same := mirrored(v)
	if turn := turns[i%3]; !same && u != 0 {
		u -= turn.by * complex(float64(turn.k), 1)
	}
	s := &of[i]
	s.At += complex64(u)
	s.Gain[i&1] = s.Gain[i&1]/u + power(v, i&3)
	s.N++
	out[i] = u * complex128(power(z, 2)) / s.Gain[1]
	switch {
	case z == w, real(z) < imag(w):
		counts[i] = 1
	case !cmplx.IsNaN(out[i]) && z != 1+2i:
		counts[i] = s.N + uint32(real(1+2i))
		if imag(s.At) > 0 {
			counts[i] += 4
		}
	}
}

// Quotients divides all pairs of edges.
//
//vyre:kernel workgroup=32
func Quotients(t gpu.Thread, edges []float64, out []complex128, narrow []complex64) {
	i, n := t.Global().X, uint32(len(edges))
	if n == 0 || i >= n*n*n*n {
		return
	}
	a, b := complex(edges[i%n], edges[i/n%n]), complex(edges[i/n/n%n], edges[i/n/n/n])
	out[i] = a / b
	narrow[i] = complex64(a) / complex64(b)
	if cmplx.IsNaN(a) || cmplx.IsInf(b) && !cmplx.IsInf(cmplx.Inf()+a) {
		narrow[i] += complex64(cmplx.Conj(out[i]))
	}
}
