package native

import (
	"math/bits"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Plain loads. Where it is known that what a vector asks for is inside, a load is one instruction an register like those that
// compute: it may be moved among them, left out where nothing reads it, and be the operand in memory of what reads it next.

// sure reports whether an access needs no test of its index. What is proven speaks of active lanes: all are, or one is, whose index
// is that of all. (Of vectors in step one may have none; those have no local arrays.)
func (a *access) sure() bool {
	one := a.shape == uniform && (a.o.Local() || !a.s.layout.alone)
	return a.bounded || a.s.p.Flags(a.r).InBounds() && (a.mask == noReg || a.full || one)
}

// plain writes a load that is plain, and reports whether it is one.
func (s *selector) plain(a *access) bool {
	size := a.o.Type().Size()
	if op := s.p.Op(a.r); op != ir.OpLoad && op != ir.OpLoadV2 && op != ir.OpLoadV4 || a.result == nil || !a.inRow() || a.o.Type() == ir.Bool || size < 4 || !a.sure() {
		return false
	}
	if !a.once() {
		if a.vec > 1 && !a.packed {
			return false
		}
		for i, v := range a.result {
			s.load(a, amd64.VMOVUPS, v, i*32/size)
		}
		return true
	}
	op, n := amd64.VPBROADCASTD, parts(a.o.Type())
	if size == 8 {
		op = amd64.VPBROADCASTQ
	}
	for i := range a.vec {
		for k := range n {
			s.load(a, op, a.result[i*n+k], i)
		}
	}
	return true
}

// load adds the load of one register, from element i of those of lane 0 on.
func (s *selector) load(a *access, op amd64.Op, d vreg, i int) {
	disp := (int(a.offset)*a.vec + i) * a.o.Type().Size()
	s.add(ins{form: formLoad, op: op, d: d, a: a.index[0], b: noReg, c: noReg, disp: int32(disp), access: a})
}

// spots are general registers that plain loads have brought something into: indices, times the elements of a record, and addresses
// of objects. Any code forgets them that may use these registers.
type spots struct {
	index [len(spotRegs)]spot
	base  [len(spotRegs)]int // 1 more than the object; 0 for none
	turn  [2]int             // which is replaced next, of indices and of addresses
}

type spot struct {
	index  *vinfo
	vec    int
	signed bool
}

var spotRegs = [...]struct{ index, base amd64.Reg }{{amd64.R8, amd64.R9}, {amd64.R10, amd64.R11}}

// plainAt is where a plain load finds what it loads.
func (e *emitter) plainAt(in *ins) amd64.Mem {
	a := in.access
	m := amd64.Mem{Base: e.baseOf(int(a.object)), Scale: uint8(a.o.Type().Size()), Disp: in.disp}
	if first, ok := a.constant(e, in.a); ok {
		return amd64.At(m.Base, in.disp+first)
	}
	m.Index = e.indexOf(in.a, a)
	return m
}

// constant is how many bytes the index of an access is, if it is known to be a small number.
func (a *access) constant(e *emitter, v vreg) (int32, bool) {
	i, size := e.info(v), uint64(a.vec*a.o.Type().Size())
	if n := i.bits & (1<<32 - 1); i.fixed && n < maxOffset {
		return int32(n * size), true
	}
	return 0, false
}

// baseOf returns a register with the address of an object.
func (e *emitter) baseOf(object int) amd64.Reg {
	if r, ok := e.f.generalOf(addressOf(object)); ok {
		return r
	}
	if e.reached.object == object {
		return amd64.DX
	}
	for i, o := range e.spots.base {
		if o == object+1 {
			return spotRegs[i].base
		}
	}
	n := e.spots.turn[1]
	e.spots.turn[1] = (n + 1) % len(spotRegs)
	e.spots.base[n] = object + 1
	e.Load(8, spotRegs[n].base, e.f.cellAt(addressOf(object)).RM())
	return spotRegs[n].base
}

// indexOf returns a register with the index of lane 0, times the elements of a record.
func (e *emitter) indexOf(v vreg, a *access) amd64.Reg {
	want := spot{e.info(v), a.vec, a.signed()}
	if had := e.reached; had.index == want.index && had.vec == want.vec && had.signed == want.signed {
		return amd64.AX
	}
	for i, had := range e.spots.index {
		if had == want {
			return spotRegs[i].index
		}
	}
	n := e.spots.turn[0]
	e.spots.turn[0] = (n + 1) % len(spotRegs)
	e.spots.index[n] = want
	e.bringIndex(spotRegs[n].index, want)
	return spotRegs[n].index
}

// signed says whether the index of an access may be negative: what is proven speaks of the sum with the offset, which may wrap.
// Then it is widened with its sign, and the sum in 64 bits is that in 32.
func (a *access) signed() bool { return a.offset > 0 && !a.bounded && a.sure() }

// bringIndex brings the index of lane 0 into a register, times the elements of a record.
func (e *emitter) bringIndex(r amd64.Reg, x spot) {
	switch inReg := x.index.reg >= 0; {
	case inReg:
		if e.VLow(4, r, amd64.Y(x.index.reg)); x.signed {
			e.LoadSign32(r, r.RM())
		}
	case x.signed:
		e.LoadSign32(r, e.placeOf(x.index).RM())
	default:
		e.Load(4, r, e.placeOf(x.index).RM())
	}
	if x.vec > 1 {
		e.ShiftImm(4, 8, r, uint8(bits.TrailingZeros(uint(x.vec))))
	}
}

// plainLoad writes a plain load; as an operand of the instruction after it, if that is all that reads it.
func (e *emitter) plainLoad(in *ins) {
	m := e.plainAt(in)
	if e.folds(in) {
		e.f.vregs[in.d].reg, e.f.vregs[in.d].home, e.folded = -1, inOperand, m
		return
	}
	y := e.dst(in.d)
	e.V2(in.op, y, m.RM())
	e.put(in.d, y)
	e.forget(&e.f.vregs[in.d]) // its own index, it may be
}

// folds reports whether the next instruction alone reads what is loaded, once, and may do so in memory.
func (e *emitter) folds(in *ins) bool {
	if in.op != amd64.VMOVUPS || e.at+1 == len(e.f.ins) {
		return false
	}
	i, next := &e.f.vregs[in.d], &e.f.ins[e.at+1]
	if i.home != homeless || i.start != int32(2*e.at+1) || i.end != int32(2*e.at+3) {
		return false
	}
	switch next.form {
	case form3, form3Swap, form3Imm, form4, formFma:
	default:
		return false
	}
	n := 0
	for v := range next.reads() {
		if v == in.d {
			n++
		}
	}
	return n == 1 && next.d != in.d
}
