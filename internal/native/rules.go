package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// write turns a pure row into instructions and returns its registers.
type write func(s *selector, r ir.Row) []vreg

// rule is how an op is written for operands of some types.
type rule struct {
	types ir.TypeSet
	write write
}

// Sets of types that rules are for.
var (
	int32s  = ir.Set(ir.I32, ir.U32)
	int64s  = ir.Set(ir.I64, ir.U64)
	halves  = ir.Set(ir.F16, ir.BF16)
	words   = ir.Set(ir.I32, ir.U32, ir.F32, ir.F16, ir.BF16, ir.Bool) // one register
	f32only = ir.Set(ir.F32)
	f64only = ir.Set(ir.F64)
	i32only = ir.Set(ir.I32)
	u32only = ir.Set(ir.U32)
	i64only = ir.Set(ir.I64)
	u64only = ir.Set(ir.U64)
)

// rules has, by op, how it is written. What stands in no rule is computed by Go: Missing lists it.
var rules = map[ir.Op][]rule{}

// on adds rules of an op. Like what makes rules it is called at a hundred places, and not inlined there: that would be
// 80 KB in every program.
//
//go:noinline
func on(op ir.Op, rs ...rule) { rules[op] = append(rules[op], rs...) }

// pair is how two registers of values of some types become one.
type pair struct {
	types ir.TypeSet
	do    func(s *selector, a, b vreg) vreg
}

// pairs has, by op, what the lanes of a warp are combined with.
var pairs = map[ir.Op][]pair{}

// onPair adds rules of an op that does the same to all parts of its two operands, and with which lanes are combined.
func onPair(op ir.Op, ps ...pair) {
	for _, p := range ps {
		on(op, rule{p.types, binary(p.do)})
	}
	pairs[op] = append(pairs[op], ps...)
}

// pairOf returns how two registers of values of a type become one, nil if there is no rule.
func pairOf(op ir.Op, t ir.Type) func(s *selector, a, b vreg) vreg {
	for _, p := range pairs[op] {
		if p.types.Has(t) {
			return p.do
		}
	}
	return nil
}

// book is rules that a target has of its own: where there is one, it goes before that of all targets.
type book struct {
	rules       map[ir.Op][]rule
	conversions map[[2]ir.Type]write
}

// rule returns how a row is written, nil if there is none.
func (s *selector) rule(r ir.Row) write {
	if s.own != nil {
		t := typedOperand(s.p, r)
		if w := s.own.conversions[[2]ir.Type{t, s.p.Type(r)}]; w != nil && s.p.Op(r) == ir.OpCvt {
			return w
		}
		for _, u := range s.own.rules[s.p.Op(r)] {
			if u.types.Has(t) {
				return u.write
			}
		}
	}
	return ruleOf(s.p, r)
}

func ruleOf(p *ir.Program, r ir.Row) write {
	op := p.Op(r)
	t := typedOperand(p, r)
	for _, u := range rules[op] {
		if u.types.Has(t) {
			if op == ir.OpCvt {
				return conversions[[2]ir.Type{t, p.Type(r)}]
			}
			return u.write
		}
	}
	return nil
}

// typedOperand is the type of the operand that a row's mnemonic carries.
func typedOperand(p *ir.Program, r ir.Row) ir.Type {
	v := [3]ir.Row{p.A(r), p.B(r), p.C(r)}[max(p.Op(r).Info().Typed-1, 0)]
	if v == ir.NoRow {
		return ir.None
	}
	return p.Type(v)
}

// unary, binary and ternary lift what is done to one register to all parts of a value.
//
//go:noinline
func unary(f func(s *selector, a vreg) vreg) write {
	return func(s *selector, r ir.Row) []vreg {
		return each(s.vals[s.p.A(r)], func(i int, a vreg) vreg { return f(s, a) })
	}
}

//go:noinline
func binary(f func(s *selector, a, b vreg) vreg) write {
	return func(s *selector, r ir.Row) []vreg {
		b := s.vals[s.p.B(r)]
		return each(s.vals[s.p.A(r)], func(i int, a vreg) vreg { return f(s, a, b[i]) })
	}
}

//go:noinline
func ternary(f func(s *selector, a, b, c vreg) vreg) write {
	return func(s *selector, r ir.Row) []vreg {
		b, c := s.vals[s.p.B(r)], s.vals[s.p.C(r)]
		return each(s.vals[s.p.A(r)], func(i int, a vreg) vreg { return f(s, a, b[i], c[i]) })
	}
}

func each(vs []vreg, f func(i int, v vreg) vreg) []vreg {
	out := make([]vreg, len(vs))
	for i, v := range vs {
		out[i] = f(i, v)
	}
	return out
}

// plain and swaps are ops that are one instruction.
//
//go:noinline
func plain(op amd64.Op) write {
	return binary(func(s *selector, a, b vreg) vreg { return s.v3(op, a, b) })
}

//go:noinline
func swaps(op amd64.Op) write { return binary(commutes(op)) }

//go:noinline
func commutes(op amd64.Op) func(s *selector, a, b vreg) vreg {
	return func(s *selector, a, b vreg) vreg { return s.v3swap(op, a, b) }
}

// compare64 joins the masks of both parts of a comparison on 64 bits.
func compare64(f func(s *selector, a, b vreg) vreg) write {
	parts := binary(f)
	return func(s *selector, r ir.Row) []vreg {
		m := parts(s, r)
		mask := s.join(m[0], m[1])
		s.halves[mask] = [2]vreg(m)
		return []vreg{mask}
	}
}

// join takes the low 32 bits of lanes 0 to 3 and 4 to 7.
func (s *selector) join(lo, hi vreg) vreg {
	return s.v2imm(amd64.VPERMQ, s.v3imm(amd64.VSHUFPS, lo, hi, 0x88), 0xD8)
}

// widen makes lanes of 64 bits of lanes of 32.
func (s *selector) widen(op amd64.Op, v vreg) []vreg {
	return []vreg{s.v2(op, v), s.v2(op, s.upper(v))}
}

// not is the other lanes.
func (s *selector) not(v vreg) vreg { return s.v3swap(amd64.VPXOR, v, s.ones()) }

// value returns the bits of the row's constant second operand, if it is one.
func (s *selector) constB(r ir.Row) (uint64, bool) {
	b := s.p.B(r)
	if s.p.Op(b) != ir.OpConst {
		return 0, false
	}
	return s.p.Const(b), true
}

func init() {
	bits := int32s | int64s | ir.Set(ir.Bool)
	onPair(ir.OpAnd, pair{bits, commutes(amd64.VPAND)})
	onPair(ir.OpOr, pair{bits, commutes(amd64.VPOR)})
	onPair(ir.OpXor, pair{bits, commutes(amd64.VPXOR)})
	on(ir.OpNot, rule{bits, unary((*selector).not)})
	on(ir.OpSelect, rule{words, selectWord}, rule{int64s | f64only, selectWide})
	on(ir.OpBitcast, rule{words | int64s | f64only, func(s *selector, r ir.Row) []vreg {
		if s.p.Type(r).IsHalf() {
			return []vreg{s.v3swap(amd64.VPAND, s.vals[s.p.A(r)][0], s.constant(0xFFFF))}
		}
		return s.vals[s.p.A(r)]
	}})
}

func selectWord(s *selector, r ir.Row) []vreg {
	return []vreg{s.blend(s.vals[s.p.A(r)][0], s.vals[s.p.B(r)][0], s.vals[s.p.C(r)][0])}
}

func selectWide(s *selector, r ir.Row) []vreg {
	m := s.wideMask(s.vals[s.p.A(r)][0])
	b, c := s.vals[s.p.B(r)], s.vals[s.p.C(r)]
	return []vreg{s.blend64(m[0], b[0], c[0]), s.blend64(m[1], b[1], c[1])}
}
