package megakernel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// step is a wave, looked into.
type step struct {
	*Wave
	id      int
	items   bool     // runs once for every item; else in workgroups of its own
	args    []source // one a parameter
	length  int      // binding of the domain's words, -1 without any
	rest    uint64   // elements of the shared array whose length comes with the launch
	stay    *step    // its form for one block alone, nil without one
	touches []touch  // what it does to which binding
}

// source is where a parameter gets its value from.
type source struct {
	kind    sourceKind
	binding int    // of a range
	bits    uint64 // of a scalar
}

type sourceKind uint8

const (
	fromScalar sourceKind = iota
	fromRange
	fromRound
	fromSize
	fromLimit
	fromMany
	fromSlots // of a drain
	fromControl
	fromVote // from here on they are values in place of a buffer
	fromEdges
	fromResult
)

// binding is a range of memory that waves use: one parameter of every program made of them.
type binding struct {
	memory driver.Range
	param  ir.Param // as the first wave declares it, with the rights of all
	temp   *temp    // if the plan provides it
	lanes  int      // of the widest access

	// What it is in the programs: a parameter, or a view of one.
	parameter    int
	part         bool
	base, length uint32 // elements
}

// maxBindings bounds the parameters of a program, which has 128 at most, less those that the loop adds.
const maxBindings = 128 - 6

// binder looks into waves and collects what they share.
type binder struct {
	dev      driver.Device
	label    string
	steps    []step
	bindings []binding
	ranges   map[rangeKey]int
	near     map[int][]int // bindings that share bytes with one
	temps    map[int]*temp
	order    []*temp // as they come
	programs map[*ir.Program]program
	found    driver.Problems
}

// program is what is found out about a program once, however many waves have it.
type program struct {
	loop  ir.Row // that only another invocation can end
	waits bool   // whether there is one
	free  bool   // it cannot tell the size of its group
}

// look looks into a program.
func (b *binder) look(p *ir.Program) program {
	found, known := b.programs[p]
	if !known {
		found.loop, found.waits = waits(p)
		_, err := driver.Resize(p, p.Workgroup())
		found.free = err == nil
		b.programs[p] = found
	}
	return found
}

// refuse keeps a problem of a wave.
func (b *binder) refuse(code string, wave int, where, msg, fix string) {
	path := fmt.Sprintf("wave %d", wave)
	if p := b.steps[wave].Program; p != nil {
		path += " " + p.Name()
	}
	if where != "" {
		path += ", " + where
	}
	b.found = append(b.found, problem(b.dev, driver.InvalidArgument, code, wave, path, msg, fix))
}

// problem is an error of the package.
func problem(dev driver.Device, kind driver.Kind, code string, index int, path, msg, fix string) *driver.Error {
	return &driver.Error{Op: "plan", Device: dev.Name(), Kind: kind, Path: path, Msg: msg, Fix: fix, Err: &Reason{Code: code, Index: index}}
}

// bind looks into all waves.
func bind(dev driver.Device, label string, waves []Wave) (*binder, error) {
	b := &binder{dev: dev, label: label, steps: make([]step, len(waves)), ranges: map[rangeKey]int{}, temps: map[int]*temp{}, programs: map[*ir.Program]program{}}
	for i := range waves {
		b.steps[i] = step{Wave: &waves[i], id: i, length: -1}
		if p := waves[i].Program; p == nil || p.GroupSize() == 0 {
			b.refuse("F1", i, "", "it has no program, or one that was not sealed", "give every wave a sealed program")
			continue
		}
		b.step(&b.steps[i])
		b.stay(&b.steps[i])
	}
	b.overlaps()
	if len(b.found) > 0 {
		return nil, b.found
	}
	return b, nil
}

// step looks into one wave.
func (b *binder) step(s *step) {
	p := s.Program
	found := b.look(p)
	s.items = found.free && s.Domain.kind != spread
	if found.waits {
		b.refuse("F4", s.id, "", fmt.Sprintf("%v: only a store of another invocation can end this loop, and that may not have begun", p.Pos(found.loop)),
			"let a later wave, or the next round, do what comes after")
	}
	params := p.Params()
	if len(s.Args) != len(params) && !b.rest(s) {
		b.refuse("F1", s.id, "", fmt.Sprintf("it has %d arguments for %d parameters", len(s.Args), len(params)), "give one argument a parameter, in order")
		return
	}
	if p.Traits().SharedRest && len(s.Args) == len(params) {
		b.refuse("F1", s.id, "", "nothing says how long its shared array is", "pass a driver.Rest after the other arguments")
	}
	for k := range params {
		s.args = append(s.args, b.source(s, &params[k], s.Args[k]))
	}
	b.domain(s)
	s.touches = touched(s)
	for _, t := range s.touches {
		g := &b.bindings[t.binding]
		g.lanes = max(g.lanes, t.lanes)
	}
}

// rest takes the length of the wave's shared array that has none of its own, and reports whether it is
// all that the wave has beside one argument a parameter.
func (b *binder) rest(s *step) bool {
	p := s.Program
	if n := len(p.Params()); !p.Traits().SharedRest || len(s.Args) != n+1 {
		return false
	}
	n, ok := s.Args[len(s.Args)-1].(driver.Rest)
	if ok = ok && n >= 0; ok {
		s.rest = uint64(n)
	}
	return ok
}

// source finds where a parameter gets its value from.
func (b *binder) source(s *step, q *ir.Param, a driver.Arg) source {
	where := "argument " + q.Name
	wrong := func(what string) source {
		b.refuse("F1", s.id, where, what, "pass a range for a buffer, a scalar of the exact type for a value, Round{} or Size{} for a u32, Vote{} or Edges{} for a []uint32")
		return source{}
	}
	switch a := a.(type) {
	case driver.Scalar:
		if q.IsBuffer() || a.Type != q.Type {
			return wrong(fmt.Sprintf("it is %v, the parameter is %s", a, describe(q)))
		}
		return source{kind: fromScalar, bits: a.Type.Extend(a.Bits)}
	case Round:
		if q.IsBuffer() || q.Type != ir.U32 {
			return wrong("the number of a round is u32, the parameter is " + describe(q))
		}
		return source{kind: fromRound}
	case Size:
		if q.IsBuffer() || q.Type != ir.U32 {
			return wrong("the size of a domain is u32, the parameter is " + describe(q))
		}
		return source{kind: fromSize}
	case Limit, Many, Result:
		return b.ofStay(s, q, a, wrong)
	case Vote, Edges:
		kind, what := fromVote, "a vote"
		if _, ok := a.(Edges); ok {
			kind, what = fromEdges, "a count of edges"
		}
		if !q.IsBuffer() || q.Record != nil || q.Type != ir.U32 {
			return wrong(what + " is a buffer of u32, the parameter is " + describe(q))
		}
		b.vote(s, q, what)
		return source{kind: kind}
	case driver.Range, Temp:
		if !q.IsBuffer() {
			return wrong("it is a range, the parameter is " + describe(q))
		}
		if m, ok := a.(Temp); ok {
			return source{kind: fromRange, binding: b.temp(s, where, m, *q)}
		}
		return source{kind: fromRange, binding: b.binding(s, where, a.(driver.Range), *q)}
	}
	return wrong(fmt.Sprintf("it is a %T", a))
}

func describe(q *ir.Param) string {
	switch {
	case q.Record != nil:
		return "a buffer of records"
	case q.IsBuffer():
		return "a buffer of " + q.Type.String()
	}
	return q.Type.String()
}

// binding finds the binding of a range, or makes it, and joins what waves want of it.
func (b *binder) binding(s *step, where string, r driver.Range, q ir.Param) int {
	if r.Buffer == nil {
		b.refuse("F1", s.id, where, "it has no buffer", "pass a range of an open buffer")
		return 0
	}
	key := rangeKey{r.Buffer, r.Off, r.Len}
	k, ok := b.ranges[key]
	if ok {
		b.join(s, where, &b.bindings[k], q)
		return k
	}
	k = len(b.bindings)
	b.ranges[key] = k
	b.bindings = append(b.bindings, binding{memory: r, param: q, lanes: 1})
	return k
}

// join adds to a binding what a wave wants of it.
func (b *binder) join(s *step, where string, g *binding, q ir.Param) {
	if !sameElements(&g.param, &q) {
		b.refuse("F7", s.id, where, fmt.Sprintf("it is %s here and %s in another wave", describe(&q), describe(&g.param)),
			"read it by one element type, and convert in the kernels")
	}
	g.param.Access |= q.Access
	g.param.Align = max(g.param.Align, q.Align)
	g.param.MaxLen = max(g.param.MaxLen, q.MaxLen)
}

func sameElements(a, b *ir.Param) bool {
	if a.Record == nil || b.Record == nil {
		return a.Record == b.Record && a.Type == b.Type
	}
	return a.Record.Same(b.Record)
}

// domain checks the domain of a wave, and binds its words.
func (b *binder) domain(s *step) {
	d := s.Domain
	switch {
	case d.kind == noDomain:
		b.refuse("domain", s.id, "domain", "it has none", "say over what the wave runs: Fixed, Counted or List")
		return
	case d.count > MaxItems:
		b.refuse("domain", s.id, "domain", fmt.Sprintf("%d items, at most %d are possible", d.count, MaxItems), "split the wave")
	case d.kind == fixed:
		return
	case s.Phase != EveryRound && d.kind.lists():
		b.refuse("domain", s.id, "domain", "a list is made by rounds, and the wave runs "+s.Phase.String()+" them", "use Counted or Fixed")
	case d.words.Len != 4*d.kind.words() || d.words.Off%4 != 0:
		b.refuse("domain", s.id, "domain", fmt.Sprintf("its range has %d bytes at %d, it takes %d at a multiple of 4", d.words.Len, d.words.Off, 4*d.kind.words()), "pass the range of the word, or of the three words of a list")
		return
	}
	s.length = b.binding(s, "domain", d.words, ir.Param{Name: "length", Type: ir.U32, Access: ir.RW, Align: 2, MaxLen: ir.DefaultMaxLen})
}

// vote refuses any use of a vote, or a count, but additions at 0 whose result nobody uses.
func (b *binder) vote(s *step, q *ir.Param, what string) {
	p := s.Program
	used := make([]bool, p.Rows())
	use := func(r ir.Row) {
		if r != ir.NoRow {
			used[r] = true
		}
	}
	for r := range ir.Row(p.Rows()) {
		use(p.A(r))
		use(p.B(r))
		use(p.C(r))
		for _, v := range p.List(r) {
			use(ir.Row(v))
		}
	}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r).Info().Imm != ir.ImmObject || p.Objects()[p.X(r)].Param != q {
			continue
		}
		index := p.A(r)
		if p.Op(r) == ir.OpAtomicAdd && !used[r] && p.Op(index) == ir.OpConst && p.Const(index) == 0 {
			continue
		}
		b.refuse("F5", s.id, "argument "+q.Name, fmt.Sprintf("%v: %s is only added to, at 0, and the result is left unused; this is %v", p.Pos(r), what, p.Op(r)),
			"count in a buffer of your own what the kernel reads")
	}
}

// touch is what a wave does to a binding.
type touch struct {
	binding int
	plain   bool // reads plainly
	writes  bool // writes plainly
	updates ir.Op
	mixed   bool // has updates of several kinds
	lanes   int  // of the widest access
	row     ir.Row
}

// touched collects what the wave does to its bindings.
func touched(s *step) []touch { return touchedBy(s.Program, s.args) }

// touchedBy is the same of a program with its arguments.
func touchedBy(p *ir.Program, args []source) []touch {
	var all []touch
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		obj, lanes := ir.Object(p.X(r)), in.Vec.Lanes()
		if in.Imm == ir.ImmCopy { // which reads its source, to write an array
			_, obj = ir.CopyObjects(p.X(r))
			lanes = 4 << (p.Op(r) - ir.OpCopyAsync4) / p.Objects()[obj].Type().Size()
		} else if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
			continue
		}
		o := p.Objects()[obj]
		if o.Param == nil || args[o.Index].kind != fromRange {
			continue
		}
		k := args[o.Index].binding
		at := slices.IndexFunc(all, func(t touch) bool { return t.binding == k })
		if at < 0 {
			at = len(all)
			all = append(all, touch{binding: k, row: r, lanes: 1})
		}
		t := &all[at]
		t.lanes = max(t.lanes, lanes)
		switch op := p.Op(r); {
		case in.Imm == ir.ImmCopy:
			t.plain = true
		case in.Attr&ir.Atomic == 0:
			t.plain = t.plain || in.Attr&ir.Reads != 0
			if in.Attr&ir.Writes != 0 && !t.writes {
				t.writes, t.row = true, r
			}
		case in.Attr&ir.Writes == 0: // a relaxed load goes with any update
		case t.updates != 0 && t.updates != op:
			t.mixed = true
		default:
			t.updates = op
		}
	}
	slices.SortFunc(all, byBinding)
	return all
}

func byBinding(a, b touch) int { return cmp.Compare(a.binding, b.binding) }
