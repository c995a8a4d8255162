package conform

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// mergedOnes: a value is one of two or three constants that look like the truth to somebody, by the way that was taken: in a
// variable, carried by a loop, or kept in a local array.
func (g *generator) mergedOnes() {
	b, t := g.b, wordTypes[g.pick(6)]
	word := func() uint64 {
		return []uint64{1<<32 - 1, 1<<32 - 1, 0x3F80_0000, 0x3F80_0000, 1, 0, 0xBF80_0000}[g.pick(7)]
	}
	truth := func() build.Value {
		switch {
		case t.Bits() == 64 && g.chance(2):
			return b.Const(t, word()<<32|word())
		case t.Bits() == 64 && g.chance(2):
			return b.Const(t, word()<<32|5)
		}
		return b.Const(t, word())
	}
	other := g.operand(ir.U32)
	long := func() { // too much for a choice to be made of the branch
		z := g.another(other)
		for range 6 {
			z = b.Op(ir.OpRotl, g.joined(z, other), b.U32(uint32(1+g.pick(31))))
		}
		g.out(z)
	}
	if g.chance(2) {
		a := b.LocalArray(fmt.Sprintf("lo%d", len(g.locals)), t, 4)
		g.locals = append(g.locals, local{a, t, 4, false})
		for i := range uint32(4) {
			b.Store(a, b.U32(i), truth())
		}
		for range 1 + g.pick(2) {
			i := uint32(g.pick(2))
			b.If(b.Op(ir.OpLt, g.another(other), b.U32(uint32(g.pick(64)))), func() { b.Store(a, b.U32(i), truth()) })
		}
		g.keep(b.Load(a, b.U32(uint32(g.pick(2)))))
		at := b.And(g.another(other), b.U32(3))
		b.If(b.Op(ir.OpLt, other, b.U32(uint32(g.pick(64)))), func() { b.Store(a, at, truth()) })
		g.keep(b.Load(a, b.And(other, b.U32(3))))
		return
	}
	v := b.Var(truth())
	for range 1 + g.pick(2) {
		if c := b.Op([]ir.Op{ir.OpLt, ir.OpEq}[g.pick(2)], g.another(other), b.U32(uint32(g.pick(64)))); g.chance(2) {
			b.If(c, func() {
				long()
				v.Set(truth())
			})
		} else {
			b.IfElse(c, func() {
				long()
				v.Set(truth())
			}, func() {
				v.Set(truth())
				long()
			})
		}
	}
	g.vars = append(g.vars, v)
	g.out(v.Get())
}
