package ptx_test

import (
	"runtime"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/shape"
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

// The same of every construct, and of bytes.
func TestStagesAreLinearInEveryConstruct(t *testing.T) {
	for _, s := range shape.Grown {
		t.Run(s.Name, func(t *testing.T) {
			var lastVisits, lastBytes float64
			for _, n := range []int{400, 1600} {
				p, _, err := opt.Run(sealed(s.Build(n)), opt.Options{Passes: compile.Choice{Level: compile.O0}})
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				v, k := ptx.Visits(p)
				runtime.ReadMemStats(&after)
				visits, bytes := float64(v)/float64(k), float64(after.TotalAlloc-before.TotalAlloc)/float64(k+p.Rows())
				if lastBytes > 0 && (visits > 1.3*lastVisits || bytes > 1.7*lastBytes) { // a list that is full is copied to one of twice the size
					t.Errorf("each of %d instructions costs %.1f visits and %.0f bytes, with fewer %.1f and %.0f", k, visits, bytes, lastVisits, lastBytes)
				}
				lastVisits, lastBytes = visits, bytes
			}
		})
	}
}

// A chain of conversions is asked about from each of its rows, and passed once.
func TestChainsAreLinear(t *testing.T) {
	for _, n := range []int{10, 1000, 4000} {
		if steps, wrong := ptx.ChainSteps(n); steps > 24*n || len(wrong) > 0 {
			t.Errorf("a chain of %d conversions takes %d steps; wrong from %v", n, steps, wrong)
		}
	}
}
