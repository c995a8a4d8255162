package native

import (
	"iter"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// lanes is how many invocations a vector has.
const lanes = 8

// vreg is a virtual vector register: eight lanes of 32 bits, or four of 64.
type vreg int32

const noReg vreg = -1

// home says where a virtual register lives that needs no register: it is read in place.
type home uint8

const (
	homeless  home = iota
	inBank         // at an offset in the group's frame
	inTable        // likewise, in a table with an entry for each vector
	inOperand      // where a plain load finds it, for the next instruction
)

// vinfo is what the compiler knows of a virtual register.
type vinfo struct {
	home home
	off  int32 // of a home, or of the slot that it is kept in
	slot bool  // has no machine register, whatever is left
	wide bool  // has lanes of 64 bits, where lanes are merged into it

	steady bool // of what the group's frame has: it is the same in all groups

	general bool   // it is a general register, with the value of one invocation
	copies  vreg   // 1 more than what it is a copy of for a loop, to be read there if it gets no register; else 0
	fixed   bool   // it is a constant, of these bits as every lane has them
	bits    uint64 // likewise

	reg        int8 // machine register, general ones after all vectors; −1: in the slot at off
	start, end int32
	weight     float32 // uses, those in loops counted more
	stops      float32 // likewise, where the vector stops meanwhile
}

// form is how an instruction is written.
type form uint8

const (
	formMacro   form = iota
	form3            // d ← op(a, b)
	form3Swap        // the same, and a and b may change places
	form3Imm         // d ← op(a, b, imm)
	form4            // d ← c ? b : a, lane by lane
	form2            // d ← op(a)
	form2Imm         // d ← op(a, imm)
	formShift        // d ← a shifted by imm
	formLogic        // d ← what imm says of a, b and c, bit by bit
	formFma          // d ← a·b + c
	formLoad         // d ← memory that access tells, disp bytes from the element at index a
	formMove         // d ← a
	formGeneral      // d ← what emit makes of a, b and c, of which general registers are some
	formTest         // jumps to label if a is none, or not none
	formWithin       // jumps to label if all lanes of a, which is consecutive, are below b, or imm says what
	formBeyond       // stands behind such a one, and jumps if not all are beyond
	formCompare      // jumps to label if a and b, of size bytes, compare like imm
	formJump         // jumps to label
	formBind         // is where label is
	formLoop         // a loop begins
	formLoopEnd      // and ends
)

// ins is an instruction over virtual registers.
type ins struct {
	form    form
	op      amd64.Op
	imm     uint8
	size    amd64.Size // of a comparison
	row     ir.Row     // that it was written for; NoRow: for none
	d       vreg
	a, b, c vreg
	uses    []vreg         // of a macro
	defs    []vreg         // of a macro
	emit    func(*emitter) // of a macro, and of what is about general registers
	access  *access        // of a macro: that moves a row from where its index tells; and of a plain load
	disp    int32          // of a plain load
	label   amd64.Label    // of a test, a jump, and what they go to
	among   among          // of a macro and a test
	vector  uint8          // which of those in step it is for
	follows bool           // a macro that goes by defs as they are when it is emitted, so that they may be others
	borrows bool           // a macro that uses general registers which others may be in
	seldom  bool           // it is for vectors whose lanes parted
	stops   bool           // the vector stops here whenever it comes here

	commutes bool // what emit makes of a and b is the same of b and a
	flagged  bool // it takes the carry flag or leaves it, and stays where nothing reads d
}

// There are several for each row, and they are moved about: so the fields stand by their sizes.

// reads are the registers that an instruction reads, writes those that it writes, registers both.
func (in *ins) reads() iter.Seq[vreg]  { return present(in.uses, in.a, in.b, in.c) }
func (in *ins) writes() iter.Seq[vreg] { return present(in.defs, in.d) }

func (in *ins) registers() iter.Seq[vreg] {
	return func(yield func(vreg) bool) {
		for v := range in.reads() {
			if !yield(v) {
				return
			}
		}
		in.writes()(yield)
	}
}

// present are registers of which some may be none.
func present(more []vreg, some ...vreg) iter.Seq[vreg] {
	return func(yield func(vreg) bool) {
		for _, v := range some {
			if v != noReg && !yield(v) {
				return
			}
		}
		for _, v := range more {
			if !yield(v) {
				return
			}
		}
	}
}

// source says what stands in an entry of the bank.
type source uint8

const (
	fromConst  source = iota // bits
	fromArg                  // scalar parameter x
	fromLen                  // elements of object x
	fromGroups               // groups along axis x
	fromGroup                // number of the group along axis x
	fromBase                 // the same times the size of a group
)

// entry is 32 bytes of the bank: 64 bits, four times.
type entry struct {
	from source
	x    uint32
	typ  ir.Type // of the value
	bits uint64  // of a constant: the pattern
	off  int32
}

// step is how an entry changes from a group to the next along x.
type step struct {
	off int32
	by  vreg
}

// table is a table with an entry for each vector of a group.
type table struct {
	op  ir.Op
	x   uint32
	off int32
}

// function is a program on its way to machine code. Its small methods are called at hundreds of places and are not
// inlined: that would double the size of the engine in every program that links it.
type function struct {
	p       *ir.Program
	own     *book // the target's own rules
	ins     []ins
	vregs   []vinfo
	bank    []entry
	tables  []table
	layout  layout
	steps   []step
	once    map[ir.Row]bool // rows that Go computes whose value all lanes share
	seldom  bool            // likewise: they are for vectors whose lanes parted
	current ir.Row          // that instructions are being written for
	marks   *marks          // what List asks for, else nil

	kept   []vreg   // entries of the bank that are in machine registers all the time
	copies [][]vreg // by vector in step after the first, and register of the first: that of the vector

	whole   []vreg        // copies, for all of the code, of what the group's frame has
	cells   map[cell]vreg // by what the group's frame has of an object
	general []cell        // what general registers have all the time
	spare   []amd64.Reg   // these registers

	held [allRegisters][]vreg // by machine register: what has it, one after the other

	borrowing bool // macros that are added use general registers which others may be in

	banked map[entry]vreg
	tabled map[table]vreg
	lately [8]struct { // some of banked, which are asked for at every access
		entry entry
		reg   vreg // 1 more than it; 0: there is none
	}
}

//go:noinline
func (f *function) reg() vreg {
	f.vregs = append(f.vregs, vinfo{reg: -1})
	return vreg(len(f.vregs) - 1)
}

// fromBank returns the register of an entry of the bank.
//
//go:noinline
func (f *function) fromBank(e entry) vreg {
	late := &f.lately[(uint32(e.bits)^e.x)%uint32(len(f.lately))]
	if late.reg > 0 && late.entry == e {
		return late.reg - 1
	}
	v, ok := f.banked[e]
	if late.entry, late.reg = e, v+1; ok {
		return v
	}
	v = f.reg()
	f.banked[e], late.reg = v, v+1
	e.off = f.layout.group.take(32)
	f.bank = append(f.bank, e)
	f.vregs[v].home, f.vregs[v].off = inBank, e.off
	f.vregs[v].fixed, f.vregs[v].bits = e.from == fromConst, e.bits
	f.vregs[v].wide, f.vregs[v].steady = e.typ.Elem().Size() == 8, e.from != fromGroup && e.from != fromBase
	return v
}

// constant returns the register that holds a pattern of 32 bits in every lane.
//
//go:noinline
func (f *function) constant(bits uint32) vreg { return f.constant64(uint64(bits)<<32 | uint64(bits)) }

// constant64 returns the register that holds a pattern of 64 bits in every lane of 64.
//
//go:noinline
func (f *function) constant64(bits uint64) vreg {
	return f.fromBank(entry{from: fromConst, bits: bits})
}

// fromCell returns the register of what the group's frame has of an object.
func (f *function) fromCell(c cell) vreg {
	v, ok := f.cells[c]
	if !ok {
		v = f.reg()
		f.cells[c] = v
		x := &f.vregs[v]
		x.home, x.off, x.wide, x.steady = inBank, f.cellAt(c).Disp, true, true
	}
	return v
}

// fromTable returns the register of what an op gives the lanes of each vector, the same in every group.
func (f *function) fromTable(op ir.Op, x uint32) vreg {
	t := table{op: op, x: x}
	if v, ok := f.tabled[t]; ok {
		return v
	}
	v := f.reg()
	f.tabled[t] = v
	t.off = f.layout.group.take(32 * int32(f.layout.frames))
	f.tables = append(f.tables, t)
	f.vregs[v].home, f.vregs[v].off = inTable, t.off
	return v
}

//go:noinline
func (f *function) add(in ins) vreg {
	in.row, in.seldom = f.current, f.seldom
	f.ins = append(f.ins, in)
	return in.d
}

//go:noinline
func (f *function) v3(op amd64.Op, a, b vreg) vreg {
	return f.add(ins{form: form3, op: op, d: f.reg(), a: a, b: b, c: noReg})
}

//go:noinline
func (f *function) v3swap(op amd64.Op, a, b vreg) vreg {
	return f.add(ins{form: form3Swap, op: op, d: f.reg(), a: a, b: b, c: noReg})
}

//go:noinline
func (f *function) v3imm(op amd64.Op, a, b vreg, imm uint8) vreg {
	return f.add(ins{form: form3Imm, op: op, d: f.reg(), a: a, b: b, c: noReg, imm: imm})
}

//go:noinline
func (f *function) v2(op amd64.Op, a vreg) vreg {
	return f.add(ins{form: form2, op: op, d: f.reg(), a: a, b: noReg, c: noReg})
}

//go:noinline
func (f *function) v2imm(op amd64.Op, a vreg, imm uint8) vreg {
	return f.add(ins{form: form2Imm, op: op, d: f.reg(), a: a, b: noReg, c: noReg, imm: imm})
}

//go:noinline
func (f *function) shift(op amd64.Op, a vreg, n uint8) vreg {
	return f.add(ins{form: formShift, op: op, d: f.reg(), a: a, b: noReg, c: noReg, imm: n})
}

//go:noinline
func (f *function) fma(op amd64.Op, a, b, c vreg) vreg {
	return f.add(ins{form: formFma, op: op, d: f.reg(), a: a, b: b, c: c})
}

// blend takes yes where the mask is set, else no: lanes of 32 bits.
//
//go:noinline
func (f *function) blend(mask, yes, no vreg) vreg {
	return f.add(ins{form: form4, op: amd64.VBLENDVPS, d: f.reg(), a: no, b: yes, c: mask})
}

// blend64 is blend on lanes of 64 bits.
//
//go:noinline
func (f *function) blend64(mask, yes, no vreg) vreg {
	return f.add(ins{form: form4, op: amd64.VBLENDVPD, d: f.reg(), a: no, b: yes, c: mask})
}

// move copies into a register that there is already.
//
//go:noinline
func (f *function) move(d, a vreg) {
	if d != a {
		f.add(ins{form: formMove, d: d, a: a, b: noReg, c: noReg})
	}
}

// clear makes a register zero.
func (f *function) clear(d vreg) { f.move(d, f.constant(0)) }

// merge copies, where the mask is set, into a register that there is already.
//
//go:noinline
func (f *function) merge(d, mask, a vreg) {
	f.add(ins{form: form4, op: amd64.VBLENDVPS, d: d, a: d, b: a, c: mask})
}

// macro adds an instruction that writes itself.
//
//go:noinline
func (f *function) macro(how among, uses, defs []vreg, emit func(*emitter)) {
	f.add(ins{form: formMacro, d: noReg, a: noReg, b: noReg, c: noReg, uses: uses, defs: defs, emit: emit, among: how, borrows: f.borrowing})
}

// control adds an instruction that is about where code goes on.
//
//go:noinline
func (f *function) control(how form, l amd64.Label) {
	f.add(ins{form: how, d: noReg, a: noReg, b: noReg, c: noReg, label: l})
}

// stopping says that the vector stops at the instruction that was added last.
func (f *function) stopping() { f.ins[len(f.ins)-1].stops = true }

// dce removes dead code: instructions whose result nothing reads.
func (f *function) dce() {
	reads := make([]int32, len(f.vregs))
	count := func(in *ins, n int32) {
		for v := range in.reads() {
			reads[v] += n
		}
	}
	for i := range f.ins {
		count(&f.ins[i], 1)
	}
	keep := len(f.ins)
	for i := len(f.ins) - 1; i >= 0; i-- {
		if in := &f.ins[i]; in.form < formTest && in.form != formMacro && !in.flagged && reads[in.d] == 0 {
			count(in, -1)
		} else {
			if keep--; keep > i {
				f.ins[keep] = f.ins[i]
			}
		}
	}
	f.ins = f.ins[keep:]
}

// findSteps finds what changes from a group to the next, which code then does without Go.
func (f *function) findSteps() {
	for _, e := range f.bank {
		switch {
		case e.x != 0:
		case e.from == fromGroup:
			f.steps = append(f.steps, step{e.off, f.constant(1)})
		case e.from == fromBase:
			f.steps = append(f.steps, step{e.off, f.constant(f.p.Workgroup()[0])})
		}
	}
}
