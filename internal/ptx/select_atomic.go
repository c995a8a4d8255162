package ptx

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// atomicRules covers atomics.
var atomicRules = map[ir.Op]rule{
	ir.OpAtomicLoad:  (*selector).atomicLoad,
	ir.OpLoadStale:   (*selector).loadStale,
	ir.OpAtomicStore: (*selector).atomicStore,
	ir.OpAtomicAdd:   updating(rmwAdd),
	ir.OpAtomicSub:   updating(rmwAdd), // of the negative
	ir.OpAtomicMin:   updating(rmwMin),
	ir.OpAtomicMax:   updating(rmwMax),
	ir.OpAtomicAnd:   updating(rmwAnd),
	ir.OpAtomicOr:    updating(rmwOr),
	ir.OpAtomicXor:   updating(rmwXor),
	ir.OpAtomicExch:  updating(rmwExch),
	ir.OpAtomicCas:   (*selector).compareAndSwap,
}

var orders = [...]order{ir.Relaxed: relaxed, ir.Acquire: acquire, ir.Release: release, ir.AcqRel: acqRel, ir.SeqCst: sc}
var scopes = [...]scope{ir.Group: scopeCTA, ir.Device: scopeGPU, ir.System: scopeSys}

// ordered returns the modifiers of the atomic in row. A sequentially consistent one is a fence, which
// ordered adds, and the operation with the strongest order it can have.
func (s *selector) ordered(row ir.Row, strongest order) mods {
	f := s.p.Flags(row)
	m := mods{order: orders[f.Order()], scope: scopes[f.Scope()], space: s.objs[s.p.X(row)].space}
	if m.order == sc {
		s.add(inst{op: opFence, mod: mods{order: sc, scope: m.scope}})
		m.order = strongest
	}
	return m
}

func (s *selector) atomicLoad(row ir.Row) {
	t := inMemory(s.typeOf(row))
	p := s.inBounds(row, 1)
	d := s.newReg(t.class())
	s.zero(d, p)
	m := s.ordered(row, acquire)
	s.guarded(inst{op: opLd, t: t, mod: m, dst: r(d), src: [4]operand{s.element(row, 1, 0)}}, p)
	s.set(row, r(d))
}

// loadStale loads with the scope of the group, which the cache next to it may answer. A weak load may be answered there as
// well, but the assembler may do it twice, or in parts; one with the scope of the device goes past that cache.
func (s *selector) loadStale(row ir.Row) {
	t := inMemory(s.typeOf(row))
	p := s.inBounds(row, 1)
	d := s.newReg(t.class())
	s.zero(d, p)
	m := mods{order: relaxed, scope: scopeCTA, space: global}
	s.guarded(inst{op: opLd, t: t, mod: m, dst: r(d), src: [4]operand{s.element(row, 1, 0)}}, p)
	s.set(row, r(d))
}

func (s *selector) atomicStore(row ir.Row) {
	t := inMemory(s.objs[s.p.X(row)].Type())
	p := s.inBounds(row, 1)
	m := s.ordered(row, release)
	s.guarded(inst{op: opSt, t: t, mod: m, dst: s.element(row, 1, 0), src: [4]operand{s.value(s.p.B(row)).as(t)}}, p)
}

// updating is the rule of a read-modify-write with one operand.
func updating(op rmw) rule {
	return func(s *selector, row ir.Row) {
		t := s.objs[s.p.X(row)].Type()
		v := s.value(s.p.B(row))
		if s.p.Op(row) == ir.OpAtomicSub {
			v = s.negative(t, v)
		}
		s.update(row, op, atomicType(op, t), v)
	}
}

// negative is −v modulo the width.
func (s *selector) negative(t ir.Type, v operand) operand {
	if v.kind == isImm {
		return imm(v.t, -v.bits&t.Mask())
	}
	return s.do(opSub, arith(t), imm(arith(t), 0), v)
}

// atomicType is the type suffix of an update: bits where only they matter, and for sums of 64-bit
// integers the unsigned one, which is all there is.
func atomicType(op rmw, t ir.Type) ptype {
	switch op {
	case rmwAdd:
		if t == ir.I64 {
			return tU64
		}
	case rmwAnd, rmwOr, rmwXor, rmwExch, rmwCas:
		return untyped(t)
	}
	return arith(t)
}

// update adds a read-modify-write. One whose old value nobody wants is a reduction if its order allows:
// there is none that acquires, and none for exchange.
func (s *selector) update(row ir.Row, op rmw, t ptype, v ...operand) {
	p := s.inBounds(row, 1)
	m := s.ordered(row, acqRel)
	m.rmw = op
	if m.space == shared && tried(op, t) {
		p = s.inEveryLane(p)
	}
	for i := range v {
		v[i] = v[i].as(t)
	}
	if s.uses[row] == 0 && (m.order == relaxed || m.order == release) && op != rmwExch && op != rmwCas {
		s.guarded(inst{op: opRed, t: t, mod: m, dst: s.element(row, 1, 0), src: [4]operand{v[0]}}, p)
		return
	}
	d := s.newReg(bitsOf(s.typeOf(row)).class())
	s.zero(d, p)
	in := inst{op: opAtom, t: t, mod: m, dst: r(d), src: [4]operand{s.element(row, 1, 0)}}
	copy(in.src[1:], v)
	s.guarded(in, p)
	s.set(row, r(d))
}

// tried is whether the hardware has no such update of shared memory, so that the assembler writes a loop that tries
// a compare-and-swap until it succeeds. Lanes leave it one by one.
func tried(op rmw, t ptype) bool {
	return t == tF32 || typeInfo[t].bits == 64 && op != rmwExch && op != rmwCas
}

// inEveryLane returns p and a condition that holds in every lane, for all that the assembler can see not in each. It
// makes the lanes of a warp meet after a branch; after its loop for an update alone, ptxas 13.0 now and then forgets
// that, and barriers and votes that follow find half a warp.
func (s *selector) inEveryLane(p reg) reg {
	below := s.onceOf(onceBelow, 0, func() operand { return s.do(opMov, tU32, spec(lanesBelow)) })
	if p == noReg {
		return s.compare(cmpNE, tU32, below, u32(math.MaxUint32)).reg
	}
	q := s.newReg(classP)
	s.add(inst{op: opSetp, t: tU32, mod: mods{cmp: cmpNE, and: true}, dst: r(q), src: [4]operand{below, u32(math.MaxUint32), r(p)}})
	return q
}

func (s *selector) compareAndSwap(row ir.Row) {
	t := s.objs[s.p.X(row)].Type()
	s.update(row, rmwCas, atomicType(rmwCas, t), s.value(s.p.B(row)), s.value(s.p.C(row)))
}
