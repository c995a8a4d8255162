package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// convertedPairs: values of 64 bits with one low word are converted one after the other, mostly each made of what the one
// before came to, and mostly all in one way.
func (g *generator) convertedPairs() {
	b := g.b
	from := []ir.Type{ir.U64, ir.I64, ir.F64, ir.F64}[g.pick(4)]
	low, high := b.Const(ir.U32, 0), g.operand(ir.U32)
	switch g.pick(4) {
	case 1:
		low = g.operand(ir.U32)
	case 2:
		low = g.special(ir.U32)
	case 3:
		low = b.Cvt(ir.U32, b.Groups(0))
	}
	to := g.pairTo(from)
	for range 2 + g.pick(4) {
		v := g.pair(from, low, high)
		if g.chance(6) {
			to = g.pairTo(from)
		}
		switch {
		case to != from:
			v = b.Cvt(to, v)
		default:
			v = b.Op([]ir.Op{ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRint}[g.pick(4)], v)
		}
		if g.chance(3) {
			g.keep(v)
		}
		if g.chance(8) {
			high = g.operand(ir.U32)
			continue
		}
		word := g.wordOf(v)
		for range g.pick(3) {
			word = g.joined(word, g.another(high))
		}
		high = g.joined(word, high)
	}
	g.keep(high)
}

// pairTo draws what 64 bits are converted to; to what they are, for a float that is rounded.
func (g *generator) pairTo(from ir.Type) ir.Type {
	if from == ir.F64 {
		return []ir.Type{ir.F32, ir.F32, ir.I32, ir.U32, ir.I64, ir.U64, ir.F64}[g.pick(7)]
	}
	return []ir.Type{ir.F32, ir.F32, ir.F64}[g.pick(3)]
}

// pair is a value of 64 bits of two words, or a choice by the upper one of two floats without a low word.
func (g *generator) pair(t ir.Type, low, high build.Value) build.Value {
	b := g.b
	if t == ir.F64 && g.chance(2) {
		c := b.Op(comparisons[g.pick(4)], high, g.special(ir.U32))
		return b.Select(c, g.zeroOrOne(t), g.special(t))
	}
	v := b.Cvt(ir.U64, low)
	if g.chance(2) {
		v = b.OpImm(ir.OpBfi, build.Field(32, 32), v, b.Cvt(ir.U64, high))
	} else {
		v = b.Or(v, b.Shl(b.Cvt(ir.U64, high), b.U32(32)))
	}
	if t == ir.U64 {
		return v
	}
	return b.Bitcast(t, v)
}

// wordOf is a word made of v.
func (g *generator) wordOf(v build.Value) build.Value {
	b, t := g.b, g.b.Type(v)
	switch {
	case t.IsFloat() && t.Bits() == 32 && g.chance(2):
		return b.Bitcast(ir.U32, b.CanonNaN(v))
	case t.IsFloat() && g.chance(2):
		return b.Cvt(ir.U32, b.Lt(v, g.special(t)))
	case t.IsFloat() && t.Bits() == 64 && g.chance(2):
		return b.Cvt(ir.U32, b.Shr(b.Bitcast(ir.U64, b.CanonNaN(v)), b.U32(32)))
	}
	return b.Cvt(ir.U32, v)
}

// upperHalvesAdded: the upper half of one product is added to several values, mostly each made of the sum before.
func (g *generator) upperHalvesAdded() {
	b, t := g.b, []ir.Type{ir.U32, ir.U32, ir.I32}[g.pick(3)]
	by := g.operand(t)
	upper := b.Op(ir.OpMulHi, by, g.another(by))
	x := by
	if g.chance(2) {
		x = g.operand(t)
	}
	for range 2 + g.pick(5) {
		before := x
		switch g.pick(8) {
		case 6:
			x = b.Sub(upper, x)
		case 7:
			x = b.Sub(x, upper)
		default:
			x = b.Add(x, upper)
		}
		for range g.pick(3) {
			x = g.intStep(t)(x)
		}
		if g.chance(2) {
			x = b.Xor(x, before)
		}
		if g.chance(4) {
			g.keep(x)
		}
	}
	g.keep(x)
}

// upperHalvesLess: what is mostly 0 is subtracted from a value of 64 bits whose low word is the upper half of a product.
func (g *generator) upperHalvesLess() {
	b, t := g.b, []ir.Type{ir.U32, ir.U32, ir.I32}[g.pick(3)]
	long := longTypes[g.pick(2)]
	by := g.operand(t)
	upper := b.Op(ir.OpMulHi, by, g.another(by))
	if g.chance(4) {
		upper = g.intStep(t)(upper)
	}
	from := b.Cvt(long, upper)
	if g.chance(3) {
		from = b.Or(from, b.Shl(g.operand(long), b.Const(ir.U32, 32)))
	}
	less := g.operand(long)
	switch g.pick(4) {
	case 0:
		less = b.Cvt(long, g.operand(t))
	case 1: // the low word is 0
		less = b.Shl(less, b.Const(ir.U32, 32))
	case 2: // a single bit
		less = b.And(less, b.Const(long, 1))
	}
	x := b.Sub(from, less)
	if g.chance(4) {
		x = b.Select(b.Lt(x, from), x, less)
	}
	g.keep(x)
}
