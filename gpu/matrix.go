package gpu

import (
	"fmt"

	"github.com/govyre/vyre/internal/matrix"
)

// A product of matrices is made by a warp: its lanes hold fragments of A and B and the accumulator, each some elements.
// All lanes call MulAdd, so a group has a multiple of 32 invocations. Bits are those of the hardware's matrix units: floats but
// float64 are summed as these do, exactly so on every device of the same generation; see Grid.Matrix and driver.Options.

// MatElem is an element of A and B: a float32 goes without its 13 low bits, and a uint32 is 32 bits of a row of bits.
type MatElem interface {
	Float16 | BFloat16 | float32 | float64 | int8 | uint8 | uint32
}

// AccElem is an element of an accumulator: float32 with Float16, BFloat16 and float32; Float16 with Float16; float64 with
// float64; int32 with int8; uint32 with uint8, and with bits, of which it counts those that both matrices have.
type AccElem interface {
	Float16 | float32 | float64 | int32 | uint32
}

// FragA is 16 rows of A, spread over a warp: 16 columns of 16-bit floats, 8 of float32, 4 of float64, 32 of 8-bit integers, 8
// words of bits.
type FragA[T MatElem] struct{ words [4]uint32 }

// FragB is as many rows of B as FragA has columns, in 8 columns.
type FragB[T MatElem] struct{ words [2]uint32 }

// Acc is 16 rows and 8 columns of sums, spread over a warp. V holds the four of this invocation.
type Acc[A AccElem] struct{ V [4]A }

// At returns where V[i] is.
func (c Acc[A]) At(t Thread, i int) (row, col uint32) {
	l := t.inv.lane()
	return l/4 + uint32(i)/2*8, l%4*2 + uint32(i)%2
}

// Shape says how a matrix lies in a slice: element (r, c) is x[r*Stride+c], or x[c*Stride+r] if it is transposed.
type Shape struct {
	Rows, Cols, Stride uint32
	Transposed         bool
}

// index returns the index of element (r, c), and whether the matrix and a slice of n elements have it.
func (s *Shape) index(r, c uint64, n int) (uint64, bool) {
	if r >= uint64(s.Rows) || c >= uint64(s.Cols) {
		return 0, false
	}
	i := r*uint64(s.Stride) + c
	if s.Transposed {
		i = c*uint64(s.Stride) + r
	}
	return i, i < uint64(n)
}

// LoadA loads the part of x that starts at (row, k). What is outside of x or of s is zero. From shared memory, LoadA and LoadB are
// fastest where the compiler sees that lines begin at multiples of 16 bytes and that all is inside, as with constants in s.
func LoadA[T MatElem](t Thread, x []T, s Shape, row, k uint32) (a FragA[T]) {
	f, l := formOf[T](), t.inv.lane()
	loadParts(x, &s, f.PartsA(), uint64(row)+uint64(l/4), uint64(k)+uint64(l%4)*uint64(f.InWord()), a.words[:])
	return a
}

// LoadB loads the part of x that starts at (k, col).
func LoadB[T MatElem](t Thread, x []T, s Shape, k, col uint32) (b FragB[T]) {
	f, l := formOf[T](), t.inv.lane()
	loadParts(x, &s, f.PartsB(), uint64(k)+uint64(l%4)*uint64(f.InWord()), uint64(col)+uint64(l/4), b.words[:])
	return b
}

func loadParts[T MatElem](x []T, s *Shape, parts []matrix.Part, row, col uint64, words []uint32) {
	for _, p := range parts {
		i, ok := s.index(row+uint64(p.Row), col+uint64(p.Col), len(x))
		if !ok {
			continue
		}
		v := toBits(x[i])
		words[p.Word] |= uint32(v) << p.Shift
		if v >>= 32; v != 0 { // only a float64 has more
			words[p.Word+1] = uint32(v)
		}
	}
}

// LoadAcc loads an accumulator from the part of x that starts at (row, col).
func LoadAcc[A AccElem](t Thread, x []A, s Shape, row, col uint32) (c Acc[A]) {
	for i := range c.V {
		r, q := c.At(t, i)
		if at, ok := s.index(uint64(row)+uint64(r), uint64(col)+uint64(q), len(x)); ok {
			c.V[i] = x[at]
		}
	}
	return c
}

// StoreAcc stores an accumulator to the part of x that starts at (row, col). What is outside of x or of s is left out.
func StoreAcc[A AccElem](t Thread, x []A, s Shape, row, col uint32, c Acc[A]) {
	for i := range c.V {
		r, q := c.At(t, i)
		if at, ok := s.index(uint64(row)+uint64(r), uint64(col)+uint64(q), len(x)); ok {
			x[at] = c.V[i]
		}
	}
}

// MulAdd returns a·b + c, and is called by the whole warp.
func MulAdd[T MatElem, A AccElem](t Thread, a FragA[T], b FragB[T], c Acc[A]) Acc[A] {
	f := formOf[T]()
	if f.Bits() == 16 && f != matrix.BF16 && bitsOfAcc[A]() == 16 {
		f = matrix.F16F16
	}
	if !pairs[T, A](f) {
		panic(fmt.Sprintf("gpu: MulAdd: elements of %T and sums of %T do not go together", *new(T), *new(A)))
	}
	var v [4]uint64
	for i := range v {
		v[i] = toBits(c.V[i])
	}
	v = t.inv.mulAdd("MulAdd", f, a.words, b.words, v)
	for i := range v {
		c.V[i] = fromBits[A](v[i])
	}
	return c
}

// formOf is the form for elements of A and B.
func formOf[T MatElem]() matrix.Form {
	switch any(*new(T)).(type) {
	case Float16:
		return matrix.F16
	case BFloat16:
		return matrix.BF16
	case float32:
		return matrix.TF32
	case float64:
		return matrix.F64
	case int8:
		return matrix.I8
	case uint8:
		return matrix.U8
	}
	return matrix.B1
}

func bitsOfAcc[A AccElem]() int {
	switch any(*new(A)).(type) {
	case Float16:
		return 16
	case float64:
		return 64
	}
	return 32
}

// pairs reports whether a form has accumulators of A.
func pairs[T MatElem, A AccElem](f matrix.Form) bool {
	switch any(*new(A)).(type) {
	case Float16:
		return f == matrix.F16F16
	case float32:
		return f == matrix.F16 || f == matrix.BF16 || f == matrix.TF32
	case float64:
		return f == matrix.F64
	case int32:
		return f == matrix.I8
	}
	return f == matrix.U8 || f == matrix.B1
}

// mulAdd meets the lanes of the warp, one of which computes what all get.
func (i *invocation) mulAdd(op string, f matrix.Form, a [4]uint32, b [2]uint32, c [4]uint64) [4]uint64 {
	m, r := i.warp(), i.group.run
	if i.group.size%warpSize != 0 {
		panic(fmt.Sprintf("gpu: %s in a group of %d invocations; it takes whole warps, so a multiple of 32", op, i.group.size))
	}
	if !f.Known(r.matrix) {
		panic(fmt.Sprintf("gpu: %s: %s has no matrices of %s; leave Grid.Matrix empty", op, r.matrix, f))
	}
	g := i.arrive(m, site{op: op, pc: callSite()})
	if g.product == nil {
		g.product = new(matrix.Warp)
	}
	l := i.lane()
	g.product.A[l], g.product.B[l], g.product.C[l] = a, b, c
	if m.full() {
		i.complete(m, func([]uint64) { g.product.MulAdd(f, r.matrix) })
	} else {
		i.await(m)
	}
	return g.product.C[l]
}
