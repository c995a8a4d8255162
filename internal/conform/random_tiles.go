package conform

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// tileWords is how many words the shared arrays have from which operands of products are loaded. All indices are below.
const tileWords = 1024

// shareTiles fills these arrays: of words, and of halves.
func (g *generator) shareTiles() {
	b := g.b
	g.tiles = []ir.Object{b.SharedArray("words", ir.U32, tileWords), b.SharedArray("halves", ir.F16, 2*tileWords)}
	b.For(g.ownWG, b.U32(2*tileWords), b.U32(uint32(g.size)), func(i build.Value, _ build.Label) {
		v := b.Mul(i, b.U32(0x9E37_79B1))
		b.If(b.Lt(i, b.U32(tileWords)), func() { b.Store(g.tiles[0], i, v) })
		b.Store(g.tiles[1], i, b.Bitcast(ir.F16, b.Shr(v, b.U32(15))))
	})
	b.Barrier()
}

// tiled is an operand of so many words in shared memory: lines of 16 bytes, of which each lane has a word, now and then but nearly.
func (g *generator) tiled(words int) build.Value {
	b := g.b
	x, y := b.Shr(b.Lane(), b.U32(2)), b.And(b.Lane(), b.U32(3))
	pitch := uint32([]int{4, 8, 20, 5, 12}[g.pick(5)])
	turned := g.chance(3)
	unit := uint32(1)
	if turned { // of halves
		x, y = b.Mul(y, b.U32(2)), x
		pitch, unit = 2*pitch, 2
	}
	at := g.tileBase(unit)
	if g.chance(6) {
		at = b.Add(at, b.And(g.expr(ir.U32, 1), b.U32(4*unit))) // which lanes need not have in common
	}
	line, starts := b.Mul(b.Add(x, b.U32(uint32(g.pick(2)))), b.U32(pitch)), []uint32{0, 8 * pitch, 4 * unit, 8*pitch + 4*unit}
	switch g.pick(8) {
	case 0:
		starts[1], starts[2] = starts[2], starts[1]
	case 1:
		starts[g.pick(words)] += unit * uint32([]int{1, 2, 4, 8}[g.pick(4)])
	case 2:
		line = b.Shr(b.Mul(line, b.U32(2)), b.U32(1))
	case 3:
		line = b.Cvt(ir.U32, b.Op(ir.OpMulWide, x, b.U32(pitch)))
	case 4:
		at, line = b.Shr(b.Add(at, b.Mul(line, b.U32(2))), b.U32(1)), b.U32(0)
	}
	at = b.Add(b.Add(at, y), line)
	parts := make([]build.Value, words)
	for i := range parts {
		if g.chance(16) {
			at = b.Add(g.tileBase(unit), b.Add(y, line))
		}
		parts[i] = g.tileWord(b.Add(at, b.U32(starts[i])), pitch, turned)
	}
	return b.Vec(parts...)
}

// tileBase is where an operand begins, below 400 units: mostly something that a warp has in common.
func (g *generator) tileBase(unit uint32) build.Value {
	b := g.b
	v := [](func() build.Value){b.Warp, func() build.Value { return b.Group(0) }, func() build.Value { return b.Cvt(ir.U32, b.Len(g.ro[0].obj)) }}[g.pick(3)]()
	if n := len(g.counts); n > 0 && g.chance(2) {
		v = g.counts[g.pick(n)].Get()
	}
	shift := uint32(g.pick(5))
	return b.Mul(b.Shl(b.And(v, b.U32(255>>shift)), b.U32(shift)), b.U32(unit))
}

// tileWord loads a word, or two halves that lie one line apart.
func (g *generator) tileWord(at build.Value, pitch uint32, turned bool) build.Value {
	b := g.b
	lo, hi := at, b.Add(at, b.U32(pitch))
	if !turned {
		if g.chance(2) {
			return b.Load(g.tiles[0], at)
		}
		lo = b.Mul(at, b.U32(2))
		hi = b.Add(lo, b.U32(1))
	}
	half := func(i build.Value) build.Value { return b.Bitcast(ir.U32, b.Load(g.tiles[1], i)) }
	return b.Or(half(lo), b.Shl(half(hi), b.U32(16)))
}
