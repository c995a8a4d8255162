package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// memoryRules covers plain accesses and the vectors that they move.
var memoryRules = map[ir.Op]rule{
	ir.OpLoad:    (*selector).load,
	ir.OpStore:   (*selector).store,
	ir.OpLoadV2:  (*selector).loadVector,
	ir.OpLoadV4:  (*selector).loadVector,
	ir.OpStoreV2: (*selector).storeVector,
	ir.OpStoreV4: (*selector).storeVector,
	ir.OpVec: func(s *selector, r ir.Row) {
		var parts []operand
		for _, v := range s.p.List(r) {
			parts = append(parts, s.value(ir.Row(v)))
		}
		s.vectors[r] = parts
	},
	ir.OpElem: func(s *selector, r ir.Row) { s.set(r, s.vectors[s.p.A(r)][s.p.X(r)]) },
	ir.OpPrefetch: func(s *selector, r ir.Row) {
		s.guarded(inst{op: opPrefetch, mod: mods{space: global}, dst: s.element(r, 1, 0)}, s.inBounds(r, 1))
	},
}

// lenKey names a form of an object's length: in elements or in vectors, or the elements that whole
// vectors leave over; in 32 or in 64 bits.
type lenKey struct {
	lanes uint32
	rest  bool
	wide  bool
	run   int // elements that an array has in each record; 1 for all else
}

// checkKey names a bounds check that several accesses may share.
type checkKey struct {
	obj   ir.Object
	index ir.Row
	lanes uint32
}

// element is the place that row names, lanes elements at a time, off elements on.
func (s *selector) element(row ir.Row, lanes, off uint32) operand {
	o := &s.objs[s.p.X(row)]
	step := uint32(o.Stride())
	a := access{obj: o.First, index: s.p.A(row), scale: lanes * step, off: uint32(o.Offset()) + off*step}
	if o.Gap() > 0 {
		a.run, a.gap = uint32(o.Count()), uint32(o.Gap())
		a.narrow = o.MaxLen() < 1<<32
	}
	return s.access(a)
}

// length returns how many vectors of so many lanes the object has, lanes 1 for elements.
func (s *selector) length(obj ir.Object, wide bool, lanes uint32) operand {
	return s.runs(obj, wide, lanes, s.objs[obj].Count())
}

// runs is length for a field whose records have so many elements each; 1 counts the records.
func (s *selector) runs(obj ir.Object, wide bool, lanes uint32, run int) operand {
	o := &s.objs[obj]
	o = &s.objs[o.First]
	t := tU32
	if wide {
		t = tU64
	}
	if o.Array != nil && o.Array.Len != ir.RestLen {
		return imm(t, o.Array.Len/uint64(lanes))
	}
	k := lenKey{lanes, false, wide, run}
	if x, ok := o.lens[k]; ok {
		return r(x)
	}
	var v operand
	s.atEntry(func() {
		switch {
		case lanes > 1:
			v = s.do(opShr, t, s.length(obj, wide, 1), u32(uint32(bits.TrailingZeros32(lanes))))
		case run > 1:
			v = s.do(opMulLo, t, s.runs(obj, wide, 1, 1), imm(t, uint64(run)))
		case o.Array == nil:
			v = s.param(t, o.count)
		case wide:
			v = s.convert(opCvt, tU64, tU32, s.length(obj, false, 1))
		default:
			all := s.do(opSub, tU32, s.do(opMov, tU32, spec(dynamicShared)), u32(o.off))
			v = s.do(opShr, tU32, all, u32(uint32(bits.TrailingZeros(uint(o.Type().Size())))))
		}
	})
	o.lens[k] = v.reg
	return v
}

// leftOver returns how many elements whole vectors leave over at the end of the object.
func (s *selector) leftOver(obj ir.Object, lanes uint32) operand {
	o := &s.objs[obj]
	if o.Array != nil && o.Array.Len != ir.RestLen {
		return u32(uint32(o.Array.Len % uint64(lanes)))
	}
	k := lenKey{lanes: lanes, rest: true}
	if x, ok := o.lens[k]; ok {
		return r(x)
	}
	var v operand
	s.atEntry(func() { v = s.do(opAnd, tB32, s.length(obj, false, 1), u32(lanes-1)) })
	o.lens[k] = v.reg
	return v
}

// comparable returns the index i of an access of obj as an unsigned number to hold against the object's length, and
// whether both have 64 bits. A negative index becomes larger than any length: of 32 bits it does so
// as it is where no length has bit 31.
func (s *selector) comparable(obj ir.Object, i ir.Row) (index operand, wide bool) {
	o := &s.objs[obj]
	t, index := s.typeOf(i), s.value(i)
	most := uint64(1) << 31 // no array is larger
	if o.Param != nil {
		most = o.MaxLen()
	}
	switch {
	case t.Size() == 8:
		return index.as(tU64), true
	case t == ir.U32 && most < 1<<32, most <= 1<<31:
		return index.as(tU32), false
	case index.kind == isImm:
		return imm(tU64, extended(t, index.bits)), true
	}
	return s.resize(ir.U64, t, index), true
}

// inBounds returns the predicate under which the access in row is in bounds with all its lanes; noReg
// if it always is.
func (s *selector) inBounds(row ir.Row, lanes uint32) reg {
	if s.p.Flags(row).InBounds() {
		return noReg
	}
	return s.within(row, ir.Object(s.p.X(row)), s.p.A(row), lanes)
}

// within is inBounds for an access of obj at index i in row.
func (s *selector) within(row ir.Row, obj ir.Object, i ir.Row, lanes uint32) reg {
	at := obj
	obj = s.objs[obj].sized
	k := checkKey{obj, i, lanes}
	if c, ok := s.checks[k]; ok && s.dominates(c.row, row) {
		return c.reg
	}
	index, wide := s.comparable(at, i)
	n := s.length(obj, wide, lanes)
	if index.kind == isImm && n.kind == isImm && index.bits < n.bits {
		return noReg
	}
	t := tU32
	if wide {
		t = tU64
	}
	p := s.compare(cmpLT, t, index, n)
	s.checks[k] = cached{p.reg, row}
	return p.reg
}

// counted returns the object whose checks compare with the length that len gives: of a buffer of records, the first field
// that is no array; ok is false if there is none.
func (s *selector) counted(obj ir.Object) (ir.Object, bool) {
	first := s.objs[obj].First
	for obj = first; int(obj) < len(s.objs) && s.objs[obj].First == first; obj++ {
		if s.objs[obj].Count() == 1 {
			return obj, true
		}
	}
	return 0, false
}

// guarded adds in under the predicate p, without one if p is noReg.
//
//go:noinline
func (s *selector) guarded(in inst, p reg) {
	in.guard, in.sense = p, true
	s.add(in)
}

// zero clears a destination that a guarded instruction may leave alone.
func (s *selector) zero(d reg, guard reg) {
	if guard != noReg {
		s.doInto(d, opMov, moveType(d), imm(moveType(d), 0))
	}
}

// accessMods are space, cache operator and, for memory that nobody writes, the read-only path.
func (s *selector) accessMods(row ir.Row, loads bool) mods {
	o := &s.objs[s.p.X(row)]
	m := mods{space: o.space}
	if o.space != global {
		return m
	}
	m.nc = loads && o.ReadOnly()
	switch s.p.Flags(row).Hint() {
	case ir.Stream:
		m.cache = streaming
	case ir.L2:
		m.cache = inL2
	case ir.Keep:
		m.cache = keepL1
		s.need(7, 4)
	}
	return m
}

// memClass is the class of registers that elements of type t are loaded into: bools as bytes.
func memClass(t ir.Type) class {
	if t == ir.Bool {
		return classR
	}
	return bitsOf(t).class()
}

// fromMemory makes a value of a loaded element.
func (s *selector) fromMemory(t ir.Type, x reg) operand {
	if t == ir.Bool {
		return s.compare(cmpNE, tU32, r(x), u32(0))
	}
	return r(x)
}

// toMemory makes a value what a store of an element of type t takes.
func (s *selector) toMemory(t ir.Type, o operand) operand {
	if t == ir.Bool {
		return s.word(ir.Bool, o)
	}
	if o.kind == isImm {
		return imm(inMemory(t), o.bits&t.Mask())
	}
	return o
}

func (s *selector) load(row ir.Row) {
	if w, ok := s.wide[row]; ok {
		s.loadWide(row, w)
		return
	}
	if s.alongside[row] {
		return // with the first of them
	}
	t := s.objs[s.p.X(row)].Type()
	p, sense := s.inBounds(row, 1), true
	if sel, ok := s.wanted[row]; ok && s.uses[row] == 1 {
		p, sense = s.onlyWhere(row, sel, p)
	}
	d := s.newReg(memClass(t))
	s.zero(d, p)
	s.add(inst{op: opLd, t: inMemory(t), mod: s.accessMods(row, true), dst: r(d), src: [4]operand{s.element(row, 1, 0)}, guard: p, sense: sense})
	s.set(row, s.fromMemory(t, d))
}

// onlyWhere narrows the guard of a load to the condition of the select that alone uses it and has zero elsewhere,
// if that is known by now: the select is what the load gives then.
func (s *selector) onlyWhere(row, sel ir.Row, p reg) (guard reg, sense bool) {
	c := s.p.A(sel)
	cond := s.val[c]
	if c > row || !s.dominates(c, row) || cond.kind != isReg {
		return p, true
	}
	loads := s.p.B(sel) == row // else it is the other way round
	switch {
	case p == noReg:
		p = cond.reg
	case p == cond.reg && !loads: // nothing is ever loaded
		return p, true
	case p == cond.reg:
	case loads:
		p = s.do(opAnd, tPred, r(p), cond).reg
	default:
		p, loads = s.do(opAnd, tPred, r(p), s.do(opNot, tPred, cond)).reg, true
	}
	s.taken[sel] = true
	return p, loads
}

// findWanted notes the loads that a select takes or leaves for zero, but for those of local arrays: they are near, and
// need not wait for the condition. Of more than one the last counts, and then none:
// the load has other uses.
func (s *selector) findWanted() {
	p := s.p
	s.wanted, s.taken = make(map[ir.Row]ir.Row), make(map[ir.Row]bool)
	for i := range p.Rows() {
		row := ir.Row(i)
		if p.Op(row) != ir.OpSelect || s.idle(row) || p.Type(row) == ir.Bool {
			continue
		}
		zero := func(v ir.Row) bool { return p.Op(v) == ir.OpConst && p.Const(v) == 0 }
		load := func(v ir.Row) bool { return p.Op(v) == ir.OpLoad && s.objs[p.X(v)].space != local }
		switch a, b := p.B(row), p.C(row); {
		case load(a) && zero(b):
			s.wanted[a] = row
		case load(b) && zero(a):
			s.wanted[b] = row
		}
	}
}

func (s *selector) store(row ir.Row) {
	if parts, ok := s.records[row]; ok {
		s.storeRecord(row, parts)
		return
	}
	if w, ok := s.wide[row]; ok {
		s.storeWide(row, w)
		return
	}
	if s.alongside[row] {
		return // with the last of them
	}
	t := s.objs[s.p.X(row)].Type()
	p := s.inBounds(row, 1)
	v := s.toMemory(t, s.value(s.p.B(row)))
	s.guarded(inst{op: opSt, t: inMemory(t), mod: s.accessMods(row, false), dst: s.element(row, 1, 0), src: [4]operand{v}}, p)
}
