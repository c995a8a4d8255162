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

// lateMinuends: a constant that takes some work to know, less a value, held to a bound, or less that.
func (g *generator) lateMinuends() {
	b, t := g.b, wordTypes[g.pick(4)]
	k, x, y := g.lateWord(t), g.operand(t), g.operand(t)
	switch g.pick(4) {
	case 1: // of few values
		x = b.And(x, b.Const(t, 7))
	case 2:
		x = b.Op(ir.OpMin, x, k)
	}
	var v build.Value
	switch g.pick(8) {
	case 0:
		v = b.Add(g.signed(x), k)
	case 1:
		v = b.Sub(x, k)
	case 2:
		v = b.Sub(b.Sub(k, x), y)
	case 3:
		v = b.Sub(g.as(t, b.Op(ir.OpShl, k, b.U32(uint32(g.pick(4))))), x)
	default:
		v = b.Sub(k, x)
	}
	for range 1 + g.pick(2) {
		switch y = g.another(y); g.pick(4) {
		case 0:
			v = b.Select(b.Lt(v, y), v, y)
		case 1:
			v = b.Select(b.Lt(y, v), v, y)
		default:
			v = b.Op([]ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)], v, y)
		}
	}
	g.keep(v)
}

// lateWord is a small constant in 32 bits that is seen to be one by what a shuffle leaves of it, or 64 bits.
func (g *generator) lateWord(t ir.Type) build.Value {
	b, c := g.b, []uint64{1, 1, 2, 3, 7, 32, 1000, 1<<32 - 1, 1 << 31}[g.pick(9)]
	k := b.Const(t, c)
	switch g.pick(6) {
	case 0:
		return b.Op([]ir.Op{ir.OpShuffle, ir.OpShuffleXor}[g.pick(2)], k, b.U32(uint32(g.pick(8))))
	case 1:
		return b.Op([]ir.Op{ir.OpScanAnd, ir.OpScanOr, ir.OpScanMin, ir.OpScanMax}[g.pick(4)], k)
	case 2: // the upper half of what has no other bits
		w := b.And(b.Or(g.operand(ir.U64), b.Const(ir.U64, c<<32)), b.Const(ir.U64, c<<32))
		return b.Cvt(t, b.Shr(w, b.U32(32)))
	case 3:
		w := b.Op([]ir.Op{ir.OpScanAnd, ir.OpScanOr, ir.OpScanMin}[g.pick(3)], b.Const(ir.U64, c|1<<62))
		return b.Cvt(t, w)
	case 4:
		return b.Cvt(t, b.Op(ir.OpShuffle, b.Const(ir.U64, c), b.U32(uint32(g.pick(8)))))
	}
	m := b.Const(t, 7)
	return b.Sub(m, b.Op(ir.OpMin, b.And(g.lateWord(t), m), b.Const(t, uint64(g.pick(8)))))
}

// bothOfTwo: two conditions, of which both are asked for and either, one of them on the way to something else.
func (g *generator) bothOfTwo() {
	b := g.b
	p, q := g.condition(), g.condition()
	if g.chance(3) {
		q = b.Not(q)
	}
	known := b.Lt(b.And(g.operand(ir.U32), b.U32(7)), b.U32(8))
	either, both := b.Op(ir.OpOr, p, q), b.Op(ir.OpAnd, q, p)
	if g.chance(2) {
		either, both = both, either
	}
	g.keep(either)
	switch g.pick(6) {
	case 0:
		both = b.Op(ir.OpOr, both, b.Not(q))
	case 1:
		both = b.Select(q, p, known)
	case 2:
		both = b.Op([]ir.Op{ir.OpOr, ir.OpAnd, ir.OpXor}[g.pick(3)], both, known)
	case 3:
		both = b.Op([]ir.Op{ir.OpOr, ir.OpAnd, ir.OpXor}[g.pick(3)], both, g.condition())
	case 4:
		v := b.Var(p)
		b.IfElse(q, func() { v.Set(both) }, func() { v.Set(known) })
		both = v.Get()
	}
	g.keep(both)
}
