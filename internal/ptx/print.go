package ptx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/govyre/vyre/ir"
)

// printer writes the text of a module.
type printer struct {
	out  []byte
	line int // of the text, from 1
	o    Options

	files *fileTable
}

// raw appends s. That it is an append writes the whole slice, and while the garbage collector marks, each written pointer
// is noted; a slice made longer is not written but for its length.
//
//go:noinline
func (p *printer) raw(s string) {
	n := len(p.out)
	if n+len(s) > cap(p.out) {
		p.out = slices.Grow(p.out, len(s))
	}
	p.out = p.out[:n+len(s)]
	copy(p.out[n:], s)
}

// suffix appends what is often nothing.
func (p *printer) suffix(s string) {
	if s != "" {
		p.raw(s)
	}
}

// decimal appends a number.
func (p *printer) decimal(n uint64) {
	if n >= 1e5 {
		p.out = strconv.AppendUint(p.out, n, 10)
		return
	}
	at := len(p.out)
	if at+5 > cap(p.out) {
		p.out = slices.Grow(p.out, 5)
	}
	p.out = p.out[:at+fewDigits(p.out[at:at+5], uint32(n))]
}

// fewDigits writes a number of at most five digits to b, and returns how many it has.
func fewDigits(b []byte, n uint32) int {
	_ = b[4]
	switch {
	case n < 10:
		b[0] = '0' + byte(n)
		return 1
	case n < 100:
		b[0], b[1] = '0'+byte(n/10), '0'+byte(n%10)
		return 2
	case n < 1000:
		b[0], b[1], b[2] = '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10)
		return 3
	case n < 10000:
		b[0], b[1], b[2], b[3] = '0'+byte(n/1000), '0'+byte(n/100%10), '0'+byte(n/10%10), '0'+byte(n%10)
		return 4
	}
	b[0], b[1], b[2], b[3], b[4] = '0'+byte(n/10000), '0'+byte(n/1000%10), '0'+byte(n/100%10), '0'+byte(n/10%10), '0'+byte(n%10)
	return 5
}

// nl ends a line.
func (p *printer) nl() {
	p.out = append(p.out, '\n')
	p.line++
}

//go:noinline
func (p *printer) linef(format string, args ...any) {
	p.out = fmt.Appendf(p.out, format, args...)
	p.nl()
}

// head writes what stands before the kernels.
func (p *printer) head(v version, t Target, extern bool, files []string) {
	p.linef(".version %s", v)
	p.linef(".target %s", t)
	p.linef(".address_size 64")
	for i, f := range files {
		p.linef(".file %d %s", i+1, strconv.Quote(f))
	}
	if extern {
		p.nl()
		p.linef(".extern .shared .align 16 .b8 %s[];", externShared)
	}
}

// externShared is the segment that holds all shared arrays of kernels whose shared memory comes with
// the launch.
const externShared = "vy_shared"

// module numbers the source files and writes what stands before the kernels.
func (p *printer) module(v version, t Target, fs []*function) {
	p.files = &fileTable{}
	extern := false
	for _, f := range fs {
		extern = extern || f.extern
		if p.o.LineInfo {
			f.collectFiles(p.files)
		}
	}
	p.head(v, t, extern, p.files.names)
	for _, f := range fs {
		p.tables(f)
	}
}

// printed is one function on its way into text.
type printed struct {
	*printer
	f     *function
	draft bool                 // a listing: registers keep their numbers, and nothing is an error
	regs  [numClasses][]uint32 // printed number of each register; 0 not seen yet
	count [numClasses]uint32
	lines []Line
}

// regNames are the names of registers by class, and regDecls how they are declared.
var (
	regNames = [numClasses]string{"", "%p", "%h", "%r", "%f", "%rd", "%fd"}
	regDecls = [numClasses]string{"", ".pred", ".b16", ".b32", ".f32", ".b64", ".f64"}
)

// function writes f and returns its line table.
func (p *printer) function(f *function) []Line {
	q := printed{printer: p, f: f}
	p.out = slices.Grow(p.out, 32*len(f.insts)) // bytes of a usual line
	for c := range q.regs {
		q.regs[c] = make([]uint32, f.regs[c]+1)
	}
	for i := range f.insts {
		q.number(&f.insts[i])
	}
	q.lines = make([]Line, 0, len(f.insts))
	p.nl()
	p.linef(".visible .entry %s(", f.entry)
	for i, s := range f.params {
		comma := ","
		if i == len(f.params)-1 {
			comma = ""
		}
		p.linef("\t.param %s %s%s", s.decl, f.names[s.name], comma)
	}
	p.linef(")")
	p.linef(".reqntid %d, %d, %d", f.size[0], f.size[1], f.size[2])
	if n := p.o.MaxRegisters; n > 0 { // an option of the assembler has no effect beside a required size
		p.linef(".maxnreg %d", n)
	}
	p.linef("{")
	for c := classP; c < numClasses; c++ {
		if n := q.count[c]; n > 0 {
			p.linef("\t.reg %s %s<%d>;", regDecls[c], regNames[c], n+1)
		}
	}
	for _, v := range f.vars {
		p.linef("\t%s .align 16 .b8 %s[%d];", spaceNames[v.space], f.names[v.name], v.bytes)
	}
	last := ir.Pos{}
	for i := range f.insts {
		in := &f.insts[i]
		f.at = in.row
		if p.o.LineInfo && in.row != ir.NoRow && in.op != opLabel {
			if pos := f.p.Pos(in.row); pos.Line > 0 && (pos.File != last.File || pos.Line != last.Line || pos.Col != last.Col) {
				last = pos
				p.linef("\t.loc %d %d %d", p.files.number[pos.File], pos.Line, pos.Col)
			}
		}
		if in.row != ir.NoRow {
			q.lines = append(q.lines, Line{p.line, in.row})
		}
		q.inst(in)
		p.nl()
	}
	p.linef("}")
	return q.lines
}

// number gives registers their printed numbers, in the order in which they appear.
func (q *printed) number(in *inst) {
	q.numberReg(in.guard)
	q.numberOperand(&in.dst)
	for i := range in.src {
		if in.src[i].kind == noOperand {
			break
		}
		q.numberOperand(&in.src[i])
	}
}

func (q *printed) numberOperand(o *operand) {
	switch o.kind {
	case isReg, isNot, isAddress:
		q.numberReg(o.reg)
	case isPair:
		q.numberReg(o.reg)
		q.numberReg(reg(o.bits))
	case isVec:
		for _, x := range q.f.list(o) {
			q.numberReg(x)
		}
	}
}

func (q *printed) numberReg(x reg) {
	if x == noReg {
		return
	}
	if n := &q.regs[x.class()][x.num()]; *n == 0 {
		q.count[x.class()]++
		*n = q.count[x.class()]
	}
}

func (q *printed) reg(x reg) {
	name := regNames[x.class()]
	for i := range len(name) {
		q.out = append(q.out, name[i])
	}
	n := x.num()
	if !q.draft {
		n = q.regs[x.class()][n]
	}
	q.decimal(uint64(n))
}

// inst writes one instruction, without the end of the line.
func (q *printed) inst(in *inst) {
	switch in.op {
	case opLabel:
		q.label(in.dst.bits)
		q.raw(":")
		return
	case opNoUnroll:
		q.raw("\t.pragma \"nounroll\";")
		return
	}
	if in.op == opNot && in.t == tB64 { // of which ptxas forgets the inversion: error 51
		xor := *in
		xor.op, xor.src[1] = opXor, operand{kind: isImm, t: tS64, bits: 1<<64 - 1}
		in = &xor
	}
	q.out = append(q.out, '\t')
	if in.guard != noReg {
		q.out = append(q.out, '@')
		if !in.sense {
			q.out = append(q.out, '!')
		}
		q.reg(in.guard)
		q.out = append(q.out, ' ')
	}
	q.mnemonic(in)
	first := true
	if in.dst.kind != noOperand {
		q.out = append(q.out, ' ')
		q.operand(&in.dst)
		first = false
	}
	for i := range in.src {
		if in.src[i].kind == noOperand {
			break
		}
		if !first {
			q.out = append(q.out, ',')
		}
		q.out = append(q.out, ' ')
		q.operand(&in.src[i])
		first = false
	}
	q.out = append(q.out, ';')
	if q.o.Annotate && in.row != ir.NoRow {
		q.raw(" // ")
		q.decimal(uint64(in.row))
	}
}

// mnemonic writes the opcode with modifiers and types, in the order that each opcode asks for.
func (q *printed) mnemonic(in *inst) {
	m := &in.mod
	switch in.op {
	case opBarSync, opBarCount:
		if m.align {
			q.raw("bar")
		} else {
			q.raw("barrier")
		}
	}
	q.raw(opInfo[in.op].name)
	switch in.op {
	case opLd, opSt, opAtom, opRed, opPrefetch, opFence:
		q.suffix(orderNames[m.order])
		q.suffix(scopeNames[m.scope])
		q.suffix(spaceNames[m.space])
		q.suffix(rmwNames[m.rmw])
		if m.cache != keepL1 {
			q.raw(cacheNames[m.cache])
		}
		if m.nc {
			q.raw(".nc")
		}
		if m.cache == keepL1 {
			q.raw(cacheNames[m.cache])
		}
		v := &in.dst
		if in.op == opSt {
			v = &in.src[0]
		}
		if in.op == opPrefetch {
			q.raw(".L2")
		}
		if v.kind == isVec {
			q.raw(".v")
			q.out = strconv.AppendInt(q.out, int64(v.reg), 10)
		}
	case opSetp:
		q.raw(cmpNames[m.cmp])
		if m.and {
			q.raw(".and")
		}
	case opBra:
		if m.uni {
			q.raw(".uni")
		}
	}
	q.suffix(typeInfo[writtenType(in)].name)
	q.suffix(typeInfo[in.t2].name)
}

// writtenType is the type that an instruction is written with. Moves and choices of floats say that they carry bits:
// ptxas (11.8 and 13.0) makes a number of the condition where a float is chosen between a zero and ±1, and takes −0
// for +0 there; and of a choice of −1 it makes the integer −1, of which a conversion to unsigned ones is not held to 0. For
// sm_90 ptxas 11.8 also leaves out where the condition of a float's choice is set, if a branch has told it. Differences of 64
// bits are written as signed ones: of sub.u64 of 0 ptxas loses the minus sign where the result is shifted, or added to what is.
func writtenType(in *inst) ptype {
	switch {
	case in.op == opSub && in.t == tU64:
		return tS64
	case in.op != opMov && in.op != opSelp:
		return in.t
	case in.t == tF32:
		return tB32
	case in.t == tF64:
		return tB64
	}
	return in.t
}

func (q *printed) label(n uint64) {
	q.raw("L")
	q.decimal(n)
}

func (q *printed) operand(o *operand) {
	switch o.kind {
	case isReg:
		q.reg(o.reg)
	case isNot:
		q.out = append(q.out, '!')
		q.reg(o.reg)
	case isImm:
		q.constant(o.t, o.bits)
	case isSpecial:
		q.raw(specialNames[o.bits])
	case isSymbol:
		q.raw(q.f.names[o.reg])
	case isVec:
		sep := "{"
		for _, x := range q.f.list(o) {
			q.raw(sep)
			q.reg(x)
			sep = ", "
		}
		q.raw("}")
	case isPair:
		q.reg(o.reg)
		q.raw("|")
		q.reg(reg(o.bits))
	case isAddress, isNamed:
		q.out = append(q.out, '[')
		if o.kind == isNamed {
			q.raw(q.f.names[o.reg])
		} else {
			q.reg(o.reg)
		}
		if o.bits != 0 {
			q.out = append(q.out, '+')
			q.out = strconv.AppendInt(q.out, int64(o.bits), 10)
		}
		q.out = append(q.out, ']')
	case isLabel:
		q.label(o.bits)
	case isAccess, isCopyList:
		q.unfinished(o)
	default:
		panic(fmt.Sprintf("BUG: operand of kind %d reached the printer", o.kind))
	}
}

// constant writes the raw bits of a constant of type t.
func (p *printer) constant(t ptype, bits uint64) {
	switch t {
	case tF32:
		p.hex("0f", bits, 8)
	case tF64:
		p.hex("0d", bits, 16)
	case tB16, tF16, tBF16:
		p.hex("0x", bits, 4)
	case tS32:
		p.out = strconv.AppendInt(p.out, int64(int32(bits)), 10)
	case tS64:
		p.out = strconv.AppendInt(p.out, int64(bits), 10)
	default:
		p.decimal(bits)
	}
}

const hexDigits = "0123456789ABCDEF"

func (p *printer) hex(prefix string, bits uint64, digits int) {
	p.raw(prefix)
	for i := digits - 1; i >= 0; i-- {
		p.out = append(p.out, hexDigits[bits>>(4*i)&15])
	}
}
