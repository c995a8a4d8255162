package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Go says in which order the calls of a statement happen. It leaves open whether x[i] is read before or after a call beside
// it that changes x[i]; its compiler makes the calls first. Kernels do the same, so that a kernel run natively and one on a
// device agree.

// first evaluates the calls of operands, in order, if one of them may write memory that an operand before it reads. Their
// results are kept until the operands are evaluated. All operands of a statement, of a call, or of one side of && or || are
// given at once.
func (l *lowering) first(operands ...ast.Expr) { l.firstFor(nil, operands) }

// firstFor is first for a statement that assigns operands to places.
func (l *lowering) firstFor(places, operands []ast.Expr) {
	q := sequence{l: l, src: l.src}
	for _, e := range places {
		q.place(e)
	}
	for _, e := range operands {
		q.walk(e)
	}
	q.run()
}

// firstOfSlice is first for a slice expression. What is sliced, and a bound that is a variable, are read when all other bounds are
// known.
func (l *lowering) firstOfSlice(e *ast.SliceExpr) {
	q := sequence{l: l, src: l.src}
	q.walk(e.X)
	for _, b := range []ast.Expr{e.Low, e.High, e.Max} {
		if b == nil || l.src.info.Types[b].Value != nil {
			continue
		}
		if _, name := ast.Unparen(b).(*ast.Ident); name {
			q.walk(b)
		} else {
			q.step(b)
		}
	}
	q.run()
}

// bound evaluates a bound of a slice expression.
func (l *lowering) bound(e ast.Expr) val {
	if _, ok := l.fr.done[e]; ok {
		return l.exprAs(e, nil)
	}
	return l.whole(e, nil)
}

// run evaluates the steps up to the last that may write, if that is necessary.
func (q *sequence) run() {
	l := q.l
	if !q.crossed {
		return
	}
	for _, e := range q.steps[:q.last] {
		if l.fr.done == nil {
			l.fr.done = make(map[ast.Expr][]val)
		}
		if call, ok := e.(*ast.CallExpr); ok && !l.src.info.Types[ast.Unparen(call.Fun)].IsType() {
			l.fr.done[e] = l.call(call)
		} else {
			l.fr.done[e] = []val{l.settle(l.expr(e))}
		}
	}
}

// whole evaluates an expression that is all of its statement, or of one side of && or ||.
func (l *lowering) whole(e ast.Expr, want types.Type) val {
	l.first(e)
	return l.exprAs(e, want)
}

// taken returns the results of an expression that first has evaluated.
func (l *lowering) taken(e ast.Expr) ([]val, bool) {
	r, ok := l.fr.done[e]
	if ok {
		delete(l.fr.done, e)
	}
	return r, ok
}

// sequence is the order in which Go's compiler evaluates operands. Steps are evaluated one after the other and keep their
// values; everything between them is evaluated after all steps.
type sequence struct {
	l       *lowering
	src     *source
	steps   []ast.Expr
	last    int  // steps up to the last that may write
	reads   bool // memory is read outside the steps
	crossed bool // and a step that may write comes after it
}

func (q *sequence) step(e ast.Expr) {
	q.steps = append(q.steps, e)
	if q.l.writes(e) {
		q.last = len(q.steps)
		q.crossed = q.crossed || q.reads
	}
}

func (q *sequence) walk(e ast.Expr) {
	if e == nil {
		return
	}
	if tv := q.src.info.Types[e]; tv.Value != nil || tv.IsType() {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		q.walk(e.X)
	case *ast.Ident:
		q.reads = q.reads || q.l.fr.facts.sliced[q.src.info.Uses[e]]
	case *ast.StarExpr:
		q.walk(e.X)
		q.reads = true
	case *ast.SelectorExpr:
		if q.src.info.Selections[e] != nil {
			q.walk(e.X)
			q.reads = q.reads || isPointer(q.src.info.TypeOf(e.X))
		}
	case *ast.IndexExpr:
		if _, ok := q.src.info.TypeOf(e).(*types.Signature); ok {
			return
		}
		q.walk(e.X)
		q.walk(e.Index)
		if o, _ := q.src.rootOf(e); o == nil {
			q.reads = true
		}
	case *ast.UnaryExpr:
		q.walk(e.X)
	case *ast.SliceExpr:
		q.step(e)
	case *ast.TypeAssertExpr:
		q.walk(e.X)
	case *ast.BinaryExpr:
		q.binary(e)
	case *ast.CallExpr:
		q.call(e)
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			q.walk(elt)
		}
	}
}

// place is walk for what is assigned to, and not read.
func (q *sequence) place(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
	case *ast.StarExpr:
		q.walk(e.X)
	case *ast.SelectorExpr:
		q.place(e.X)
	case *ast.IndexExpr:
		q.place(e.X)
		q.walk(e.Index)
	default:
		q.walk(e)
	}
}

func (q *sequence) binary(e *ast.BinaryExpr) {
	if e.Op == token.LAND || e.Op == token.LOR {
		q.step(e)
		return
	}
	q.walk(e.X)
	q.walk(e.Y)
	if e.Op != token.EQL && e.Op != token.NEQ {
		return
	}
	for _, x := range []ast.Expr{e.X, e.Y} { // structs and arrays are compared in memory: what has no address gets one
		if t := q.src.info.TypeOf(x); t != nil && isAggregate(t) && !q.src.addressable(x) {
			q.step(ast.Unparen(x))
		}
	}
}

func (q *sequence) call(e *ast.CallExpr) {
	if q.src.info.Types[ast.Unparen(e.Fun)].IsType() {
		q.walk(e.Args[0])
		return
	}
	if fn, _ := q.src.callee(e); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == gpuPath {
		if _, axis := axisOps[fn.Name()]; axis {
			return // it reads no memory, and its caller wants one of three axes
		}
	}
	q.step(e)
}

func isAggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// addressable reports whether an operand is a variable or a part of one, or an element of a slice.
func (s *source) addressable(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		return isPointer(s.info.TypeOf(e.X)) || s.addressable(e.X)
	case *ast.IndexExpr:
		t := s.info.TypeOf(e.X)
		return t != nil && (isSlice(t) || isPointer(t)) || s.addressable(e.X)
	}
	return false
}

// writes reports whether evaluating e may write memory that others read: a buffer, a shared array, an array that a slice
// refers to. Barriers and fences count, too: others may have written when they are over.
func (l *lowering) writes(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			fn, recv := l.src.callee(call)
			if recv != nil && isAbstract(fn) {
				o, _, _ := types.LookupFieldOrMethod(l.typeOf(recv), false, fn.Pkg(), fn.Name())
				fn, _ = o.(*types.Func)
			}
			found = l.src.funcWrites(fn) || l.src.builtinWrites(call) || l.src.callsValue(call)
		}
		return !found
	})
	return found
}

// builtinWrites reports whether a call is one of append, clear or copy.
func (s *source) builtinWrites(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := s.info.Uses[id].(*types.Builtin)
	return ok && (b.Name() == "append" || b.Name() == "clear" || b.Name() == "copy")
}

// callsValue reports whether a call is one of a function value. It may write what the literal behind it can reach.
func (s *source) callsValue(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	fn, _ := s.callee(call)
	tv := s.info.Types[fun]
	return fn == nil && !tv.IsType() && !tv.IsBuiltin()
}

// isAbstract reports whether a function is a method that a constraint asks for.
func isAbstract(fn *types.Func) bool {
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	return types.IsInterface(fn.Signature().Recv().Type())
}

// funcWrites is writes for a call of a function, without its operands. A method that a constraint asks for may write.
func (s *source) funcWrites(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if fn.Pkg().Path() == gpuPath {
		return gpuWrites(fn)
	}
	if d := s.funcs[fn.Origin()]; d != nil {
		return s.factsOf(d).writes
	}
	return isAbstract(fn)
}

// calls reports whether evaluating e calls a function: then len of it is not constant.
func (s *source) calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && s.info.Types[call].Value == nil && !s.info.Types[ast.Unparen(call.Fun)].IsType() {
			found = true
		}
		return !found
	})
	return found
}
