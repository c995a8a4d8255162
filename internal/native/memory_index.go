package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Indices. Most objects are so short that an index of 32 bits tells all that is inside, so wider ones are made such: all
// quick forms are for those.

// shortObject is the most elements of an object whose indices are compared in 32 bits: one that is negative is more than
// any length.
const shortObject = 1<<31 - 1

// newAccess is what the program says of an access.
func (s *selector) newAccess(r ir.Row) *access {
	p := s.p
	a := &access{s: s, r: r, object: p.X(r), o: s.objects[p.X(r)], mask: noReg, scaled: noReg, added: noReg, origin: noReg, extent: noReg, vec: 1, lane: anyLane}
	if in := p.Op(r).Info(); in.Vec != 0 {
		a.vec = in.Vec.Lanes()
	}
	size, stride := a.o.Type().Size(), a.o.Stride()
	a.short, a.stride = a.o.Gap() == 0 && stride%size == 0 && a.o.MaxLen() <= shortObject, max(1, stride/size)
	a.from = s.unwidened(r)
	a.typ, a.shape = p.Type(a.from), s.value[a.from]
	if a.inRow() {
		a.from, a.offset = s.offset(a.from)
	}
	return a
}

// inRow says whether the index of lane 0 tells where all of the access is.
func (a *access) inRow() bool {
	in := a.s.p.Op(a.r).Info()
	return a.quick() && a.step() == 1 && a.typ.Size() == 4 && !a.o.Local() && in.Attr&ir.Atomic == 0 && (a.shape == consecutive || a.once())
}

// maxOffset bounds what is added to an index in an address.
const maxOffset = 1 << 16

// maxWalk bounds walks along operands, each of which many rows may ask for. Passes leave one or two of a kind in a row.
const maxWalk = 8

// offset is the row that an index has a constant added to, and the constant. What is inside is so in 64 bits too: where
// the sum wraps in 32, it is beyond all lengths in 64, and code out of line asks again.
func (s *selector) offset(x ir.Row) (ir.Row, uint32) {
	p, sum := s.p, uint64(0)
	for n := 0; n < maxWalk && p.Op(x) == ir.OpAdd && p.Op(p.B(x)) == ir.OpConst && sum+p.Const(p.B(x)) < maxOffset; n++ {
		sum += p.Const(p.B(x))
		x = p.A(x)
	}
	return x, uint32(sum)
}

// vector is the index of each lane.
func (a *access) vector(e *emitter, scratch amd64.Y) amd64.Y {
	x := e.reg(a.index[0], scratch)
	if a.offset == 0 {
		return x
	}
	e.V3(amd64.VPADDD, scratch, x, e.rm(a.added))
	return scratch
}

// unwidened is the row that an access has its index from, before it was widened to 64 bits.
func (s *selector) unwidened(r ir.Row) ir.Row {
	x := s.p.A(r)
	if s.p.Op(x) == ir.OpCvt && s.p.Type(x).Size() == 8 {
		if t := s.p.Type(s.p.A(x)); t == ir.U32 || t == ir.I32 {
			return s.p.A(x)
		}
	}
	return x
}

// quick says whether indices compare with the length in 32 bits.
func (a *access) quick() bool { return a.short }

// countable jumps to out if indices in elements may have more than 31 bits.
func (a *access) countable(e *emitter, out amd64.Label) {
	if most := shortObject / a.step(); a.o.MaxLen() > uint64(most) {
		e.AluImm(amd64.CMP, 8, a.len().RM(), int32(most))
		e.Jcc(amd64.A, out)
		a.leaves = true
	}
}

// step is how many elements an index more is.
func (a *access) step() int { return a.stride }

// once says whether one load serves all lanes.
func (a *access) once() bool {
	return a.shape == uniform && a.s.p.Op(a.r).Info().Attr&(ir.Atomic|ir.Writes) == 0
}

// indexed gives an access the registers of its index.
func (s *selector) indexed(a *access) {
	a.index = s.vals[a.from]
	if !a.quick() {
		return
	}
	if a.offset > 0 {
		a.added = s.constant(a.offset)
	}
	if len(a.index) == 2 {
		lo, hi := a.index[0], a.index[1]
		a.index, a.typ = []vreg{s.derive(derivation{lo, narrowed}, func() vreg { return s.narrow(lo, hi) })}, ir.U32
	}
	a.scaled = a.index[0]
	if a.patchy() {
		a.lanes = s.constant64(ascending)
	}
	if a.o.Local() && a.shape != uniform {
		a.scaled = s.localIndex(a)
		return
	}
	if n := a.step(); n > 1 && !a.once() {
		a.scaled = s.derive(derivation{a.index[0], n}, func() vreg { return s.v3swap(amd64.VPMULLD, a.index[0], s.constant(uint32(n))) })
	}
}

// narrow makes words of lanes of 64 bits: those that are more than a word become the largest one.
func (s *selector) narrow(lo, hi vreg) vreg {
	upper := s.v2imm(amd64.VPERMQ, s.v3imm(amd64.VSHUFPS, lo, hi, 0xDD), 0xD8)
	return s.v3swap(amd64.VPOR, s.join(lo, hi), s.not(s.v3swap(amd64.VPCMPEQD, upper, s.constant(0))))
}

// derivation is what was made of a register: a multiple, or the narrowed lanes of it and the next.
type derivation struct {
	from vreg
	by   int
}

const narrowed = 0

// derive returns what was made of a register before, if control came here straight from there, else makes it.
func (s *selector) derive(d derivation, make func() vreg) vreg {
	v, ok := s.derived[d]
	if !ok {
		v = make()
		s.derived[d] = v
	}
	return v
}
