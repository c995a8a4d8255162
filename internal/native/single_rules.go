package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Rules for general registers: integers and bools of one invocation. A rule may return nil: then that for vectors holds.

// singleRules has, by op, how it is written.
var singleRules = map[ir.Op][]rule{}

// onSingle adds rules of an op.
//
//go:noinline
func onSingle(op ir.Op, rs ...rule) { singleRules[op] = append(singleRules[op], rs...) }

// make adds an instruction that writes a new register of size bytes, from a, b and c as far as there are such. It computes in
// the register that it is given, which may be that of an operand.
//
//go:noinline
func (s *selector) make(size amd64.Size, a, b, c vreg, emit func(e *emitter, in *ins, d amd64.Reg)) vreg {
	return s.add(ins{form: formGeneral, d: s.generalReg(size), a: a, b: b, c: c, emit: func(e *emitter) {
		in := &e.f.ins[e.at]
		d := e.target(in.d)
		for _, v := range [...]vreg{in.b, in.c} {
			if v != noReg && e.owns(v) && e.own(v) == d { // it is read after d is written
				d = amd64.AX
			}
		}
		emit(e, in, d)
		e.setGeneral(in.d, d)
	}})
}

// alu applies an operation of two operands.
//
//go:noinline
func (s *selector) alu(op amd64.Alu, size amd64.Size, a, b vreg) vreg {
	return s.add(ins{form: formGeneral, d: s.generalReg(size), a: a, b: b, c: noReg, commutes: op != amd64.SUB, emit: func(e *emitter) {
		in := &e.f.ins[e.at]
		e.binary(op, size, in.d, in.a, in.b)
	}})
}

// operand returns the register of the row's k-th operand, of which as many bytes are read as its type has: the lower half of a
// number is where all of it is.
func (s *selector) operand(r ir.Row, k int) vreg {
	v := [...]ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)}[k]
	if of := s.p.A(v); s.p.Op(v) == ir.OpCvt && int32s.Has(s.p.Type(v)) && int64s.Has(s.p.Type(of)) {
		v = of
	}
	return s.vals[v][0]
}

// size is the bytes of the operand that a row's mnemonic carries.
func (s *selector) size(r ir.Row) amd64.Size { return width(typedOperand(s.p, r)) }

func init() {
	both := int32s | int64s
	bits := both | ir.Set(ir.Bool)
	alu := func(op ir.Op, types ir.TypeSet, by amd64.Alu) {
		onSingle(op, rule{types, func(s *selector, r ir.Row) []vreg {
			return []vreg{s.alu(by, s.size(r), s.operand(r, 0), s.operand(r, 1))}
		}})
	}
	alu(ir.OpAdd, both, amd64.ADD)
	alu(ir.OpSub, both, amd64.SUB)
	alu(ir.OpAnd, bits, amd64.AND)
	alu(ir.OpOr, bits, amd64.OR)
	alu(ir.OpXor, bits, amd64.XOR)
	onSingle(ir.OpNot, rule{bits, single1(func(e *emitter, size amd64.Size, d amd64.Reg) { e.AluImm(amd64.XOR, size, d.RM(), -1) })})
	onSingle(ir.OpNeg, rule{both, single1(func(e *emitter, size amd64.Size, d amd64.Reg) { e.Neg(size, d) })})
	onSingle(ir.OpMul, rule{both, (*selector).mulSingle})
	onSingle(ir.OpMulHi, rule{u64only, (*selector).product}, rule{int32s, func(s *selector, r ir.Row) []vreg { return []vreg{s.mulWide(r, true)} }})
	onSingle(ir.OpMulHi, rule{i64only, (*selector).mulHiSigned})
	onSingle(ir.OpBfe, rule{both, (*selector).extractSingle})
	onSingle(ir.OpMulWide, rule{int32s, func(s *selector, r ir.Row) []vreg { return []vreg{s.mulWide(r, false)} }})
	onSingle(ir.OpDiv, rule{u32only | u64only, divideSingle(amd64.AX)})
	onSingle(ir.OpRem, rule{u32only | u64only, divideSingle(amd64.DX)})
	onSingle(ir.OpShl, rule{both, shiftSingle(4)})
	onSingle(ir.OpShr, rule{u32only | u64only, shiftSingle(5)}, rule{i32only | i64only, shiftSingle(7)})
	onSingle(ir.OpRotl, rule{both, rotateSingle(false)})
	onSingle(ir.OpRotr, rule{both, rotateSingle(true)})
	for _, op := range []ir.Op{ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe} {
		onSingle(op, rule{both, (*selector).truth})
	}
	onSingle(ir.OpMin, rule{both, extremeSingle(false)})
	onSingle(ir.OpMax, rule{both, extremeSingle(true)})
	onSingle(ir.OpSelect, rule{bits, (*selector).selectSingle})
	onSingle(ir.OpCvt, rule{both, (*selector).convertSingle})
	onSingle(ir.OpBitcast, rule{both, func(s *selector, r ir.Row) []vreg {
		if !inGeneral(s.p.Type(r)) {
			return nil
		}
		return s.vals[s.p.A(r)]
	}})
}

// single1 is a rule for what is done to one register.
func single1(do func(e *emitter, size amd64.Size, d amd64.Reg)) write {
	return func(s *selector, r ir.Row) []vreg {
		size := s.size(r)
		return []vreg{s.make(size, s.operand(r, 0), noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) {
			e.bring(size, d, in.a)
			do(e, size, d)
		})}
	}
}

func (s *selector) mulSingle(r ir.Row) []vreg {
	if s.p.Type(r) == ir.U64 {
		if vs := s.product(r); vs != nil {
			return vs
		}
	}
	size := s.size(r)
	return []vreg{s.make(size, s.operand(r, 0), s.operand(r, 1), noReg, func(e *emitter, in *ins, d amd64.Reg) {
		e.bring(size, d, in.a)
		if n, ok := e.literal(size, in.b); ok {
			e.MulImm(size, d, d.RM(), n)
		} else {
			e.Mul(size, d, e.word(in.b))
		}
	})}
}

// mulWide is the product of 64 bits of two numbers of 32, or its upper half.
func (s *selector) mulWide(r ir.Row, upper bool) vreg {
	size := amd64.Size(8)
	if upper {
		size = 4
	}
	signed := typedOperand(s.p, r).IsSigned()
	return s.make(size, s.operand(r, 0), s.operand(r, 1), noReg, func(e *emitter, in *ins, d amd64.Reg) {
		e.widened(signed, amd64.CX, in.b)
		e.widened(signed, d, in.a)
		e.Mul(8, d, amd64.CX.RM())
		if upper {
			e.ShiftImm(5, 8, d, 32)
		}
	})
}

// mulHiSigned is the upper half of a product of signed numbers of 64 bits.
func (s *selector) mulHiSigned(r ir.Row) []vreg {
	hi := s.generalReg(8)
	s.macro(amongValue, []vreg{s.operand(r, 0), s.operand(r, 1)}, []vreg{hi}, func(e *emitter) {
		in := &e.f.ins[e.at]
		e.bring(8, amd64.AX, in.uses[0])
		e.MulWideSigned(8, e.word(in.uses[1]))
		e.setGeneral(in.defs[0], amd64.DX)
	})
	s.ins[len(s.ins)-1].follows = true
	return []vreg{hi}
}

// extractSingle takes bits out of a number, with zeros above, or copies of the last one.
func (s *selector) extractSingle(r ir.Row) []vreg {
	size := s.size(r)
	first, n := field(s.p.X(r))
	all := 8 * uint8(size)
	kind := uint8(5)
	if s.p.Type(r).IsSigned() {
		kind = 7
	}
	return []vreg{s.make(size, s.operand(r, 0), noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) {
		e.bring(size, d, in.a)
		if first == 0 && n < 32 && kind == 5 {
			e.AluImm(amd64.AND, size, d.RM(), int32(uint32(1)<<n-1))
			return
		}
		if first+n < all {
			e.ShiftImm(4, size, d, all-first-n)
		}
		if n < all {
			e.ShiftImm(kind, size, d, all-n)
		}
	})}
}

// widened brings a number of 32 bits into 64.
func (e *emitter) widened(signed bool, r amd64.Reg, v vreg) {
	if signed {
		e.LoadSign32(r, e.word(v))
	} else {
		e.Load(4, r, e.word(v))
	}
}

// divideSingle divides unsigned numbers: result is the register that the processor has it in. x/0 is all ones, and leaves 0.
func divideSingle(result amd64.Reg) write {
	return func(s *selector, r ir.Row) []vreg {
		size := s.size(r)
		return []vreg{s.make(size, s.operand(r, 0), s.operand(r, 1), noReg, func(e *emitter, in *ins, d amd64.Reg) {
			none, back := e.NewLabel(), e.NewLabel()
			by := e.general(size, in.b, amd64.CX)
			e.bring(size, amd64.AX, in.a)
			e.Imm32(amd64.DX, 0)
			e.Test(size, by, by)
			e.Jcc(amd64.E, none)
			e.Div(size, by.RM())
			e.Bind(back)
			if d != result {
				e.Load(8, d, result.RM())
			}
			e.later(func() {
				e.Bind(none)
				e.AluImm(amd64.OR, size, amd64.AX.RM(), -1)
				e.Jmp(back)
			})
		})}
	}
}

// shiftSingle shifts left (4), right (5) or right with the sign (7). Beyond all bits there are zeros, or the sign.
func shiftSingle(kind uint8) write {
	return func(s *selector, r ir.Row) []vreg {
		size := s.size(r)
		most := 8*uint32(size) - 1
		n, fixed := s.constB(r)
		bounded := s.bounded(s.p.B(r), uint64(most))
		b := s.operand(r, 1)
		if fixed {
			b = noReg
		} else if x, ok := s.unmasked(s.p.B(r), uint64(most)); ok { // shifts are by as much, modulo the bits, anyway
			b = s.vals[x][0]
		}
		return []vreg{s.add(ins{form: formGeneral, d: s.generalReg(size), a: s.operand(r, 0), b: b, c: noReg, emit: func(e *emitter) {
			in := &e.f.ins[e.at]
			d := e.target(in.d) // b is read before it is written
			switch {
			case fixed && n > uint64(most) && kind != 7:
				e.Imm32(d, 0)
			case fixed:
				e.bring(size, d, in.a)
				e.ShiftImm(kind, size, d, uint8(min(n, uint64(most))))
			default:
				e.bring(4, amd64.CX, in.b)
				if kind == 7 && !bounded {
					e.Imm32(amd64.DX, most)
					e.Alu(amd64.CMP, 4, amd64.CX, amd64.DX.RM())
					e.CMov(amd64.A, 4, amd64.CX, amd64.DX.RM())
				}
				e.bring(size, d, in.a)
				e.Shift(kind, size, d)
				if kind != 7 && !bounded {
					e.Imm32(amd64.DX, 0)
					e.AluImm(amd64.CMP, 4, amd64.CX.RM(), int32(most))
					e.CMov(amd64.A, size, d, amd64.DX.RM())
				}
			}
			e.setGeneral(in.d, d)
		}})}
	}
}

// rotateSingle rotates by a constant; by anything else vectors do.
func rotateSingle(right bool) write {
	return func(s *selector, r ir.Row) []vreg {
		n, fixed := s.constB(r)
		if !fixed {
			return nil
		}
		size := s.size(r)
		if right {
			n = -n
		}
		n %= 8 * uint64(size)
		return []vreg{s.make(size, s.operand(r, 0), noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) {
			e.bring(size, amd64.CX, in.a)
			e.bring(size, d, in.a)
			if n > 0 {
				e.ShiftImm(4, size, amd64.CX, uint8(n))
				e.ShiftImm(5, size, d, uint8(8*uint64(size)-n))
				e.Alu(amd64.OR, size, d, amd64.CX.RM())
			}
		})}
	}
}

// bounded reports whether a row is at most so much, by a mask.
func (s *selector) bounded(r ir.Row, most uint64) bool {
	for _, v := range [...]ir.Row{s.p.A(r), s.p.B(r)} {
		if s.p.Op(r) == ir.OpAnd && s.p.Op(v) == ir.OpConst && s.p.Const(v) <= most {
			return true
		}
	}
	return false
}

// unmasked returns the row that a row is, but for all bits above a mask.
func (s *selector) unmasked(r ir.Row, mask uint64) (ir.Row, bool) {
	if s.p.Op(r) != ir.OpAnd {
		return 0, false
	}
	a, b := s.p.A(r), s.p.B(r)
	if s.p.Op(a) == ir.OpConst {
		a, b = b, a
	}
	return a, s.p.Op(b) == ir.OpConst && s.p.Const(b) == mask
}

// conditions are those of comparisons: of unsigned and of signed numbers.
var conditions = map[ir.Op][2]amd64.Cond{ir.OpEq: {amd64.E, amd64.E}, ir.OpNe: {amd64.NE, amd64.NE}, ir.OpLt: {amd64.B, amd64.L}, ir.OpLe: {amd64.BE, amd64.LE}}

// compares returns the condition that a row is, of numbers in general registers.
func (s *selector) compares(r ir.Row) (c amd64.Cond, ok bool) {
	cs, ok := conditions[s.p.Op(r)]
	if t := typedOperand(s.p, r); !ok || !t.IsInt() {
		return 0, false
	} else if t.IsSigned() {
		return cs[1], true
	}
	return cs[0], true
}

// truth is a comparison as a bool.
func (s *selector) truth(r ir.Row) []vreg {
	size := s.size(r)
	c, _ := s.compares(r)
	return []vreg{s.make(4, s.operand(r, 0), s.operand(r, 1), noReg, func(e *emitter, in *ins, d amd64.Reg) {
		switch c := e.compare(size, c, in.a, in.b); c {
		case amd64.B:
			e.Alu(amd64.SBB, 4, d, d.RM())
		case amd64.AE:
			e.Alu(amd64.SBB, 4, d, d.RM())
			e.AluImm(amd64.XOR, 4, d.RM(), -1)
		default:
			e.Imm32(d, 0)
			e.Imm32(amd64.CX, ^uint32(0))
			e.CMov(c, 4, d, amd64.CX.RM())
		}
	})}
}

// jumpUnless jumps if a bool is not so for all.
func (s *selector) jumpUnless(cond ir.Row, l amd64.Label) {
	if !s.layout.single() {
		s.jumpIf(amd64.E, s.vals[cond][0], l, amongOnce)
		return
	}
	s.jumpAs(cond, false, l, maxWalk)
}

func extremeSingle(most bool) write {
	return func(s *selector, r ir.Row) []vreg {
		size := s.size(r)
		other := better[extremeOf{most, s.p.Type(r).IsSigned()}]
		return []vreg{s.make(size, s.operand(r, 0), s.operand(r, 1), noReg, func(e *emitter, in *ins, d amd64.Reg) {
			e.bring(size, d, in.a)
			b := e.general(size, in.b, amd64.CX)
			e.Alu(amd64.CMP, size, b, d.RM())
			e.CMov(other, size, d, b.RM())
		})}
	}
}

// selectSingle goes by a comparison itself where that is one of numbers.
func (s *selector) selectSingle(r ir.Row) []vreg {
	size, cond, jumps := width(s.p.Type(r)), s.p.A(r), s.advances(r)
	if c, ok := s.compares(cond); ok {
		v, of := s.make(size, s.operand(r, 2), s.operand(r, 1), s.operand(cond, 0), nil), s.size(cond)
		in := &s.ins[len(s.ins)-1]
		in.uses = []vreg{s.operand(cond, 1)}
		in.emit = func(e *emitter) {
			in := &e.f.ins[e.at]
			d, c := e.target(in.d), e.compare(of, c, in.c, in.uses[0])
			if e.owns(in.b) && e.own(in.b) == d {
				d = amd64.AX
			}
			e.bring(size, d, in.a)
			e.choose(c, size, d, e.word(in.b), jumps)
			e.setGeneral(in.d, d)
		}
		return []vreg{v}
	}
	return []vreg{s.make(size, s.operand(r, 2), s.operand(r, 1), s.operand(r, 0), func(e *emitter, in *ins, d amd64.Reg) {
		e.bring(size, d, in.a)
		e.test(in.c)
		e.choose(amd64.NE, size, d, e.word(in.b), jumps)
	})}
}

// convertSingle makes a number of one size of one of another; floats are for vectors.
func (s *selector) convertSingle(r ir.Row) []vreg {
	from, to := s.p.Type(s.p.A(r)), s.p.Type(r)
	switch {
	case !inGeneral(to):
		return nil
	case width(from) == width(to):
		return s.vals[s.p.A(r)]
	case !from.IsSigned() && width(to) == 8 && s.vregs[s.vals[s.p.A(r)][0]].home == homeless: // with zeros above
		return s.vals[s.p.A(r)]
	case width(to) == 4:
		return []vreg{s.make(4, s.operand(r, 0), noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) { e.Load(4, d, e.word(in.a)) })}
	}
	return []vreg{s.make(8, s.operand(r, 0), noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) { e.widened(from.IsSigned(), d, in.a) })}
}

// choose makes a register a word if a condition holds, by a jump if that is asked for.
func (e *emitter) choose(c amd64.Cond, size amd64.Size, d amd64.Reg, word amd64.RM, jumps bool) {
	if !jumps {
		e.CMov(c, size, d, word)
		return
	}
	kept := e.NewLabel()
	e.Jcc(c^1, kept)
	e.Load(size, d, word)
	e.Bind(kept)
}

// advances reports whether a choice moves a place on by a constant, or not, by what was loaded from there, as where text is
// read. The processor does not wait for that if it is a jump, which it foresees; it then goes ahead to what is loaded from the
// next place. A place that moves by what was loaded elsewhere is not waited for, and is a jump that nothing foresees.
func (s *selector) advances(r ir.Row) bool {
	p := s.p
	x, y := p.B(r), p.C(r)
	if p.Op(y) == ir.OpAdd && p.A(y) == x {
		x, y = y, x
	}
	steps := 4 * maxWalk
	return p.Op(x) == ir.OpAdd && p.A(x) == y && p.Op(p.B(x)) == ir.OpConst && s.loadedFrom(p.A(r), y, false, &steps)
}

// loadedFrom reports whether a value goes by what was loaded from a place, looking at so many rows.
func (s *selector) loadedFrom(v, place ir.Row, loaded bool, steps *int) bool {
	p := s.p
	if *steps--; v == ir.NoRow || *steps < 0 || v == place {
		return v == place && loaded
	}
	in := p.Op(v).Info()
	switch {
	case p.Op(v) == ir.OpLoad:
		loaded = true
	case p.Op(v) == ir.OpRes:
		return s.broughtFrom(v, place, loaded, steps)
	case in.Attr&ir.Pure == 0:
		return false
	}
	return s.loadedFrom(p.A(v), place, loaded, steps) || s.loadedFrom(p.B(v), place, loaded, steps) || s.loadedFrom(p.C(v), place, loaded, steps)
}

// broughtFrom is loadedFrom for the result of an if.
func (s *selector) broughtFrom(v, place ir.Row, loaded bool, steps *int) bool {
	p := s.p
	op := s.parent(v - ir.Row(p.X(v)) - 1) // of what ends its last region
	if p.Op(op) != ir.OpIf {
		return false
	}
	for _, id := range s.owned[op] {
		if last := p.Regions()[id].End - 1; p.Op(last) == ir.OpYield && s.loadedFrom(ir.Row(p.List(last)[p.X(v)]), place, loaded, steps) {
			return true
		}
	}
	return false
}
