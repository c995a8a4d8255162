package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// The families of nearErrors that are about floats, and about votes.

var floatTypes = []ir.Type{ir.F32, ir.F32, ir.F32, ir.F64, ir.F16, ir.BF16}

// zeroOrOne is one of the constants that assemblers have instructions for.
func (g *generator) zeroOrOne(t ir.Type) build.Value {
	if g.chance(6) {
		return g.special(t)
	}
	c := floatOf(t, []float32{0, 0, 1}[g.pick(3)])
	if g.chance(2) {
		c |= least(t)
	}
	return g.b.Const(t, c)
}

// sided is a float that is never less, or never greater, than some number, unless it is a NaN.
func (g *generator) sided(t ir.Type) build.Value {
	b, x := g.b, g.operand(t)
	switch g.pick(10) {
	case 1:
		return b.Op(ir.OpNeg, b.Op(ir.OpAbs, x))
	case 2:
		return b.Mul(x, x)
	case 3:
		return b.Add(b.Op(ir.OpAbs, x), g.special(t))
	case 4:
		return b.Op([]ir.Op{ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp}[g.pick(4)], x, g.zeroOrOne(t))
	case 5:
		return g.converted(t, g.operand(shapeTypes[g.pick(4)]))
	case 6, 9:
		return b.Select(g.condition(), g.zeroOrOne(t), g.zeroOrOne(t))
	case 7:
		return b.Sqrt(x)
	case 8:
		return b.Choose(g.condition(), func() []build.Value { return []build.Value{g.zeroOrOne(t)} },
			func() []build.Value { return []build.Value{g.signed(x)} })[0]
	}
	return b.Op(ir.OpAbs, x)
}

// converted is x in another type, by way of an f32 if there is no other.
func (g *generator) converted(t ir.Type, x build.Value) build.Value {
	if !ir.CanConvert(t, g.b.Type(x)) {
		x = g.b.Cvt(ir.F32, x)
	}
	return g.b.Cvt(t, x)
}

// signsOfZeros: signs and bounds in a row, of what may be a zero.
func (g *generator) signsOfZeros() {
	b, t := g.b, floatTypes[g.pick(6)]
	v := g.sided(t)
	for range g.pick(7) {
		switch g.pick(8) {
		case 0, 1:
			v = b.Op(ir.OpNeg, v)
		case 2:
			v = b.Op(ir.OpAbs, v)
		case 3, 4:
			x, y := v, g.zeroOrOne(t)
			if g.chance(2) {
				x, y = y, x
			}
			v = b.Op([]ir.Op{ir.OpMin, ir.OpMax, ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp}[g.pick(6)], x, y)
		case 5:
			v = b.Select(g.condition(), v, g.zeroOrOne(t))
		case 6:
			c := g.zeroOrOne(t)
			v = b.Select(b.Op(comparisons[g.pick(4)], v, c), v, g.zeroOrOne(t))
		case 7:
			v = b.Op([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}[g.pick(3)], v, g.zeroOrOne(t))
		}
	}
	g.keep(v)
}

// comparisonsInRanges: what is never less or greater than some number is compared with one.
func (g *generator) comparisonsInRanges() {
	b := g.b
	t := append(floatTypes, ir.U32, ir.I32, ir.U64, ir.I64)[g.pick(10)]
	v := g.ranged(t)
	c := g.rangeEnd(t)
	if g.chance(3) {
		c = g.late(c)
	}
	x, y := v, c
	if g.chance(2) {
		x, y = y, x
	}
	holds := b.Op(comparisons[g.pick(4)], x, y)
	switch g.pick(5) {
	case 1:
		holds = b.Not(holds)
	case 2:
		holds = b.Op([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}[g.pick(3)], holds, b.Op(comparisons[g.pick(4)], v, g.rangeEnd(t)))
	case 3:
		g.keep(b.Select(holds, v, g.rangeEnd(t)))
		return
	}
	g.keep(holds)
}

// ranged is a value of a part of its type.
func (g *generator) ranged(t ir.Type) build.Value {
	b := g.b
	if isFloat(t) {
		return g.sided(t)
	}
	x, c := g.operand(t), g.special(t)
	switch g.pick(8) {
	case 0:
		return b.And(x, c)
	case 1:
		return b.Shr(x, g.count(t))
	case 2:
		return b.Op([]ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)], x, c)
	case 3:
		return b.Cvt(t, b.Op([]ir.Op{ir.OpPopc, ir.OpClz, ir.OpCtz}[g.pick(3)], x))
	case 4:
		return b.Rem(x, c)
	case 5:
		return b.Cvt(t, b.OpImm(ir.OpBfe, build.Field(uint32(g.pick(16)), 1+uint32(g.pick(16))), g.operand([]ir.Type{ir.U32, ir.I32}[g.pick(2)])))
	case 6:
		return b.Or(x, c)
	}
	return b.Mul(x, x)
}

// rangeEnd is a constant at which a range may end.
func (g *generator) rangeEnd(t ir.Type) build.Value {
	if isFloat(t) {
		return g.zeroOrOne(t)
	}
	if g.chance(2) {
		return g.special(t)
	}
	ends := []uint64{0, 1, t.Mask(), least(t), least(t) - 1, 31, 32, 33, 64, 0xFFFF, 0xFFFF_FFFF, 0x1_0000_0000}
	return g.b.Const(t, ends[g.pick(len(ends))]&t.Mask())
}

// knownSums: sums, differences and products of constants that are hidden.
func (g *generator) knownSums() {
	t := floatTypes[g.pick(6)]
	v := g.hidden(t)
	for range 1 + g.pick(3) {
		x, y := v, g.hidden(t)
		if g.chance(2) {
			x, y = y, x
		}
		v = g.b.Op([]ir.Op{ir.OpAdd, ir.OpAdd, ir.OpSub, ir.OpMul}[g.pick(4)], x, y)
	}
	g.keep(v)
}

// hidden is a constant with a few bits at the end of its mantissa, behind something that an assembler may see through.
func (g *generator) hidden(t ir.Type) build.Value {
	b := g.b
	one := floatOf(t, []float32{1, 2, 4, 3, 0.5}[g.pick(5)]) + uint64(g.pick(8))
	if g.chance(2) {
		one |= least(t)
	}
	c := b.Const(t, one)
	switch g.pick(5) {
	case 1:
		x := g.operand(ir.F32)
		return b.Select(b.Lt(x, x), g.special(t), c)
	case 2:
		return b.Op(ir.OpShuffle, c, b.U32(uint32(g.pick(32))))
	case 3:
		return b.Select(g.condition(), c, g.special(t))
	case 4:
		x := g.operand(t)
		return b.Select(b.Lt(b.Op(ir.OpAbs, x), b.Const(t, 0)), x, c)
	}
	return c
}

// bounds: a float is held to one side and then to the other.
func (g *generator) bounds() {
	b, t := g.b, floatTypes[g.pick(6)]
	v := g.operand(t)
	if g.chance(4) { // more than 1, and a bound of 1 follows
		for i, most := range []float32{3, 0, 1} {
			c := b.Const(t, floatOf(t, most))
			if i == 1 {
				v = b.Max(v, c)
			} else {
				v = b.Min(v, c)
			}
		}
		g.keep(v)
		return
	}
	one := g.chance(2)
	for range 2 + g.pick(3) {
		if g.chance(2) {
			if one { // then zero
				v = b.Min(v, b.Const(t, floatOf(t, []float32{1, 1, 1, 3}[g.pick(4)])))
			} else {
				v = b.Max(v, b.Const(t, 0))
			}
			one = !one
			continue
		}
		c := g.zeroOrOne(t)
		switch g.pick(8) {
		case 6:
			v = g.signed(v)
		case 7:
			v = g.joined(v, c)
		case 3, 4, 5:
			x, y := v, c
			if g.chance(2) {
				x, y = y, x
			}
			if holds := b.Op(comparisons[g.pick(2)], x, y); g.chance(2) {
				v = b.Select(holds, c, v)
			} else {
				v = b.Select(holds, v, c)
			}
		default:
			v = b.Op([]ir.Op{ir.OpMin, ir.OpMax, ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp}[g.pick(6)], v, c)
		}
	}
	g.keep(v)
}

// roundedBits: bits of what was rounded to 16, side by side.
func (g *generator) roundedBits() {
	b, t := g.b, []ir.Type{ir.F16, ir.BF16}[g.pick(2)]
	word := g.chance(2)
	var halves []build.Value
	for range 2 + g.pick(3) {
		h := g.converted(t, g.sided([]ir.Type{ir.F32, ir.F32, ir.F64}[g.pick(3)]))
		switch g.pick(5) {
		case 0, 1:
			h = b.Op(ir.OpAbs, h)
		case 2:
			h = b.Op(ir.OpNeg, h)
		case 3:
			h = g.joined(h, g.special(t))
		}
		if word {
			v := b.Bitcast(ir.U32, b.CanonNaN(h))
			if g.chance(2) {
				v = b.Op([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}[g.pick(3)], v, g.factor(ir.U32))
			}
			h = v
		}
		halves = append(halves, h)
	}
	if word {
		v := halves[0]
		for _, h := range halves[1:] {
			v = b.Op([]ir.Op{ir.OpOr, ir.OpAdd}[g.pick(2)], v, b.Shl(h, b.U32(16)))
		}
		halves = []build.Value{v}
	}
	for _, h := range halves {
		g.keep(h)
	}
}

// votesUsedAgain: a bool that is voted on and used behind the branch on the result.
func (g *generator) votesUsedAgain() {
	b := g.b
	p := g.condition()
	if g.chance(6) {
		p = b.Bool(g.chance(2))
	}
	ops := []ir.Op{ir.OpBarrierAnyWG, ir.OpBarrierAllWG, ir.OpAny, ir.OpAll}
	vote := func() build.Value {
		if g.chance(3) {
			return b.Op(ops[g.pick(4)], b.Not(p))
		}
		return b.Op(ops[g.pick(4)], p)
	}
	u := b.Var(g.operand(ir.U32))
	again := func() {
		u.Set(b.Select(p, b.Add(u.Get(), g.factor(ir.U32)), b.Not(u.Get())))
	}
	switch g.pick(4) {
	case 0:
		b.IfElse(vote(), again, func() { u.Set(b.Const(ir.U32, 5)) })
	case 1:
		b.If(b.Op(ops[g.pick(2)], p), func() {
			again()
			b.If(vote(), again)
		})
	case 2:
		b.For(b.U32(0), b.U32(uint32(1+g.pick(3))), b.U32(1), func(build.Value, build.Label) {
			b.If(vote(), again)
		})
	default:
		v := vote()
		again()
		g.keep(v)
		g.keep(b.Op(ir.OpBallot, p))
	}
	g.vars = append(g.vars, u)
}

// leastFloats: a float whose bits are a small number, or 0, becomes a float of another width.
func (g *generator) leastFloats() {
	b, t := g.b, floatTypes[g.pick(6)]
	least, zero := b.Const(t, []uint64{1, 1, 1, 2}[g.pick(4)]), b.Const(t, 0)
	if g.chance(4) {
		zero = b.Const(t, uint64(1)<<(t.Bits()-1))
	}
	if g.chance(2) {
		least, zero = zero, least
	}
	v := b.Select(g.condition(), least, zero)
	if g.chance(3) {
		x := b.Var(zero)
		b.If(g.condition(), func() { x.Set(least) })
		v = x.Get()
	}
	to := ir.F32
	if t == ir.F32 {
		to = []ir.Type{ir.BF16, ir.F16}[g.pick(2)]
	}
	g.keep(b.Cvt(to, v))
	g.keep(b.Cvt(to, b.Min(g.operand(t), b.Const(t, uint64(1)<<(t.Bits()-1))))) // what else is rounded matters
}
