package product

import "github.com/govyre/vyre/gpu"

// scaled leaves alpha·z + beta·c, whose operations are rounded one by one. If beta is 0, c is not read; if alpha is 1, z stays as it is.
type scaled[A float32 | float64 | int32 | uint32] struct {
	alpha, beta A
	c           []A
}

func (s scaled[A]) Finish(_, _ uint32, i uint64, z A) {
	if s.alpha != 1 {
		z = s.alpha * z
	}
	if s.beta != 0 {
		z += A(s.beta * s.c[i])
	}
	s.c[i] = z
}

// half is scaled with elements of c or, if they are narrow, of h, to which sums are rounded at the end.
type half[H interface{ Float32() float32 }] struct {
	narrow      bool
	alpha, beta float32
	c           []float32
	h           []H
}

// of is what is stored in place of z.
func (s half[H]) of(i uint64, z float32) float32 {
	if s.alpha != 1 {
		z = s.alpha * z
	}
	switch {
	case s.beta == 0:
	case s.narrow:
		z += float32(s.beta * s.h[i].Float32())
	default:
		z += float32(s.beta * s.c[i])
	}
	if !s.narrow {
		s.c[i] = z
	}
	return z
}

type float16s struct{ half[gpu.Float16] }

func (s float16s) Finish(_, _ uint32, i uint64, z float32) {
	if z = s.of(i, z); s.narrow {
		s.h[i] = gpu.ToFloat16(z)
	}
}

type bfloat16s struct{ half[gpu.BFloat16] }

func (s bfloat16s) Finish(_, _ uint32, i uint64, z float32) {
	if z = s.of(i, z); s.narrow {
		s.h[i] = gpu.ToBFloat16(z)
	}
}

// Float16s leaves sums in c or, if it is narrow, rounded in h.
//
//vyre:kernel workgroup=256 big=a,b,c,h
func Float16s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB, narrow bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta float32, a, b []gpu.Float16, c []float32, h []gpu.Float16) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	f := float16s{half[gpu.Float16]{narrow, alpha, beta, c, h}}
	Multiply[gpu.Float16, float32](t, f, p, 8, a, b, gpu.Shared[gpu.Float16](t, SharedBytes/2), gpu.Shared[gpu.Float16](t, SharedBytes/2))
}

// BFloat16s is Float16s of the other format.
//
//vyre:kernel workgroup=256 big=a,b,c,h
func BFloat16s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB, narrow bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta float32, a, b []gpu.BFloat16, c []float32, h []gpu.BFloat16) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	f := bfloat16s{half[gpu.BFloat16]{narrow, alpha, beta, c, h}}
	Multiply[gpu.BFloat16, float32](t, f, p, 8, a, b, gpu.Shared[gpu.BFloat16](t, SharedBytes/2), gpu.Shared[gpu.BFloat16](t, SharedBytes/2))
}

// Float32s multiplies what the matrix units take of float32.
//
//vyre:kernel workgroup=256 big=a,b,c
func Float32s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta float32, a, b, c []float32) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	Multiply[float32, float32](t, scaled[float32]{alpha, beta, c}, p, 4, a, b, gpu.Shared[float32](t, SharedBytes/4), gpu.Shared[float32](t, SharedBytes/4))
}

//vyre:kernel workgroup=256 big=a,b,c
func Float64s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta float64, a, b, c []float64) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	Multiply[float64, float64](t, scaled[float64]{alpha, beta, c}, p, 2, a, b, gpu.Shared[float64](t, SharedBytes/8), gpu.Shared[float64](t, SharedBytes/8))
}

//vyre:kernel workgroup=256 big=a,b,c
func Int8s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta int32, a, b []int8, c []int32) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	Multiply[int8, int32](t, scaled[int32]{alpha, beta, c}, p, 16, a, b, gpu.Shared[int8](t, SharedBytes), gpu.Shared[int8](t, SharedBytes))
}

//vyre:kernel workgroup=256 big=a,b,c
func Uint8s(t gpu.Thread, rows, cols uint32, staged, turnA, turnB bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta uint32, a, b []uint8, c []uint32) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	Multiply[uint8, uint32](t, scaled[uint32]{alpha, beta, c}, p, 16, a, b, gpu.Shared[uint8](t, SharedBytes), gpu.Shared[uint8](t, SharedBytes))
}

// Bits counts the bits that a row of A and a column of B have in common; a word has 32 along k.
//
//vyre:kernel workgroup=256 big=a,b,c
func Bits(t gpu.Thread, rows, cols uint32, staged, turnA, turnB bool, m, n, k, batch uint32, lineA, nextA, lineB, nextB, lineC, nextC uint64, alpha, beta uint32, a, b, c []uint32) {
	p := Plan{Size{m, n, k, batch}, rows, cols, turnA, turnB, staged, Layout{lineA, nextA}, Layout{lineB, nextB}, Layout{lineC, nextC}}
	Multiply[uint32, uint32](t, scaled[uint32]{alpha, beta, c}, p, 4, a, b, gpu.Shared[uint32](t, SharedBytes/4), gpu.Shared[uint32](t, SharedBytes/4))
}
