package native

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/internal/native/internal/arm64"
	"github.com/govyre/vyre/ir"
)

// Limits beyond which a program runs on the interpreter.
const (
	maxCode  = 16 << 20 // bytes of machine code
	maxFrame = 16 << 20 // bytes of frame a group
	maxRows  = 1 << 18
)

// UnsupportedError says why a program has no machine code.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

func unsupported(format string, args ...any) error {
	return &UnsupportedError{fmt.Sprintf(format, args...)}
}

// Options say what code is made for; but for Target they are for tests, which force what happens seldom.
type Options struct {
	Target    string // one of HostTargets, "" for the best
	Registers int    // machine registers handed out, 0 for all
	Upper     bool   // those that only some targets have are handed out first
	Alone     *bool  // whether vectors run one after the other, nil to find out
	Vectors   int    // that go in step where they can, 0 to find out
	Single    *bool  // whether code is for one invocation at a time where it can be, nil to find out
	General   int    // general registers handed out then, 0 for all

	target *target // of List; nil is that of the processor
	marks  *marks  // likewise
	far    bool    // conditional jumps reach all of the code from the first try
}

// most is how many machine registers are handed out.
func (o Options) most(t target) int {
	if o.Registers > 0 {
		return min(t.registers, o.Registers)
	}
	return t.registers
}

// translate makes machine code of a program that the passes have gone over.
func translate(p *ir.Program, o Options) (f *function, code []byte, err error) {
	failed := compile.Guard("making machine code", p.Name(), compile.Nowhere, func() { f, code, err = generate(p, o) })
	if failed != nil {
		return nil, nil, failed
	}
	return f, code, err
}

func generate(p *ir.Program, o Options) (*function, []byte, error) {
	if err := check(p); err != nil {
		return nil, nil, err
	}
	var t target
	if o.target != nil {
		t = *o.target
	} else {
		var err error
		if t, err = hostTarget(o.Target); err != nil {
			return nil, nil, unsupported("%v", err)
		}
	}
	f, code, err := generateFor(t, p, o, o.far)
	if errors.Is(err, arm64.ErrFar) {
		f, code, err = generateFor(t, p, o, true)
	}
	if unknown := (*arm64.UnknownError)(nil); errors.As(err, &unknown) {
		err = unsupported("%s", unknown)
	}
	return f, code, err
}

// generateFor makes code for a target; with far, whose conditional jumps reach all of it.
func generateFor(t target, p *ir.Program, o Options, far bool) (*function, []byte, error) {
	if o.marks != nil {
		*o.marks = *newMarks()
	}
	f := &function{p: p, own: t.own, once: map[ir.Row]bool{}, banked: map[entry]vreg{}, tabled: map[table]vreg{}, cells: map[cell]vreg{}, current: ir.NoRow, marks: o.marks}
	f.takeSpace(p.Rows())
	of := findShapes(newTree(p))
	alone := (o.Alone == nil || *o.Alone) && runsAlone(of.tree)
	if f.layout = newLayout(p, t, lanes); alone && of.single(t.own, o.Single) {
		f.layout, of = newLayout(p, t, 1), singleShapes(of.tree)
		f.layout.handOut(p, o.General)
	}
	f.layout.alone = alone
	a := t.assembler(far)
	s := &selector{function: f, shapes: of, asm: a, vals: make([][]vreg, p.Rows()), used: used(p), open: map[ir.Row]*structured{}, halt: a.NewLabel(), derived: map[derivation]vreg{}, halves: map[vreg][2]vreg{}, joined: map[ir.Row]bool{}}
	if f.layout.single() {
		s.staying = s.findStaying()
	} else {
		s.packs = findPacks(s.shapes, s.records)
	}
	s.program()
	if !f.layout.single() {
		f.cse()
	}
	f.dce()
	if t.fuses {
		f.fuse()
	}
	f.coalesce()
	if f.layout.single() {
		f.tie()
	} else {
		s.interleave(o.most(t), o.Vectors)
		f.schedule(o.most(t))
		f.hoist()
	}
	if f.layout.alone {
		f.findSteps()
	}
	f.allocate(o.most(t), o.Upper)
	f.keep(o.most(t))
	f.keepGeneral()
	if n := f.layout.bytes(); n > maxFrame {
		return nil, nil, unsupported("a group needs a frame of %d bytes, %d are possible", n, maxFrame)
	}
	code, err := f.encode(s)
	if err == nil && len(code) > maxCode {
		err = unsupported("%d bytes of machine code, %d are possible", len(code), maxCode)
	}
	return f, code, err
}

// used says of each row how many times others read it.
func used(p *ir.Program) []int32 {
	out := make([]int32, p.Rows())
	for r := range ir.Row(p.Rows()) {
		for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if v != ir.NoRow {
				out[v]++
			}
		}
		for _, v := range p.List(r) {
			out[v]++
		}
	}
	return out
}

// check finds what the engine does not do.
func check(p *ir.Program) error {
	if p.Rows() > maxRows {
		return unsupported("%d rows, %d are possible", p.Rows(), maxRows)
	}
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); matrix.FormOf(op) != 0 {
			return unsupported("it has %s, which the interpreter computes", op)
		} else if op.Info().Imm == ir.ImmCopy {
			return unsupported("it has %s, which opt.AtOnce replaces", op)
		}
	}
	return nil
}

// newLayout divides frames for vectors of so many invocations.
func newLayout(p *ir.Program, t target, lanes int) layout {
	l := layout{lanes: lanes, vectors: (p.GroupSize() + lanes - 1) / lanes, step: 1}
	l.frames = l.vectors
	for r := range ir.Row(p.Rows()) {
		if meets(p, r) {
			l.meets = true
			l.frames = (l.vectors + warpVectors - 1) / warpVectors * warpVectors
			break
		}
	}
	l.group.size, l.vector.size = groupHead, vectorSaved+32*int32(machine(t.registers-1)+1)
	if lanes == 1 {
		l.vector.size = vectorSaved + 32*allRegisters
	}
	for _, o := range p.Objects() {
		at := l.group.size
		l.group.size += 16
		l.objects = append(l.objects, at)
		local := int32(0)
		if o.Local() {
			local = l.vector.take(localBytes(o, lanes))
		}
		l.locals = append(l.locals, local)
	}
	l.group.take(0)
	l.group.size = (l.group.size + 31) &^ 31
	return l
}

// allGoOn ends a turn over all vectors: if they have come to a barrier of the group, they go on from the first one.
func (e *emitter) allGoOn(first, end amd64.Label) {
	const waits = amd64.AX
	e.Load(8, waits, amd64.At(groupFrame, groupWaits).RM())
	e.ShiftImm(4, 8, waits, 5)
	e.Alu(amd64.CMP, 8, waits, amd64.At(groupFrame, groupCount).RM())
	e.Jcc(amd64.NE, end)
	e.StoreImm(8, amd64.At(groupFrame, groupWaits), 0)
	again := e.NewLabel()
	e.Bind(again)
	e.AluImm(amd64.SUB, 8, vectorFrame.RM(), e.f.layout.stride())
	e.StoreImm(4, amd64.At(vectorFrame, vectorStatus), int32(running))
	e.AluImm(amd64.SUB, 8, vectorNumber.RM(), 32)
	e.Jcc(amd64.NE, again)
	e.Jmp(first)
}

// encode writes the code: that of a vector, what comes after it, and what stands out of line.
func (f *function) encode(s *selector) ([]byte, error) {
	e := &emitter{assembler: s.asm, f: f, next: s.asm.NewLabel(), reached: unreached, tested: noReg}
	if e.fetch(); f.layout.numbered {
		e.Store(8, amd64.At(groupFrame, groupVector), vectorNumber)
	}
	for _, v := range f.whole {
		e.copy(v, f.vregs[v].copies-1)
	}
	start := e.NewLabel()
	e.Bind(start)
	e.all()
	e.mark(ir.NoRow)
	end := e.NewLabel()
	count := amd64.At(groupFrame, groupCount).RM()
	if f.layout.alone {
		number := vectorNumber
		if f.layout.numbered {
			number = amd64.AX
			e.Load(8, number, e.number())
		}
		e.AluImm(amd64.ADD, 8, number.RM(), 32*int32(f.layout.step))
		if f.layout.numbered {
			e.Store(8, amd64.At(groupFrame, groupVector), number)
		}
		e.Alu(amd64.CMP, 8, number, count)
		e.Jcc(amd64.B, start)
		e.AluImm(amd64.SUB, 8, amd64.At(groupFrame, groupMore).RM(), 1)
		e.Jcc(amd64.S, end)
		for _, s := range f.steps {
			e.VLoad(scratch0, amd64.At(groupFrame, s.off))
			e.V3(amd64.VPADDD, scratch0, scratch0, e.rm(s.by))
			e.VStore(amd64.At(groupFrame, s.off), scratch0)
			for _, v := range f.kept {
				if f.vregs[v].off == s.off {
					e.VMove(amd64.Y(f.vregs[v].reg), scratch0)
				}
			}
		}
		if f.layout.numbered {
			e.StoreImm(8, amd64.At(groupFrame, groupVector), 0)
		} else {
			e.Alu(amd64.XOR, 4, vectorNumber, vectorNumber.RM())
		}
		e.Jmp(start)
	} else {
		e.StoreImm(4, amd64.At(vectorFrame, vectorStatus), int32(ended))
		e.AluImm(amd64.ADD, 8, amd64.At(groupFrame, groupEnded).RM(), 1)
		e.Bind(e.next)
		e.AluImm(amd64.ADD, 8, vectorNumber.RM(), 32)
		e.AluImm(amd64.ADD, 8, vectorFrame.RM(), f.layout.stride())
		e.Alu(amd64.CMP, 8, vectorNumber, count)
		turn, first := e.NewLabel(), e.NewLabel()
		e.Jcc(amd64.AE, turn)
		e.Bind(first)
		e.AluImm(amd64.CMP, 4, amd64.At(vectorFrame, vectorStatus).RM(), int32(running))
		e.Jcc(amd64.NE, e.next)
		e.JmpTo(amd64.At(vectorFrame, vectorResume).RM())
		e.Bind(turn)
		e.allGoOn(first, end)
	}
	e.Bind(end)
	e.StoreImm(8, amd64.At(groupFrame, groupVector), -1)
	e.Ret()
	for len(e.late) > 0 {
		write := e.late[0]
		e.late = e.late[1:]
		write()
	}
	if f.layout.alone {
		e.Bind(e.next)
	}
	return e.Bytes()
}
