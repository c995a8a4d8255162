package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// One invocation at a time. Where lanes of a vector go different ways for different times, and ask for elements here and there,
// eight of them together are slower than one after the other. Code is then for vectors of one invocation: integers and
// bools are in general registers, control is branches, and no value has a mask. Floats stay vectors, whose lanes are equal; so
// whatever has no rule for general registers (single_rules.go) goes by that of vectors, and its operands and its result from
// one kind of register to the other.

// generals are the general registers that are handed out. AX, CX and DX are free within an instruction, and so is R8 where an
// access needs it. R15 is one of them where no table goes by it. BP is what enter has saved: Go looks at it nowhere in code that is not its own.
var generals = [...]amd64.Reg{amd64.BX, amd64.BP, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13, amd64.R14, amd64.R8}

// handOut says which general registers are: all, or so many. Where there are loops and none is forced, one less: it counts rounds,
// which costs more in memory than the value that is kept there for it.
func (l *layout) handOut(p *ir.Program, most int) {
	all, counts := generals[:], most == 0 && hasLoop(p)
	l.numbered = most == 0
	if needsValue(p) {
		all = all[:len(all)-1]
	}
	switch {
	case counts:
		most = len(all) - 1
		l.counter = all[most]
	case most == 0 || most > len(all):
		most = len(all)
	}
	for _, r := range all[:most] {
		l.generals[machineRegisters+int(r)] = true
	}
}

// number is that of the vector, times 32.
func (e *emitter) number() amd64.RM {
	if e.f.layout.numbered {
		return amd64.At(groupFrame, groupVector).RM()
	}
	return vectorNumber.RM()
}

func hasLoop(p *ir.Program) bool {
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpLoop {
			return true
		}
	}
	return false
}

// needsValue reports whether accesses of one invocation use laneValue.
func needsValue(p *ir.Program) bool {
	objects := p.Objects()
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes|ir.Atomic) == 0 {
			continue
		}
		if o := objects[p.X(r)]; in.Attr&ir.Atomic != 0 || !o.Local() && (o.Gap() > 0 || !simple(o.Stride())) {
			return true
		}
	}
	return false
}

// singleShapes is what is known of vectors that are one invocation: all is uniform, and lanes leave nothing at different times.
func singleShapes(t *tree) *shapes {
	s := &shapes{tree: t, value: make([]shape, t.p.Rows()), divergent: map[ir.Row]bool{}, leaves: map[ir.Row]bool{}, continues: map[ir.Row]int{}}
	for r := range s.value {
		s.value[r] = uniform
	}
	return s
}

// inGeneral says whether values of a type are in general registers, where code is for one invocation.
func inGeneral(t ir.Type) bool {
	t = t.Elem().Value()
	return t.IsInt() || t == ir.Bool
}

// width is the bytes of a value in a general register.
func width(t ir.Type) amd64.Size { return max(amd64.Size(t.Elem().Size()), 4) }

// parts is how many registers a scalar of a type takes. Of a float of 64 bits both are the same, where code is for one
// invocation.
func (s *selector) parts(t ir.Type) int {
	if s.layout.single() && inGeneral(t) {
		return 1
	}
	return parts(t)
}

// generalReg returns a new general register, for values of so many bytes.
//
//go:noinline
func (f *function) generalReg(size amd64.Size) vreg {
	v := f.reg()
	f.vregs[v].general, f.vregs[v].wide = true, size == 8
	return v
}

// freshSingle is fresh for one invocation.
func (s *selector) freshSingle(t ir.Type) (vs []vreg) {
	for range t.Lanes() {
		var v vreg
		if inGeneral(t) {
			v = s.generalReg(width(t))
		} else {
			v = s.reg()
		}
		vs = append(vs, v)
		if s.parts(t) == 2 {
			vs = append(vs, v)
		}
	}
	return vs
}

// once leaves out copies that follow the same copy.
func once(to, from []vreg) (t, f []vreg) {
	for i := range to {
		if i == 0 || to[i] != to[i-1] {
			t, f = append(t, to[i]), append(f, from[i])
		}
	}
	return t, f
}

// onGenerals writes a row that has a rule for general registers, or one for vectors; false if it has neither.
func (s *selector) onGenerals(r ir.Row) bool {
	op, t := s.p.Op(r), typedOperand(s.p, r)
	if write := s.singleBuiltin(r); write != nil {
		s.vals[r] = []vreg{write()}
		return true
	}
	if _, ok := builtins[op]; ok {
		return false
	}
	for _, u := range singleRules[op] {
		if u.types.Has(t) {
			if vs := u.write(s, r); vs != nil {
				s.vals[r] = vs
				return true
			}
		}
	}
	if write := s.rule(r); write != nil {
		s.vals[r] = s.onVectors(r, write)
		return true
	}
	return false
}

// singleBuiltin returns how a row is written that reads state which is there as a number, nil if it is not such a one.
func (s *selector) singleBuiltin(r ir.Row) func() vreg {
	size, axis := s.p.Workgroup(), s.p.X(r)
	switch op := s.p.Op(r); {
	case op == ir.OpClock:
		return s.clockSingle
	case (op == ir.OpLocal || op == ir.OpGlobal) && axis == 0 && size[1] == 1 && size[2] == 1:
		return func() vreg {
			number := s.make(4, noReg, noReg, noReg, func(e *emitter, in *ins, d amd64.Reg) {
				e.Load(8, d, e.number())
				e.ShiftImm(5, 4, d, 5)
			})
			if op == ir.OpLocal {
				return number
			}
			return s.alu(amd64.ADD, 4, number, s.fromBank(entry{from: fromBase, x: 0, typ: ir.U32}))
		}
	case op == ir.OpGlobal:
		return func() vreg {
			return s.alu(amd64.ADD, 4, s.fromTable(ir.OpLocal, axis), s.fromBank(entry{from: fromBase, x: axis, typ: ir.U32}))
		}
	}
	return nil
}

func (s *selector) clockSingle() vreg {
	d := s.generalReg(8)
	s.macro(amongNone, nil, []vreg{d}, func(e *emitter) {
		e.Clock()
		e.setGeneral(d, amd64.AX)
	})
	return d
}

// onVectors writes a row by a rule for vectors.
func (s *selector) onVectors(r ir.Row, write write) []vreg {
	had := map[ir.Row][]vreg{}
	spread := func(v ir.Row) {
		if _, ok := had[v]; v != ir.NoRow && !ok {
			had[v] = s.vals[v]
			s.vals[v] = s.spread(s.p.Type(v), s.vals[v])
		}
	}
	for _, v := range [...]ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
		spread(v)
	}
	for _, v := range s.p.List(r) {
		spread(ir.Row(v))
	}
	s.borrowing = true
	out := write(s, r)
	s.borrowing = false
	for v, vs := range had {
		s.vals[v] = vs
	}
	return s.taken(s.p.Type(r), out)
}

// spread returns the registers that a rule for vectors has a value in.
func (s *selector) spread(t ir.Type, vs []vreg) []vreg {
	if !inGeneral(t) {
		return vs
	}
	var out []vreg
	for _, v := range vs {
		d := v
		if s.vregs[v].general {
			d = s.reg()
			s.add(ins{form: formGeneral, d: d, a: v, b: noReg, c: noReg, emit: func(e *emitter) { e.spread(width(t)) }})
		}
		out = append(out, d)
		if parts(t) == 2 {
			out = append(out, d)
		}
	}
	return out
}

// taken returns the registers of a value that a rule for vectors has made.
func (s *selector) taken(t ir.Type, vs []vreg) []vreg {
	n := parts(t)
	var out []vreg
	for i := 0; i < len(vs); i += n {
		v := vs[i]
		if inGeneral(t) && s.vregs[v].home == homeless {
			d := s.generalReg(width(t))
			s.add(ins{form: formGeneral, d: d, a: v, b: noReg, c: noReg, emit: func(e *emitter) { e.take(width(t)) }})
			v = d
		}
		out = append(out, v)
		if s.parts(t) == 2 {
			out = append(out, v)
		}
	}
	return out
}
