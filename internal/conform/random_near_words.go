package conform

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// lowChain is a chain of products and sums of 64 bits, of which the low words are followed: each value is, modulo 2³² and but
// for a constant, the first one times its factor. An assembler that gathers factors takes values of one factor, or of
// opposite ones, for each other (error 27), so the chain comes back to those that it has.
type lowChain struct {
	*generator
	t   ir.Type
	all []lowValue
}

type lowValue struct {
	v      build.Value
	factor uint32
}

// lowTwins: chains of products and sums that come back to a low word.
func (g *generator) lowTwins() {
	c := lowChain{generator: g, t: longTypes[g.pick(4)]}
	c.begin()
	for range 2 + g.pick(5) {
		c.multiply()
		c.between()
	}
	g.keep(c.last().v)
}

func (c *lowChain) last() lowValue { return c.all[len(c.all)-1] }

// next appends a value whose low word has the factor given.
func (c *lowChain) next(v build.Value, factor uint32) {
	c.all = append(c.all, lowValue{v, factor})
}

// begin starts the chain with a value of 64 bits, or with one that was widened.
func (c *lowChain) begin() {
	narrow := map[ir.Type]ir.Type{ir.U64: ir.U32, ir.I64: ir.I32}[c.t]
	switch c.pick(6) {
	case 0:
		c.next(c.b.Cvt(c.t, c.operand(narrow)), 1)
	case 1:
		x, by := c.operand(narrow), uint32(c.oddFactor(ir.U32))
		c.next(c.b.Cvt(c.t, x), 1)
		c.next(c.b.Op(ir.OpMulWide, x, c.b.Const(narrow, uint64(by))), by)
	default:
		c.next(c.operand(c.t), 1)
	}
}

// multiply appends a product by a constant, a shift, or a sum of two products.
func (c *lowChain) multiply() {
	from := c.last()
	switch c.pick(8) {
	case 0:
		n := 1 + c.pick(33)
		c.next(c.b.Shl(from.v, c.b.U32(uint32(n))), uint32(uint64(from.factor)<<n))
	case 1:
		c.addTo(c.by(from, uint32(c.oddFactor(ir.U32))), from)
	case 2, 3: // part of the factor, and the rest
		part := c.word()
		whole := c.back(from)
		c.addTo(c.by(from, part), c.by(from, whole-part))
	case 4:
		c.next(c.signed(from.v), from.factor) // no sign to speak of, if it is a magnitude
	case 5:
		p := c.by(from, uint32(c.oddFactor(ir.U32)))
		c.next(p.v, p.factor)
	default:
		p := c.by(from, c.back(from))
		c.next(p.v, p.factor)
	}
}

// by is a value times a constant that ends in the low word given.
func (c *lowChain) by(x lowValue, low uint32) lowValue {
	k := uint64(low)
	switch c.pick(6) {
	case 0:
		k |= uint64(c.word()) << 32
	case 1:
		k = uint64(int64(int32(low)))
	}
	return lowValue{c.b.Mul(x.v, c.b.Const(c.t, k)), x.factor * low}
}

// word draws 32 bits.
func (c *lowChain) word() uint32 { return uint32(c.pick(1<<16))<<16 | uint32(c.pick(1<<16)) }

// back draws what makes the factor of x one that the chain has, of either sign.
func (c *lowChain) back(x lowValue) uint32 {
	to := c.all[c.pick(len(c.all))].factor
	if c.chance(3) {
		to = -to
	}
	zeros := bits.TrailingZeros32(x.factor)
	if x.factor == 0 || bits.TrailingZeros32(to) < zeros {
		return uint32(c.oddFactor(ir.U32))
	}
	low := uint32(inverse(uint64(x.factor>>zeros))) * (to >> zeros)
	if zeros > 0 {
		low ^= c.word() << (32 - zeros) // the factor has no place for these bits
	}
	return low
}

// addTo appends the sum or a difference of two values.
func (c *lowChain) addTo(x, y lowValue) {
	switch c.pick(3) {
	case 0:
		c.next(c.b.Sub(x.v, y.v), x.factor-y.factor)
	case 1:
		c.next(c.b.Sub(y.v, x.v), y.factor-x.factor)
	default:
		c.next(c.b.Add(x.v, y.v), x.factor+y.factor)
	}
}

// between appends what stands between products: mostly a sum with a constant, or a difference.
func (c *lowChain) between() {
	from := c.last()
	k := c.factor(c.t)
	if c.chance(2) {
		k = c.special(c.t)
	}
	switch c.pick(12) {
	case 0, 1, 2, 3:
		c.next(c.b.Add(from.v, k), from.factor)
	case 4, 5:
		c.next(c.b.Sub(k, from.v), -from.factor)
	case 6:
		c.addTo(from, c.all[c.pick(len(c.all))])
	case 7: // the upper word is another one
		narrow := []ir.Type{ir.U32, ir.I32}[c.pick(2)]
		c.next(c.b.Cvt(c.t, c.b.Cvt(narrow, from.v)), from.factor)
	case 8: // from here on, it is of something else as well
		v := c.joined(from.v, c.operand(c.t))
		c.all = append(c.all[:0], lowValue{v, 1})
	case 9:
		c.keep(from.v)
	}
}
