package native

import (
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
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
	mask   vreg   // of the active lanes; noReg: all
	ones   vreg   // a mask of all lanes
	from   ir.Row // the index is offset more than this
	offset uint32
	index  []vreg  // of from
	added  vreg    // a register with offset, if it is not 0
	lanes  vreg    // of a patchy index: a register with ascending
	typ    ir.Type // of the index
	scaled vreg    // the index in elements, if they do not follow each other; else the index
	shape  shape
	value  [2][]vreg // what is stored; of a compare-and-swap, what is expected and what is new
	result []vreg
	origin vreg // address and length of the object that they are asked of, of one invocation; noReg: they are not asked for
	extent vreg
	disp   int32 // from that address to the object's
	vec    int   // elements of the access
	short  bool  // what quick returns
	stride int   // what step does

	// records: the elements of a lane follow each other in the vector's frame, and value or result are rows of these, of
	// two lanes each: k and k+4, or 2k and 2k+1 if packed.
	records, packed bool

	// fields: the elements are those of four words in records that have others too, each an object of its own; field is
	// the one that code is being written for.
	fields bool
	field  int

	bounded bool // the index has been compared with the length
	full    bool // all lanes are active, which was tested
	few     bool // few lanes are active
	leaves  bool // its quick form jumps out of line

	lane int // that code is being written for; anyLane: the one whose number is in a register
}

// anyLane is the lane of code that is written once for all of them.
const anyLane = -1

func (s *selector) access(r ir.Row, c *flow) {
	a := s.newAccess(r)
	a.mask, a.ones = c.mask, s.ones()
	s.indexed(a)
	if s.startFields(a); !a.fields {
		s.operated(a)
	}
	if a.records = a.fields || a.inRecords(); a.records {
		a.packed = !a.fields && s.packs.packed(r)
	}
	if a.records && !a.packed {
		if a.result == nil {
			a.value[0] = a.rows(a.value[0])
		} else {
			defer func() { s.loaded(a, a.elements(a.result)) }()
		}
	}
	a.bounded = !s.seldom && s.asked(a)
	if s.plain(a) {
		return
	}
	none, some := s.onlyChanging(a)
	how := amongEach
	if in := s.p.Op(r).Info(); in.Attr&(ir.Writes|ir.Atomic) == 0 {
		how = amongValue
	}
	s.macro(how, a.uses(), a.result, func(e *emitter) {
		of := a
		if e.f.layout.step > 1 { // what is found out on the way is of one vector
			copied := *a
			of = &copied
		}
		of.follow(e)
		of.write(e)
	})
	s.ins[len(s.ins)-1].access = a
	if some {
		s.bind(none)
	}
}

// uses are the registers that an access reads.
func (a *access) uses() []vreg {
	uses := slices.Concat(a.index, a.value[0], a.value[1])
	if a.mask != noReg && !a.shared() {
		uses = append(uses, a.mask)
	}
	if a.scaled != noReg && a.scaled != a.index[0] && !a.stored() {
		uses = append(uses, a.scaled)
	}
	return uses
}

// operated gives an access the registers of its operands and of its result.
func (s *selector) operated(a *access) {
	for i, v := range []ir.Row{s.p.B(a.r), s.p.C(a.r)} {
		if v != ir.NoRow {
			a.value[i] = s.vals[v]
		}
	}
	if s.p.Type(a.r) != ir.None && (s.used[a.r] > 0 || s.p.Op(a.r).Info().Attr&ir.Atomic == 0) {
		a.result = s.fresh(s.p.Type(a.r))
		s.vals[a.r] = a.result
	}
}

// records says whether a row moves records of four words that are not the same for all lanes.
func (s *selector) records(r ir.Row) bool { return s.newAccess(r).inRecords() }

func (a *access) inRecords() bool {
	return a.vec == 4 && a.o.Type().Size() == 4 && a.quick() && a.step() == 1 && !a.o.Local() && !a.once()
}

func (a *access) writes() bool { return a.s.p.Op(a.r).Info().Attr&ir.Writes != 0 }

func (a *access) write(e *emitter) {
	switch {
	case a.stored():
		a.storeOne(e)
	case a.few || !a.quick() || a.o.Type() == ir.Bool || a.vec > 1 && a.step() > 1 && !a.fields:
		a.byLanes(e)
	case a.s.p.Op(a.r).Info().Attr&ir.Atomic != 0:
		a.unrolled(e)
	case a.o.Local():
		a.local(e)
	case a.small():
		a.smallRecords(e)
	case a.fields, a.records && a.shape != consecutive:
		a.scattered(e)
	case a.records && a.writes():
		a.storeRecords(e)
	case a.records:
		a.loadRecords(e)
	case a.writes():
		a.store(e)
	default:
		a.load(e)
	}
}

func (a *access) store(e *emitter) {
	switch {
	case a.vec > 1:
		a.byLanes(e)
	case a.shape == consecutive && a.step() > 1:
		a.storeSpaced(e)
	case a.shape == consecutive && a.o.Type().Size() >= 4:
		a.storeRow(e)
	case a.shape == consecutive:
		a.storeNarrow(e)
	case a.patchy():
		row := a.rowTo
		if a.o.Type().Size() < 4 {
			row = a.narrowTo
		}
		a.tryRow(e, func(out amd64.Label) { row(e, out) }, func() { a.unrolled(e) })
	default:
		a.unrolled(e)
	}
}

func (a *access) load(e *emitter) {
	switch {
	case a.once():
		a.loadOne(e)
	case a.vec > 1:
		a.byLanes(e)
	case a.shape == consecutive && a.step() == 1:
		a.loadRow(e)
	case a.patchy():
		a.tryRow(e, func(out amd64.Label) { a.rowFrom(e, out) }, func() { a.loadLanes(e) })
	default:
		a.loadLanes(e)
	}
}

// loadLanes loads from anywhere.
func (a *access) loadLanes(e *emitter) {
	switch {
	case a.o.Type().Size() >= 4 && a.step() > 1:
		a.around(e, func(out amd64.Label) {
			a.countable(e, out)
			a.gather(e)
		}, func() { a.byLanes(e) })
	case a.o.Type().Size() >= 4:
		a.gather(e)
	default:
		a.unrolled(e)
	}
}

// around writes quick code that may jump to other code, which is out of line.
func (a *access) around(e *emitter, quick func(out amd64.Label), other func()) {
	out, back := e.NewLabel(), e.NewLabel()
	a.leaves = false
	quick(out)
	if !a.leaves {
		return
	}
	e.Bind(back)
	had, spots := e.reached, spots{}
	if e.spares {
		spots = e.spots
	}
	e.later(func() {
		e.Bind(out)
		other()
		e.again(had, spots)
		e.Jmp(back)
	})
}

func (a *access) base() amd64.Mem {
	return amd64.At(groupFrame, a.s.layout.objects[int(a.object)+a.field])
}

// baseTo brings the object's address into a register.
func (a *access) baseTo(e *emitter, r amd64.Reg) {
	if a.o.Local() {
		e.Lea(r, amd64.At(vectorFrame, a.s.layout.locals[a.object]))
	} else {
		e.Load(8, r, a.baseRM())
	}
}

func (a *access) len() amd64.Mem { return plus(a.base(), 8) }

// baseRM and lenRM are address and length of the object as operands: registers, if they are kept in such.
func (a *access) baseRM() amd64.RM { return a.kept(addressOf(int(a.object) + a.field)) }
func (a *access) lenRM() amd64.RM  { return a.kept(lengthOf(int(a.object) + a.field)) }

func (a *access) kept(c cell) amd64.RM {
	if r, ok := a.s.generalOf(c); ok {
		return r.RM()
	}
	return a.s.cellAt(c).RM()
}

// inside jumps to out unless n elements from AX and the offset on are inside.
func (a *access) inside(e *emitter, n int32, out amd64.Label) {
	if a.sure() {
		return
	}
	a.leaves = true
	if n += int32(a.offset) * int32(a.vec); n == 1 {
		e.Alu(amd64.CMP, 8, amd64.AX, a.lenRM())
		e.Jcc(amd64.AE, out)
		return
	}
	e.Lea(amd64.CX, amd64.At(amd64.AX, n))
	e.Alu(amd64.CMP, 8, amd64.CX, a.lenRM())
	e.Jcc(amd64.A, out)
}

// at is element AX+i, and the offset, of the object whose address is in DX, or kept elsewhere.
func (a *access) at(i int) amd64.Mem {
	size := a.o.Type().Size()
	base, ok := a.s.generalOf(addressOf(int(a.object)))
	if !ok {
		base = amd64.DX
	}
	return amd64.Mem{Base: base, Index: amd64.AX, Scale: uint8(size), Disp: int32((int(a.offset)*a.vec + i) * size)}
}

// widening are the loads of eight narrow elements, by type.
var widening = map[ir.Type]amd64.Op{ir.U8: amd64.VPMOVZXBD, ir.I8: amd64.VPMOVSXBD, ir.U16: amd64.VPMOVZXWD, ir.I16: amd64.VPMOVSXWD,
	ir.F16: amd64.VPMOVZXWD, ir.BF16: amd64.VPMOVZXWD}

// loadRow loads eight elements that follow each other.
func (a *access) loadRow(e *emitter) {
	a.around(e, func(out amd64.Label) { a.rowFrom(e, out) }, func() {
		if a.o.Type().Size() >= 4 {
			a.gather(e)
		} else {
			a.byLanes(e)
		}
	})
}

// rowFrom jumps to out if the row is not inside.
func (a *access) rowFrom(e *emitter, out amd64.Label) {
	e.spares = true
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
}

// whole jumps to out unless all lanes are active.
func (a *access) whole(e *emitter, out amd64.Label) {
	if a.mask != noReg {
		e.V2(amd64.VTESTPS, e.reg(a.mask, scratch0), e.rm(a.ones))
		e.Jcc(amd64.AE, out)
		a.leaves = true
	}
	a.full = true
}

// storeRow stores to eight elements that follow each other, if all lanes are active.
func (a *access) storeRow(e *emitter) {
	a.around(e, func(out amd64.Label) { a.rowTo(e, out) }, func() { a.storeSome(e) })
}

// rowTo jumps to out if not all lanes are active, or the row is not inside.
func (a *access) rowTo(e *emitter, out amd64.Label) {
	e.spares = true
	a.whole(e, out)
	a.reach(e, lanes, out)
	for i, v := range a.value[0] {
		e.VStore(a.at(i*lanes/2), e.reg(v, scratch0))
	}
}

// storeSome stores to those of eight elements whose lanes are active, and touches no other. The instruction takes as long
// as twenty plain ones on some processors, so it is not for lanes that are all active.
func (a *access) storeSome(e *emitter) {
	a.full = false
	if a.mask == noReg {
		a.byLanes(e)
		return
	}
	outside, end := e.NewLabel(), e.NewLabel()
	e.reachedBefore = unreached
	a.reach(e, lanes, outside)
	for i, v := range a.value[0] {
		e.maskOf(a.mask, a.o.Type().Size(), i)
		e.VMaskStore(amd64.Size(a.o.Type().Size()), a.at(i*lanes/2), scratch1, e.reg(v, scratch0))
	}
	e.Jmp(end)
	e.Bind(outside)
	a.byLanes(e)
	e.Bind(end)
}
