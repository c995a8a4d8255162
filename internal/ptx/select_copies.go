package ptx

import (
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// copyRules covers asynchronous copies, from sm_80 on; before, there are none when it comes to this.
var copyRules = map[ir.Op]rule{
	ir.OpCopyAsync4:     (*selector).copyAsync,
	ir.OpCopyAsync4 + 1: (*selector).copyAsync,
	ir.OpCopyAsync4 + 2: (*selector).copyAsync,
	ir.OpCopyCommit:     func(s *selector, r ir.Row) { s.add(inst{op: opCpCommit}) },
	ir.OpCopyWait:       func(s *selector, r ir.Row) { s.add(inst{op: opCpWait, src: [4]operand{u32(s.p.X(r))}}) },
}

// copies returns p as it is where the target copies asynchronously, and else with loads and stores instead.
func copies(p *ir.Program, t Target) (*ir.Program, error) {
	if t.SM >= 80 {
		return p, nil
	}
	return opt.AtOnce(p)
}

// copyAsync copies all bytes where the buffer has them. A branch that nearly all take leads past the copy of those that it has at its
// end, for which the instruction takes a number of bytes, and writes zeros for the others.
func (s *selector) copyAsync(row ir.Row) {
	s.need(7, 0)
	dst, src := ir.CopyObjects(s.p.X(row))
	i, j := s.p.A(row), s.p.B(row)
	bytes := uint32(4) << (s.p.Op(row) - ir.OpCopyAsync4)
	op := opCpAsync
	if bytes == 16 {
		op = opCpAsync16
	}
	lanes := bytes / uint32(s.objs[src].Type().Size())
	there := s.within(row, dst, i, bytes/uint32(s.objs[dst].Type().Size()))
	all := s.within(row, src, j, lanes)
	if there != noReg && all != noReg {
		all = s.do(opAnd, tPred, r(there), r(all)).reg
	} else if there != noReg && all == noReg {
		all = there
	}
	to, from := s.unit(dst, i, bytes), s.unit(src, j, bytes)
	s.guarded(inst{op: op, dst: to, src: [4]operand{from, u32(bytes), u32(bytes)}}, all)
	if all == there {
		return
	}
	done := s.newLabel()
	s.add(inst{op: opBra, dst: label(done), guard: all, sense: true, mod: mods{rare: true}})
	s.guarded(inst{op: op, dst: to, src: [4]operand{from, u32(bytes), s.atEnd(src, j, lanes, bytes)}}, there)
	s.label(done)
}

// unit is the place of so many bytes of an object of scalars that an index counts.
//
//go:noinline
func (s *selector) unit(o ir.Object, index ir.Row, bytes uint32) operand {
	return s.access(access{obj: o, index: index, scale: bytes})
}

// atEnd returns how many bytes buffer src has at index j, where it has not all of a copy: none, or those of its last elements.
func (s *selector) atEnd(src ir.Object, j ir.Row, lanes, bytes uint32) operand {
	rest := s.leftOver(src, lanes)
	if lanes == 1 || rest.isConst(0) {
		return u32(0)
	}
	index, wide := s.comparable(src, j)
	t := tU32
	if wide {
		t = tU64
	}
	last := s.compare(cmpEQ, t, index, s.length(src, wide, lanes))
	return s.do(opSelp, tU32, s.do(opMulLo, tU32, rest, u32(bytes/lanes)), u32(0), last)
}
