package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Sweeps. A loop that does nothing but store to the elements of a local array, from the first one on, the same constant or what
// another local array has there, is a loop over bytes: the elements of all lanes follow each other. It goes by vectors. Where that
// ends behind the last element, it writes what nothing reads: arrays take whole vectors in a frame.

// sweep is such a loop.
type sweep struct {
	size, bytes int   // of an element, of all
	to, from    int32 // from: of a copy, else 0
	bits        vreg  // of a fill
}

// sweepRows are the rows of a loop that copies, but for constants, and the numbers of those that they read. One that fills has no load.
var sweepRows = [...]struct {
	op   ir.Op
	a, b int8
}{{ir.OpArg, -1, -1}, {ir.OpLe, -1, 0}, {ir.OpIf, 1, -1}, {ir.OpBreak, -1, -1}, {ir.OpYield, -1, -1},
	{ir.OpLoad, 0, -1}, {ir.OpStore, 0, -1}, {ir.OpAdd, 0, -1}, {ir.OpContinue, -1, -1}}

// sweep writes a loop that is one; false if it is none, or does more.
func (s *selector) sweep(loop ir.Row, mask vreg) bool {
	p, k, at := s.p, 0, [len(sweepRows)]ir.Row{}
	start := p.List(loop)
	if p.Op(loop) != ir.OpLoop || s.divergent[loop] || len(start) != 1 || !s.isNumber(ir.Row(start[0]), 0) {
		return false
	}
	for r := loop + 1; r < s.end(loop); r++ {
		op := p.Op(r)
		if op == ir.OpConst {
			continue
		}
		if k == 5 && op == ir.OpStore {
			k++
		}
		if k == len(at) {
			return false
		}
		w, list := &sweepRows[k], p.List(r)
		if op != w.op || w.a >= 0 && p.A(r) != at[w.a] || w.b >= 0 && p.B(r) != at[w.b] || isExit(op) && s.target(r) != loop ||
			len(list) != bitOf(op == ir.OpContinue) || len(list) > 0 && ir.Row(list[0]) != at[7] {
			return false
		}
		at[k] = r
		k++
	}
	if k < len(at) || p.Type(at[0]) != ir.U32 || !s.isNumber(p.B(at[7]), 1) {
		return false
	}
	x, ok := s.sweepTo(at[6], at[5], p.A(at[1]))
	if !ok || mask != noReg && x.size == 8 {
		return false
	}
	var uses []vreg
	if mask != noReg {
		uses = []vreg{mask}
	}
	s.macro(amongNone, uses, nil, func(e *emitter) { x.write(e, mask) })
	return true
}

// isNumber reports whether a row is a constant of that value.
//
//go:noinline
func (s *selector) isNumber(r ir.Row, n uint64) bool {
	return s.p.Op(r) == ir.OpConst && s.p.Const(r) == n
}

// sweepTo is the sweep of so many elements by a store, of what a load has loaded; 0 for none.
func (s *selector) sweepTo(store, load, limit ir.Row) (x sweep, ok bool) {
	p, count := s.p, uint64(0)
	if p.Op(limit) == ir.OpConst {
		count = p.Const(limit)
	}
	to, t, long := s.local(store)
	if count == 0 || count > long {
		return x, false
	}
	x = sweep{size: t.Size(), to: to}
	x.bytes = int(count) * x.size * s.layout.lanes
	if count < long && x.bytes%32 != 0 {
		return x, false
	}
	x.bytes = (x.bytes + 31) &^ 31
	v := p.B(store)
	if load != 0 {
		from, other, long := s.local(load)
		x.from = from
		return x, v == load && other == t && t != ir.Bool && count <= long
	}
	if p.Op(v) != ir.OpConst {
		return x, false
	}
	bits := p.Const(v) & t.Mask()
	for n := 8 * x.size; n < 64; n *= 2 {
		bits |= bits << n
	}
	x.bits = s.constant64(bits)
	return x, true
}

// local is where the array of an access stands in a vector's frame, with its type and length: 0 unless it is a local one.
//
//go:noinline
func (s *selector) local(r ir.Row) (at int32, t ir.Type, long uint64) {
	object := s.p.X(r)
	if o := &s.objects[object]; o.Local() {
		long = o.Array.Len
	}
	return s.layout.locals[object], s.objects[object].Type(), long
}

// write writes a sweep for the lanes of a mask. scratch0 has what is stored, scratch1 the mask of its bytes.
func (x *sweep) write(e *emitter, mask vreg) {
	switch {
	case mask == noReg:
	case x.size == 4:
		e.maskOf(mask, x.size, 0)
	default:
		for at := 0; at < 32; at += lanes * x.size {
			e.storePacked(x.size, amd64.At(vectorFrame, vectorX+int32(at)), e.reg(mask, scratch2))
		}
		e.VLoad(scratch1, amd64.At(vectorFrame, vectorX))
	}
	if x.from == 0 {
		e.VLoad(scratch0, amd64.At(groupFrame, e.f.vregs[x.bits].off))
	}
	step, again := 32+int32(^x.bytes&32), e.NewLabel()
	e.Imm32(amd64.AX, uint32(x.bytes))
	e.Bind(again)
	for at := int32(0); at < step; at += 32 {
		m := amd64.Mem{Base: vectorFrame, Index: amd64.AX, Scale: 1, Disp: x.to + at - step}
		if x.from != 0 {
			e.VLoad(scratch0, plus(m, x.from-x.to))
		}
		y := scratch0
		if mask != noReg {
			y = scratch2
			e.V3(amd64.VPXOR, y, scratch0, m.RM()) // what changes
			e.V3(amd64.VPAND, y, y, scratch1.RM())
			e.V3(amd64.VPXOR, y, y, m.RM())
		}
		e.VStore(m, y)
	}
	e.AluImm(amd64.SUB, 8, amd64.AX.RM(), step)
	e.Jcc(amd64.NE, again)
}
