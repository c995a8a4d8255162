package front

import (
	"encoding/binary"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// A package variable that is filled before main begins, by its initialiser or by functions init, is a table all the same: the
// compiler makes a program of what fills it and runs that on the interpreter. So what fills it may do what kernels may. Where a
// kernel has a value for what is a panic in Go, or other bits than Go, the table is refused.

const (
	maxSteps    = 1 << 25 // rows that run for a table
	maxAllSteps = 1 << 27 // for all tables of a compilation
	stepsOfWork = 16      // rows that an operation counts as while it is lowered
	stepsOfAny  = 1 << 12 // rows that a table counts as, whatever fills it
	maxFilling  = 100     // tables that are computed each for the one before
)

const panics = "Go panics here: "

const fillAdvice = "write it as kernels may, write constants, or pass the table as a parameter"

// failed is why a table has no values: places with what is wrong there, and what to do.
type failed struct {
	why []ir.Note
	fix string
}

// fault is what is wrong at one place.
func fault(at ir.Pos, why, fix string) *failed {
	return &failed{[]ir.Note{{Row: ir.NoRow, Pos: at, Msg: why}}, fix}
}

// evaluate computes a table: the values of its variable once functions init have run, or as its initialiser says if there are none.
func (s *source) evaluate(key tableKey, tab *table, by beginning) {
	tab.bad = s.computable(key, tab, by)
}

// computable is evaluate; it returns why there are no values.
func (s *source) computable(key tableKey, tab *table, by beginning) (bad *failed) {
	f, v := &s.filling, key.v
	switch at := s.pos(v.Pos()); {
	case f.now[key]:
		return fault(at, v.Name()+" is computed from itself", fillAdvice)
	case len(f.now) >= maxFilling:
		return fault(at, "more than "+decimal(maxFilling)+" tables are computed each from the next", fillAdvice)
	case f.steps >= maxAllSteps:
		return fault(at, "all tables take more than "+decimal(maxAllSteps)+" steps", fillAdvice)
	}
	f.now[key] = true
	outer := s.found
	defer func() {
		delete(f.now, key)
		s.found = outer
	}()
	computed := newComputed()
	for again := true; again; {
		s.found = findings{}
		bad, again = s.evaluateOnce(v, tab, by, computed)
		if len(s.found.list) > 0 {
			d := &s.found.list[0]
			return &failed{append([]ir.Note{{Row: ir.NoRow, Pos: d.Pos, Msg: d.Msg}}, d.Related...), d.Fix}
		}
	}
	return bad
}

// evaluateOnce is evaluate, given which arrays are known to be indexed by computed values.
func (s *source) evaluateOnce(v *types.Var, tab *table, by beginning, computed *computedIndices) (bad *failed, again bool) {
	l := s.newLowering("", "table", [3]uint32{1, 1, 1}, computed)
	l.reached = func(token.Pos) bool { return false }
	l.begins = v.Pkg()
	l.fr = s.initFrame(v)
	l.at(v.Pos())
	defer func() { s.filling.steps += uint64(l.work)*stepsOfWork + stepsOfAny }()
	from, size := l.filledBy(v, tab.typ, by)
	switch {
	case l.refused, l.retry:
		return fault(s.pos(v.Pos()), "compiling ended", fillAdvice), l.retry && !l.refused
	case l.spoilt:
		panic("BUG: front: table " + v.Name() + ": an expression was refused without a finding")
	}
	fields := fieldsIn(from.typ)
	var out []ir.Object
	for i := range fields {
		out = append(out, l.b.Buffer("f"+decimal(int64(i)), fields[i].elem, ir.WO))
	}
	l.give(from, out, 0, 0)
	if size != nil {
		fields = append(fields, field{elem: ir.U32, dims: []int64{int64(len(size))}})
		sizes := l.b.Buffer("size", ir.U32, ir.WO)
		for i, n := range size {
			l.b.Store(sizes, l.b.U32(uint32(i)), n)
		}
	}
	p, err := l.b.Program()
	if err != nil {
		l.reportVerifier(err, s.pos(v.Pos()))
		return nil, false
	}
	tab.values, bad = s.run(p, v, fields)
	if size != nil && bad == nil {
		bad = tab.cut(from.typ.Underlying().(*types.Array).Elem(), s.pos(v.Pos()))
	}
	return bad, false
}

// cut makes a table as long as the capacity of the slice, which stands with its length behind the values.
func (t *table) cut(elem types.Type, at ir.Pos) *failed {
	size := t.values[len(t.values)-1]
	t.used, t.typ = int64(size[0]), types.NewArray(elem, int64(size[1]))
	if tableBytes(t.typ) > ir.MaxTableBytes {
		return fault(at, "the slice is larger than the "+decimal(ir.MaxTableBytes)+" bytes of a table", "pass it as a slice")
	}
	t.fields = fieldsIn(t.typ)
	t.values = t.values[:len(t.fields)]
	for i := range t.fields {
		t.values[i] = t.values[i][:t.fields[i].count()]
	}
	return nil
}

// filledBy lowers what fills a variable, and returns where it then is, or what it refers to; none after a refusal.
// For a slice without a literal it returns length and capacity, too.
func (l *lowering) filledBy(v *types.Var, t types.Type, by beginning) (from place, size []build.Value) {
	init := l.src.globals.init[v]
	nodes := make([]ast.Node, 0, len(by.inits)+1)
	for _, d := range by.inits {
		nodes = append(nodes, d)
	}
	if len(by.inits) == 0 {
		nodes = append(nodes, init)
	}
	if l.faulty(nodes) {
		return place{}, nil
	}
	if len(by.inits) == 0 {
		return l.initialiser(v, t, init)
	}
	filled := make(map[*types.Var]*node)
	for _, w := range by.filled {
		filled[w] = l.beginsAs(w)
	}
	if l.refused {
		return place{}, nil
	}
	l.filled = filled
	for _, d := range by.inits {
		fn, _ := l.src.info.Defs[d.Name].(*types.Func)
		l.inline(d.Name, &function{fn: fn, body: d.Body, facts: l.src.factsOf(d)}, nil, nil)
	}
	return filled[v].place(), nil
}

// initialiser lowers the initialiser of a variable, as filledBy does. What a slice or pointer refers to must be a variable of this
// program: then nothing else refers to it.
func (l *lowering) initialiser(v *types.Var, t types.Type, init ast.Expr) (from place, size []build.Value) {
	lit, isLit := ast.Unparen(init).(*ast.CompositeLit)
	if isSlice(v.Type()) && isLit {
		return l.variable(v, t, l.literalAs(lit, t)).where(), nil
	}
	x := l.exprAs(init, v.Type())
	switch {
	case x.bad:
		return place{}, nil
	case isSlice(t):
		return l.elements(v, x.view, init.Pos())
	case !isPointer(v.Type()):
		return l.variable(v, t, x).where(), nil
	case x.ptr == nil || x.ptr.node == nil:
		l.refuse(init.Pos(), noEarly, "a pointer to no variable of its own", valueAdvice)
		return place{}, nil
	}
	return *x.ptr, nil
}

// elements copies what a slice refers to, up to its capacity, to an array, for it may begin and end anywhere.
func (l *lowering) elements(v *types.Var, x *view, at token.Pos) (from place, size []build.Value) {
	elem := v.Type().Underlying().(*types.Slice).Elem()
	zero := l.b.U32(0)
	if x == nil {
		none := types.NewArray(elem, 0)
		return l.variable(v, none, l.zeroOf(none)).where(), []build.Value{zero, zero}
	}
	room, ok := l.capacity(x)
	if !ok || x.obj.fixed {
		l.refuse(at, noEarly, "a slice of a table", "write an array, and slice it where it is used")
		return place{}, nil
	}
	off, n := l.extent(x, false)
	room = l.b.Cvt(ir.U32, room)
	all := types.NewArray(elem, x.obj.count)
	if from = l.variable(v, all, l.zeroOf(all)).where(); from.node == nil {
		return from, nil
	}
	if to := l.arrayView(val{typ: all, at: &from}); to.view != nil {
		l.copyViews(elem, to.view, &view{obj: x.obj, part: true, off: off, len: room})
	}
	return from, []build.Value{n, room}
}

// where is the place of a variable, if there is one.
func (n *node) where() place {
	if n == nil {
		return place{}
	}
	return n.place()
}

// faulty refuses what has errors of Go, or uses packages without source, in expressions and functions and all that these call.
func (l *lowering) faulty(nodes []ast.Node) bool {
	var calls []*ast.FuncDecl
	for _, n := range nodes {
		calls = append(calls, l.src.called(n)...)
	}
	reached := l.src.reachFrom(calls)
	for d := range reached {
		nodes = append(nodes, d)
	}
	slices.SortFunc(nodes, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	for _, n := range nodes {
		l.src.filling.steps += uint64(n.End()-n.Pos()) + uint64(len(l.src.goErrors))
		for _, e := range l.src.goErrors {
			if n.Pos() <= e.Pos && e.Pos < n.End() {
				l.refused = true
				l.src.found.add(ir.Diag{Row: ir.NoRow, Pos: l.src.pos(e.Pos), Msg: e.Msg, Fix: fillAdvice})
				return true
			}
		}
		if l.foreignIn(n) {
			return true
		}
	}
	return false
}

// beginsAs makes a package variable one of the program, which begins as its initialiser says.
func (l *lowering) beginsAs(w *types.Var) *node {
	p, ok := place{}, false
	if hasFunc(w.Type()) {
		l.refuseGlobal(w.Pos(), w, ", which holds functions and which a function init sets,", "fill the table in a function init that sets tables alone")
	} else if p, ok = l.globalPlace(w.Pos(), w); !ok {
		return nil
	}
	x := l.zeroOf(w.Type())
	if ok && l.src.globals.init[w] != nil {
		x = l.load(p)
	}
	return l.variable(w, w.Type(), x)
}

// variable makes a variable of the program that holds the value of a package variable.
func (l *lowering) variable(v *types.Var, t types.Type, x val) *node {
	if x.bad || l.refused {
		return nil
	}
	dyn := map[string]bool{"": true}
	maps.Copy(dyn, l.computed.vars[v])
	n := l.newNode(t, v.Name(), "", dyn, false, retype(x, t))
	n.owned(v)
	n.markSliced()
	return n
}

// give stores the part of a variable whose scalars begin with lo in the buffers; at is the number of the element among those of
// the arrays around it.
func (l *lowering) give(p place, out []ir.Object, lo int, at int64) {
	if p.node != nil && p.node.bank != nil {
		for k := range p.node.bank.leaves {
			leaf := &p.node.bank.leaves[k]
			if leaf.obj == nil {
				continue
			}
			l.count(uint32(leaf.obj.count), func(i build.Value) {
				l.b.Store(out[lo+k], l.b.Add(i, l.b.U32(uint32(at*leaf.obj.count))), l.b.Load(leaf.obj.id, i))
			})
		}
		return
	}
	if scalarOf(p.typ) != ir.None {
		l.b.Store(out[lo], l.b.U32(uint32(at)), l.raw(l.load(p)))
		return
	}
	n, part := partsOf(p.typ)
	for k := range int(n) {
		first, i := lo, at*n+int64(k)
		if fieldsOf(p.typ) != nil {
			i = at
			for before := range k {
				first += leavesOf(part(before))
			}
		}
		l.give(l.partPlace(p, k), out, first, i)
	}
}

// run runs a program that fills a table.
func (s *source) run(p *ir.Program, v *types.Var, fields []field) (values [][]uint64, bad *failed) {
	at := s.pos(v.Pos())
	k, err := interp.Prepare(p)
	if err != nil {
		return nil, fault(at, err.Error(), fillAdvice)
	}
	in := launch.Launch{Grid: [3]uint32{1, 1, 1}}
	for i := range fields {
		in.Args = append(in.Args, launch.Arg{Mem: make([]byte, fields[i].count()*int64(fields[i].elem.Size()))})
	}
	r, err := k.Run(s.ctx, in, interp.Options{Detect: interp.Bounds, Budget: maxSteps})
	var spent *interp.BudgetError
	switch {
	case errors.As(err, &spent):
		s.filling.steps += maxSteps
		if spent.LoopPos.File != "" {
			at = spent.LoopPos
		}
		return nil, fault(at, "more than "+decimal(maxSteps)+" steps fill the table", fillAdvice)
	case err != nil:
		return nil, fault(at, err.Error(), fillAdvice)
	}
	s.filling.steps += r.Rows
	switch {
	case r.Trap != nil && r.Trap.Code == trapPanic:
		return nil, fault(r.Trap.Pos, panics+r.Trap.Message, fillAdvice)
	case r.Trap != nil:
		return nil, fault(r.Trap.Pos, r.Trap.Message, fillAdvice)
	case len(r.Reports) > 0:
		o := &r.Reports[0]
		return nil, fault(o.Pos, panics+"index out of range ["+decimal(o.Index())+"] with length "+decimal(int64(o.Len)), fillAdvice)
	}
	for i := range fields {
		list, number := rawBits(in.Args[i].Mem, fields[i].elem)
		if !number {
			return nil, fault(at, "an element is not a number, whose bits differ between machines", "write math.NaN(), or a number")
		}
		values = append(values, list)
	}
	return values, nil
}

// rawBits returns the elements of a buffer, and whether each is a number or math.NaN().
func rawBits(mem []byte, elem ir.Type) (list []uint64, number bool) {
	number = true
	for size := elem.Size(); len(mem) > 0; mem = mem[size:] {
		var b [8]byte
		copy(b[:], mem[:size])
		x := binary.LittleEndian.Uint64(b[:])
		list = append(list, x)
		switch elem {
		case ir.F64:
			f := math.Float64frombits(x)
			number = number && (f == f || x == math.Float64bits(math.NaN()))
		case ir.F32:
			f := math.Float32frombits(uint32(x))
			number = number && f == f
		}
	}
	return list, number
}

// must makes a panic of Go a trap in a program that fills a table. Elsewhere nothing is evaluated.
func (l *lowering) must(what string, holds func() build.Value) {
	l.asks(panics+what, holds)
}

// asks is must for what is not a panic.
func (l *lowering) asks(what string, holds func() build.Value) {
	if l.begins != nil {
		l.b.Trap(l.b.Not(holds()), l.b.U64(0), trapAssert, what)
	}
}

// never is must for what always panics.
func (l *lowering) never(what string) {
	l.must(what, func() build.Value { return l.b.Bool(false) })
}

// mustDivide traps where Go panics because a divisor is zero.
func (l *lowering) mustDivide(y val) {
	if n, ok := y.intConst(); y.elem.IsFloat() || ok && n != 0 {
		return
	}
	l.must("integer divide by zero", func() build.Value {
		v := l.bits(y)
		return l.b.Ne(v, l.b.Const(l.b.Type(v), 0))
	})
}

// mustFit traps where a float has no value in an integer type: then the bits of Go depend on the machine.
func (l *lowering) mustFit(x val, t types.Type) {
	l.asks("a number that is none of "+typeName(t)+" is converted to other bits on other machines", func() build.Value {
		to := scalarOf(t)
		f := l.b.Op(ir.OpTrunc, l.raw(x))
		least, above := 0.0, math.Ldexp(1, int(to.Bits()))
		if to.IsSigned() {
			above /= 2
			least = -above
		}
		number := func(x float64) build.Value {
			if l.b.Type(f) == ir.F32 {
				return l.b.F32(float32(x))
			}
			return l.b.F64(x)
		}
		return l.b.And(l.b.Ge(f, number(least)), l.b.Lt(f, number(above)))
	})
}

// mustBe traps where the bits of a float are asked for that is not a number: they depend on the machine.
func (l *lowering) mustBe(x val) {
	if x.elem.IsFloat() {
		l.asks("NaN has other bits on other machines", func() build.Value { return l.b.Eq(x.v, x.v) })
	}
}

// mustSlice traps where a bound of a slice expression lies beyond another.
func (l *lowering) mustSlice(x val, bound build.Value) {
	l.must("slice bounds out of range", func() build.Value {
		i := l.index(x)
		if l.b.Type(i).IsSigned() {
			i = l.b.Cvt(ir.I64, i)
		}
		return l.b.Le(l.b.Cvt(ir.U64, i), l.b.Cvt(ir.U64, bound))
	})
}

// refuseTies refuses slices.SortFunc where a table is filled, unless it sorts integers for slices.Sort: Go may order equals otherwise.
func (l *lowering) refuseTies(at token.Pos, fn *types.Func, args []val) bool {
	if l.begins == nil || fn.Pkg() == nil || fn.Pkg().Path() != "slices" || fn.Name() != "SortFunc" {
		return false
	}
	s, ok := args[0].typ.Underlying().(*types.Slice)
	if ok && l.fr.fn.Pkg() == fn.Pkg() && scalarOf(s.Elem()) != ir.None && !scalarOf(s.Elem()).IsFloat() {
		return false
	}
	l.refuse(at, noEarly, "slices.SortFunc", "use slices.SortStableFunc")
	return true
}

// refuseEarly refuses a call where a table is filled, if a kernel has other results than Go, or none without a launch.
func (l *lowering) refuseEarly(e *ast.CallExpr, fn *types.Func) bool {
	name, instead := fn.Name(), fillAdvice
	begins := func(s string) bool { return strings.HasPrefix(name, s) }
	other := false
	switch fn.Pkg().Path() {
	case bitsPath: // panics
		other, instead = begins("Div") || begins("Rem"), "divide by / and %"
	case gpuPath:
		name = gpuName(fn)
		other = begins("Thread.") || begins("Fast") || begins("Atomic") ||
			slices.Contains([]string{"Clock", "Pause", "Prefetch", "Trace", "Printf", "LoadStale", "Run"}, name)
		for p := range fn.Signature().Params().Variables() {
			other = other || isThread(p.Type())
		}
	}
	if other {
		l.refuse(e.Pos(), noEarly, fn.Pkg().Name()+"."+name, instead)
	}
	return other
}
