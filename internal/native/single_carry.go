package native

import (
	"github.com/govyre/vyre/internal/carry"
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Numbers of several words, of one invocation. The links of a chain of carries follow each other, and what brings their operands and
// stores their results are moves, which leave the flag as it is. Both halves of a product are one instruction.

// inChain reports whether row r is written with a link of a chain.
func (s *selector) inChain(r ir.Row) bool {
	if !s.layout.single() {
		return false
	}
	if s.carries == nil {
		s.carries = carry.Find(s.p).Schedule(s.p, s.link)
	}
	attr := s.p.Op(r).Info().Attr
	switch {
	case len(s.carries.Links) == 0:
		return false
	case attr&(ir.Structured|ir.Terminator) != 0:
		s.carries.Close()
	case attr&ir.Pure != 0 && s.carries.Uses[r] == 0: // it may ask for a carry that is no number
		return true
	}
	return s.carries.Take(r)
}

// link writes a link. It reports whether its carry is in the flag.
func (s *selector) link(l carry.Step) bool {
	row := s.current
	defer func() { s.current = row }()
	if s.current = l.Sum; l.Sum == ir.NoRow {
		s.current = l.Carry
	}
	size, op, with := width(l.Type), amd64.ADD, amd64.ADC
	if l.Minus {
		op, with = amd64.SUB, amd64.SBB
	}
	x, y := s.term(l.X), s.term(l.Y)
	if none := l.In == (carry.Term{Row: ir.NoRow}); !l.Flag && !none {
		in := s.term(l.In)
		if !l.Leaves || !carry.Bit(s.p, l.In) {
			sum := s.alu(op, size, s.alu(op, size, x, y), in)
			if l.Sum != ir.NoRow {
				s.vals[l.Sum] = []vreg{sum}
			}
			if l.Leaves {
				s.vals[l.Carry] = s.onVectors(l.Carry, s.rule(l.Carry))
			}
			return false
		}
		s.flagOf(l.Minus, in)
		l.Flag = true
	}
	if l.Flag {
		op = with
	}
	var sum vreg
	if l.Flag || l.Leaves {
		sum = s.flagged(!l.Minus, size, x, y, func(e *emitter, in *ins) { e.binaryFlagged(op, size, in.d, in.a, in.b) })
	} else {
		sum = s.alu(op, size, x, y)
	}
	if l.Sum != ir.NoRow {
		s.vals[l.Sum] = []vreg{sum}
	}
	if !l.Number {
		return l.Leaves
	}
	s.vals[l.Carry] = []vreg{s.flagged(false, size, noReg, noReg, func(e *emitter, in *ins) {
		d := e.target(in.d)
		e.Imm32(d, 0)
		e.AluImm(with, 4, d.RM(), 0)
		if l.Minus {
			e.Neg(4, d)
		}
		e.setGeneral(in.d, d)
	})}
	return false
}

// flagged adds an instruction that takes the flag or leaves it.
func (s *selector) flagged(commutes bool, size amd64.Size, a, b vreg, emit func(e *emitter, in *ins)) vreg {
	return s.add(ins{form: formGeneral, d: s.generalReg(size), a: a, b: b, c: noReg, flagged: true, commutes: commutes,
		emit: func(e *emitter) { emit(e, &e.f.ins[e.at]) }})
}

// flagOf makes the flag of a number that is 0 or 1.
func (s *selector) flagOf(minus bool, v vreg) {
	s.flagged(false, 4, v, noReg, func(e *emitter, in *ins) {
		if minus {
			e.Imm32(amd64.AX, 0)
			e.Alu(amd64.SUB, 4, amd64.AX, e.word(in.a))
			return
		}
		e.bring(4, amd64.AX, in.a)
		e.AluImm(amd64.ADD, 4, amd64.AX.RM(), -1)
	})
}

// binaryFlagged is binary by instructions that leave the flag to what follows. The first operand comes by a move.
func (e *emitter) binaryFlagged(op amd64.Alu, size amd64.Size, d, a, b vreg) {
	r := e.target(d)
	if e.owns(b) && e.own(b) == r {
		if op == amd64.ADD || op == amd64.ADC {
			a, b = b, a
		} else {
			r = amd64.AX
		}
	}
	e.bring(size, r, a)
	if n, fixed := e.literal(size, b); fixed {
		e.AluImm(op, size, r.RM(), n)
	} else {
		e.Alu(op, size, r, e.word(b))
	}
	e.setGeneral(d, r)
}

// term is the register of a term.
func (s *selector) term(x carry.Term) vreg {
	if x.Row == ir.NoRow {
		return s.constant64(x.Bits)
	}
	return s.vals[x.Row][0]
}

// factors are two numbers that are multiplied in a region.
type factors struct {
	region uint32
	a, b   ir.Row
}

// product writes the upper half of a product of 64 bits, and with it the lower one, where a row is that. Of such a row it does
// the same, and returns nil if none is the upper half.
func (s *selector) product(r ir.Row) []vreg {
	if s.halves64 == nil {
		s.halves64 = make(map[factors][2]ir.Row)
		for v := range ir.Row(s.p.Rows()) {
			if op := s.p.Op(v); (op == ir.OpMul || op == ir.OpMulHi) && s.p.Type(v) == ir.U64 {
				k := s.factors(v)
				rows, ok := s.halves64[k]
				if !ok {
					rows = [2]ir.Row{ir.NoRow, ir.NoRow}
				}
				if n := bitOf(op == ir.OpMulHi); rows[n] == ir.NoRow {
					rows[n] = v
				}
				s.halves64[k] = rows
			}
		}
	}
	rows := s.halves64[s.factors(r)]
	if rows[1] == ir.NoRow {
		return nil
	}
	if rows[bitOf(s.p.Op(r) == ir.OpMulHi)] == r && len(s.vals[r]) > 0 {
		return s.vals[r]
	}
	lo, hi := s.generalReg(8), s.generalReg(8)
	s.macro(amongValue, []vreg{s.operand(r, 0), s.operand(r, 1)}, []vreg{lo, hi}, func(e *emitter) {
		in := &e.f.ins[e.at]
		a, b := in.uses[0], in.uses[1]
		e.bring(8, amd64.AX, a)
		e.MulWide(8, e.word(b))
		e.setGeneral(in.defs[1], amd64.DX)
		e.setGeneral(in.defs[0], amd64.AX)
	})
	s.ins[len(s.ins)-1].follows = true
	if rows[0] != ir.NoRow {
		s.vals[rows[0]] = []vreg{lo}
	}
	s.vals[rows[1]] = []vreg{hi}
	if s.p.Op(r) == ir.OpMul {
		return []vreg{lo}
	}
	return []vreg{hi}
}

func (s *selector) factors(r ir.Row) factors {
	a, b := s.p.A(r), s.p.B(r)
	return factors{s.p.Region(r), min(a, b), max(a, b)}
}

func bitOf(b bool) int {
	if b {
		return 1
	}
	return 0
}
