package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// shaped writes loops and ifs of forms that an optimiser takes apart or puts together, and that chance rarely makes:
// products of sums of which a round changes one part, a choice that all rounds make alike, neighbours with one condition,
// loads after a division.
func (g *generator) shaped() {
	b := g.b
	t := []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}[g.pick(4)]
	v := b.Var(g.expr(t, 1))
	switch g.pick(7) {
	case 0, 5:
		part, factor := g.expr(t, 1), g.expr(t, 1)
		g.rounded(func(k build.Value) {
			sum := b.Add(b.Cvt(t, k), part)
			if g.chance(2) {
				sum = b.Add(part, v.Get())
			}
			if g.chance(2) {
				sum, factor = factor, sum
			}
			v.Set(b.Xor(v.Get(), b.Mul(sum, factor)))
		})
	case 1, 2, 3:
		c := b.Lt(b.Len(g.ro[0].obj), b.U32(uint32(g.pick(40))))
		if g.chance(8) {
			c = g.expr(ir.Bool, 1)
		}
		g.rounded(func(k build.Value) {
			b.IfElse(c, func() {
				for range 4 {
					v.Set(b.Add(b.Mul(v.Get(), b.Cvt(t, k)), g.expr(t, 1)))
				}
			}, func() { v.Set(b.Xor(v.Get(), g.leaf(t))) })
		})
	case 4:
		c := g.expr(ir.Bool, 1)
		b.If(c, func() { g.body(func() { g.touch(); v.Set(g.expr(t, 1)) }) })
		between := g.expr(t, 1)
		b.IfElse(c, func() { g.body(func() { v.Set(b.Add(v.Get(), between)) }) },
			func() { g.body(func() { g.touch() }) })
	default:
		f := b.Div(g.expr(ir.F32, 1), b.Cvt(ir.F32, b.Add(g.own, b.U32(3))))
		if x, ok := g.load(t); ok {
			v.Set(x)
		}
		v.Set(b.Xor(v.Get(), b.Cvt(t, f)))
	}
	g.vars = append(g.vars, v)
}

// rounded writes a loop of one to three rounds that nothing else leaves.
func (g *generator) rounded(round func(k build.Value)) {
	b := g.b
	i, n := b.Var(b.U32(0)), b.U32(uint32(1+g.pick(3)))
	if g.chance(2) {
		n = b.And(g.expr(ir.U32, 1), b.U32(3))
	}
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		b.If(b.Le(n, i.Get()), func() { b.Break(l) })
		g.body(func() { round(i.Get()) })
		i.Set(b.Add(i.Get(), b.U32(1)))
	})
}
