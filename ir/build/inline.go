package build

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// Inlining is what an inlined program gets in place of what a launch would give it.
type Inlining struct {
	Scalars []Value     // for each scalar parameter, in order
	Objects []ir.Object // for each buffer, shared and local array of the program, in the order of their numbers; tables come along

	// Views says of objects, by their place in Objects, that the program sees a part only. They are checked like the
	// whole: what is outside the view is out of bounds, though the object go on there.
	Views map[int]View

	// Replace, if set, is asked first about every row that is neither structured nor an exit, with its operands. If
	// it returns true, the value it returns stands for the row, whose type it must have. So an id becomes what the
	// caller counts, and an object may be NoObject where every row that uses it is replaced.
	Replace func(r ir.Row, operand [3]Value) (Value, bool)
}

// View is a part of an object, in u32 elements (records, where it has them). The object has fewer than 1<<32 elements,
// and a view whose program takes vectors begins at a whole number of them.
type View struct{ Base, Len Value }

// NoObject stands for an object that nothing is left of (see Inlining.Replace).
const NoObject ir.Object = 1<<32 - 1

// Inline replays a sealed program at the current point. Its return leaves the body, so what follows here follows it.
// Flags, hints, names, messages and positions are kept; a position names the current one as the call that it stands in.
// Only the proofs that accesses are in bounds are dropped, since they were found for other objects.
func (b *Builder) Inline(p *ir.Program, in Inlining) {
	if b.dead || !b.fits(p, in) {
		return
	}
	in.Objects = slices.Clip(in.Objects)
	for _, o := range p.Objects()[len(in.Objects):] {
		in.Objects = append(in.Objects, b.table(*o.Array))
	}
	l := inliner{b: b, p: p, in: in, values: make([]Value, p.Rows()), labels: make(map[ir.Row]Label),
		call: b.given(), calls: make(map[ir.Pos]ir.Pos)}
	at := b.at
	b.Block(func(body Label) {
		l.body = body
		l.region(0)
	})
	b.at = at
}

// fits reports misuse: arguments that are not those that p takes.
func (b *Builder) fits(p *ir.Program, in Inlining) bool {
	if !b.ok(in.Scalars...) {
		return false
	}
	if p == nil || p.GroupSize() == 0 {
		b.fail("VY001", "an inlined program", "rows: it is nil, or was not sealed")
		return false
	}
	before := len(b.diags)
	what := "inlined " + p.Name()
	scalars := 0
	for _, q := range p.Params() {
		if q.IsBuffer() {
			continue
		}
		if k := scalars; k < len(in.Scalars) {
			if t := b.Type(in.Scalars[k]); t != q.Type.Value() {
				b.fail("VY101", "scalar "+q.Name, what, t, q.Type.Value())
			}
		}
		scalars++
	}
	if scalars != len(in.Scalars) {
		b.fail("VY006", what, finding.Plural(len(in.Scalars), "scalar"), finding.Plural(scalars, "scalar"))
	}
	objs := p.Objects()
	for len(objs) > 0 && objs[len(objs)-1].Table() { // the last ones
		objs = objs[:len(objs)-1]
	}
	if len(objs) != len(in.Objects) {
		b.fail("VY006", what, finding.Plural(len(in.Objects), "object"), finding.Plural(len(objs), "object"))
		return false
	}
	for k, o := range in.Objects {
		if o == NoObject && in.Replace != nil {
			continue
		}
		elem, ok := b.elem(o)
		if ok && elem != objs[k].Type() {
			b.fail("VY201", fmt.Sprintf("@%s of %s has elements of %s, the one given for it of %s", objs[k].Name(), what, objs[k].Type(), elem))
		} else if ok && b.count(o) != objs[k].Count() {
			b.fail("VY201", fmt.Sprintf("@%s of %s has %d elements in a record, the one given for it %d", objs[k].Name(), what, objs[k].Count(), b.count(o)))
		}
	}
	for k, view := range in.Views {
		switch {
		case k < 0 || k >= len(in.Objects):
			b.fail("VY006", fmt.Sprintf("view %d of %s", k, what), finding.Plural(len(objs), "object"), "an object to be a view of")
		case !b.ok(view.Base, view.Len):
		case b.Type(view.Base) != ir.U32 || b.Type(view.Len) != ir.U32:
			b.fail("VY101", "the view of @"+objs[k].Name(), what, fmt.Sprintf("%v and %v", b.Type(view.Base), b.Type(view.Len)), ir.U32)
		case in.Objects[k] != NoObject && b.lenType(in.Objects[k]) != ir.U32:
			b.fail("VY201", fmt.Sprintf("@%s of %s is to be a view of an object with 1<<32 elements or more", objs[k].Name(), what))
		}
	}
	return len(b.diags) == before
}

// count is ObjectInfo.Count of an object that was declared here.
func (b *Builder) count(o ir.Object) int {
	ob := b.objs[o]
	if ob.array || b.params[ob.index].Record == nil {
		return 1
	}
	p := &b.params[ob.index]
	return ir.ObjectInfo{Param: p, Field: &p.Record.Fields[ob.field]}.Count()
}

// inliner is the state of Inline.
type inliner struct {
	b      *Builder
	p      *ir.Program
	in     Inlining
	body   Label
	values []Value          // by row
	labels map[ir.Row]Label // of open loops and blocks, by row
	call   ir.Pos
	calls  map[ir.Pos]ir.Pos // positions, with the call added
}

// region replays the rows of a region, and returns the values of the yield that ends it.
func (l *inliner) region(reg uint32) []Value {
	p := l.p
	g := p.Regions()[reg]
	var results []Value
	for r := g.First; r < g.End; r++ {
		op := p.Op(r)
		in := op.Info()
		l.place(r)
		switch {
		case op == ir.OpArg: // given by whoever opened the region
			if reg == 0 {
				l.values[r] = l.in.Scalars[p.X(r)]
			}
		case op == ir.OpConst:
			l.values[r] = l.b.Const(p.Type(r), p.Const(r))
		case op == ir.OpRes:
			l.values[r] = results[p.X(r)]
			l.name(r, l.values[r])
		case in.Attr&ir.Structured != 0:
			results = l.structured(r)
			r = p.Regions()[p.X(r)+uint32(in.Owns)-1].End - 1
		case op == ir.OpYield:
			return l.list(r)
		case op == ir.OpBreak:
			l.b.Break(l.labels[ir.Row(p.X(r))], l.list(r)...)
		case op == ir.OpContinue:
			l.b.Continue(l.labels[ir.Row(p.X(r))], l.list(r)...)
		case op == ir.OpReturn:
			l.b.Break(l.body)
		case op == ir.OpUnreachable: // closing the op in front of it said so
		default:
			l.values[r] = l.simple(r, in)
			l.name(r, l.values[r])
		}
	}
	return nil
}

// structured replays a structured op with its regions, and returns its results.
func (l *inliner) structured(r ir.Row) []Value {
	b, p := l.b, l.p
	first := p.X(r)
	open := func(label Label, args []Value) {
		op := b.scopes[label.scope].op
		b.flags[op] = p.Flags(r)
		l.name(r, op)
		l.labels[r] = label
		for k, v := range args {
			at := p.Regions()[first].First + ir.Row(k)
			l.values[at] = v
			l.name(at, v)
		}
		l.region(first)
	}
	switch p.Op(r) {
	case ir.OpIf:
		if arm, ok := l.decided(r); ok {
			return l.region(arm)
		}
		return b.Choose(l.values[p.A(r)],
			func() []Value { return l.region(first) },
			func() []Value { return l.region(first + 1) })
	case ir.OpLoop:
		return b.Loop(l.list(r), open)
	}
	return b.Block(func(label Label) { open(label, nil) })
}

// decided returns the arm of the if in row r that a constant argument chooses. An arm that is left by another way than its end stays,
// with what it is chosen by, for passes.
func (l *inliner) decided(r ir.Row) (arm uint32, ok bool) {
	c, p := l.values[l.p.A(r)], l.p
	if c == noValue || l.b.op[c] != ir.OpConst {
		return 0, false
	}
	arm = p.X(r)
	if l.b.pool[l.b.x[c]] == 0 {
		arm++
	}
	g := p.Regions()[arm]
	return arm, g.First < g.End && p.Op(g.End-1) == ir.OpYield
}

// simple replays a row without regions that is no exit.
func (l *inliner) simple(r ir.Row, in *ir.Info) Value {
	b, p := l.b, l.p
	op, x := p.Op(r), p.X(r)
	operand := [3]Value{l.operand(p.A(r)), l.operand(p.B(r)), l.operand(p.C(r))}
	if l.in.Replace != nil {
		if v, ok := l.in.Replace(r, operand); ok {
			return l.replaced(r, v)
		}
	}
	if in.Imm == ir.ImmCopy {
		var ok bool
		if x, ok = l.copies(r); !ok {
			return noValue
		}
	}
	if in.Imm == ir.ImmObject {
		name := p.Objects()[x].Name()
		if view, ok := l.in.Views[int(x)]; ok {
			if op == ir.OpLen {
				return l.replaced(r, view.Len)
			}
			operand[0] = b.through(view, operand[0], in.Vec.Lanes())
		}
		if x = uint32(l.in.Objects[x]); ir.Object(x) == NoObject {
			return b.fail("VY201", fmt.Sprintf("@%s of inlined %s is not given, and %s was not replaced", name, p.Name(), op))
		}
	}
	v := b.emit(op, p.Type(r), x, operand[0], operand[1], operand[2])
	b.flags[v] = p.Flags(r) &^ ir.InBounds
	b.args[v] = b.list(l.list(r))
	b.message(v, p.Message(r))
	return v
}

// copies returns the objects that the asynchronous copy in row r has now.
func (l *inliner) copies(r ir.Row) (x uint32, ok bool) {
	dst, src := ir.CopyObjects(l.p.X(r))
	var to [2]ir.Object
	for i, o := range [2]ir.Object{dst, src} {
		obj := l.p.Objects()[o]
		if _, ok := l.in.Views[int(o)]; ok {
			l.b.fail("VY201", fmt.Sprintf("@%s of inlined %s is a view, and %s takes whole objects", obj.Name(), l.p.Name(), l.p.Op(r)))
			return 0, false
		}
		if to[i] = l.in.Objects[o]; to[i] == NoObject {
			l.b.fail("VY201", fmt.Sprintf("@%s of inlined %s is not given, and %s was not replaced", obj.Name(), l.p.Name(), l.p.Op(r)))
			return 0, false
		}
	}
	return ir.MakeCopy(to[0], to[1]), true
}

// through returns the index into an object for one into a view of it, of vectors of so many lanes. What is out of the
// view's bounds is out of the object's, too.
func (b *Builder) through(view View, i Value, lanes int) Value {
	base, length := view.Base, view.Len
	if lanes > 1 {
		shift := b.U32(uint32(bits.TrailingZeros(uint(lanes))))
		base, length = b.Shr(base, shift), b.Shr(length, shift)
	}
	none := b.U32(1<<32 - 1)
	if t := b.Type(i); t != ir.U32 {
		wide := b.Cvt(ir.U64, i) // a negative one becomes more than any length, or 0
		inside := b.Lt(wide, b.Cvt(ir.U64, length))
		if t.IsSigned() {
			inside = b.And(inside, b.Ge(i, b.Const(t, 0)))
		}
		return b.Select(inside, b.Add(b.Cvt(ir.U32, wide), base), none)
	}
	return b.Select(b.Lt(i, length), b.Add(i, base), none)
}

// replaced checks the value that stands for row r.
func (l *inliner) replaced(r ir.Row, v Value) Value {
	want := l.p.Type(r)
	if want == ir.None || v == noValue { // which was reported
		return v
	}
	if t := l.b.Type(v); t != want {
		l.b.fail("VY101", "what replaces "+l.p.Op(r).String(), "inlined "+l.p.Name(), t, want)
		return l.b.Const(want, 0)
	}
	return v
}

func (l *inliner) operand(r ir.Row) Value {
	if r == ir.NoRow {
		return noValue
	}
	return l.values[r]
}

func (l *inliner) list(r ir.Row) []Value {
	var vals []Value
	for _, v := range l.p.List(r) {
		vals = append(vals, l.values[v])
	}
	return vals
}

func (l *inliner) name(r ir.Row, v Value) {
	if s := l.p.ValueName(r); s != "" {
		l.b.Name(v, s)
	}
}

// place sets the position of row r, with the call added at the outer end of its chain.
func (l *inliner) place(r ir.Row) {
	pos := l.p.Pos(r)
	if l.call == (ir.Pos{}) {
		l.b.At(pos)
		return
	}
	at, ok := l.calls[pos]
	if !ok {
		at = called(pos, &l.call)
		l.calls[pos] = at
	}
	l.b.At(at)
}

// called returns pos as a position inside the call.
func called(pos ir.Pos, call *ir.Pos) ir.Pos {
	if pos == (ir.Pos{}) {
		return *call
	}
	outer := &pos
	for outer.Call != nil {
		c := *outer.Call
		outer.Call = &c
		outer = &c
	}
	outer.Call = call
	return pos
}
