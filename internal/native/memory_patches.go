package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Rows that come out only when code runs. An index such as k%n, k^n or min(k, n), where k is a row and n uniform, is a row for most n
// and most vectors: a patch of one. Accesses by such an index look whether it is one, and go lane by lane where it is not.

// findPatches finds integers that may be rows. That costs an access some six instructions in vain, so what only a
// multiple of a row makes is left out, and what memory has: neither is ever one, but by chance. By constants, shapes have shown
// what is a row, and the rest never is.
func (s *shapes) findPatches() {
	s.patches = make([]bool, s.p.Rows())
	for r := range ir.Row(s.p.Rows()) {
		if s.value[r] == varying && s.p.Type(r).IsInt() {
			s.patches[r] = s.patch(r)
		}
	}
}

// patch reports whether a varying integer may be a row.
func (s *shapes) patch(r ir.Row) bool {
	p := s.p
	patch := func(v ir.Row) bool { return v < r && s.patches[v] }
	row := func(v ir.Row) bool { return patch(v) || s.value[v] == consecutive }
	plain := func(v ir.Row) bool { return row(v) || s.value[v] == uniform }
	a, b := p.A(r), p.B(r)
	switch p.Op(r) {
	case ir.OpCvt, ir.OpBitcast:
		return patch(a)
	case ir.OpAdd, ir.OpSub:
		return (patch(a) || patch(b)) && plain(a) && plain(b)
	case ir.OpMul, ir.OpShl:
		return patch(a) && s.value[b] == uniform || patch(b) && s.value[a] == uniform
	case ir.OpRem, ir.OpDiv, ir.OpShr:
		return row(a) && s.value[b] == uniform && p.Op(b) != ir.OpConst
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return (row(a) || row(b)) && plain(a) && plain(b) && p.Op(b) != ir.OpConst
	case ir.OpMin, ir.OpMax:
		return (row(a) || row(b)) && plain(a) && plain(b)
	case ir.OpSelect:
		return (row(b) || row(p.C(r))) && plain(b) && plain(p.C(r))
	}
	return false
}

// patchy reports whether an access looks for a row.
func (a *access) patchy() bool {
	return a.shape == varying && a.s.patches[a.from] && a.quick() && a.step() == 1 && a.vec == 1 && len(a.index) == 1 && !a.o.Local() && a.o.Type() != ir.Bool
}

// ascending has the numbers of the lanes, a byte each.
const ascending = 0x0706050403020100

// tryRow writes the access of a row, and out of line that of any lanes.
func (a *access) tryRow(e *emitter, row func(out amd64.Label), other func()) {
	a.around(e, func(out amd64.Label) {
		x := a.vector(e, scratch0)
		e.V2(amd64.VPBROADCASTD, scratch1, x.RM())
		e.V2(amd64.VPMOVZXBD, scratch2, e.placeOf(e.info(a.lanes)).RM())
		e.V3(amd64.VPADDD, scratch1, scratch1, scratch2.RM())
		e.V3(amd64.VPCMPEQD, scratch1, scratch1, x.RM())
		e.V2(amd64.VTESTPS, scratch1, e.rm(a.ones))
		e.Jcc(amd64.AE, out)
		a.leaves = true
		row(out)
	}, func() {
		a.full, e.spares, e.reached, e.reachedBefore = false, false, unreached, unreached
		other()
	})
}
