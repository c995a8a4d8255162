package pipeline

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// threads is the size of a group of a program of items.
const threads = 256

// writer writes the program of a chain.
type writer struct {
	*build.Builder
	*looker
	chain     *chain
	registers map[int]*register
	params    []int               // binding of each parameter
	objects   map[int][]ir.Object // of bindings that have memory
	vars      map[int]map[slot]*build.Var
	item      build.Value
}

// write builds the program of a chain of items, and lists the bindings that it takes. With a guard it may be launched
// over more invocations than there are items.
func (l *looker) write(c *chain, guard bool) (p *ir.Program, params []int, err error) {
	w := &writer{Builder: build.New(c.name(), build.Workgroup(threads)), looker: l, chain: c, registers: l.registers(c),
		objects: map[int][]ir.Object{}, vars: map[int]map[slot]*build.Var{}}
	for k, u := range c.uses {
		if r := w.registers[k]; u.any() && (r == nil || r.kept) {
			w.param(k)
		}
	}
	w.item = w.Global(0)
	for _, s := range c.stages {
		for _, a := range s.accesses {
			w.variable(a)
		}
	}
	all := func() {
		for _, s := range c.stages {
			w.stage(s)
		}
	}
	if guard {
		w.If(w.Lt(w.item, w.U32(c.stages[0].Items)), all)
	} else {
		all()
	}
	p, err = w.Program()
	return p, w.params, err
}

// param makes a binding a parameter, with the rights and the bounds that any stage of the chain asks for.
func (w *writer) param(k int) {
	var q ir.Param
	for _, s := range w.chain.stages {
		for i, a := range s.args {
			switch other := &s.Program.Params()[i]; {
			case a.binding != k:
			case q.Access == 0:
				q = *other
			default:
				q.Access |= other.Access
				q.Align = max(q.Align, other.Align)
				q.MaxLen = max(q.MaxLen, other.MaxLen)
			}
		}
	}
	name := fmt.Sprintf("%s.%d", q.Name, k)
	if q.Record != nil {
		w.objects[k] = w.Records(name, *q.Record, q.Access)
	} else {
		w.objects[k] = []ir.Object{w.Buffer(name, q.Type, q.Access)}
	}
	w.SetMaxLen(w.objects[k][0], q.MaxLen)
	w.SetAlign(w.objects[k][0], 1<<q.Align)
	w.params = append(w.params, k)
}

// stage writes the rows of a stage, with its scalars as constants.
func (w *writer) stage(s *stage) {
	p := s.Program
	in := build.Inlining{}
	for k, q := range p.Params() {
		if !q.IsBuffer() {
			in.Scalars = append(in.Scalars, w.Const(q.Type.Value(), s.args[k].bits))
		}
	}
	for _, o := range p.Objects() {
		switch {
		case o.Table():
		case o.Array != nil:
			in.Objects = append(in.Objects, w.LocalArray(fmt.Sprintf("%s.%d", o.Array.Name, s.id), o.Array.Type, int(o.Array.Len)))
		default:
			in.Objects = append(in.Objects, w.object(s, o))
		}
	}
	slots := map[ir.Row]slot{}
	for _, a := range s.accesses {
		slots[a.row] = a.slot()
	}
	in.Replace = func(r ir.Row, operand [3]build.Value) (build.Value, bool) { return w.replace(s, slots, r, operand) }
	w.At(ir.Pos{File: s.String()})
	w.Inline(p, in)
	w.At(ir.Pos{})
}

// object is what stands for a field of a binding.
func (w *writer) object(s *stage, o ir.ObjectInfo) ir.Object {
	objs, ok := w.objects[s.args[o.Index].binding]
	if !ok {
		return build.NoObject
	}
	for k := range objs {
		if o.Field == nil || o.Field == &o.Param.Record.Fields[k] {
			return objs[k]
		}
	}
	panic("BUG: a field of another record")
}

// variable makes the place where the chain keeps the element of an access, if it does.
func (w *writer) variable(a access) {
	r := w.registers[a.binding]
	if r == nil {
		return
	}
	if w.vars[a.binding] == nil {
		w.vars[a.binding] = map[slot]*build.Var{}
	}
	if at := a.slot(); w.vars[a.binding][at] == nil {
		w.vars[a.binding][at] = w.Var(w.Const(r.slots[at], 0))
	}
}

// replace gives a stage its item, and what the chain keeps in registers.
func (w *writer) replace(s *stage, slots map[ir.Row]slot, r ir.Row, operand [3]build.Value) (build.Value, bool) {
	p := s.Program
	op := p.Op(r)
	switch {
	case op == ir.OpGlobal && p.X(r) == 0:
		return w.item, true
	case op == ir.OpGlobal:
		return w.U32(0), true
	case op.Info().Imm != ir.ImmObject:
		return 0, false
	}
	o := p.Objects()[p.X(r)]
	if o.Param == nil {
		return 0, false
	}
	k := s.args[o.Index].binding
	_, memory := w.objects[k]
	v := w.vars[k][slots[r]]
	switch {
	case op == ir.OpLen:
		return w.Const(p.Type(r), uint64(w.bindings[k].length(o.Param))), true
	case op == ir.OpLoad && v != nil:
		return v.Get(), true
	case op == ir.OpStore && v != nil:
		v.Set(operand[1])
	case !memory && p.Type(r) != ir.None: // no item comes here
		return w.Const(p.Type(r), 0), true
	}
	return 0, !memory
}

// name is what the program of a chain is called.
func (c *chain) name() string {
	name := c.stages[0].Program.Name()
	for _, s := range c.stages[1:] {
		name += "_" + s.Program.Name()
	}
	return name
}
