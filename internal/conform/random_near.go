package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// The assembler has been seen to go wrong at the shapes of docs/design/assembler-errors.md. Each has a family here, of
// which it is one member: other types, constants and ops, operands exchanged, signs written in other ways, and something
// put in between. So an error that comes back is found, and so is a neighbour of one.

// nearErrors are the families, those of integers first. Those that have several errors to come near, or seldom do, stand twice.
var nearErrors = []func(*generator){
	(*generator).wideSums,
	(*generator).wideSums,
	(*generator).shiftsThatMeet, // 1
	(*generator).products,       // 6, 15, 27 and 28, and 39
	(*generator).products,
	(*generator).saturatedSums, // 9
	(*generator).saturatedSums,
	(*generator).turnedNegations,
	(*generator).turnedNegations,    // 10 and 46
	(*generator).signsOfBytes,       // 12
	(*generator).negationsAndShifts, // 17 and 55
	(*generator).farShifts,          // 18
	(*generator).halvesInPlace,      // 19
	(*generator).magnitudes,         // 21
	(*generator).signsOfNegations,   // 22
	(*generator).signsOfNegations,
	(*generator).shiftsOfNegatives,    // 29
	(*generator).pairsBesideWords,     // 30
	(*generator).multipliedInBranches, // 31
	(*generator).fieldsPutInPlace,     // 32
	(*generator).fieldsPutInPlace,
	(*generator).upperHalvesAdded,   // 34
	(*generator).upperHalvesLess,    // 47
	(*generator).invertedInBranches, // 35
	(*generator).mergedOnes,         // 36
	(*generator).lateMinuends,       // 38
	(*generator).bothOfTwo,          // 41
	(*generator).extremesOfSeveral,  // 14
	(*generator).fieldsAsFloats,     // 23, 25 and 26
	(*generator).fieldsAsFloats,
	(*generator).convertedPairs, // 33
	(*generator).votesUsedAgain, // 3 and 5
	(*generator).signsOfZeros,   // 4, 7 and 16
	(*generator).signsOfZeros,
	(*generator).comparisonsInRanges, // 8
	(*generator).knownSums,           // 11
	(*generator).bounds,              // 13 and 24
	(*generator).bounds,
	(*generator).roundedBits, // 20
	(*generator).leastFloats, // 40
	(*generator).boundsOfNaN, // 45
}

// nearError writes a shape of one of them.
func (g *generator) nearError() {
	if g.integers {
		nearErrors[g.pick(integerErrors)](g)
		return
	}
	nearErrors[g.pick(len(nearErrors))](g)
}

// integerErrors is how many families there are of integers alone.
const integerErrors = 27

var longTypes = []ir.Type{ir.U64, ir.I64, ir.U64, ir.I64, ir.U32, ir.I32}
var wordTypes = []ir.Type{ir.U32, ir.I32, ir.U32, ir.I32, ir.U64, ir.I64}

// carriedConstants: a loop that ends because a round gives the next one a constant; nobody knows whether it has a round at all.
func (g *generator) carriedConstants() {
	b, t := g.b, wordTypes[g.pick(6)]
	last := b.Const(t, uint64(1+g.pick(3)))
	a, n := b.Var(b.And(g.varying(t), last)), b.Var(g.operand(t))
	b.Loop(nil, func(l build.Label, _ []build.Value) {
		b.If(b.Eq(a.Get(), last), func() { b.Break(l) })
		if g.chance(2) {
			b.If(b.Lt(n.Get(), g.operand(t)), func() { n.Set(b.Xor(n.Get(), a.Get())) })
		}
		n.Set(b.Add(n.Get(), g.factor(t)))
		a.Set(last)
	})
	g.keep(n.Get())
}

// shiftsThatMeet: two shifts of one value, mostly by counts that make a turn, of either sign.
func (g *generator) shiftsThatMeet() {
	b, t := g.b, longTypes[g.pick(6)]
	x := g.operand(t)
	w := int(t.Bits())
	n := 1 + g.pick(w-1)
	m := w - n
	if g.chance(6) {
		m = g.pick(w)
	}
	left, right := x, x
	if g.chance(3) {
		left = g.signed(x)
	}
	if g.chance(3) {
		right = g.signed(x)
	}
	if g.chance(2) {
		right = g.as(otherSign[t], right)
	}
	left, right = b.Shl(left, b.U32(uint32(n))), g.as(t, b.Shr(right, b.U32(uint32(m))))
	switch g.pick(8) {
	case 0:
		right = g.signed(right)
	case 1:
		right = b.Not(right)
	}
	g.keep(g.joined(left, right))
}

// products: now and then a loop with a carried constant; else products and left shifts by constants in a row, added to, of a value whose low word may be known.
func (g *generator) products() {
	if g.chance(8) {
		g.carriedConstants()
		return
	}
	if g.chance(2) {
		g.lowTwins()
		return
	}
	b, t := g.b, longTypes[g.pick(6)]
	v := g.partlyKnown(t)
	first := v
	by := g.oddFactor(t)
	for k := range 2 + g.pick(3) {
		product := b.Mul(v, b.Const(t, by))
		switch g.pick(8) {
		case 5:
			product = b.Mul(v, g.factor(t))
		case 6, 7:
			product = b.Shl(v, b.U32(uint32(g.pick(int(t.Bits())))))
		}
		switch g.pick(6) {
		case 1, 2:
			product = b.Add(product, g.factor(t))
		case 3:
			product = g.joined(product, v)
		case 4:
			product = b.Sub(g.factor(t), product)
		case 5:
			product = g.joined(product, first)
		}
		v = product
		if k%2 == 0 { // what takes the first factor back, in the low word or in all
			by = inverse(by) & t.Mask()
			if g.chance(2) {
				by &= 0xFFFF_FFFF
			}
			if g.chance(3) {
				by = -by & t.Mask()
			}
		}
	}
	g.keep(v)
}

// oddFactor draws a factor that another one may take back.
func (g *generator) oddFactor(t ir.Type) uint64 {
	c := []uint64{3, 5, 7, 9, 641, 0xFFFF, 0x10001, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1_0000_0001}[g.pick(10)]
	if g.chance(3) {
		c = uint64(g.pick(1<<16))<<16 | uint64(g.pick(1<<16)) | 1
	}
	if g.chance(4) {
		c = -c
	}
	return c & t.Mask()
}

// inverse is what makes 1 of an odd number, modulo 2⁶⁴: each round doubles the bits that are right.
func inverse(c uint64) uint64 {
	x := c
	for range 6 {
		x *= 2 - c*x
	}
	return x
}

// partlyKnown is an operand of which an assembler may know bits.
func (g *generator) partlyKnown(t ir.Type) build.Value {
	b, x := g.b, g.operand(t)
	switch g.pick(8) {
	case 1:
		return b.Or(x, g.factor(t))
	case 2:
		return b.And(x, g.factor(t))
	case 3:
		return b.Shl(x, b.U32(uint32(g.pick(int(t.Bits())))))
	case 4:
		return b.Op([]ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)], x, g.factor(t))
	case 5:
		return b.Cvt(t, g.operand(ir.U32))
	case 6:
		w := uint32(t.Bits())
		return b.OpImm(ir.OpBfi, build.Field(0, []uint32{8, 16, w / 2, w}[g.pick(4)]), x, g.factor(t))
	case 7:
		if t.Bits() == 64 {
			narrow := map[ir.Type]ir.Type{ir.U64: ir.U32, ir.I64: ir.I32}[t]
			return b.Op(ir.OpMulWide, g.operand(narrow), g.factor(narrow))
		}
	}
	return x
}

// saturatedSums: sums, with and without saturation, of constants.
func (g *generator) saturatedSums() {
	b, t := g.b, wordTypes[g.pick(6)]
	v := g.partlyKnown(t)
	for range 2 + g.pick(3) {
		c := g.special(t)
		op := []ir.Op{ir.OpAddSat, ir.OpSubSat, ir.OpAdd, ir.OpSub, ir.OpMin, ir.OpMax, ir.OpMulSat}[g.pick(7)]
		switch {
		case g.chance(8):
			v = g.signed(v)
		case g.chance(2):
			v = b.Op(op, v, c)
		default:
			v = b.Op(op, c, v)
		}
	}
	g.keep(v)
}

// turnedNegations: rotations of x or −x, with something added.
func (g *generator) turnedNegations() {
	b, t := g.b, wordTypes[g.pick(6)]
	x := g.operand(t)
	v := g.signed(x)
	n := uint32(g.pick(int(t.Bits())))
	switch g.pick(3) {
	case 2:
		// Of one value, or of two: then it is no rotation, and the second may be any.
		low := g.as(t.Unsigned(), v)
		if g.chance(4) {
			low = v
		}
		high := low
		if g.chance(2) {
			high = g.operand(g.b.Type(low))
		}
		v = g.as(t, b.Op([]ir.Op{ir.OpOr, ir.OpAdd, ir.OpAdd, ir.OpXor}[g.pick(4)], b.Shl(high, b.U32(n)), b.Shr(low, b.U32(uint32(t.Bits())-n))))
	default:
		v = b.Op([]ir.Op{ir.OpRotl, ir.OpRotr}[g.pick(2)], v, b.U32(n))
	}
	if g.chance(4) {
		v = g.signed(v)
	}
	if g.chance(2) {
		g.keep(b.Add(v, g.another(x)))
		return
	}
	g.keep(g.joined(v, g.another(x)))
}

// another is x, another operand or a constant.
func (g *generator) another(x build.Value) build.Value {
	switch g.pick(3) {
	case 1:
		return g.operand(g.b.Type(x))
	case 2:
		return g.special(g.b.Type(x))
	}
	return x
}

// signsOfBytes: bytes and their signs, some of which are kept.
func (g *generator) signsOfBytes() {
	b := g.b
	v := g.bytes(g.operand(ir.U32), g.another(g.operand(ir.U32)))
	for range 1 + g.pick(2) {
		switch g.pick(6) {
		case 0, 1, 5:
			masks := []uint32{0xFF, 0xFFFF, 0xFF_FFFF, 0xFF00, 0xFFFF_0000, 0xFF00_FF00, 0x7F, 0x1FF, 0xF, 0xFF_FF00}
			v = b.And(v, b.U32(masks[g.pick(len(masks))]))
		case 2:
			v = b.Op([]ir.Op{ir.OpShl, ir.OpShr}[g.pick(2)], v, b.U32(uint32(8*g.pick(4))))
		case 3:
			pos := uint32(8 * g.pick(4))
			v = b.OpImm(ir.OpBfe, build.Field(pos, 1+uint32(g.pick(int(32-pos)))), v)
		case 4:
			v = g.bytes(v, g.another(v))
			if g.chance(2) {
				v = g.joined(v, g.operand(ir.U32))
			}
		}
	}
	g.keep(v)
}

// bytes puts bytes of x and y, or their signs, into a word.
func (g *generator) bytes(x, y build.Value) build.Value {
	var choice uint32
	signs := g.pick(3) > 0
	for range 4 {
		choice = choice<<4 | uint32(g.pick(8))
		if signs && g.chance(2) {
			choice |= 8
		}
	}
	return g.b.Op(ir.OpPrmt, x, y, g.b.U32(choice))
}

// extremesOfSeveral: the smallest or greatest of three and more, of either sign.
func (g *generator) extremesOfSeveral() {
	b := g.b
	t := append(wordTypes, ir.F32, ir.F16)[g.pick(8)]
	op := []ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)]
	v := g.signed(g.operand(t))
	for range 2 + g.pick(2) {
		x := g.signed(g.operand(t))
		if g.chance(4) {
			x = g.special(t)
		}
		if t.IsInt() && g.chance(4) {
			v = g.as(t, b.Op(op, g.as(otherSign[t], v), g.as(otherSign[t], x)))
		} else if g.chance(3) {
			if op == ir.OpMin {
				v = b.Select(b.Lt(v, x), v, x)
			} else {
				v = b.Select(b.Lt(v, x), x, v)
			}
		} else if g.chance(2) {
			v = b.Op(op, v, x)
		} else {
			v = b.Op(op, x, v)
		}
		if g.chance(6) {
			v = g.signed(v)
		}
		if g.chance(4) {
			op = ir.OpMin + ir.OpMax - op
		}
	}
	g.keep(v)
}

// negationsAndShifts: −x shifted, or added to what is shifted or multiplied.
func (g *generator) negationsAndShifts() {
	b, t := g.b, longTypes[g.pick(6)]
	x, y := g.signed(g.operand(t)), g.operand(t)
	if g.chance(6) { // 55
		x, y = b.Not(x), b.Not(y)
	}
	n := b.U32(uint32(g.pick(int(t.Bits()))))
	switch g.pick(4) {
	case 0:
		x = b.Shl(x, n)
	case 1:
		y = b.Shl(y, n)
	case 2:
		y = b.Mul(y, b.Const(t, []uint64{2, 3, 4, 5, 8, 9, 16, 1 << 31}[g.pick(8)]))
	default:
		x = b.Shr(x, n)
	}
	if g.chance(2) {
		y = g.signed(y)
	}
	v := g.joined(x, y)
	if g.chance(3) {
		v = g.joined(v, g.another(x))
	}
	g.keep(v)
}

// farShifts: products shifted by counts that are known, and may be as great as the width.
func (g *generator) farShifts() {
	b, t := g.b, longTypes[g.pick(6)]
	v := b.Mul(g.partlyKnown(t), g.factor(t))
	switch g.pick(4) {
	case 1:
		v = b.Add(v, g.factor(t))
	case 2:
		v = b.Shl(v, b.U32(uint32(g.pick(32))))
	case 3:
		v = g.signed(v)
	}
	by := []uint32{0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 127, 128, 255, 1 << 31}
	n := b.U32(by[g.pick(len(by))])
	switch g.pick(6) {
	case 1, 2:
		n = b.OpImm(ir.OpBfi, build.Field(0, 32), g.operand(ir.U32), n)
	case 3:
		n = b.Select(g.condition(), n, b.U32(by[g.pick(len(by))]))
	case 4:
		n = b.Op([]ir.Op{ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr}[g.pick(4)], g.operand(ir.U32), n)
	case 5:
		n = b.Op(ir.OpShuffle, n, b.U32(uint32(g.pick(32))))
	}
	v = b.Op([]ir.Op{ir.OpShl, ir.OpShl, ir.OpShr, ir.OpRotl}[g.pick(4)], v, n)
	if g.chance(3) {
		v = g.joined(v, g.operand(t))
	}
	g.keep(v)
}

// halvesInPlace: a part of a word of 64 bits is replaced, and the whole is used.
func (g *generator) halvesInPlace() {
	b, t := g.b, longTypes[g.pick(4)]
	x := g.operand(t)
	whole := g.joined(x, g.operand(t))
	if g.chance(3) {
		whole = x
	}
	word := b.Cvt(ir.U32, whole)
	if g.chance(4) {
		word = b.Cvt(ir.U32, b.Shr(whole, b.U32(32)))
	}
	part := g.operand(ir.U32)
	if g.chance(2) {
		part = g.special(ir.U32)
	}
	pos := uint32(8 * g.pick(4))
	length := min(32-pos, 8+8*uint32(g.pick(2)))
	switch g.pick(4) {
	case 2:
		mask := (uint32(1)<<length - 1) << pos
		word = b.Or(b.And(word, b.U32(^mask)), b.And(b.Shl(part, b.U32(pos)), b.U32(mask)))
	case 3:
		word = g.bytes(word, part)
	default:
		if g.chance(3) {
			word, part = part, word
		}
		word = b.OpImm(ir.OpBfi, build.Field(pos, length), word, part)
	}
	g.keep(word)
	if g.chance(2) {
		whole = g.joined(whole, b.Cvt(t, word))
	}
	g.keep(whole)
}

// magnitudes: what is never negative, but for the least, compared and divided.
func (g *generator) magnitudes() {
	b, t := g.b, []ir.Type{ir.I32, ir.I64}[g.pick(2)]
	x := g.operand(t)
	if g.chance(4) {
		x = g.joined(x, g.special(t))
	}
	v := b.Abs(x)
	switch g.pick(8) {
	case 4:
		v = b.Select(b.Lt(x, b.Const(t, 0)), b.Sub(b.Const(t, 0), x), x)
	case 5:
		v = b.Max(x, b.Op(ir.OpNeg, x))
	case 6:
		v = b.Op(ir.OpNeg, v)
	case 7:
		v = g.as(t, b.Op(ir.OpAbsDiff, x, g.another(x)))
	}
	c := b.Const(t, []uint64{0, 0, t.Mask(), 1, 2, least(t), least(t) - 1, least(t) + 1}[g.pick(8)])
	if g.chance(4) {
		c = g.another(x)
	}
	switch g.pick(5) {
	case 1:
		g.keep(b.Op(g.extremesOrQuotients(), v, c))
		return
	case 2:
		g.keep(b.Shr(v, b.U32(uint32(t.Bits())-1-uint32(g.pick(2)))))
		return
	case 3:
		g.keep(b.Cvt(g.shapeType(6), v))
		return
	}
	if g.chance(2) {
		v, c = c, v
	}
	g.keep(b.Op(comparisons[g.pick(4)], v, c))
}

// extremesOrQuotients draws an op that looks at signs.
func (g *generator) extremesOrQuotients() ir.Op {
	if g.integers {
		return []ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)]
	}
	return []ir.Op{ir.OpMin, ir.OpMax, ir.OpDiv, ir.OpRem}[g.pick(4)]
}

// signsOfNegations: a negation or a difference of which the sign is asked for.
func (g *generator) signsOfNegations() {
	b, t := g.b, []ir.Type{ir.I64, ir.I64, ir.I32}[g.pick(3)]
	v := g.operand(t)
	switch g.pick(4) {
	case 1:
		v = b.Shl(v, b.U32(uint32(g.pick(int(t.Bits())))))
	case 2:
		v = g.joined(v, g.another(v))
	}
	v = g.signed(v)
	if g.chance(4) {
		v = g.joined(v, g.another(v))
	}
	zero := b.Const(t, 0)
	switch g.pick(6) {
	case 0:
		g.keep(b.Lt(v, zero))
	case 1:
		g.keep(b.Le(zero, v))
	case 2:
		g.keep(b.Select(b.Lt(v, zero), g.another(v), v))
	case 3:
		g.keep(b.Op([]ir.Op{ir.OpMin, ir.OpMax}[g.pick(2)], v, zero))
	case 4:
		g.keep(b.Shr(v, b.U32(uint32(t.Bits()-1))))
	default:
		g.keep(b.Op(comparisons[g.pick(4)], v, g.rangeEnd(t)))
	}
}

// least is the least number of a signed type.
func least(t ir.Type) uint64 { return 1 << (t.Bits() - 1) }
