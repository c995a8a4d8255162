package native

import (
	"math/bits"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Memory. Every access compares its index with the object's length; nothing rests on pages that fault. What a whole
// vector does at once has a quick form, behind a test that it stays inside; everything else goes lane by lane.

// access is a row that names an object.
type access struct {
	s      *selector
	r      ir.Row
	o      ir.ObjectInfo
	object uint32
	mask   vreg // of the active lanes; noReg: all
	ones   vreg // a mask of all lanes
	index  []vreg
	shape  shape
	value  [2][]vreg // what is stored; of a compare-and-swap, what is expected and what is new
	result []vreg
	vec    int // elements of the access

	// records: the elements of a lane follow each other in the vector's frame, and value or result are rows of these, of
	// two lanes each: k and k+4, or 2k and 2k+1 if packed.
	records, packed bool

	full    bool // all lanes are active, which was tested
	reaches bool // it leaves an index and an address to the access after it

	lane int // that code is being written for; anyLane: the one whose number is in a register
}

// anyLane is the lane of code that is written once for all of them.
const anyLane = -1

// widest index that is compared in 32 bits: one of a signed index that is negative is more than any length.
const shortObject = 1<<31 - 1

func (s *selector) access(r ir.Row, c *flow) {
	p := s.p
	in := p.Op(r).Info()
	a := &access{s: s, r: r, object: p.X(r), o: p.Objects()[p.X(r)], mask: c.mask, ones: s.ones(), index: s.vals[p.A(r)], shape: s.value[p.A(r)], vec: 1, lane: anyLane}
	if in.Vec != 0 {
		a.vec = in.Vec.Lanes()
	}
	for i, v := range []ir.Row{p.B(r), p.C(r)} {
		if v != ir.NoRow {
			a.value[i] = s.vals[v]
		}
	}
	if p.Type(r) != ir.None && (s.used[r] || in.Attr&ir.Atomic == 0) {
		a.result = s.fresh(p.Type(r))
		s.vals[r] = a.result
	}
	if a.records = s.records(r); a.records {
		a.packed = s.packs.packed(r)
	}
	if a.records && !a.packed {
		if a.result == nil {
			a.value[0] = s.transpose(a.value[0])
		} else {
			defer func() { s.vals[r] = s.transpose(a.result) }()
		}
	}
	uses := append([]vreg{}, a.index...)
	uses = append(append(uses, a.value[0]...), a.value[1]...)
	if c.mask != noReg {
		uses = append(uses, c.mask)
	}
	s.macro(uses, a.result, func(e *emitter) { a.write(e) })
}

// records says whether a row moves records of four words that are not the same for all lanes.
func (s *selector) records(r ir.Row) bool {
	p := s.p
	in := p.Op(r).Info()
	a := &access{s: s, r: r, o: p.Objects()[p.X(r)], index: make([]vreg, parts(p.Type(p.A(r))))}
	return in.Vec.Lanes() == 4 && a.o.Type().Size() == 4 && a.quick() && !a.o.Local() && (s.value[p.A(r)] != uniform || in.Attr&ir.Writes != 0)
}

// quick says whether indices are words that compare with the length in 32 bits, and elements follow each other.
func (a *access) quick() bool {
	return len(a.index) == 1 && a.o.MaxLen() <= shortObject && a.o.Gap() == 0 && a.o.Stride() == a.o.Type().Size()
}

func (a *access) write(e *emitter) {
	in := a.s.p.Op(a.r).Info()
	size := a.o.Type().Size()
	switch {
	case !a.quick() || a.o.Type() == ir.Bool:
		a.byLanes(e)
	case in.Attr&ir.Atomic != 0:
		a.unrolled(e)
	case a.o.Local():
		a.local(e)
	case a.records && a.shape != consecutive:
		a.scattered(e)
	case a.records && in.Attr&ir.Writes != 0:
		a.storeRecords(e)
	case a.records:
		a.loadRecords(e)
	case in.Attr&ir.Writes != 0 && a.vec == 1 && a.shape == consecutive && size >= 4:
		a.storeRow(e)
	case in.Attr&ir.Writes != 0 && a.vec == 1:
		a.unrolled(e)
	case in.Attr&ir.Writes != 0:
		a.byLanes(e)
	case a.shape == uniform:
		a.loadOne(e)
	case a.vec == 1 && a.shape == consecutive:
		a.loadRow(e)
	case a.vec == 1 && size == 4:
		a.gather(e)
	case a.vec == 1:
		a.unrolled(e)
	default:
		a.byLanes(e)
	}
}

// around writes quick code that may jump to other code, which is out of line.
func (a *access) around(e *emitter, quick func(out amd64.Label), other func()) {
	out, back := e.NewLabel(), e.NewLabel()
	quick(out)
	e.Bind(back)
	e.later(func() {
		e.Bind(out)
		other()
		a.again(e)
		e.Jmp(back)
	})
}

func (a *access) base() amd64.Mem { return amd64.At(groupFrame, a.s.layout.objects[a.object]) }
func (a *access) len() amd64.Mem  { return amd64.At(groupFrame, a.s.layout.objects[a.object]+8) }

// first brings the index of lane 0 into AX.
func (a *access) first(e *emitter) {
	if e.inReg(a.index[0]) {
		e.VLow(4, amd64.AX, e.reg(a.index[0], scratch0))
	} else {
		e.Load(4, amd64.AX, e.place(a.index[0]).RM())
	}
}

// inside jumps to out unless n elements from AX on are inside.
func (a *access) inside(e *emitter, n int32, out amd64.Label) {
	if a.s.p.Flags(a.r).InBounds() && (a.mask == noReg || a.full || a.shape == uniform) { // what is proven speaks of active lanes
		return
	}
	if n == 1 {
		e.Alu(amd64.CMP, 8, amd64.AX, a.len().RM())
		e.Jcc(amd64.AE, out)
		return
	}
	e.Lea(amd64.CX, amd64.At(amd64.AX, n))
	e.Alu(amd64.CMP, 8, amd64.CX, a.len().RM())
	e.Jcc(amd64.A, out)
}

// at is element AX+i of the object whose address is in DX.
func (a *access) at(i int) amd64.Mem {
	size := a.o.Type().Size()
	return amd64.Mem{Base: amd64.DX, Index: amd64.AX, Scale: uint8(size), Disp: int32(i * size)}
}

// loadOne loads what all lanes ask for, once.
func (a *access) loadOne(e *emitter) {
	a.around(e, func(out amd64.Label) {
		a.reach(e, int32(a.vec), out)
		n := parts(a.o.Type())
		for i := range a.vec {
			a.broadcast(e, a.result[i*n:][:n], a.at(i))
		}
	}, func() { a.byLanes(e) })
}

func (a *access) broadcast(e *emitter, d []vreg, m amd64.Mem) {
	y := e.dst(d[0])
	switch t := a.o.Type(); t.Size() {
	case 8:
		e.V2(amd64.VPBROADCASTQ, y, m.RM())
	case 4:
		e.V2(amd64.VPBROADCASTD, y, m.RM())
	default:
		load := e.LoadZero
		if t.IsSigned() {
			load = e.LoadSign
		}
		load(amd64.Size(t.Size()), amd64.R8, m.RM())
		e.VSetLow(4, y, amd64.R8)
		e.V2(amd64.VPBROADCASTD, y, y.RM())
	}
	for _, v := range d {
		e.put(v, y)
	}
}

// widening are the loads of eight narrow elements, by type.
var widening = map[ir.Type]amd64.Op{ir.U8: amd64.VPMOVZXBD, ir.I8: amd64.VPMOVSXBD, ir.U16: amd64.VPMOVZXWD, ir.I16: amd64.VPMOVSXWD,
	ir.F16: amd64.VPMOVZXWD, ir.BF16: amd64.VPMOVZXWD}

// loadRow loads eight elements that follow each other.
func (a *access) loadRow(e *emitter) {
	a.around(e, func(out amd64.Label) {
		a.reach(e, lanes, out)
		op, narrow := widening[a.o.Type()]
		if !narrow {
			op = amd64.VMOVUPS
		}
		for i, v := range a.result {
			y := e.dst(v)
			e.V2(op, y, a.at(i*lanes/2).RM())
			e.put(v, y)
		}
	}, func() {
		if a.o.Type().Size() == 4 {
			a.gather(e)
		} else {
			a.byLanes(e)
		}
	})
}

// storeRow stores to eight elements that follow each other; where not all lanes are active, with their mask, which
// touches no other element.
func (a *access) storeRow(e *emitter) {
	a.around(e, func(out amd64.Label) {
		a.reach(e, lanes, out)
		for i, v := range a.value[0] {
			y := e.reg(v, scratch0)
			to := a.at(i * lanes / 2)
			switch {
			case a.mask == noReg:
				e.VStore(to, y)
			case len(a.value[0]) == 1:
				e.VMaskStore(4, to, e.reg(a.mask, scratch1), y)
			default:
				e.V2Imm(amd64.VPERMQ, scratch1, e.rm(a.mask), [2]uint8{0x44, 0xEE}[i])
				e.V2(amd64.VPMOVSXDQ, scratch1, scratch1.RM())
				e.VMaskStore(8, to, scratch1, y)
			}
		}
	}, func() { a.byLanes(e) })
}

// gather loads elements of 4 bytes from anywhere: where an index is outside, and where a lane is not active, zeros.
func (a *access) gather(e *emitter) {
	x := e.reg(a.index[0], scratch0)
	e.V2(amd64.VPBROADCASTD, scratch1, a.len().RM())
	e.V3(amd64.VPMAXUD, scratch1, scratch1, x.RM())
	e.V3(amd64.VPCMPEQD, scratch1, scratch1, x.RM()) // index ≥ length
	if a.mask != noReg {
		e.V3(amd64.VPANDN, scratch1, scratch1, e.rm(a.mask))
	} else {
		e.V3(amd64.VPCMPEQD, scratch2, scratch2, scratch2.RM())
		e.V3(amd64.VPANDN, scratch1, scratch1, scratch2.RM())
	}
	e.Load(8, amd64.DX, a.base().RM())
	e.V3(amd64.VPXOR, scratch2, scratch2, scratch2.RM())
	e.VGather4(scratch2, amd64.DX, x, scratch1)
	e.put(a.result[0], scratch2)
}

// local reads or writes an array of which each lane has its own: element e of lane l stands at 8·e + l.
func (a *access) local(e *emitter) {
	size, off := a.o.Type().Size(), a.s.layout.locals[a.object]
	store := a.value[0] != nil
	if a.shape != uniform || a.vec > 1 || size < 4 || store && a.mask != noReg {
		a.byLanes(e)
		return
	}
	a.around(e, func(out amd64.Label) {
		a.first(e)
		a.inside(e, 1, out)
		e.ShiftImm(4, 8, amd64.AX, uint8(bits.TrailingZeros(uint(lanes*size))))
		for i := range parts(a.o.Type()) {
			m := amd64.Mem{Base: vectorFrame, Index: amd64.AX, Scale: 1, Disp: off + 32*int32(i)}
			if store {
				e.VStore(m, e.reg(a.value[0][i], scratch0))
			} else {
				y := e.dst(a.result[i])
				e.VLoad(y, m)
				e.put(a.result[i], y)
			}
		}
	}, func() { a.byLanes(e) })
}
