package device

import (
	"math/bits"

	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// asks reports whether a condition of a rule is about the bits that a value may have.
func asks(r *rules.Rule) bool {
	for _, v := range r.Of {
		if !r.Vars[v].Const {
			return true
		}
	}
	return false
}

// knows reports whether values of a type have known bits.
func knows(t ir.Type) bool { return t.IsInt() || t == ir.Bool }

// forgetProgram writes the wave that forgets the known bits when the table is made anew: slots have other numbers then. What
// was given, and what the live rows say, is learned again before rules search.
func forgetProgram() (*ir.Program, error) {
	e := newEmitter("forget")
	least := e.U32(saturation.Move)
	if fault == faultForget {
		least = e.U32(saturation.Enter)
	}
	e.If(e.Le(least, e.Load(e.table.header, e.U32(saturation.Act))), func() {
		e.For(e.Global(0), e.Load(e.table.header, e.U32(saturation.Slots)), e.Mul(e.Groups(0), e.U32(threads)), func(s build.Value, _ build.Label) {
			e.Store(e.zeros, s, e.U64(0))
			e.Store(e.ones, s, e.U64(0))
			e.Store(e.learned, s, e.U32(0))
		})
	})
	return e.finish(e.table.counters, saturation.Changed)
}

// tell adds the bits that the row at a place in the list knows to those of its class. All live rows of a class do, so that the
// bits of classes that became equal meet.
func (e *emitter) tell(all *symbols, k, h, i build.Value) {
	class := e.Load(e.lists.root, e.Load(e.lists.slot, i))
	e.If(e.Eq(h, e.U32(told)), func() {
		at := e.Shl(e.And(e.Cvt(ir.U32, k), e.U32(saturation.KidMask)), e.U32(1))
		e.know(class, knownBits{e.Load(e.given, at), e.Load(e.given, e.Add(at, e.U32(1)))})
	})
	for id, y := range all.of {
		switch {
		case !knows(y.Type):
		case y.Op == ir.OpConst && uint32(id) < told:
			e.If(e.Eq(h, e.U32(uint32(id))), func() {
				v := e.raw(y.Type, e.Load(e.lists.slot, i))
				e.know(class, knownBits{e.And(e.Not(v), e.U64(y.Type.Mask())), v})
			})
		case y.kids > 0 && y.Op != 0 && y.kids == y.Op.Info().Args:
			e.If(e.Eq(h, e.U32(uint32(id))), func() {
				if known, ok := e.transfer(y, e.children(y, k)); ok {
					e.know(class, known)
					e.single(y.Type, class)
				}
			})
		}
	}
}

// children are the classes of a row.
func (e *emitter) children(y symbol, k build.Value) []build.Value {
	kids := []build.Value{e.first(k), e.second(k)}
	if y.kids == 3 {
		part := e.lists.last(kids[0])
		kids = []build.Value{e.first(part), e.second(part), kids[1]}
	}
	return kids[:y.kids]
}

// know adds known bits to a class. If some are new, rules that ask about them may match what they have seen.
func (e *emitter) know(class build.Value, n knownBits) {
	add := func(o ir.Object, bits build.Value) build.Value {
		old := e.load(o, class)
		more := e.Ne(e.And(bits, e.Not(old)), e.U64(0))
		e.If(more, func() { e.Atomic(ir.OpAtomicOr, o, ir.Relaxed, ir.Device, class, bits) })
		return more
	}
	e.If(e.Or(add(e.zeros, n.zeros), add(e.ones, n.ones)), func() {
		when := e.Add(e.table.searches, e.U32(1))
		if fault == faultLearned {
			when = e.U32(0)
		}
		e.Atomic(ir.OpAtomicStore, e.learned, ir.Relaxed, ir.Device, class, when)
		e.table.increase(e.table.made)
	})
}

// single unites a class of which all bits are known with that number.
func (e *emitter) single(t ir.Type, class build.Value) {
	zeros, ones := e.load(e.zeros, class), e.load(e.ones, class)
	all := e.And(e.Eq(e.Xor(zeros, ones), e.U64(t.Mask())), e.Eq(e.Load(e.lists.constant, class), e.U32(saturation.None)))
	e.If(all, func() { e.table.unite(e.table.number(t, ones), class) })
}

// knownBits are bits of a value that are certainly 0, and certainly 1, none of them above its width.
type knownBits struct{ zeros, ones build.Value }

// of are those of a class, as far as they are known by now. They only become more.
func (e *emitter) of(class build.Value) knownBits {
	return knownBits{e.load(e.zeros, class), e.load(e.ones, class)}
}

// transfer computes the known bits of a row by those of its children, and reports whether there can be any.
func (e *emitter) transfer(y symbol, kids []build.Value) (knownBits, bool) {
	m := y.Type.Mask()
	mask, from := e.U64(m), y.from[0]
	if !knows(from) {
		return knownBits{}, false
	}
	var in [3]knownBits
	var may [3]build.Value
	for i, k := range kids {
		in[i] = e.of(k)
		may[i] = e.And(e.Not(in[i].zeros), e.U64(y.from[i].Mask()))
	}
	a, b := in[0], in[1]
	none := e.U64(0)
	above := func(v build.Value) build.Value { return e.And(mask, e.Not(e.upTo(v))) }
	switch y.Op {
	case ir.OpAnd:
		return knownBits{e.Or(a.zeros, b.zeros), e.And(a.ones, b.ones)}, true
	case ir.OpOr:
		return knownBits{e.And(a.zeros, b.zeros), e.Or(a.ones, b.ones)}, true
	case ir.OpXor:
		same := e.Or(e.And(a.zeros, b.zeros), e.And(a.ones, b.ones))
		return knownBits{same, e.Or(e.And(a.zeros, b.ones), e.And(a.ones, b.zeros))}, true
	case ir.OpNot:
		return knownBits{a.ones, a.zeros}, true
	case ir.OpSelect:
		return knownBits{e.And(b.zeros, in[2].zeros), e.And(b.ones, in[2].ones)}, true
	case ir.OpMin, ir.OpMax:
		return knownBits{e.And(a.zeros, b.zeros), e.And(a.ones, b.ones)}, true
	case ir.OpAdd:
		return e.sum(mask, a, b, may[0], may[1], none), true
	case ir.OpSub:
		return e.sum(mask, a, knownBits{b.ones, b.zeros}, may[0], e.And(e.Not(b.ones), mask), e.U64(1)), true
	case ir.OpNeg:
		return e.sum(mask, knownBits{mask, none}, knownBits{a.ones, a.zeros}, none, e.And(e.Not(a.ones), mask), e.U64(1)), true
	case ir.OpShl, ir.OpShr:
		return e.shifted(y, a, b, may[0], may[1])
	case ir.OpMul:
		low := e.Mul(e.And(may[0], e.Neg(may[0])), e.And(may[1], e.Neg(may[1])))
		zeros := e.And(e.Sub(low, e.U64(1)), mask) // a product is a multiple of the lowest bits that there may be
		if y.Type.Bits() <= 32 && !y.Type.IsSigned() {
			zeros = e.Or(zeros, above(e.Mul(may[0], may[1])))
		}
		return knownBits{zeros, none}, true
	case ir.OpDiv, ir.OpRem:
		if y.Type.IsSigned() {
			return knownBits{}, false
		}
		most := may[0]
		if y.Op == ir.OpRem {
			most = e.Min(may[0], may[1])
		}
		return knownBits{e.Select(e.Ne(b.ones, none), above(most), none), none}, true // by 0 it is another value
	case ir.OpPopc, ir.OpClz, ir.OpCtz:
		return knownBits{e.U64(m &^ (1<<bits.Len(uint(from.Bits())) - 1)), none}, true
	case ir.OpCvt, ir.OpBitcast:
		kept := from.Mask() & m
		if from.IsSigned() && m > from.Mask() { // the sign is spread
			kept = from.Mask() >> 1
			sign := e.U64(from.Mask() ^ kept)
			over := e.U64(m &^ kept)
			return knownBits{e.Or(e.And(a.zeros, e.U64(kept)), e.Select(e.Ne(e.And(a.zeros, sign), none), over, none)),
				e.Or(e.And(a.ones, e.U64(kept)), e.Select(e.Ne(e.And(a.ones, sign), none), over, none))}, true
		}
		return knownBits{e.Or(e.And(a.zeros, e.U64(kept)), e.U64(m&^kept)), e.And(a.ones, e.U64(kept))}, y.Type != ir.Bool
	}
	return knownBits{}, false
}

// upTo has all bits up to the highest of v.
func (e *emitter) upTo(v build.Value) build.Value {
	return e.Shr(e.U64(1<<64-1), e.Cvt(ir.U32, e.Op(ir.OpClz, v)))
}

// sum is of two values with a carry that goes in. A bit is known where it is in both and where the carries of the least and of
// the greatest sum agree.
func (e *emitter) sum(mask build.Value, a, b knownBits, mayA, mayB, carry build.Value) knownBits {
	most := e.Add(e.Add(mayA, mayB), carry)
	least := e.Add(e.Add(a.ones, b.ones), carry)
	carries := e.Or(e.Not(e.Xor(most, e.Xor(mayA, mayB))), e.Xor(least, e.Xor(a.ones, b.ones)))
	if fault == faultCarry {
		carries = mask
	}
	known := e.And(e.And(e.Or(a.zeros, a.ones), e.Or(b.zeros, b.ones)), e.And(carries, mask))
	return knownBits{e.And(known, e.Not(least)), e.And(known, least)}
}

// shifted is a shift by a count that is known, or a right shift by any.
func (e *emitter) shifted(y symbol, a, b knownBits, may, count build.Value) (knownBits, bool) {
	mask, none := e.U64(y.Type.Mask()), e.U64(0)
	sign := e.U64(y.Type.Mask() ^ y.Type.Mask()>>1)
	known := e.Eq(e.Xor(b.zeros, b.ones), e.U64(y.from[1].Mask()))
	n := e.Cvt(ir.U32, e.Min(count, e.U64(64))) // of 64 and more all bits are gone
	if y.Op == ir.OpShl {
		zeros := e.And(e.Or(e.Shl(a.zeros, n), e.Not(e.Shl(e.U64(1<<64-1), n))), mask)
		return knownBits{e.Select(known, zeros, none), e.Select(known, e.And(e.Shl(a.ones, n), mask), none)}, true
	}
	zeros := e.Select(known, e.And(e.Or(e.Shr(a.zeros, n), e.Not(e.Shr(mask, n))), mask), e.And(mask, e.Not(e.upTo(may))))
	ones := e.Select(known, e.Shr(a.ones, n), none)
	if y.Type.IsSigned() {
		positive := e.Ne(e.And(a.zeros, sign), none)
		zeros, ones = e.Select(positive, zeros, none), e.Select(positive, ones, none)
	}
	return knownBits{zeros, ones}, true
}
