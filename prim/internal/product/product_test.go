package product_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/product"
)

// The kernels run natively, too: here on matrices of several blocks, in a grid of any size, with lines and batches apart.
func TestKernelsMultiplyNatively(t *testing.T) {
	const m, n, k, batch = 70, 67, 21, 2
	r := rand.New(rand.NewPCG(36, 3))
	draw := func(n int) (x []uint32) {
		for range n {
			x = append(x, r.Uint32())
		}
		return x
	}
	lineA, lineB, lineC := uint64(k+3), uint64(k), uint64(n+2)
	nextA, nextB, nextC := m*lineA+1, n*lineB, m*lineC
	a, b, c := draw(int(batch*nextA)), draw(int(batch*nextB)), draw(int(batch*nextC))
	want := slices.Clone(c)
	for x := range uint64(batch) {
		for i := range uint64(m) {
			for j := range uint64(n) {
				for q := range uint64(k) {
					want[x*nextC+i*lineC+j] += uint32(bits.OnesCount32(a[x*nextA+i*lineA+q] & b[x*nextB+j*lineB+q]))
				}
			}
		}
	}
	for _, groups := range []uint32{1, 3} {
		got := slices.Clone(c)
		g := gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: product.Threads}}
		gpu.Run(g, func(t gpu.Thread) {
			product.Bits(t, 2, 2, true, false, true, m, n, k, batch, lineA, nextA, lineB, nextB, lineC, nextC, 1, 1, a, b, got)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%d groups: other sums than those of a loop", groups)
		}
	}
}

// A sum of floats begins at +0, and each operation on it is rounded.
func TestKernelsScaleNatively(t *testing.T) {
	x, h := []gpu.Float16{gpu.ToFloat16(3)}, []gpu.Float16{gpu.ToFloat16(2)}
	b, none := gpu.ToBFloat16(-0.5), []float32{7}
	g := gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: product.Threads}}
	gpu.Run(g, func(t gpu.Thread) {
		product.Float16s(t, 2, 2, true, false, false, true, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5, 4, x, x, none, h)
	})
	if h[0].Float32() != 0.5*9+4*2 || none[0] != 7 {
		t.Errorf("half of 3·3 and four times 2 are %v, and what is not C %v", h[0].Float32(), none)
	}
	c := []float32{1}
	gpu.Run(g, func(t gpu.Thread) {
		product.BFloat16s(t, 2, 2, false, true, true, false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, []gpu.BFloat16{b}, []gpu.BFloat16{b}, c, nil)
	})
	if c[0] != 0.25 {
		t.Errorf("-0.5 squared is %v", c[0])
	}
}
