package ptx

import "github.com/govyre/vyre/ir"

// debugRules covers what a kernel tells the host beside its results.
var debugRules = map[ir.Op]rule{
	ir.OpTrap:  (*selector).trap,
	ir.OpTrace: (*selector).trace,
}

// Offsets in a trap record.
const (
	trapTaken = 0
	trapCode  = 4
	trapSite  = 8
	trapValue = 16
	trapGroup = 24
	trapLocal = 36
)

// put stores v at an offset from a global address.
func (s *selector) put(base reg, off uint64, t ptype, v operand) {
	s.add(inst{op: opSt, t: t, mod: mods{space: global}, dst: at(base, off), src: [4]operand{v.as(t)}})
}

// trap records the first trap of a launch: whoever changes taken from 0 to 1 writes the record. The
// invocation goes on, so no barrier waits for it in vain.
func (s *selector) trap(row ir.Row) {
	record := s.hiddenPointer(s.hidden.trap)
	done := s.newLabel()
	s.add(inst{op: opBra, dst: label(done), guard: s.pred(s.value(s.p.A(row))), sense: false})
	old := s.newReg(classR)
	s.add(inst{op: opAtom, t: tB32, mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: rmwCas},
		dst: r(old), src: [4]operand{at(record, trapTaken), u32(0), u32(1)}})
	s.add(inst{op: opBra, dst: label(done), guard: s.compare(cmpNE, tU32, r(old), u32(0)).reg, sense: true})
	s.put(record, trapCode, tU32, u32(s.p.X(row)))
	s.put(record, trapSite, tU32, u32(uint32(row)))
	s.put(record, trapValue, tU64, s.value(s.p.B(row)))
	for axis := range uint32(3) {
		s.put(record, trapGroup+4*uint64(axis), tU32, s.groupID(axis))
		s.put(record, trapLocal+4*uint64(axis), tU32, s.localID(axis))
	}
	s.label(done)
}

// Offsets in a trace ring and in its records.
const (
	ringNext     = 0
	ringCapacity = 4
	ringRecords  = 32
	recordBytes  = 40
	recordTag    = 0
	recordCount  = 4
	recordLinear = 8
	recordValues = 16
)

// trace appends to the ring; attempts beyond its capacity are only counted.
func (s *selector) trace(row ir.Row) {
	ring := s.hiddenPointer(s.hidden.trace)
	done := s.newLabel()
	slot, capacity := s.newReg(classR), s.newReg(classR)
	s.add(inst{op: opAtom, t: tU32, mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: rmwAdd},
		dst: r(slot), src: [4]operand{at(ring, ringNext), u32(1)}})
	s.add(inst{op: opLd, t: tU32, mod: mods{space: global}, dst: r(capacity), src: [4]operand{at(ring, ringCapacity)}})
	s.add(inst{op: opBra, dst: label(done), guard: s.compare(cmpLE, tU32, r(capacity), r(slot)).reg, sense: true})
	rec := s.doInto(s.newReg(classRD), opMadWide, tU32, r(slot), u32(recordBytes), r(ring)).reg
	values := s.p.List(row)
	s.put(rec, ringRecords+recordTag, tU32, u32(s.p.X(row)))
	s.put(rec, ringRecords+recordCount, tU32, u32(uint32(len(values))))
	s.put(rec, ringRecords+recordLinear, tU64, s.gridLinear())
	for i, v := range values {
		t := s.typeOf(ir.Row(v))
		w := s.word(t, s.value(ir.Row(v)))
		if t.Size() < 8 {
			w = s.convert(opCvt, tU64, tU32, r(s.inReg(tB32, s.asInt(w))))
		}
		s.put(rec, ringRecords+recordValues+8*uint64(i), tB64, w)
	}
	s.label(done)
}

// asInt moves a word into a register for integers.
func (s *selector) asInt(w operand) operand {
	if w.kind == isReg && w.reg.class() == classF {
		return s.do(opMov, tB32, w)
	}
	return w
}

// gridLinear is the invocation's id in the grid, counted along x, then y, then z, modulo 2⁶⁴.
func (s *selector) gridLinear() operand {
	id := s.convert(opCvt, tU64, tU32, s.globalID(2))
	for axis := 1; axis >= 0; axis-- {
		n := s.doInto(s.newReg(classRD), opMulWide, tU32, s.groups(uint32(axis)), u32(s.size[axis]))
		id = s.do(opMadLo, tU64, id, n, s.convert(opCvt, tU64, tU32, s.globalID(uint32(axis))))
	}
	return id
}
