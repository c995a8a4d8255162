package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Floats. f16 and bf16 are widened, computed with, and rounded once more, which is what their ops mean.

// Predicates of VCMPPS and VCMPPD, quiet.
const (
	cmpEq  = 0x00
	cmpNaN = 0x03
	cmpNe  = 0x04
	cmpNum = 0x07
	cmpLt  = 0x11
	cmpLe  = 0x12
	cmpGe  = 0x1D
)

// floats are the instructions of a width.
type floats struct {
	types                                   ir.TypeSet
	add, sub, mul, div, min, max, sqrt, fma amd64.Op
	cmp, blend, round                       amd64.Op
	sign                                    func(s *selector) vreg // a pattern with the sign alone
	magnitude                               func(s *selector) vreg // and with all but the sign
	ops                                     map[ir.Op]lane
}

var single = floats{f32only, amd64.VADDPS, amd64.VSUBPS, amd64.VMULPS, amd64.VDIVPS, amd64.VMINPS, amd64.VMAXPS, amd64.VSQRTPS, amd64.VFMADD231PS,
	amd64.VCMPPS, amd64.VBLENDVPS, amd64.VROUNDPS,
	func(s *selector) vreg { return s.constant(1 << 31) }, func(s *selector) vreg { return s.constant(1<<31 - 1) }, nil}

var double = floats{f64only, amd64.VADDPD, amd64.VSUBPD, amd64.VMULPD, amd64.VDIVPD, amd64.VMINPD, amd64.VMAXPD, amd64.VSQRTPD, amd64.VFMADD231PD,
	amd64.VCMPPD, amd64.VBLENDVPD, amd64.VROUNDPD,
	func(s *selector) vreg { return s.constant64(1 << 63) }, func(s *selector) vreg { return s.constant64(1<<63 - 1) }, nil}

func init() {
	single.rules()
	double.rules()
	on(ir.OpNeg, rule{halves, unary(func(s *selector, a vreg) vreg { return s.v3swap(amd64.VPXOR, a, s.constant(1<<15)) })})
	on(ir.OpAbs, rule{halves, unary(func(s *selector, a vreg) vreg { return s.v3swap(amd64.VPAND, a, s.constant(1<<15-1)) })})
	for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp, ir.OpSqrt, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe} {
		on(op, rule{halves, halfway(op)})
	}
}

// lane is what an op does to registers: one part of each operand.
type lane func(s *selector, v []vreg) vreg

// rules adds the rules of a width.
func (f *floats) rules() {
	f.ops = map[ir.Op]lane{
		ir.OpAdd:  func(s *selector, v []vreg) vreg { return s.v3swap(f.add, v[0], v[1]) },
		ir.OpSub:  func(s *selector, v []vreg) vreg { return s.v3(f.sub, v[0], v[1]) },
		ir.OpMul:  func(s *selector, v []vreg) vreg { return s.v3swap(f.mul, v[0], v[1]) },
		ir.OpDiv:  func(s *selector, v []vreg) vreg { return s.v3(f.div, v[0], v[1]) },
		ir.OpFma:  func(s *selector, v []vreg) vreg { return s.fma(f.fma, v[0], v[1], v[2]) },
		ir.OpSqrt: func(s *selector, v []vreg) vreg { return s.v2(f.sqrt, v[0]) },
		ir.OpNeg:  func(s *selector, v []vreg) vreg { return s.v3swap(amd64.VPXOR, v[0], f.sign(s)) },
		ir.OpAbs:  func(s *selector, v []vreg) vreg { return s.v3swap(amd64.VPAND, v[0], f.magnitude(s)) },
		ir.OpCopysign: func(s *selector, v []vreg) vreg {
			return s.v3swap(amd64.VPOR, s.v3swap(amd64.VPAND, v[0], f.magnitude(s)), s.v3swap(amd64.VPAND, v[1], f.sign(s)))
		},
		ir.OpMin:  f.extreme(f.min, amd64.VPOR, false),
		ir.OpMax:  f.extreme(f.max, amd64.VPAND, false),
		ir.OpMinp: f.extreme(f.min, amd64.VPOR, true),
		ir.OpMaxp: f.extreme(f.max, amd64.VPAND, true),
	}
	for op, mode := range map[ir.Op]uint8{ir.OpRint: 8, ir.OpFloor: 9, ir.OpCeil: 10, ir.OpTrunc: 11} {
		f.ops[op] = func(s *selector, v []vreg) vreg { return s.v2imm(f.round, v[0], mode) }
	}
	for op, do := range f.ops {
		on(op, rule{f.types, do.lift})
	}
	for _, op := range []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax} {
		pairs[op] = append(pairs[op], pair{f.types, func(s *selector, a, b vreg) vreg { return f.ops[op](s, []vreg{a, b}) }})
	}
	for op, how := range map[ir.Op]uint8{ir.OpEq: cmpEq, ir.OpNe: cmpNe, ir.OpLt: cmpLt, ir.OpLe: cmpLe} {
		f.ops[op] = func(s *selector, v []vreg) vreg { return s.v3imm(f.cmp, v[0], v[1], how) }
		join := f.ops[op].lift
		if f == &double {
			join = func(s *selector, r ir.Row) []vreg {
				m := f.ops[op].lift(s, r)
				return []vreg{s.join(m[0], m[1])}
			}
		}
		on(op, rule{f.types, join})
	}
}

// lift does to all parts of a row's operands what is done to one.
func (do lane) lift(s *selector, r ir.Row) []vreg {
	return each(s.vals[s.p.A(r)], func(i int, a vreg) vreg {
		v := []vreg{a}
		for _, o := range []ir.Row{s.p.B(r), s.p.C(r)} {
			if o != ir.NoRow {
				v = append(v, s.vals[o][i])
			}
		}
		return do(s, v)
	})
}

// extreme is min or max. The instruction gives its second operand where the order is not known: for two zeros, and for
// a NaN. Both orders joined make of zeros the right one; NaNs are blended in.
func (f *floats) extreme(op, join amd64.Op, wins bool) lane {
	return func(s *selector, v []vreg) vreg {
		a, b := v[0], v[1]
		both := s.v3swap(join, s.v3(op, a, b), s.v3(op, b, a))
		nanA, nanB := s.v3imm(f.cmp, a, a, cmpNaN), s.v3imm(f.cmp, b, b, cmpNaN)
		pick := func(mask, yes, no vreg) vreg {
			return s.add(ins{form: form4, op: f.blend, d: s.reg(), a: no, b: yes, c: mask})
		}
		if wins {
			return pick(nanA, a, pick(nanB, b, both))
		}
		return pick(nanB, a, pick(nanA, b, both))
	}
}

// halfway computes an op of f16 or bf16 in f32.
func halfway(op ir.Op) write {
	return func(s *selector, r ir.Row) []vreg {
		t := s.p.Type(s.p.A(r))
		args := []vreg{s.fromHalf(t, s.vals[s.p.A(r)][0])}
		if b := s.p.B(r); b != ir.NoRow {
			args = append(args, s.fromHalf(t, s.vals[b][0]))
		}
		v := single.ops[op](s, args)
		if s.p.Type(r).IsHalf() {
			v = s.toHalf(t, v)
		}
		return []vreg{v}
	}
}
