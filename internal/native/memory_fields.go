package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Fields of a record that follow each other, four of 4 bytes or two of 8, which rows that follow each other load or store, are
// moved together: a piece of sixteen bytes a lane, as records of four words are.

// startFields makes an access of the rows from its own on, if they are such.
func (s *selector) startFields(a *access) {
	p, r := s.p, a.r
	size := a.o.Type().Size()
	n := 16 / size
	if a.o.Field == nil || size < 4 || !a.quick() || a.step() < n || a.once() || a.vec > 1 || int(r)+n > p.Rows() || p.Op(r) != ir.OpLoad && p.Op(r) != ir.OpStore {
		return
	}
	for k := range ir.Row(n) {
		if p.Op(r+k) != p.Op(r) || p.Region(r+k) != p.Region(r) || p.A(r+k) != p.A(r) || p.X(r+k) != p.X(r)+uint32(k) {
			return
		}
		o := s.objects[p.X(r+k)] // which only an access has
		if o.Field == nil || o.Param != a.o.Param || o.Gap() != 0 || o.Stride() != a.o.Stride() || o.Type().Size() != size || o.Offset() != a.o.Offset()+size*int(k) {
			return
		}
	}
	a.fields, a.vec = true, n
	for k := range ir.Row(n) {
		s.joined[r+k] = true
		if a.writes() {
			a.value[0] = append(a.value[0], s.vals[p.B(r+k)]...)
		} else {
			a.result = append(a.result, s.fresh(p.Type(r+k))...)
		}
	}
}

// loaded says in which registers the elements of records are.
func (s *selector) loaded(a *access, vs []vreg) {
	if !a.fields {
		s.vals[a.r] = vs
		return
	}
	n := len(vs) / a.vec
	for k := range a.vec {
		s.vals[a.r+ir.Row(k)] = vs[k*n:][:n]
	}
}

// locate brings into registers what record needs.
func (a *access) locate(e *emitter) {
	if !a.fields || a.shape != consecutive {
		a.recordIndices(e, e.reg(a.scaled, scratch0))
		return
	}
	a.lane0(e)
	e.MulImm(8, unrolledBase, laneIndex.RM(), int32(a.o.Stride()))
	e.Alu(amd64.ADD, 8, unrolledBase, a.baseRM())
}
