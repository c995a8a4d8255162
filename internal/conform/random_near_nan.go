package conform

import (
	"math"
	"math/bits"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// decided is a bool that is always true, or always false, which the range of a value tells: what a magnitude is not, how
// many bits there are. A NaN is not equal to anything either.
func (g *generator) decided() (always build.Value, holds bool) {
	b := g.b
	switch g.pick(5) {
	case 0:
		return b.Op(ir.OpLt, b.Op(g.oneOf(ir.OpPopc, ir.OpClz, ir.OpCtz), g.operand(ir.U32)), b.U32(uint32(33+g.pick(40)))), true
	case 1:
		return b.Op(ir.OpEq, b.Or(g.operand(ir.U32), b.U32(8)), b.U32(uint32(g.pick(8)))), false
	case 2:
		t := []ir.Type{ir.F32, ir.F32, ir.F64, ir.F16}[g.pick(4)]
		return b.Op(g.oneOf(comparisons[:3]...), g.operand(t), g.nan(t)), false
	}
	below := b.Const(ir.F32, floatOf(ir.F32, []float32{-1, -2, -0.5, -3e38}[g.pick(4)]))
	magnitude := b.Op(ir.OpAbs, g.operand(ir.F32))
	if g.chance(2) {
		return b.Op(ir.OpNe, magnitude, below), true
	}
	return b.Op(ir.OpEq, below, magnitude), false
}

// late is c by way of a choice that is always the same.
func (g *generator) late(c build.Value) build.Value {
	b, t := g.b, g.b.Type(c)
	always, holds := g.decided()
	x := g.operand(t)
	if g.chance(2) {
		x = g.special(t)
	}
	yes, no := c, x
	if !holds {
		yes, no = x, c
	}
	if g.chance(4) {
		v := b.Var(no)
		b.If(always, func() { v.Set(yes) })
		return v.Get()
	}
	return b.Select(always, yes, no)
}

// nan is a NaN of either sign, quiet or not.
func (g *generator) nan(t ir.Type) build.Value {
	infinity := floatOf(t, float32(math.Inf(1)))
	c := infinity | 1
	if !g.chance(3) {
		c = infinity | least(t)>>(1+bits.OnesCount64(infinity))
	}
	if g.chance(3) {
		c |= least(t)
	}
	return g.b.Const(t, c)
}

func (g *generator) oneOf(ops ...ir.Op) ir.Op { return ops[g.pick(len(ops))] }

// boundsOfNaN: a float is bounded by a NaN, and then by a number, and loses its sign.
func (g *generator) boundsOfNaN() {
	b, t := g.b, floatTypes[g.pick(6)]
	bound := g.nan(t)
	if !g.chance(4) {
		bound = g.late(bound)
	}
	x := g.operand(t)
	if g.chance(2) {
		x, bound = bound, x
	}
	v := b.Op(g.oneOf(ir.OpMax, ir.OpMax, ir.OpMax, ir.OpMin, ir.OpMaxp), x, bound)
	most := floatOf(t, []float32{0, 0, 1, 2, 3, 0.5}[g.pick(6)])
	if g.chance(6) {
		most |= least(t)
	}
	v = b.Op(g.oneOf(ir.OpMin, ir.OpMin, ir.OpMin, ir.OpMax), v, b.Const(t, most)) // which is no NaN
	switch g.pick(4) {
	case 0:
		word := ir.U32
		if t.Bits() == 64 {
			word = ir.U64
		}
		g.keep(b.And(b.Bitcast(word, v), b.Const(word, least(t)-1)))
	case 1:
		g.keep(b.Op(ir.OpAbs, g.signed(v)))
	case 2:
		g.keep(g.signed(v))
	default:
		g.keep(b.Op(ir.OpAbs, b.Op(ir.OpNeg, v)))
	}
}
