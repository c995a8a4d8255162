package native

import (
	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Four fields of a record that are words and follow each other, which rows that follow each other load or store, are moved
// together: a piece of sixteen bytes a lane, as records of four words are.

// fieldRows is how many rows are moved together.
const fieldRows = 4

// startFields makes an access of the rows from its own on, if they are such.
func (s *selector) startFields(a *access) {
	p, r := s.p, a.r
	if a.o.Field == nil || !a.quick() || a.step() < fieldRows || a.once() || a.vec > 1 || int(r)+fieldRows > p.Rows() || p.Op(r) != ir.OpLoad && p.Op(r) != ir.OpStore {
		return
	}
	if a.mask != noReg && a.shape != consecutive && !a.writes() { // gathers have masks
		return
	}
	for k := range ir.Row(fieldRows) {
		if p.Op(r+k) != p.Op(r) || p.Region(r+k) != p.Region(r) || p.A(r+k) != p.A(r) || p.X(r+k) != p.X(r)+uint32(k) {
			return
		}
		o := s.objects[p.X(r+k)] // which only an access has
		if o.Field == nil || o.Param != a.o.Param || o.Gap() != 0 || o.Stride() != a.o.Stride() || o.Type().Size() != 4 || o.Offset() != a.o.Offset()+4*int(k) {
			return
		}
	}
	a.fields, a.vec = true, fieldRows
	for k := range ir.Row(fieldRows) {
		s.joined[r+k] = true
		if a.writes() {
			a.value[0] = append(a.value[0], s.vals[p.B(r+k)][0])
		} else {
			a.result = append(a.result, s.reg())
		}
	}
}

// loaded says in which registers the elements of records are.
func (s *selector) loaded(a *access, vs []vreg) {
	if !a.fields {
		s.vals[a.r] = vs
		return
	}
	for k := range fieldRows {
		s.vals[a.r+ir.Row(k)] = vs[k : k+1]
	}
}

// locate brings into registers what record needs.
func (a *access) locate(e *emitter) {
	if !a.fields || a.shape != consecutive {
		a.indices(e)
		e.Load(8, unrolledBase, a.base().RM())
		return
	}
	a.first(e)
	e.MulImm(8, unrolledBase, laneIndex.RM(), int32(a.o.Stride()))
	e.Alu(amd64.ADD, 8, unrolledBase, a.base().RM())
}
