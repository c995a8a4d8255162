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
	if s.p.Flags(row).Checked() {
		s.check(row)
		return
	}
	ring := s.hiddenPointer(s.hidden.trace)
	done := s.newLabel()
	slot, capacity := s.newReg(classR), s.newReg(classR)
	s.add(inst{op: opAtom, t: tU32, mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: rmwAdd},
		dst: r(slot), src: [4]operand{at(ring, ringNext), u32(1)}})
	s.add(inst{op: opLd, t: tU32, mod: mods{space: global}, dst: r(capacity), src: [4]operand{at(ring, ringCapacity)}})
	s.add(inst{op: opBra, dst: label(done), guard: s.compare(cmpLE, tU32, r(capacity), r(slot)).reg, sense: true})
	s.record(row, ring, r(slot), ringRecords, s.gridLinear)
	s.label(done)
}

// record writes record slot of those that begin some bytes from base.
func (s *selector) record(row ir.Row, base reg, slot operand, begin uint64, linear func() operand) {
	rec := s.doInto(s.newReg(classRD), opMadWide, tU32, slot, u32(recordBytes), r(base)).reg
	values := s.p.List(row)
	s.put(rec, begin+recordTag, tU32, u32(s.p.X(row)))
	s.put(rec, begin+recordCount, tU32, u32(uint32(len(values))))
	s.put(rec, begin+recordLinear, tU64, linear())
	for i, v := range values {
		t := s.typeOf(ir.Row(v))
		w := s.word(t, s.value(ir.Row(v)))
		if t.Size() < 8 {
			w = s.convert(opCvt, tU64, tU32, r(s.inReg(tB32, s.asInt(w))))
		}
		s.put(rec, begin+recordValues+8*uint64(i), tB64, w)
	}
}

// The record of checks: 0 next u32 · 16 two words of 64 bits for each site, how often it was out of bounds and the
// complement of the smallest invocation's linear id, 0 if it never was · then records as in a ring.
const (
	checkNext  = 0
	checkSites = 16
	checkSite  = 16
)

// CheckRecords is how many records a record of checks has room for. An invocation leaves one only if all before it at
// the same site are larger, so few do.
const CheckRecords = 512

// CheckBytes is the size of a record of checks of so many sites.
func CheckBytes(sites int) int { return checkSites + checkSite*sites + recordBytes*CheckRecords }

// check counts an access out of bounds, and leaves a record if no smaller invocation has.
func (s *selector) check(row ir.Row) {
	base := s.hiddenPointer(s.hidden.checks)
	done := s.newLabel()
	atomic := func(t ptype, m rmw, at operand, v operand) operand {
		old := s.newReg(t.class())
		s.add(inst{op: opAtom, t: t, mod: mods{order: relaxed, scope: scopeGPU, space: global, rmw: m}, dst: r(old), src: [4]operand{at, v}})
		return r(old)
	}
	site := uint64(checkSites + checkSite*s.p.X(row))
	atomic(tU64, rmwAdd, at(base, site), imm(tU64, 1))
	linear := s.gridLinear()
	key := s.do(opNot, tB64, linear)
	before := atomic(tU64, rmwMax, at(base, site+8), key)
	s.add(inst{op: opBra, dst: label(done), guard: s.compare(cmpLE, tU64, key, before).reg, sense: true})
	slot := atomic(tU32, rmwAdd, at(base, checkNext), u32(1))
	s.add(inst{op: opBra, dst: label(done), guard: s.compare(cmpLE, tU32, u32(CheckRecords), slot).reg, sense: true})
	s.record(row, base, slot, checkSites+checkSite*uint64(s.p.Traits().Checks), func() operand { return linear })
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
