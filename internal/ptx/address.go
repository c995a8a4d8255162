package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// noObject stands for all objects in addressed with 64 bits, the number below it for those with 32.
const noObject ir.Object = 1<<32 - 1

// addrKey names an address that several accesses may share, or the distance from the start of any object.
type addrKey struct {
	obj    ir.Object
	index  ir.Row
	scale  uint32
	signed bool   // an index of 32 bits is a signed number
	run    uint32 // of an array in a record
	gap    uint32
}

// maxOffset bounds the bytes that stand in an instruction.
const maxOffset = 1 << 20

// address is the stage that works out where accesses go. The start of every object is found once at
// the entry; the address of an element is computed where it is first accessed and used again by
// accesses to which that place is dominant.
func (f *function) address() {
	s := f.sel
	s.findRoots()
	code := s.code
	e := edits{added: make([]inst, 0, 2*len(s.accesses)+atEntry)} // an access may get a distance and a sum
	s.cur = &e.added
	for i := range code {
		in := &code[i]
		if in.dst.kind != isAccess && in.op != opPlace && in.src[0].kind != isAccess && in.src[1].kind != isAccess &&
			in.src[2].kind != isAccess && in.src[3].kind != isAccess {
			continue
		}
		s.row = in.row
		if in.dst.kind == isAccess {
			in.dst = s.place(s.accesses[in.dst.bits])
		}
		for k := range in.src {
			if in.src[k].kind == isAccess {
				in.src[k] = s.place(s.accesses[in.src[k].bits])
			}
		}
		if in.op == opPlace {
			in.op, in.src = opAdd, [4]operand{r(in.src[0].reg), imm(tS64, in.src[0].bits)}
		}
		e.put(i, false)
	}
	f.insts, f.sel = e.apply(code, s.prologue), nil
}

// atEntry is about how many instructions working out places adds to the entry.
const atEntry = 64

// place returns the address of an access.
func (s *selector) place(a access) operand {
	o := &s.objs[a.obj]
	index := s.val[a.index]
	t := s.typeOf(a.index)
	wide := o.space != shared // shared addresses have 32 bits
	if index.kind == isImm {
		e := extended(t, index.bits)
		off := e*uint64(a.scale) + uint64(a.off)
		if a.run > 0 {
			off += e / uint64(a.run) * uint64(a.gap)
		}
		if off > maxOffset { // no access of its kind is in bounds, or the offset does not fit an instruction
			return s.computed(a, index, wide, false)
		}
		if o.Param != nil {
			return operand{kind: isAddress, reg: s.base(a.obj), bits: off}
		}
		return operand{kind: isNamed, reg: reg(o.sym), bits: off + uint64(o.off)}
	}
	if !wide || a.run > 0 {
		return s.computed(a, index, wide, false) // the assembler sees through sums of 32 bits by itself
	}
	root, c := s.root(a.index)
	signed, ok := s.apart(a.obj, c)
	switch off := c * int64(a.scale); {
	case !s.roots[root] || s.val[root].kind != isReg:
	case t.Size() == 4 && !ok, off > maxOffset, off < -maxOffset:
	default:
		a.index, a.off = root, a.off+uint32(off)
		return s.computed(a, s.val[root], wide, signed)
	}
	return s.computed(a, index, wide, false)
}

// findRoots notes the values to which accesses of wide addresses add a constant.
func (s *selector) findRoots() {
	s.roots = make(map[ir.Row]bool)
	for i := range s.accesses {
		a := &s.accesses[i]
		if s.objs[a.obj].space == shared {
			continue
		}
		if root, c := s.root(a.index); c != 0 {
			s.roots[root] = true
		}
	}
}

// root takes the constants that index adds apart from what it adds them to.
func (s *selector) root(index ir.Row) (root ir.Row, c int64) {
	p := s.p
	for range maxSum {
		if op := p.Op(index); op != ir.OpAdd && op != ir.OpOr {
			break
		}
		x, k := p.A(index), p.B(index)
		if p.Op(k) != ir.OpConst {
			break
		}
		bits, t := p.Const(k), p.Type(k)
		if p.Op(index) == ir.OpOr { // a sum, where it only sets bits that a shift has cleared
			if p.Op(x) != ir.OpShl || p.Op(p.B(x)) != ir.OpConst || p.Const(p.B(x)) > 31 || bits>>p.Const(p.B(x)) != 0 {
				break
			}
		}
		d := int64(bits)
		if t.Size() == 4 {
			d = int64(int32(bits))
		}
		if d > maxOffset || d < -maxOffset {
			break
		}
		index, c = x, c+d
	}
	return index, c
}

// maxSum bounds the constants that are taken apart.
const maxSum = 4

// apart reports whether c may be added to the address of an element of obj instead of to its index of 32 bits,
// where an access at the sum is made only in bounds: whether the index before adding has to be read as a signed
// number for that.
//
// Adding wraps, the address does not. Let v be the sum, below the length, so the index is v - c modulo 2^32. Read as
// signed it is that very number if -2^31 <= v - c < 2^31, read as unsigned if 0 <= v - c < 2^32.
func (s *selector) apart(obj ir.Object, c int64) (signed, ok bool) {
	most := int64(1) << 31 // no array is larger
	if q := s.objs[obj].Param; q != nil {
		most = int64(min(s.objs[obj].MaxLen(), 1<<40))
	}
	switch {
	case most-1-c < 1<<31 && c <= 1<<31:
		return true, true
	case c <= 0 && most-1-c < 1<<32:
		return false, true
	}
	return false, false
}

// extended is a constant index as a number modulo 2⁶⁴.
func extended(t ir.Type, bits uint64) uint64 {
	if t == ir.I32 {
		return uint64(int64(int32(bits)))
	}
	return bits
}

// computed returns the address of an access whose index is only known at run time.
func (s *selector) computed(a access, index operand, wide, signed bool) operand {
	k := addrKey{a.obj, a.index, a.scale, signed, a.run, a.gap}
	off := uint64(int64(int32(a.off)))
	if c, ok := s.addrs[k]; ok && s.dominates(c.row, s.row) {
		return operand{kind: isAddress, reg: c.reg, bits: off}
	}
	t, base := tU32, s.base(a.obj)
	if wide {
		t = tS64
	}
	if first, i, ok := s.sum(a, wide); ok {
		from := a
		from.index, from.off = first, 0
		base = s.computed(from, s.val[first], wide, false).reg
		a.index, index = i, s.val[i]
	}
	d := s.do(opAdd, t, r(base), s.distance(a, index, wide, signed))
	s.addrs[k] = cached{d.reg, s.row}
	return operand{kind: isAddress, reg: d.reg, bits: off}
}

// sum takes the index of an access apart that is a sum of 64 bits, of where something begins and of an index in it of 32: the
// first is part of an address that others may share, and the assembler makes one instruction of the product of the second and the sum.
func (s *selector) sum(a access, wide bool) (first, i ir.Row, ok bool) {
	p := s.p
	if !wide || a.run > 0 || p.Op(a.index) != ir.OpAdd || p.Type(a.index) != ir.U64 {
		return 0, 0, false
	}
	for _, o := range [2][2]ir.Row{{p.A(a.index), p.B(a.index)}, {p.B(a.index), p.A(a.index)}} {
		if first, i = o[0], o[1]; p.Op(i) == ir.OpCvt && p.Type(p.A(i)) == ir.U32 && s.val[first].kind == isReg && s.val[p.A(i)].kind == isReg {
			return first, p.A(i), true
		}
	}
	return 0, 0, false
}

// distance is how many bytes an element is from the first. All objects with elements of one size share it; the
// assembler makes one machine instruction of the product and each sum.
func (s *selector) distance(a access, index operand, wide, signed bool) operand {
	k := addrKey{noObject, a.index, a.scale, signed, a.run, a.gap}
	if !wide {
		k.obj--
	}
	if c, ok := s.addrs[k]; ok && s.dominates(c.row, s.row) {
		return r(c.reg)
	}
	var d operand
	log := u32(uint32(bits.TrailingZeros32(a.scale)))
	switch long := s.typeOf(a.index).Size() == 8; {
	case wide && long && a.scale&(a.scale-1) != 0:
		d = s.do(opMulLo, tS64, index.as(tS64), imm(tS64, uint64(a.scale)))
	case wide && long:
		d = s.do(opShl, tB64, index.as(tB64), log)
	case signed && !long:
		d = s.doInto(s.newReg(classRD), opMulWide, tS32, index.as(tS32), imm(tS32, uint64(a.scale)))
	case wide: // an index in bounds is not negative, whatever its type
		d = s.doInto(s.newReg(classRD), opMulWide, tU32, index.as(tU32), u32(a.scale))
	case long:
		d = s.do(opShl, tB32, s.convert(opCvt, tU32, tU64, index.as(tU64)), log)
	default:
		d = s.do(opShl, tB32, index.as(tB32), log)
	}
	if a.run > 0 {
		d = s.do(opAdd, tS64, d, s.gaps(a, index))
	}
	s.addrs[k] = cached{d.reg, s.row}
	return d
}

// gaps is how many bytes of other fields lie between an element of an array in a record and the first one: a gap for
// each record before.
func (s *selector) gaps(a access, index operand) operand {
	switch long := s.typeOf(a.index).Size() == 8; {
	case long && !a.narrow:
		q := s.do(opDiv, tU64, index.as(tU64), imm(tU64, uint64(a.run)))
		return s.do(opMulLo, tS64, q, imm(tS64, uint64(a.gap)))
	case long:
		index = s.convert(opCvt, tU32, tU64, index.as(tU64))
	}
	q := s.do(opDiv, tU32, index.as(tU32), u32(a.run))
	return s.doInto(s.newReg(classRD), opMulWide, tU32, q, u32(a.gap))
}

// dominates reports whether what was worked out at row d is there at row u.
func (s *selector) dominates(d, u ir.Row) bool {
	return d <= u && u < s.p.Regions()[s.p.Region(d)].End
}

// base returns the address of element 0 of an object.
func (s *selector) base(obj ir.Object) reg {
	o := &s.objs[obj]
	if o.base != noReg {
		return o.base
	}
	s.atEntry(func() {
		switch {
		case o.Param != nil:
			o.base = s.do(opToGlobal, tU64, s.param(tU64, o.sym)).reg
		case o.space != shared:
			o.base = s.do(opMov, tU64, symbolic(o.sym)).reg
		default:
			o.base = s.do(opMov, tU32, symbolic(o.sym)).reg
			if o.off > 0 {
				o.base = s.do(opAdd, tU32, r(o.base), u32(o.off)).reg
			}
		}
	})
	return o.base
}
