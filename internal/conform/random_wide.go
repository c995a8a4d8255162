package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// wideSums: numbers of several words are added, subtracted and multiplied, one word after the other. Carries hand on to the next
// word, or to another one, or come from elsewhere; two numbers may take turns, and carries go through branches and loops.
func (g *generator) wideSums() {
	b, t := g.b, []ir.Type{ir.U64, ir.U64, ir.U32}[g.pick(3)]
	carries := [2]build.Value{g.carryIn(t), g.carryIn(t)}
	words := []build.Value{g.operand(t), g.operand(t), g.operand(t)}
	if g.chance(2) {
		by := g.operand(t)
		if g.chance(3) {
			by = b.Const(t, g.oddFactor(t))
		}
		words = append(words, b.Mul(words[0], by), b.Op(ir.OpMulHi, words[0], by))
	}
	word := func() build.Value {
		if g.chance(6) {
			return b.Const(t, []uint64{0, 1, t.Mask(), t.Mask() - 1, 1 << (t.Bits() - 1), 0xFFFF_FFFF}[g.pick(6)])
		}
		return words[len(words)-1-g.pick(len(words))]
	}
	minus := g.chance(3)
	link := func(k int) {
		if g.chance(12) {
			minus = !minus
		}
		x, y, c := word(), word(), carries[k]
		var sum build.Value
		op := ir.OpCarry
		switch p := g.pick(4); {
		case minus && p == 0:
			op, sum = ir.OpBorrow, b.Sub(x, b.Add(y, c))
		case minus:
			op, sum = ir.OpBorrow, b.Sub(b.Sub(x, y), c)
		case p == 0:
			sum = b.Add(x, b.Add(y, c))
		case p == 1:
			sum = b.Add(b.Add(c, x), y)
		default:
			sum = b.Add(b.Add(x, y), c)
		}
		out := b.Op(op, x, y, c)
		if g.chance(4) { // the sum may stand after its carry
			sum = b.Add(b.Add(x, y), c)
		}
		words = append(words, sum)
		switch g.pick(16) {
		case 0:
			words = append(words, out)
		case 1:
			carries[1-k] = out
			return
		case 2:
			out = b.Xor(out, b.Const(t, 1))
		case 3:
			words = append(words, b.Sub(b.Const(t, 0), out))
		case 4:
			out = b.Select(b.Ne(out, b.Const(t, 0)), out, carries[1-k])
		}
		carries[k] = out
	}
	for range 2 + g.pick(6) {
		k := 0
		if g.chance(3) {
			k = 1
		}
		switch g.pick(12) {
		case 0:
			here, was := words, carries
			r := b.Choose(g.conditionOn(word()), func() []build.Value {
				link(k)
				return []build.Value{words[len(words)-1], carries[0], carries[1]}
			}, func() []build.Value { return []build.Value{here[0], was[1], was[0]} })
			words, carries = append(here, r[0]), [2]build.Value{r[1], r[2]}
		case 1:
			here, was := words, carries
			sum, c := b.Var(word()), b.Var(carries[k])
			rounds := b.U32(uint32(1 + g.pick(4)))
			if g.chance(2) {
				rounds = b.And(b.Cvt(ir.U32, word()), b.U32(3))
			}
			b.For(b.U32(0), rounds, b.U32(1), func(build.Value, build.Label) {
				words, carries[k] = append(here, sum.Get()), c.Get()
				link(k)
				sum.Set(words[len(words)-1])
				c.Set(carries[k])
			})
			words, carries = append(here, sum.Get()), was
			carries[k] = c.Get()
		default:
			link(k)
		}
	}
	for _, c := range carries {
		if g.chance(2) {
			words = append(words, b.Add(word(), c))
		} else {
			words = append(words, c)
		}
	}
	v := words[3]
	for _, w := range words[4:] {
		v = b.Xor(b.Op(ir.OpRotl, v, b.U32(7)), w)
	}
	g.keep(v)
}

// carryIn is what a first word may take.
func (g *generator) carryIn(t ir.Type) build.Value {
	switch g.pick(6) {
	case 0:
		return g.b.And(g.operand(t), g.b.Const(t, 1))
	case 1:
		return g.operand(t) // anything, for which there is a meaning too
	case 2:
		return g.b.Const(t, 1)
	}
	return g.b.Const(t, 0)
}
