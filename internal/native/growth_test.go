package native_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// maxGrowth is how many times the time may be that a program of four times the rows takes: what grows with the square takes 16
// times as long, and what takes more memory than the caches have up to 6 times.
const maxGrowth = 7

// Machine code is made in time that grows with the program, whatever its shape. What counts is the processor's time of this
// thread, the least of some compilations. A processor's caches and memory are shared, and a large program suffers more when
// others take them: after a measurement that failed there are four more, each of which begins anew.
func TestTimeGrowsWithTheProgram(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	rows := 2500
	if long.Enabled() {
		rows = 4000
	}
	for _, s := range slices.Concat(shape.All, shapes()) {
		t.Run(s.Name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			small, large := sealed(t, s, rows), sealed(t, s, 4*rows)
			targets := native.Targets()
			if !long.Enabled() {
				targets = targets[1:2]
			}
			for _, target := range targets {
				growth := maxGrowth + 1.0
				for i := 0; i < 5 && growth > maxGrowth; i++ {
					growth = growthOf(t, small, large, target)
				}
				if growth > maxGrowth {
					t.Errorf("%s: of four times the rows that is %.1f times the time", target, growth)
				}
			}
		})
	}
}

// growthOf is how many times as long as the small program a large one takes, of four times the rows.
func growthOf(t *testing.T, small, large *ir.Program, target string) (growth float64) {
	t.Helper()
	one, four := time.Hour, time.Hour
	for range 12 {
		one, four = min(one, compileTime(t, small, target)), min(four, compileTime(t, large, target))
		if growth = float64(four) / float64(one) * 4 * float64(small.Rows()) / float64(large.Rows()); growth <= maxGrowth {
			break
		}
	}
	t.Logf("%s: %d rows %v, %d rows %v, %.1f times", target, small.Rows(), one, large.Rows(), four, growth)
	return growth
}

func sealed(t testing.TB, s shape.Shape, rows int) *ir.Program {
	t.Helper()
	p, err := s.Build(rows).Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compileTime is what this thread takes to make code of a program. Garbage that was there before is no part of it. Jumps reach far from
// the first try: where they have to on arm64, code is made twice.
func compileTime(t *testing.T, p *ir.Program, target string) time.Duration {
	runtime.GC()
	from := threadTime()
	if _, err := native.CodeWith(p, target, native.Options{}.Far()); err != nil {
		t.Fatal(err)
	}
	return threadTime() - from
}

// shapes are more kinds of programs than those that all stages of the compiler are tried with: what machine code takes most care of.
func shapes() []shape.Shape {
	var out []shape.Shape
	add := func(name string, make func(b *build.Builder, x ir.Object, i build.Value, n int)) {
		out = append(out, shape.Shape{Name: name, Build: func(n int) *build.Builder {
			b := build.New("grown", build.Workgroup(64))
			x := b.Buffer("x", ir.U32, ir.RW)
			make(b, x, b.Global(0), n)
			return b
		}})
	}
	add("a ladder of barriers", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		s, l := b.SharedArray("s", ir.U32, 64), b.Local(0)
		for k := range n / 6 {
			b.Store(s, l, b.Add(b.Load(s, b.Xor(l, b.U32(uint32(k%64)))), i))
			b.Barrier()
		}
		b.Store(x, i, b.Load(s, l))
	})
	add("deep loops with barriers", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		var nest func(depth int)
		nest = func(depth int) {
			if depth == 0 {
				return
			}
			b.For(b.U32(0), b.U32(3), b.U32(1), func(k build.Value, _ build.Label) {
				b.Store(x, i, b.Add(b.Load(x, i), k))
				b.Barrier()
				nest(depth - 1)
				b.Barrier()
			})
		}
		for range n / (13 * 100) {
			nest(100)
		}
	})
	add("values that live over barriers", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		var vs []build.Value
		first := b.Load(x, i)
		for k := range n / 6 {
			vs = append(vs, b.Xor(first, b.U32(uint32(k))))
			b.Barrier()
		}
		v := first
		for k := range vs {
			v = b.Mul(v, vs[k])
			b.Barrier()
		}
		b.Store(x, i, v)
	})
	add("arrays", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		var arrays []ir.Object
		for k := range 64 {
			arrays = append(arrays, b.SharedArray(fmt.Sprint("s", k), ir.U32, 4), b.LocalArray(fmt.Sprint("l", k), ir.U32, 4))
		}
		low := b.And(i, b.U32(3))
		for k := range n / 3 {
			b.Store(arrays[k%len(arrays)], low, b.Add(b.Load(arrays[k*5%len(arrays)], low), i))
		}
		b.Store(x, i, b.Load(arrays[1], low))
	})
	add("ifs with stores", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		v := b.Var(b.Load(x, i))
		for k := range n / 8 {
			b.If(b.Eq(b.And(v.Get(), b.U32(uint32(k%32))), b.U32(0)), func() {
				b.Store(x, v.Get(), i)
				v.Set(b.Add(v.Get(), i))
			})
		}
		b.Store(x, i, v.Get())
	})
	add("breaks", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		c, v := b.Scalar("c", ir.U32), b.Var(i)
		for _, of := range []func() build.Value{func() build.Value { return c }, v.Get} {
			b.Loop(nil, func(l build.Label, _ []build.Value) {
				for k := range n / 12 {
					b.If(b.Eq(b.And(of(), b.U32(uint32(k%32))), b.U32(0)), func() { b.Break(l) })
					v.Set(b.Add(v.Get(), i))
				}
			})
		}
		b.Store(x, i, v.Get())
	})
	variables := func(b *build.Builder, x ir.Object, n int, round func(vs []*build.Var, k build.Value)) {
		vs := make([]*build.Var, n)
		for k := range vs {
			vs[k] = b.Var(b.U32(uint32(k)))
		}
		b.For(b.U32(0), b.U32(100), b.U32(1), func(k build.Value, _ build.Label) { round(vs, k) })
		for k, v := range vs {
			b.Store(x, b.U32(uint32(k)), v.Get())
		}
	}
	add("arguments handed on", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		variables(b, x, n/4, func(vs []*build.Var, _ build.Value) {
			first := vs[0].Get()
			for k := range vs[1:] {
				vs[k].Set(vs[k+1].Get())
			}
			vs[len(vs)-1].Set(b.Add(first, i))
		})
	})
	add("arguments changed", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		variables(b, x, n/6, func(vs []*build.Var, k build.Value) {
			for _, v := range vs {
				v.Set(b.Mul(b.Add(v.Get(), i), k))
			}
		})
	})
	add("records through loops", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		for range n / 28 {
			v := b.LoadVec(x, i, 4)
			init := []build.Value{b.Elem(v, 0), b.Elem(v, 1), b.Elem(v, 2), b.Elem(v, 3), b.U32(0)}
			out := b.Loop(init, func(l build.Label, a []build.Value) {
				b.If(b.Lt(b.U32(10), a[4]), func() { b.Break(l, a[:4]...) })
				b.Continue(l, b.Mul(a[0], a[0]), b.Mul(a[1], a[1]), b.Mul(a[2], a[2]), b.Mul(a[3], a[3]), b.Add(a[4], b.U32(1)))
			})
			b.StoreVec(x, i, b.Vec(out...))
		}
	})
	add("plain loads", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		var vs []build.Value
		l := b.Local(0)
		table := b.Table("t", ir.U32, make([]uint64, 64))
		for range n / 3 {
			vs = append(vs, b.Load(table, b.Xor(l, b.U32(uint32(len(vs)%64)))))
		}
		v := i
		for k := range vs {
			v = b.Add(v, vs[len(vs)-1-k])
		}
		b.Store(x, i, v)
	})
	add("a block, then small ones", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		c, v := b.Scalar("c", ir.U32), b.Var(i)
		for k := range n / 6 {
			v.Set(b.Add(v.Get(), b.Xor(i, b.U32(uint32(k)))))
		}
		for k := range n / 12 {
			b.If(b.Eq(b.And(c, b.U32(uint32(k))), b.U32(0)), func() { v.Set(b.Add(b.Mul(v.Get(), i), i)) })
		}
		b.Store(x, i, v.Get())
	})
	add("shuffles", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		v := b.Load(x, i)
		for range n / 2 {
			v = b.Add(v, b.Op(ir.OpShuffleDown, v, b.U32(3)))
		}
		b.Store(x, i, v)
	})
	add("one invocation at a time", func(b *build.Builder, x ir.Object, i build.Value, n int) {
		stack, v := b.LocalArray("s", ir.U32, 64), b.Var(b.Load(x, i))
		length := b.Len(x)
		b.Loop(nil, func(l build.Label, _ []build.Value) {
			b.If(b.Eq(v.Get(), b.U32(0)), func() { b.Break(l) })
			for range n / 18 {
				b.If(b.Le(length, v.Get()), func() { b.Break(l) })
				w := b.Load(stack, b.And(v.Get(), b.U32(63)))
				b.If(b.Lt(w, b.U32(9)), func() {
					v.Set(b.Add(v.Get(), b.Load(x, w)))
					b.Store(stack, b.And(v.Get(), b.U32(63)), w)
				})
			}
		})
		b.Store(x, i, v.Get())
	})
	return out
}
