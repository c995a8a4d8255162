package ptx_test

import (
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// nest is ifs and loops within each other, so deep, side by side, so many, with work in the innermost.
func nest(deep, many int) *ir.Program {
	b := build.New("nest", build.Workgroup(64))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	var level func(d int)
	level = func(d int) {
		b.If(b.Lt(b.Load(x, i), b.U32(uint32(d))), func() {
			if d%8 == 0 {
				b.For(b.U32(0), i, b.U32(1), func(k build.Value, l build.Label) {
					b.If(b.Eq(b.Load(x, k), i), func() { b.Break(l) })
					if d > 1 {
						level(d - 1)
					}
				})
			} else if d > 1 {
				level(d - 1)
			}
			b.Store(x, i, b.U32(uint32(d)))
		})
	}
	for range many {
		level(deep)
	}
	return sealed(b)
}

// switches is ifs without else, one after the other.
func switches(n int) *ir.Program {
	b := build.New("switches", build.Workgroup(64))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	for k := range n {
		b.If(b.Eq(i, b.U32(uint32(k))), func() { b.Store(x, b.U32(uint32(k)), i) })
	}
	return sealed(b)
}

// barriers is a loop with n group barriers after divergent branches.
func barriers(n int) *ir.Program {
	b := build.New("barriers", build.Workgroup(64))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	b.For(b.U32(0), b.Len(x), b.U32(1), func(build.Value, build.Label) {
		for k := range n {
			b.If(b.Lt(i, b.U32(uint32(k))), func() {
				for j := range 6 {
					b.AtomicAdd(x, b.U32(uint32(j)), i, ir.Relaxed, ir.Device)
				}
			})
			b.Barrier()
		}
	})
	return sealed(b)
}

// TestStagesAreLinear: twice the program is twice the work, whatever its shape.
func TestStagesAreLinear(t *testing.T) {
	shapes := []struct {
		name string
		make func(n int) *ir.Program
	}{
		{"one block", func(n int) *ir.Program { return straight(1000 * n) }},
		{"nests of depth 100", func(n int) *ir.Program { return nest(100, 3*n) }},
		{"loops", func(n int) *ir.Program { return nested(8, 20*n) }},
		{"cases", func(n int) *ir.Program { return switches(500 * n) }},
		{"barriers", func(n int) *ir.Program { return barriers(100 * n) }},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			before, insts := 0, 0
			for _, n := range []int{1, 2, 4} {
				v, k := ptx.Visits(s.make(n))
				if before > 0 && float64(v) > 2.2*float64(before) {
					t.Errorf("%d instructions take %d visits, %d took %d", k, v, insts, before)
				}
				if v > 12*k {
					t.Errorf("%d visits to make %d instructions", v, k)
				}
				before, insts = v, k
			}
		})
	}
}
