package ptx

import "github.com/govyre/vyre/ir"

var builtinRules = map[ir.Op]rule{
	ir.OpConst:  (*selector).constant,
	ir.OpLocal:  func(s *selector, r ir.Row) { s.set(r, s.localID(s.p.X(r))) },
	ir.OpGroup:  func(s *selector, r ir.Row) { s.set(r, s.groupID(s.p.X(r))) },
	ir.OpGroups: func(s *selector, r ir.Row) { s.set(r, s.groups(s.p.X(r))) },
	ir.OpGlobal: func(s *selector, r ir.Row) { s.set(r, s.globalID(s.p.X(r))) },
	ir.OpLane:   func(s *selector, r ir.Row) { s.set(r, s.lane()) },
	ir.OpWarp:   func(s *selector, r ir.Row) { s.set(r, s.warp()) },
	ir.OpLen:    func(s *selector, r ir.Row) { s.set(r, s.runs(ir.Object(s.p.X(r)), s.typeOf(r) == ir.U64, 1, 1)) },
	ir.OpClock:  func(s *selector, r ir.Row) { s.set(r, s.do(opMov, tU64, spec(clock64))) },
	ir.OpTimer:  func(s *selector, r ir.Row) { s.set(r, s.do(opMov, tU64, spec(globalTimer))) },
}

func (s *selector) localID(axis uint32) operand {
	if s.size[axis] == 1 {
		return u32(0)
	}
	return s.onceOf(onceLocal, axis, func() operand { return s.do(opMov, tU32, spec(tidX+special(axis))) })
}

func (s *selector) groupID(axis uint32) operand {
	return s.onceOf(onceGroup, axis, func() operand { return s.do(opMov, tU32, spec(ctaidX+special(axis))) })
}

func (s *selector) groups(axis uint32) operand {
	return s.onceOf(onceGroups, axis, func() operand { return s.do(opMov, tU32, spec(nctaidX+special(axis))) })
}

func (s *selector) globalID(axis uint32) operand {
	if s.size[axis] == 1 {
		return s.groupID(axis)
	}
	return s.onceOf(onceGlobal, axis, func() operand {
		return s.do(opMadLo, tU32, s.groupID(axis), u32(s.size[axis]), s.localID(axis))
	})
}

// linear is the invocation's id in its group, counted along x, then y, then z.
func (s *selector) linear() operand {
	return s.onceOf(onceLinear, 0, func() operand {
		id := s.localID(2)
		for axis := 1; axis >= 0; axis-- {
			switch n := s.size[axis]; {
			case n == 1:
			case id.kind == isImm: // 0: the axes above have one place
				id = s.localID(uint32(axis))
			default:
				id = s.do(opMadLo, tU32, id, u32(n), s.localID(uint32(axis)))
			}
		}
		return id
	})
}

func (s *selector) lane() operand {
	if s.p.GroupSize() <= 32 {
		return s.linear()
	}
	return s.onceOf(onceLane, 0, func() operand { return s.do(opAnd, tB32, s.linear(), u32(31)) })
}

// warp counts warps by linear id. The hardware's own number may change while the kernel runs.
func (s *selector) warp() operand {
	if s.p.GroupSize() <= 32 {
		return u32(0)
	}
	return s.onceOf(onceWarp, 0, func() operand { return s.do(opShr, tU32, s.linear(), u32(5)) })
}

// leads is a predicate: this is invocation 0 of its group.
func (s *selector) leads() operand {
	return s.onceOf(onceLead, 0, func() operand {
		if s.p.GroupSize() == 1 {
			return s.do(opMov, tPred, imm(tPred, 1))
		}
		return s.compare(cmpEQ, tU32, s.linear(), u32(0))
	})
}

// scalar loads scalar parameter i of the program's parameters.
func (s *selector) scalar(i int) operand {
	return s.onceOf(onceScalar, uint32(i), func() operand {
		t := s.p.Params()[i].Type
		sym, _ := s.paramSymbol(i)
		if t == ir.Bool {
			return s.compare(cmpNE, tU32, s.param(tU32, sym), u32(0))
		}
		return s.param(inMemory(t.Value()), sym)
	})
}

// paramSymbol returns the name of parameter i: parameters are declared in order, two a buffer.
func (s *selector) paramSymbol(i int) (sym symbol, count symbol) {
	at := 0
	for _, q := range s.p.Params()[:i] {
		if at++; q.IsBuffer() {
			at++
		}
	}
	if s.p.Params()[i].IsBuffer() {
		return s.params[at].name, s.params[at+1].name
	}
	return s.params[at].name, noSymbol
}

// param loads a parameter.
func (s *selector) param(t ptype, sym symbol) operand {
	d := s.newReg(t.class())
	s.add(inst{op: opLd, t: t, mod: mods{space: param}, dst: r(d), src: [4]operand{{kind: isNamed, reg: reg(sym)}}})
	return r(d)
}

// hiddenPointer loads the address in a hidden parameter, as one in global space.
func (s *selector) hiddenPointer(sym symbol) reg {
	return s.onceOf(onceHidden, uint32(sym), func() operand {
		return s.do(opToGlobal, tU64, s.param(tU64, sym))
	}).reg
}

// constant is the rule of constants, which are operands of what reads them, but for the least float above 0 in 32 bits or 16. Its bits are those of
// true: where a float is chosen between it and 0, ptxas (11.8 and 13.0) has converted the condition instead, to 1, if the
// float becomes one of 16 bits. So they are made of a zero that the assembler does not know.
func (s *selector) constant(r ir.Row) {
	t := s.typeOf(r)
	if t != ir.F32 && !t.IsHalf() || s.p.Const(r) != 1 {
		s.set(r, imm(arith(t), s.p.Const(r)))
		return
	}
	nothing := s.nothing()
	s.set(r, s.onceOf(onceLeast, uint32(t), func() operand {
		low := s.do(opXor, tB32, nothing, u32(1))
		if t.IsHalf() {
			return s.convert(opCvt, tU16, tU32, low)
		}
		return s.recast(t, low)
	}))
}
