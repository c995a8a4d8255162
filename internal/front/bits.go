package front

import (
	"go/types"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// exactBits is what math/bits has. Names that end in a width take arguments of that width.
var exactBits = func() map[string]mathFunc {
	m := map[string]mathFunc{"Add32": addCarry, "Add64": addCarry, "Sub32": subBorrow, "Sub64": subBorrow, "Mul32": mulPair, "Mul64": mulPair,
		"ReverseBytes": reverseBytes}
	for _, width := range []string{"", "8", "16", "32", "64"} {
		m["OnesCount"+width] = func(l *lowering, _ types.Type, a []val) []val { return []val{l.asInt(l.b.Op(ir.OpPopc, a[0].v))} }
		m["Len"+width] = func(l *lowering, _ types.Type, a []val) []val {
			return []val{l.asInt(l.b.Sub(l.b.U32(valueBits(a[0])), l.b.Op(ir.OpClz, a[0].v)))}
		}
		m["LeadingZeros"+width] = func(l *lowering, _ types.Type, a []val) []val {
			spare := valueBits(a[0]) - uint32(a[0].elem.Bits())
			n := l.b.Op(ir.OpClz, a[0].v)
			if spare > 0 {
				n = l.b.Sub(n, l.b.U32(spare))
			}
			return []val{l.asInt(n)}
		}
		m["TrailingZeros"+width] = func(l *lowering, _ types.Type, a []val) []val {
			v := a[0].v
			if isNarrow(a[0].elem) { // a bit above its own ends the count of zero
				v = l.b.Or(v, l.b.U32(1<<a[0].elem.Bits()))
			}
			return []val{l.asInt(l.b.Op(ir.OpCtz, v))}
		}
		m["Reverse"+width] = func(l *lowering, t types.Type, a []val) []val {
			r := l.b.Op(ir.OpBrev, a[0].v)
			if isNarrow(a[0].elem) {
				r = l.b.Shr(r, l.b.U32(valueBits(a[0])-uint32(a[0].elem.Bits())))
			}
			return []val{scalar(t, r)}
		}
		m["RotateLeft"+width] = rotateLeft
		if width != "" && width != "8" {
			m["ReverseBytes"+width] = reverseBytes
		}
	}
	return m
}()

// valueBits is the width in which a value is computed.
func valueBits(x val) uint32 { return uint32(x.elem.Value().Bits()) }

// rotateLeft rotates by a count modulo the width, which is a power of two; a negative count
// rotates right, as its residue says.
func rotateLeft(l *lowering, t types.Type, a []val) []val {
	x := a[0]
	k := l.b.Cvt(ir.U32, l.index(a[1]))
	if !isNarrow(x.elem) {
		return []val{scalar(t, l.b.Op(ir.OpRotl, x.v, k))}
	}
	w := uint32(x.elem.Bits())
	k = l.b.And(k, l.b.U32(w-1))
	up := l.b.Shl(x.v, k)
	down := l.b.Shr(x.v, l.b.Sub(l.b.U32(w), k))
	return []val{loosely(t, l.b.Or(up, down))}
}

// Selectors of prmt: byte k of the result is nibble k.
const (
	swap16 = 0x4401 // bytes 1, 0, and two of the zero operand
	swap32 = 0x0123
)

func reverseBytes(l *lowering, t types.Type, a []val) []val {
	swap := func(v build.Value, sel uint32) build.Value { return l.b.Op(ir.OpPrmt, v, l.b.U32(0), l.b.U32(sel)) }
	x := a[0]
	switch x.elem {
	case ir.U16:
		return []val{scalar(t, swap(x.v, swap16))}
	case ir.U32:
		return []val{scalar(t, swap(x.v, swap32))}
	}
	half := l.b.U32(32)
	low := swap(l.b.Cvt(ir.U32, x.v), swap32)
	high := swap(l.b.Cvt(ir.U32, l.b.Shr(x.v, half)), swap32)
	return []val{scalar(t, l.b.Or(l.b.Shl(l.b.Cvt(ir.U64, low), half), l.b.Cvt(ir.U64, high)))}
}

func addCarry(l *lowering, t types.Type, a []val) []val {
	x, y, c := a[0].v, a[1].v, a[2].v
	return []val{l.result(t, 0, l.b.Add(l.b.Add(x, y), c)), l.result(t, 1, l.b.Op(ir.OpCarry, x, y, c))}
}

func subBorrow(l *lowering, t types.Type, a []val) []val {
	x, y, c := a[0].v, a[1].v, a[2].v
	return []val{l.result(t, 0, l.b.Sub(l.b.Sub(x, y), c)), l.result(t, 1, l.b.Op(ir.OpBorrow, x, y, c))}
}

func mulPair(l *lowering, t types.Type, a []val) []val {
	hi, lo := l.b.Op(ir.OpMulHi, a[0].v, a[1].v), l.b.Mul(a[0].v, a[1].v)
	return []val{l.result(t, 0, hi), l.result(t, 1, lo)}
}

// result makes result i of a call whose type is the tuple t.
func (l *lowering) result(t types.Type, i int, v build.Value) val {
	return scalar(t.(*types.Tuple).At(i).Type(), v)
}
