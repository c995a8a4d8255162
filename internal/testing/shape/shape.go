// Package shape holds the five kinds of program over which the work of every stage of the
// compiler must stay linear: one long block, deep nests, many variables over many loops,
// a long switch, and a loop full of barriers.
package shape

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Shape is a kind of program that can be made at any size.
type Shape struct {
	Name  string
	Build func(rows int) *build.Builder // of about that many rows
}

// All lists the shapes.
var All = []Shape{
	{"long block", func(n int) *build.Builder {
		b := build.New("block")
		out := b.Buffer("out", ir.U32, ir.WO)
		v := b.Global(0)
		for i := range n {
			v = b.Add(v, b.U32(uint32(i%100)))
		}
		b.Store(out, b.U32(0), v)
		return b
	}},
	{"deep nests", func(n int) *build.Builder {
		b := build.New("nests")
		out := b.Buffer("out", ir.U32, ir.WO)
		v := b.Var(b.Global(0))
		var nest func(depth int)
		nest = func(depth int) {
			if depth == 0 {
				v.Set(b.Add(v.Get(), b.U32(1)))
				return
			}
			b.If(b.Lt(v.Get(), b.U32(uint32(depth))), func() { nest(depth - 1) })
		}
		for range n / (200 * 5) {
			nest(200)
		}
		b.Store(out, b.U32(0), v.Get())
		return b
	}},
	{"variables over loops", func(n int) *build.Builder {
		b := build.New("vars")
		out := b.Buffer("out", ir.U32, ir.WO)
		const vars = 40
		vs := make([]*build.Var, vars)
		for i := range vs {
			vs[i] = b.Var(b.U32(uint32(i)))
		}
		for l := range n / 60 {
			b.Loop(nil, func(lab build.Label, _ []build.Value) {
				b.If(b.Lt(b.U32(9), vs[l%vars].Get()), func() { b.Break(lab) })
				for k := range 10 {
					v := vs[(l*7+k)%vars]
					v.Set(b.Add(v.Get(), vs[(l+k)%vars].Get()))
				}
			})
		}
		for i, v := range vs {
			b.Store(out, b.U32(uint32(i)), v.Get())
		}
		return b
	}},
	{"switch", func(n int) *build.Builder {
		b := build.New("switch")
		out := b.Buffer("out", ir.U32, ir.WO)
		x, v := b.Global(0), b.Var(b.U32(0))
		b.Block(func(l build.Label) {
			for i := range n / 6 {
				b.If(b.Eq(x, b.U32(uint32(i))), func() {
					v.Set(b.Add(x, b.U32(uint32(i+1))))
					b.Break(l)
				})
			}
		})
		b.Store(out, b.U32(0), v.Get())
		return b
	}},
	{"barriers in a loop", func(n int) *build.Builder {
		b := build.New("barriers")
		out := b.Buffer("out", ir.U32, ir.RW)
		v := b.Var(b.U32(0))
		b.Loop(nil, func(l build.Label, _ []build.Value) {
			b.If(b.Lt(b.U32(100), v.Get()), func() { b.Break(l) })
			for range n / 4 {
				b.Store(out, b.Global(0), b.Load(out, b.U32(0)))
				b.Barrier()
			}
			v.Set(b.Add(v.Get(), b.U32(1)))
		})
		return b
	}},
}
