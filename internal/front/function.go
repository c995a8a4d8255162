package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/govyre/vyre/ir/build"
)

// A function value is the functions that it may be, which are known while compiling; a call inlines them. If there is
// one, nothing of the value is in the program. If there are several, a number says which, and the call is a switch.

// function is a declared function, a method with or without its receiver, or a literal with the variables around it.
type function struct {
	fn    *types.Func // of a literal made up, the same for each value of it
	body  *ast.BlockStmt
	env   env
	facts *facts
	vars  map[types.Object]*node // that a literal uses
	recv  *val                   // of a method value
	deref bool                   // a method expression of a pointer type whose method takes a value
	depth int                    // regions around what it uses
	inner string                 // what lies in the most of them
	yield *iteration             // the body of a range statement, instead of all else
}

// choice is a function value: number k+1 stands for list[k], and 0 for nil. Without tag it is list[0].
type choice struct {
	list    []*function
	mayNil  bool
	tag     build.Value
	several bool // tag says which
}

// funcVar is a variable that holds functions. One that is assigned to has a number for them.
type funcVar struct {
	name  string
	fixed *choice
	of    choice // what it may hold; tag is not set
	tag   *build.Var
	depth int // regions around its declaration
	loops int // loops around it
	read  int // the outermost loop after it in which it was read last; 0: none
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// regions counts the branches, loops and blocks around the current point: a value is known in those around it.
func (l *lowering) regions() int { return l.nested + l.blocks }

// inBlock emits a labelled block.
func (l *lowering) inBlock(body func(out build.Label)) {
	l.blocks++
	l.b.Block(body)
	l.blocks--
}

// literal evaluates a function literal.
func (l *lowering) literal(e *ast.FuncLit) val {
	t := l.typeOf(e)
	f := &function{fn: l.src.literalFunc(e), body: e.Body, env: l.fr.env, facts: l.fr.facts, vars: make(map[types.Object]*node)}
	for o := range l.src.freeIn(e) {
		if n := l.fr.vars[o]; n != nil {
			f.vars[o] = n
			if name := "variable " + o.Name(); n.depth > f.depth || n.depth == f.depth && name < f.inner {
				f.depth, f.inner = n.depth, name
			}
		}
	}
	return val{typ: t, fn: &choice{list: []*function{f}}}
}

// literalFunc returns the function that stands for a literal.
func (s *source) literalFunc(e *ast.FuncLit) *types.Func {
	fn := s.literals[e]
	if fn == nil {
		sig, _ := s.info.TypeOf(e).(*types.Signature)
		fn = types.NewFunc(e.Pos(), nil, fmt.Sprintf("func literal of line %d", s.pos(e.Pos()).Line), sig)
		s.literals[e] = fn
	}
	return fn
}

// freeIn returns the local variables from outside that a literal uses.
func (s *source) freeIn(e ast.Node) map[types.Object]bool {
	free := make(map[types.Object]bool)
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := s.info.Uses[id].(*types.Var)
		if ok && !v.IsField() && packageVar(v) == nil && (v.Pos() < e.Pos() || v.Pos() >= e.End()) {
			free[v] = true
		}
		return true
	})
	return free
}

// declared is the value of a declared function. Those of packages without source are refused, as is a method of an
// interface.
func (l *lowering) declared(e ast.Expr, name *ast.Ident) val {
	t := l.typeOf(e)
	fn := l.src.info.Uses[name].(*types.Func)
	d := l.src.funcs[fn.Origin()]
	if d == nil || d.Body == nil {
		l.refuse(e.Pos(), noFuncOf, fn.FullName(), "write a function literal that calls it")
		return l.bad(t)
	}
	f := &function{fn: fn.Origin(), body: d.Body, env: l.instance(name, fn), facts: l.src.factsOf(d)}
	return val{typ: t, fn: &choice{list: []*function{f}}}
}

// instance returns the type arguments with which name names a generic function.
func (l *lowering) instance(name *ast.Ident, fn *types.Func) env {
	en := make(env)
	params := fn.Origin().Signature().TypeParams()
	if inst, ok := l.src.info.Instances[name]; ok {
		for i := range params.Len() {
			en[params.At(i)] = l.subst(inst.TypeArgs.At(i))
		}
	}
	return en
}

// ofReceiver adds the type arguments of a method's receiver.
func (en env) ofReceiver(fn *types.Func, t types.Type) {
	if isPointer(t) {
		t = pointee(t)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		params := fn.Origin().Signature().RecvTypeParams()
		for i := range min(params.Len(), n.TypeArgs().Len()) {
			en[params.At(i)] = n.TypeArgs().At(i)
		}
	}
}

// methodValue evaluates x.M, which binds x, and T.M, which takes it as its first argument.
func (l *lowering) methodValue(e *ast.SelectorExpr, sel *types.Selection) val {
	t := l.typeOf(e)
	fn, _ := sel.Obj().(*types.Func)
	of := l.typeOf(e.X)
	fn, embedded := l.method(e, fn, of)
	if fn == nil {
		return l.bad(t)
	}
	if len(embedded) > 0 && sel.Kind() == types.MethodExpr {
		l.refuse(e.Pos(), noPromoted)
		return l.bad(t)
	}
	of = embeddedType(of, embedded)
	d := l.src.funcs[fn.Origin()]
	if d == nil || d.Body == nil {
		l.refuse(e.Sel.Pos(), noFuncOf, "method "+fn.Name(), "write a function literal that calls it")
		return l.bad(t)
	}
	f := &function{fn: fn.Origin(), body: d.Body, env: make(env), facts: l.src.factsOf(d)}
	f.env.ofReceiver(fn, of)
	if sel.Kind() == types.MethodExpr {
		f.deref = isPointer(of) && !isPointer(fn.Signature().Recv().Type())
		return val{typ: t, fn: &choice{list: []*function{f}}}
	}
	x := l.settle(l.receiver(fn, e.X, embedded))
	if x.bad {
		return l.bad(t)
	}
	f.recv, f.depth, f.inner = &x, l.regions(), "the value of which this is a method"
	o, _ := l.src.rootOf(e.X)
	if n := l.fr.vars[o]; n != nil && (x.ptr != nil || detached(n) && !l.fr.facts.assigned[o]) {
		f.depth, f.inner = n.depth, "variable "+o.Name()
	}
	return val{typ: t, fn: &choice{list: []*function{f}}}
}

// callValue evaluates a call of a function value.
func (l *lowering) callValue(e *ast.CallExpr) []val {
	x, args, ok := l.calleeAndArguments(e)
	if !ok {
		return l.badResults(e)
	}
	l.at(e.Pos())
	return l.apply(e, x.fn, args, resultTypes(l.typeOf(e)))
}

// calleeAndArguments evaluates what a call calls, as a function value, and with what; not ok after a refusal.
func (l *lowering) calleeAndArguments(e *ast.CallExpr) (x val, args []val, ok bool) {
	x = l.exprAs(e.Fun, nil)
	sig, ok := l.typeOf(e.Fun).Underlying().(*types.Signature)
	if !ok {
		return x, nil, false
	}
	args = l.arguments(e, sig, func(t types.Type) types.Type { return t })
	return x, args, !x.bad && !slices.ContainsFunc(args, func(a val) bool { return a.bad })
}

// arguments evaluates the arguments of a call, or the one call that gives them all, for parameters whose types real tells.
// Arguments beyond the named parameters of a variadic function become a slice of a local array.
func (l *lowering) arguments(e *ast.CallExpr, sig *types.Signature, real func(types.Type) types.Type) (args []val) {
	named := sig.Params().Len()
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		named--
	}
	if many, ok := l.src.info.TypeOf(firstArg(e)).(*types.Tuple); ok && many.Len() > 1 {
		args = l.call(ast.Unparen(e.Args[0]).(*ast.CallExpr))
	} else {
		for i, a := range e.Args {
			t := real(sig.Params().At(min(i, sig.Params().Len()-1)).Type())
			if i >= named {
				t = t.Underlying().(*types.Slice).Elem()
			}
			args = append(args, l.exprAs(a, t))
		}
	}
	if named == sig.Params().Len() {
		return args
	}
	rest := real(sig.Params().At(named).Type())
	if len(args) == named { // Go passes nil
		return append(args, l.zeroOf(rest))
	}
	return append(args[:named:named], l.listed(e, rest, args[named:]))
}

// apply calls one of the functions of a value. A nil function is a panic after its arguments are evaluated.
func (l *lowering) apply(e ast.Node, c *choice, args []val, results []types.Type) []val {
	if c == nil {
		l.trapped(e.Pos(), "call of a nil function")
		return l.zeros(results)
	}
	if !c.several {
		return l.inline(e, c.list[0], args, results)
	}
	var out []*node
	for _, t := range results {
		n := l.newNode(t, "", "", nil, false, l.zeroOf(t))
		out = append(out, n)
	}
	run := func(f *function) {
		for i, x := range l.inline(e, f, args, results) {
			l.store(place{typ: out[i].typ, node: out[i]}, retype(x, out[i].typ))
		}
	}
	l.inBlock(func(end build.Label) {
		for k, f := range c.list {
			if k == len(c.list)-1 && !c.mayNil {
				run(f)
				break
			}
			l.nested++
			l.b.If(l.b.Eq(c.tag, l.b.U32(uint32(k)+1)), func() {
				run(f)
				l.b.Break(end)
			})
			l.nested--
		}
		if c.mayNil {
			l.trapped(e.Pos(), "call of a nil function")
		}
	})
	var vals []val
	for _, n := range out {
		vals = append(vals, l.load(place{typ: n.typ, node: n}))
	}
	return vals
}

func (l *lowering) zeros(list []types.Type) (vals []val) {
	for _, t := range list {
		vals = append(vals, l.zeroOf(t))
	}
	return vals
}

// newFunc makes the storage of a function variable. What is assigned to it later and can be evaluated here already is,
// so that a loop which calls it before it assigns knows what it may call.
func (l *lowering) newFunc(name string, fixed bool, o types.Object, init val) *funcVar {
	f := &funcVar{name: name, depth: l.regions(), loops: len(l.open)}
	if fixed {
		f.fixed = init.fn
		if init.fn == nil {
			f.fixed = &choice{}
		}
		return f
	}
	f.tag = l.b.Var(l.number(0))
	l.storeFunc(f, init)
	for _, e := range l.fr.facts.given[o] {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			if l.src.info.Types[e].IsNil() {
				f.of.mayNil = true
			} else if fn, ok := l.src.info.Uses[e].(*types.Func); ok && l.src.funcs[fn.Origin()] != nil {
				f.add(l.declared(e, e).fn.list[0])
			} else if other := l.fr.vars[l.src.info.Uses[e]]; other != nil && other.fn != nil && e.Pos() > o.Pos() {
				f.addAll(other.fn)
			}
		case *ast.FuncLit:
			if l.knownAt(e, o) {
				f.add(l.literal(e).fn.list[0])
			}
		case *ast.CallExpr:
			if fn, _ := l.src.callee(e); fn != nil {
				l.addReturned(f, o.Type(), fn.Origin())
			}
			for k := 0; k < len(f.of.list); k++ { // of a state machine each function returns the next
				l.addReturned(f, o.Type(), f.of.list[k].fn)
			}
		}
	}
	return f
}

// addReturned adds the declared functions of type t, and nil, that function fn returns by name.
func (l *lowering) addReturned(f *funcVar, t types.Type, fn *types.Func) {
	d := l.src.funcs[fn]
	if d == nil || d.Body == nil {
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		if !ok {
			_, literal := n.(*ast.FuncLit)
			return !literal
		}
		for _, e := range r.Results {
			if l.src.info.Types[e].IsNil() {
				f.of.mayNil = true
			}
			id, _ := ast.Unparen(e).(*ast.Ident)
			if id == nil {
				continue
			}
			if g, ok := l.src.info.Uses[id].(*types.Func); ok && l.src.funcs[g] != nil && types.AssignableTo(g.Type(), t) {
				f.add(l.declared(id, id).fn.list[0])
			}
		}
		return true
	})
}

// knownAt reports whether all that a literal uses is declared before variable o, around it.
func (l *lowering) knownAt(e *ast.FuncLit, o types.Object) bool {
	for v := range l.src.freeIn(e) {
		if v.Parent() == nil || v.Pos() >= o.Pos() || !v.Parent().Contains(o.Pos()) || l.fr.vars[v] == nil {
			return false
		}
	}
	return true
}

// number returns the constant that stands for a function, and remembers it.
func (l *lowering) number(k int) build.Value {
	v := l.b.U32(uint32(k))
	l.numbers[v] = k
	return v
}

// add returns the number of a function in a variable.
func (f *funcVar) add(g *function) (number int, isNew bool) {
	if i := slices.IndexFunc(f.of.list, g.is); i >= 0 {
		return i + 1, false
	}
	f.of.list = append(f.of.list, g)
	return len(f.of.list), true
}

// addAll adds what another variable is known to hold.
func (f *funcVar) addAll(other *funcVar) {
	of := &other.of
	if other.fixed != nil {
		of = other.fixed
	}
	for _, g := range of.list {
		if g.depth <= f.depth {
			f.add(g)
		}
	}
	f.of.mayNil = f.of.mayNil || of.mayNil || len(of.list) == 0
}

// is reports whether two function values are one, with the same variables behind them.
func (f *function) is(g *function) bool {
	if f == g {
		return true
	}
	return f.fn == g.fn && f.recv == nil && g.recv == nil && f.deref == g.deref && f.yield == g.yield && maps.Equal(f.vars, g.vars) &&
		maps.EqualFunc(f.env, g.env, types.Identical)
}

// loadFunc reads a function variable.
func (l *lowering) loadFunc(f *funcVar) *choice {
	if f.fixed != nil {
		if len(f.fixed.list) == 0 {
			return nil
		}
		return f.fixed
	}
	if len(l.open) > f.loops {
		f.read = l.open[f.loops]
	}
	tag := f.tag.Get()
	if k, ok := l.numbers[tag]; ok {
		if k == 0 {
			return nil
		}
		return &choice{list: f.of.list[k-1 : k]}
	}
	return &choice{list: slices.Clip(f.of.list), mayNil: f.of.mayNil, tag: tag, several: true}
}

// storeFunc assigns to a function variable.
func (l *lowering) storeFunc(f *funcVar, x val) {
	if x.fn == nil {
		if !f.of.mayNil && f.inLoopOfRead(l) {
			l.refuseHere(l.current, lateFunc, f.name)
		}
		f.of.mayNil = true
		f.tag.Set(l.number(0))
		return
	}
	numbers := make([]int, len(x.fn.list))
	for i, g := range x.fn.list {
		if g.depth > f.depth {
			l.refuseHere(l.current, outlived, f.name, g.inner)
			return
		}
		k, isNew := f.add(g)
		if isNew && f.inLoopOfRead(l) {
			l.refuseHere(l.current, lateFunc, f.name)
			return
		}
		numbers[i] = k
		l.fr.kept = l.fr.kept || g.vars != nil || g.recv != nil
	}
	if x.fn.mayNil && !f.of.mayNil {
		if f.inLoopOfRead(l) {
			l.refuseHere(l.current, lateFunc, f.name)
			return
		}
		f.of.mayNil = true
	}
	if !x.fn.several {
		f.tag.Set(l.number(numbers[0]))
		return
	}
	tag := l.b.U32(0)
	for i, k := range numbers {
		tag = l.b.Select(l.b.Eq(x.fn.tag, l.b.U32(uint32(i)+1)), l.b.U32(uint32(k)), tag)
	}
	f.tag.Set(tag)
}

// inLoopOfRead reports whether a loop around the current point has read the variable: its next round would not know
// what is assigned now.
func (f *funcVar) inLoopOfRead(l *lowering) bool {
	return len(l.open) > f.loops && f.read == l.open[f.loops]
}

// isNil compares a function value with nil.
func (l *lowering) isNil(c *choice) build.Value {
	switch {
	case c == nil:
		return l.b.Bool(true)
	case !c.several || !c.mayNil:
		return l.b.Bool(false)
	}
	return l.b.Eq(c.tag, l.b.U32(0))
}

// funcAt evaluates x[i] that is a function: a generic function with type arguments, or an element of an array. At a
// computed index it is a choice among all elements, nil out of bounds.
func (l *lowering) funcAt(e *ast.IndexExpr) val {
	t := l.typeOf(e)
	if !l.src.info.Types[e.X].IsValue() || isFunc(l.typeOf(e.X)) {
		return l.operand(e.X, nil)
	}
	x := l.operand(e.X, nil)
	if isPointer(x.typ) && !x.bad {
		x = l.deref(e.Pos(), x)
	}
	i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
	n, part := partsOf(x.typ)
	if x.bad || i.bad || part == nil {
		return l.bad(t)
	}
	l.at(e.Lbrack)
	if k, ok := i.intConst(); ok {
		if k < 0 || k >= n {
			return l.zeroOf(t)
		}
		return l.part(x, int(k))
	}
	return val{typ: t, fn: l.funcAmong(x, i)}
}

// funcAmong is the element of an array of functions at a computed index.
func (l *lowering) funcAmong(x, i val) *choice {
	all := &funcVar{name: "the element of an array of functions", depth: l.regions() + 1, loops: len(l.open), tag: l.b.Var(l.b.U32(0))}
	all.of.mayNil = true
	n, _ := partsOf(x.typ)
	l.atComputed(i, int(n), func(k int) { l.storeFunc(all, l.part(x, k)) })
	return l.loadFunc(all)
}

// atComputed emits body for each of n elements, and what runs is that of the one at index i.
func (l *lowering) atComputed(i val, n int, body func(k int)) {
	at := l.index(i)
	for k := range n {
		l.nested++
		l.b.If(l.b.Eq(at, l.b.Const(l.b.Type(at), uint64(k))), func() { body(k) })
		l.nested--
	}
}

// truth is the outcome of == or != with nil.
func (l *lowering) truth(t types.Type, isNil build.Value, op token.Token) val {
	if op == token.NEQ {
		isNil = l.b.Not(isNil)
	}
	return scalar(t, isNil)
}

// hasFunc reports whether a value of type t has functions in it.
func hasFunc(t types.Type) bool {
	if isFunc(t) {
		return true
	}
	n, part := partsOf(t)
	if isArray(t) {
		n = min(n, 1)
	}
	for i := range int(n) {
		if hasFunc(part(i)) {
			return true
		}
	}
	return false
}

// initialised evaluates a package variable with functions in it, of which nothing is called to make it.
func (l *lowering) initialised(v *types.Var, init ast.Expr) (val, bool) {
	if init == nil {
		return l.zeroOf(v.Type()), true
	}
	calls := false
	ast.Inspect(init, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !l.src.info.Types[ast.Unparen(call.Fun)].IsType() {
			calls = true
		}
		_, ok := n.(*ast.FuncLit)
		return !ok
	})
	if calls {
		return val{}, false
	}
	around := l.fr
	l.fr = l.src.initFrame(v)
	l.fr.up, l.fr.of, l.fr.call = around, &function{fn: l.fr.fn}, around.call
	x := l.exprAs(init, v.Type())
	l.fr = around
	return retype(x, v.Type()), true
}
