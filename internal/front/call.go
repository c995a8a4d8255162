package front

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir/build"
)

// maxWork bounds the operations of a kernel after inlining: the rows that a program may have. Helpers
// that call helpers twice each would exceed any memory before the verifier saw a row.
const maxWork = 1 << 20

// call evaluates a call and returns its results.
func (l *lowering) call(e *ast.CallExpr) []val {
	if r, ok := l.taken(e); ok {
		return r
	}
	fun := ast.Unparen(e.Fun)
	tv := l.src.info.Types[fun]
	if tv.IsType() {
		return []val{l.conversion(e)}
	}
	l.first(append([]ast.Expr{fun}, e.Args...)...) // a receiver is in fun
	if tv.IsBuiltin() {
		return l.builtin(e)
	}
	fn, recv := l.src.callee(e)
	if fn == nil {
		return l.callValue(e)
	}
	var embedded []int
	if recv != nil {
		if fn, embedded = l.method(fun.(*ast.SelectorExpr), fn, l.typeOf(recv)); fn == nil {
			return l.badResults(e)
		}
	}
	if fn.Pkg() != nil {
		if l.begins != nil && l.refuseEarly(e, fn) {
			return l.badResults(e)
		}
		switch fn.Pkg().Path() {
		case gpuPath:
			return l.gpuCall(e, fn, recv, embedded)
		case mathPath, bitsPath:
			return l.mathCall(e, fn)
		}
	}
	d := l.src.funcs[fn.Origin()]
	if d == nil {
		l.refuse(e.Pos(), noForeign, fn.FullName()+" belongs to", adviceFor(fn.Pkg().Path()))
		return l.badResults(e)
	}
	return l.helper(e, fn, d, recv, embedded)
}

// badResults evaluates nothing and gives refused values of the right number and types.
func (l *lowering) badResults(e *ast.CallExpr) []val { return l.bads(resultTypes(l.typeOf(e))) }

func (l *lowering) bads(list []types.Type) (r []val) {
	for _, t := range list {
		r = append(r, l.bad(t))
	}
	return r
}

// resultTypes splits the type of a call expression.
func resultTypes(t types.Type) []types.Type {
	switch t := t.(type) {
	case nil:
		return nil
	case *types.Tuple:
		var list []types.Type
		for v := range t.Variables() {
			list = append(list, v.Type())
		}
		return list
	}
	return []types.Type{t}
}

// conversion evaluates T(x).
func (l *lowering) conversion(e *ast.CallExpr) val {
	t := l.typeOf(e.Fun)
	x := l.exprAs(e.Args[0], nil)
	if _, ok := x.text(); ok {
		return l.convertText(e, x, t)
	}
	if !l.admit(e.Pos(), t) || x.bad {
		return l.bad(t)
	}
	l.at(e.Pos())
	if _, slice := x.typ.Underlying().(*types.Slice); slice {
		if _, same := t.Underlying().(*types.Slice); !same {
			return l.arrayOf(e, x, t)
		}
	}
	return l.convert(x, t)
}

// arrayOf converts a slice to an array, of which elements beyond the slice are read as any others.
func (l *lowering) arrayOf(e *ast.CallExpr, x val, t types.Type) val {
	a, ok := t.Underlying().(*types.Array)
	if !ok || a.Len() > maxValues {
		l.refuse(e.Pos(), noHeap, "the conversion of a slice to a pointer or to a long array", "read the elements one by one")
		return l.bad(t)
	}
	y := l.zeroOf(t)
	if x.view == nil {
		if a.Len() > 0 {
			l.never("conversion of a nil slice to an array")
		}
		return y
	}
	y.kids = make([]val, a.Len())
	for k := range y.kids {
		y.kids[k] = l.settle(l.load(elementAt(a.Elem(), x.view, l.constant(types.Typ[types.Int], constInt(int64(k))))))
	}
	return y
}

// method returns the function that x.M means for an x of type t, nil if it was refused, and the embedded fields on the way
// to its receiver. A method that a constraint asks for is looked up in the type argument.
func (l *lowering) method(e *ast.SelectorExpr, fn *types.Func, t types.Type) (of *types.Func, embedded []int) {
	index := l.src.info.Selections[e].Index()
	if isAbstract(fn) {
		o, at, _ := types.LookupFieldOrMethod(t, false, fn.Pkg(), fn.Name())
		m, ok := o.(*types.Func)
		if !ok || types.IsInterface(t) || isAbstract(m) {
			l.refuse(e.Pos(), noInterface, "a method of an interface")
			return nil, nil
		}
		fn, index = m, at
	}
	return fn, index[:len(index)-1]
}

// embeddedType is the type of what is embedded in t at the end of a path.
func embeddedType(t types.Type, path []int) types.Type {
	for _, i := range path {
		if isPointer(t) {
			t = pointee(t)
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return t
}

// helper inlines a call of a function with source.
func (l *lowering) helper(e *ast.CallExpr, fn *types.Func, d *ast.FuncDecl, recv ast.Expr, embedded []int) []val {
	sig := fn.Origin().Signature()
	f := &function{fn: fn.Origin(), body: d.Body, env: l.instance(calleeName(e), fn), facts: l.src.factsOf(d)}
	var args []val
	if recv != nil {
		args = append(args, l.receiver(fn, recv, embedded))
		f.env.ofReceiver(fn, embeddedType(l.typeOf(recv), embedded))
	}
	args = append(args, l.arguments(e, sig, func(t types.Type) types.Type { return f.env.subst(l.src.context, t) })...)
	if d.Body == nil {
		l.refuse(e.Pos(), noUnsafe, "a function without a body")
		return l.badResults(e)
	}
	return l.inline(e, f, args, resultTypes(l.typeOf(e)))
}

// receiver evaluates the receiver of a method, which is recv or what a path of embedded fields in it leads to. Go takes its
// address, or follows it, where the method asks for that.
func (l *lowering) receiver(fn *types.Func, recv ast.Expr, path []int) val {
	t := embeddedType(l.typeOf(recv), path)
	want := fn.Signature().Recv().Type()
	if addresses(fn, t) {
		at := l.place
		if len(path) > 0 {
			at = l.base
		}
		p, ok := at(recv)
		if ok {
			p, ok = l.fieldAt(recv, p, path)
		}
		if !ok {
			return l.bad(want)
		}
		return l.pointerTo(recv.Pos(), types.NewPointer(t), p)
	}
	if len(path) == 0 && !(isPointer(t) && !isPointer(want)) {
		return l.expr(recv)
	}
	if len(path) > 0 && isPointer(t) { // its struct was refused
		return l.bad(want)
	}
	x := l.parts(recv, l.operand(recv, nil), path)
	if isPointer(t) && !isPointer(want) {
		x = l.deref(recv.Pos(), x)
	}
	if x.at != nil && x.at.mem != nil {
		return l.load(*x.at)
	}
	return x
}

func firstArg(e *ast.CallExpr) ast.Expr {
	if len(e.Args) != 1 {
		return nil
	}
	return e.Args[0]
}

// calleeName returns the identifier that names the function called.
func calleeName(e *ast.CallExpr) *ast.Ident {
	f := ast.Unparen(e.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		f = ast.Unparen(x.X)
	}
	switch x := f.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// inline lowers the body of a function in place of its call.
func (l *lowering) inline(e ast.Node, f *function, args []val, results []types.Type) []val {
	if f.yield != nil {
		return l.yield(e, f.yield, args)
	}
	if f.recv != nil {
		args = append([]val{*f.recv}, args...)
	} else if f.deref && len(args) > 0 {
		args[0] = l.settle(l.deref(e.Pos(), args[0]))
	}
	if l.recursive(e, f, args) || l.refuseTies(e.Pos(), f.fn, args) {
		return l.bads(results)
	}
	if l.work > maxWork {
		l.stop(e.Pos(), "more than "+decimal(maxWork)+" operations after inlining, reached in "+l.chain(f.fn),
			"call the helper in a loop instead of many times")
	}
	defer func() { l.depth-- }()
	if !l.deeper(e.Pos()) || l.stopped {
		return l.bads(results)
	}
	l.inlined[f.fn]++
	pos := l.src.pos(e.Pos())
	pos.Call = l.fr.call
	fr := &frame{up: l.fr, fn: f.fn, of: f, args: args, env: f.env, facts: f.facts, vars: maps.Clone(f.vars), call: &pos}
	if fr.vars == nil {
		fr.vars = make(map[types.Object]*node)
	}
	l.fr = fr
	given := l.inlineBody(f.body, args)
	l.fr = fr.up
	l.release(fr, given)
	l.at(e.Pos())
	return given
}

func (l *lowering) inlineBody(body *ast.BlockStmt, args []val) []val {
	fr := l.fr
	sig := fr.fn.Signature()
	params := make([]*types.Var, 0, len(args))
	if sig.Recv() != nil {
		params = append(params, sig.Recv())
	}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	ok := true
	for i, p := range params {
		if i < len(args) {
			ok = l.bind(p, args[i]) && ok
		}
	}
	last, returns := len(body.List)-1, fr.facts.returns[body]
	atEnd := returns == 0
	if last >= 0 && returns == 1 {
		_, atEnd = body.List[last].(*ast.ReturnStmt)
	}
	if !l.declareResults(sig) || !ok {
		var bad []val
		for v := range sig.Results().Variables() {
			bad = append(bad, l.bad(l.subst(v.Type())))
		}
		return bad
	}
	fr.regions = l.regions()
	if atEnd {
		l.block(body.List)
		if fr.given != nil {
			return fr.given
		}
	} else {
		fr.regions++
		l.inBlock(func(out build.Label) {
			fr.returns = &out
			l.block(body.List)
		})
	}
	var results []val
	for _, n := range fr.results {
		results = append(results, l.load(place{typ: n.typ, node: n}))
	}
	return results
}

// declareResults makes the variables that hold the results of the function which is being inlined.
func (l *lowering) declareResults(sig *types.Signature) bool {
	ok := true
	for v := range sig.Results().Variables() {
		t := l.subst(v.Type())
		if !l.admit(v.Pos(), t) {
			ok = false
			continue
		}
		n := l.newVar(v, t, false, l.zeroOf(t))
		if n.ptr != nil {
			n.ptr.name, n.ptr.result = "that is the result of "+l.fr.fn.Name(), true
		}
		if n.fn != nil && v.Name() == "" {
			n.fn.name = "the result of " + l.fr.fn.Name()
		}
		l.fr.results = append(l.fr.results, n)
	}
	return ok
}

// bind gives a parameter its argument. A parameter that the helper does not change shares the
// storage of a caller's variable: only a slice of it could change that during the call.
func (l *lowering) bind(p *types.Var, x val) bool {
	t := l.subst(p.Type())
	assigned, dyn := l.fr.facts.assigned[p], l.fr.facts.dynamic[p]
	if !l.admitValue(p.Pos(), t, x, !assigned) {
		return false
	}
	x = retype(x, t)
	if !assigned && !l.fr.facts.captured[p] && x.at != nil && x.at.node != nil && reaches(x.at.node, "", dyn) && !(x.at.node.sliced && l.fr.facts.writes) {
		l.fr.vars[p] = x.at.node
		return true
	}
	l.newVar(p, t, !assigned, x)
	return true
}

// reaches reports whether every array of n that is indexed by computed values is a bank.
func reaches(n *node, path string, dyn map[string]bool) bool {
	if len(dyn) == 0 || n.bank != nil {
		return true
	}
	if dyn[path] {
		return false
	}
	s := fieldsOf(n.typ)
	for i, k := range n.kids {
		kid := path + "[]"
		if s != nil {
			kid = path + "." + s.Field(i).Name()
		}
		if !reaches(k, kid, dyn) {
			return false
		}
	}
	return true
}

// maxReentered bounds how often a function may be inlined into itself, each time with other functions to call.
const maxReentered = 32

// recursive refuses a call of a function that is being inlined. A function that takes functions, or is a literal, may
// be called again from one that it calls, as long as it is another value or gets others.
func (l *lowering) recursive(e ast.Node, g *function, args []val) bool {
	times := 0
	for f := l.fr; f != nil; f = f.up {
		if f.fn.Origin() != g.fn {
			continue
		}
		if times++; times <= maxReentered && !(f.of == nil || f.of.is(g) && sameFuncs(f.args, args)) {
			continue
		}
		names := []string{g.fn.Name()}
		for g := l.fr; ; g = g.up {
			names = append(names, g.fn.Name())
			if g == f {
				break
			}
		}
		slices.Reverse(names)
		l.refuse(e.Pos(), noRecursion, arrows(names))
		return true
	}
	return false
}

// sameFuncs reports whether two lists of arguments have the same functions.
func sameFuncs(xs, ys []val) bool {
	return slices.EqualFunc(xs, ys, func(x, y val) bool {
		if x.fn == nil || y.fn == nil {
			return x.fn == y.fn && sameFuncs(x.kids, y.kids)
		}
		return slices.EqualFunc(x.fn.list, y.fn.list, (*function).is)
	})
}

// chain names the functions from the kernel down to fn.
func (l *lowering) chain(fn *types.Func) string {
	names := []string{fn.Name()}
	for f := l.fr; f != nil; f = f.up {
		names = append(names, f.fn.Name())
	}
	slices.Reverse(names)
	return arrows(names)
}

// arrows writes the first names of a chain.
func arrows(names []string) string {
	const shown = 8
	if len(names) > shown {
		names = append(names[:shown], "…")
	}
	return strings.Join(names, " → ")
}
