package ptx

import "github.com/govyre/vyre/ir"

// controlRules covers arguments, results and terminators. Those that move values are parallel copies.
var controlRules = map[ir.Op]rule{
	ir.OpArg: func(s *selector, r ir.Row) {
		if s.p.Region(r) == 0 {
			s.set(r, s.scalar(s.scalarParam(s.p.X(r))))
		} // that of a loop has its register from the loop
	},
	ir.OpRes:         func(*selector, ir.Row) {},
	ir.OpYield:       (*selector).yield,
	ir.OpBreak:       (*selector).breaks,
	ir.OpContinue:    (*selector).continues,
	ir.OpReturn:      func(s *selector, r ir.Row) { s.add(inst{op: opExit}) },
	ir.OpUnreachable: func(*selector, ir.Row) {},
}

// scalarParam is the parameter that holds scalar k.
func (s *selector) scalarParam(k uint32) int {
	for i, q := range s.p.Params() {
		if q.IsBuffer() {
			continue
		}
		if k == 0 {
			return i
		}
		k--
	}
	panic("BUG: more scalar arguments than parameters")
}

// frame is where exits from an open structured op lead, and what they take along.
type frame struct {
	results []reg
	args    []reg
	end     uint64 // label after the op
	again   uint64 // of a loop: label where the next round starts
	ways    []way  // of a loop: arms that lead out of it
}

// way is an arm that leads out of a loop. It stands after the loop, so that a round only has the branch to it.
type way struct {
	from uint64 // its label
	arm  ir.Region
	row  ir.Row // of the if
}

func label(n uint64) operand { return operand{kind: isLabel, bits: n} }

//go:noinline
func (s *selector) label(n uint64) { s.add(inst{op: opLabel, dst: label(n)}) }

func (s *selector) jump(n uint64) { s.add(inst{op: opBra, dst: label(n), mod: mods{uni: true}}) }

// branch jumps where c is sense. row is the if whose condition c is.
func (s *selector) branch(n uint64, c reg, sense bool, row ir.Row) {
	u := s.p.Uniformity()
	uni := u.Value[s.p.A(row)] <= ir.LevelWarp && u.Control[row] <= ir.LevelWarp
	s.add(inst{op: opBra, dst: label(n), guard: c, sense: sense, mod: mods{uni: uni}})
}

// structured selects the op in row x and its regions.
func (s *selector) structured(x ir.Row) ir.Row {
	in := s.p.Op(x).Info()
	first := s.p.X(x)
	after := s.p.Regions()[first+uint32(in.Owns)-1].End
	f := &frame{end: s.newLabel()}
	for r := after; int(r) < s.p.Rows() && s.p.Op(r) == ir.OpRes && s.p.X(r) == uint32(r-after); r++ {
		f.results = append(f.results, s.carried(r))
	}
	s.frames[x] = f
	switch {
	case in.Owns == 2:
		s.ifs(x, f)
	case in.Attr&ir.Repeats != 0:
		s.loop(x, f)
	default:
		reg := s.p.Regions()[first]
		s.rows(reg.First, reg.End)
		s.label(f.end)
	}
	return after
}

// carried gives the argument or result in row r a register of its own.
func (s *selector) carried(row ir.Row) reg {
	x := s.newReg(bitsOf(s.typeOf(row)).class())
	s.set(row, r(x))
	return x
}

func (s *selector) ifs(x ir.Row, f *frame) {
	regs := s.p.Regions()
	arm := s.p.X(x)
	then, els := regs[arm], regs[arm+1]
	c := s.pred(s.value(s.p.A(x)))
	switch {
	case s.leadsOut(then):
		s.wayOut(x, c, true, then)
		s.rows(els.First, els.End)
	case s.leadsOut(els):
		s.wayOut(x, c, false, els)
		s.rows(then.First, then.End)
	case s.empty(els):
		s.branch(f.end, c, false, x)
		s.rows(then.First, then.End)
	case s.empty(then):
		s.branch(f.end, c, true, x)
		s.rows(els.First, els.End)
	default:
		other := s.newLabel()
		s.branch(other, c, false, x)
		s.rows(then.First, then.End)
		if s.p.Op(then.End-1) == ir.OpYield {
			s.jump(f.end)
		}
		s.label(other)
		s.rows(els.First, els.End)
	}
	s.row = x
	s.label(f.end)
}

// leadsOut reports whether an arm ends in leaving the innermost open loop. One that just returns does that with
// its branch.
func (s *selector) leadsOut(arm ir.Region) bool {
	if len(s.loops) == 0 {
		return false
	}
	last := arm.End - 1
	switch s.p.Op(last) {
	case ir.OpBreak:
		return ir.Row(s.p.X(last)) <= s.loops[len(s.loops)-1]
	case ir.OpReturn:
		return arm.First < last
	}
	return false
}

// wayOut branches to an arm that leads out of the innermost open loop, and leaves the arm to that loop's end.
func (s *selector) wayOut(x ir.Row, c reg, sense bool, arm ir.Region) {
	w := way{s.newLabel(), arm, x}
	s.branch(w.from, c, sense, x)
	f := s.frames[s.loops[len(s.loops)-1]]
	f.ways = append(f.ways, w)
}

// close ends the innermost open loop with the ways out of it. What stands before does not run into them.
func (s *selector) close(f *frame) {
	s.loops = s.loops[:len(s.loops)-1]
	for _, w := range f.ways {
		s.row = w.row
		s.label(w.from)
		s.rows(w.arm.First, w.arm.End)
	}
}

// empty reports whether an arm does nothing and gives nothing.
func (s *selector) empty(reg ir.Region) bool {
	return s.p.Op(reg.First) == ir.OpYield && len(s.p.List(reg.First)) == 0
}

// move adds a parallel copy of a row's operand list.
func (s *selector) move(dst []reg, row ir.Row) {
	s.moveAs(dst, row, func(v operand) operand { return v })
}

// moveAs is move of what as makes of the operands.
func (s *selector) moveAs(dst []reg, row ir.Row, as func(operand) operand) {
	// The lists of all copies lie after one another; one that is there stays when they grow.
	first := len(s.copied.dst)
	for i, v := range s.p.List(row) {
		t := s.typeOf(ir.Row(v))
		src := as(s.value(ir.Row(v)).as(bitsOf(t)))
		if src.kind == isReg && src.reg == dst[i] {
			continue
		}
		s.copied.dst, s.copied.src = append(s.copied.dst, dst[i]), append(s.copied.src, src)
	}
	if n := len(s.copied.dst); n > first {
		s.copying = append(s.copying, copying{s.copied.dst[first:n:n], s.copied.src[first:n:n]})
		s.add(inst{op: opCopy, src: [4]operand{{kind: isCopyList, bits: uint64(len(s.copying) - 1)}}})
	}
}

func (s *selector) yield(row ir.Row) {
	f := s.frames[s.p.Regions()[s.p.Region(row)].Op]
	s.move(f.results, row)
}

func (s *selector) breaks(row ir.Row) {
	f := s.frames[ir.Row(s.p.X(row))]
	s.move(f.results, row)
	s.jump(f.end)
}

func (s *selector) continues(row ir.Row) {
	f := s.frames[ir.Row(s.p.X(row))]
	s.moveAs(f.args, row, func(v operand) operand { return s.carriedOn(v) })
	s.jump(f.again)
}

// loop selects a loop. One that starts by computing whether to leave it tests at the bottom: the
// test stands before the first round and again at the end of every round, so a round costs one branch.
func (s *selector) loop(x ir.Row, f *frame) {
	reg := s.p.Regions()[s.p.X(x)]
	body := reg.First
	for ; s.p.Op(body) == ir.OpArg && s.p.Region(body) == s.p.X(x); body++ {
		f.args = append(f.args, s.carried(body))
	}
	s.move(f.args, x)
	f.again = s.newLabel()
	s.loops = append(s.loops, x)
	test, leavesIf, ok := s.leadingTest(x, body, reg.End)
	if !ok {
		s.label(f.again)
		s.add(inst{op: opNoUnroll})
		s.rows(body, reg.End)
		s.close(f)
		s.row = x
		s.label(f.end)
		return
	}
	start := len(s.code)
	s.rows(body, test)
	s.row = test
	c := s.pred(s.value(s.p.A(test)))
	header := append([]inst(nil), s.code[start:]...)
	leave, top := s.newLabel(), s.newLabel()
	s.branch(leave, c, leavesIf, test)
	s.label(top)
	s.add(inst{op: opNoUnroll})
	arms := s.p.Regions()[s.p.X(test)+1].End
	s.rows(arms, reg.End)
	s.row = x
	s.label(f.again)
	*s.cur = append(*s.cur, header...)
	s.row = test
	s.branch(top, c, !leavesIf, test)
	s.label(leave)
	exit := s.p.Regions()[s.p.X(test)].First
	if !leavesIf {
		exit = s.p.Regions()[s.p.X(test)+1].First
	}
	s.move(f.results, exit)
	s.jump(f.end)
	s.close(f)
	s.row = x
	s.label(f.end)
}

// maxTest is how many rows a loop's test may have to stand in the code twice.
const maxTest = 6

// leadingTest looks for the if that the loop in row x starts with: an arm that only breaks the loop,
// another that does nothing, and before it a few rows that only compute.
func (s *selector) leadingTest(x, first, end ir.Row) (test ir.Row, leavesIf, ok bool) {
	p := s.p
	for r := first; r < end && r-first <= maxTest; r++ {
		in := p.Op(r).Info()
		if p.Op(r) != ir.OpIf {
			if in.Attr&ir.Pure == 0 || in.Attr&ir.Convergent != 0 || in.Owns > 0 {
				return 0, false, false
			}
			continue
		}
		then, els := p.Regions()[p.X(r)], p.Regions()[p.X(r)+1]
		breaks := func(a ir.Region) bool { return p.Op(a.First) == ir.OpBreak && ir.Row(p.X(a.First)) == x }
		switch {
		case breaks(then) && s.empty(els):
			return r, true, true
		case s.empty(then) && breaks(els):
			return r, false, true
		}
		return 0, false, false
	}
	return 0, false, false
}
