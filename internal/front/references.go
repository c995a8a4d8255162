package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A kernel may refer to a package variable by a pointer or a slice if nothing writes to it on the way. What the kernel does itself,
// lowering sees. For all other functions of its sources, references are followed from variable to variable: through definitions,
// assignments, arguments and receivers. What leaves these ways may be written to.

// use is where a variable is written to, or a reference to it goes.
type use struct {
	at token.Pos
	to *types.Var  // the variable that gets the reference; nil: it is written to, or nothing says where it goes
	fn *types.Func // whose parameter or receiver that is

	leaves bool // nothing says where it goes: it may be a result
}

// refers reports whether a value of type t refers to memory of others.
func refers(t types.Type) bool { return t != nil && (isPointer(t) || isSlice(t)) }

// follow notes the uses of all package variables in a file, and of all variables that refer to memory.
func (g *globals) follow(s *source, f *ast.File) {
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.info.Uses[id].(*types.Var); ok && !v.IsField() && (packageVar(v) != nil || refers(v.Type())) {
				g.note(s, v, stack)
			}
		}
		return true
	})
}

// note notes what becomes of a variable that is named at the top of the stack.
func (g *globals) note(s *source, v *types.Var, stack []ast.Node) {
	e, parent, rest := s.operandOf(stack)
	add := func(u use) {
		if u.at = e.Pos(); u.to != nil && !refers(u.to.Type()) { // an interface, or of a type parameter
			u = use{at: u.at}
		}
		call, isCall := parent.(*ast.CallExpr)
		u.leaves = u.to == nil && !changes(parent, e) && (!isCall || s.passesOn(call))
		g.uses[v] = append(g.uses[v], u)
	}
	id := ast.Unparen(e)
	itself := id == stack[len(stack)-1] // of a local variable that only means another target
	if sel, ok := id.(*ast.SelectorExpr); ok && s.info.Selections[sel] == nil {
		itself = true
	}
	if changes(parent, e) {
		if !itself || packageVar(v) != nil {
			add(use{})
		}
		return
	}
	if m, ok := parent.(*ast.SelectorExpr); ok { // a method
		if fn, ok := s.info.Uses[m.Sel].(*types.Func); ok && fn.Signature().Recv() != nil && refers(fn.Signature().Recv().Type()) {
			call, called := rest.(*ast.CallExpr)
			if fn = fn.Origin(); called && call.Fun == m {
				add(use{to: fn.Signature().Recv(), fn: fn})
			} else {
				add(use{})
			}
		}
		return
	}
	t := s.info.TypeOf(e)
	if b, ok := t.(*types.Basic); ok && (b.Kind() == types.UnsafePointer || b.Kind() == types.Uintptr) {
		add(use{})
		return
	}
	if t != nil && !refers(t) && !types.IsInterface(t) {
		return
	}
	switch p := parent.(type) {
	case *ast.AssignStmt:
		if to, ok := s.assigned(p, e); ok {
			add(use{to: to})
		}
	case *ast.ValueSpec:
		if i := slices.Index(p.Values, e); i >= 0 && len(p.Names) == len(p.Values) {
			to, _ := s.info.Defs[p.Names[i]].(*types.Var)
			add(use{to: to})
		}
	case *ast.RangeStmt, *ast.BinaryExpr, *ast.ExprStmt:
	case *ast.CallExpr:
		if to, ok := s.parameter(p, e); ok {
			if to != (use{}) {
				add(to)
			}
			return
		}
		add(use{})
	default:
		add(use{})
	}
}

// operandOf climbs from a variable at the top of the stack to the largest expression that is a part of it or refers to it. It
// returns that expression, the node around it, and the node around that one.
func (s *source) operandOf(stack []ast.Node) (e ast.Expr, parent, rest ast.Node) {
	at := func(i int) ast.Node {
		if i < 0 {
			return nil
		}
		return stack[i]
	}
	i := len(stack) - 1
	e = stack[i].(ast.Expr)
	for i--; i >= 0; i-- {
		part := false
		switch p := stack[i].(type) {
		case *ast.ParenExpr, *ast.StarExpr:
			part = true
		case *ast.SelectorExpr:
			sel := s.info.Selections[p]
			part = p.Sel == e && sel == nil || p.X == e && sel != nil && sel.Kind() == types.FieldVal
		case *ast.IndexExpr:
			part = p.X == e
		case *ast.SliceExpr:
			part = p.X == e
		case *ast.UnaryExpr:
			part = p.Op == token.AND
		case *ast.CallExpr:
			part = len(p.Args) == 1 && p.Args[0] == e && s.info.Types[p.Fun].IsType()
		}
		if !part {
			break
		}
		e = stack[i].(ast.Expr)
	}
	return e, at(i), at(i - 1)
}

// changes reports whether a node assigns to an operand.
func changes(n ast.Node, e ast.Expr) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return slices.Contains(n.Lhs, e)
	case *ast.IncDecStmt:
		return n.X == e
	case *ast.RangeStmt:
		return n.Key == e || n.Value == e
	}
	return false
}

// assigned returns the variable that gets operand e of an assignment, nil if it is a part of one; false if nothing gets it.
func (s *source) assigned(a *ast.AssignStmt, e ast.Expr) (v *types.Var, ok bool) {
	i := slices.Index(a.Rhs, e)
	if i < 0 || len(a.Lhs) != len(a.Rhs) {
		return nil, true
	}
	if id, isIdent := ast.Unparen(a.Lhs[i]).(*ast.Ident); isIdent {
		v, _ = s.info.ObjectOf(id).(*types.Var)
	}
	return v, !isBlank(a.Lhs[i])
}

// parameter returns where a call takes its argument e, which is nowhere if it only reads; false if nothing says that.
func (s *source) parameter(call *ast.CallExpr, e ast.Expr) (use, bool) {
	i := slices.Index(call.Args, e)
	if i < 0 {
		return use{}, false
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && s.info.Types[call.Fun].IsBuiltin() {
		switch id.Name {
		case "len", "cap", "min", "max":
			return use{}, true
		case "copy", "append":
			return use{}, i == 1 && (id.Name == "copy" || call.Ellipsis.IsValid())
		}
		return use{}, false
	}
	fn, _ := s.callee(call)
	if fn == nil {
		return use{}, false
	}
	fn = fn.Origin()
	params := fn.Signature().Params()
	if i >= params.Len() || fn.Signature().Variadic() && i >= params.Len()-1 && !call.Ellipsis.IsValid() {
		return use{}, false
	}
	return use{to: params.At(i), fn: fn}, true
}

// giveAway reports whether functions in a part of the sources may hand references to what calls them from elsewhere.
func (s *source) giveAway(inside func(token.Pos) bool) bool {
	if s.filling.givers == nil {
		s.filling.givers = make(map[token.Pos]token.Pos)
		for id, o := range s.info.Uses {
			if fn, ok := o.(*types.Func); ok && s.funcs[fn.Origin()] != nil && gives(fn.Signature()) {
				s.filling.givers[id.Pos()] = s.funcs[fn.Origin()].Name.Pos()
			}
		}
	}
	for at, declared := range s.filling.givers {
		if inside(declared) && !inside(at) {
			return true
		}
	}
	return false
}

// gives reports whether a function may return a reference, or store one in memory that it gets.
func gives(f *types.Signature) bool {
	for v := range f.Params().Variables() {
		if mayTake(v.Type()) {
			return true
		}
	}
	return mayRefer(f.Results()) || f.Recv() != nil && mayTake(f.Recv().Type())
}

// passesOn reports whether a reference that a call gets may be in its results, or in memory that it gets, too.
func (s *source) passesOn(call *ast.CallExpr) bool {
	t := s.info.TypeOf(call)
	return t == nil || mayRefer(t) || slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return mayTake(s.info.TypeOf(a)) })
}

// mayTake reports whether a reference may be stored through an argument of type t.
func mayTake(t types.Type) bool {
	if refers(t) {
		t = t.Underlying().(interface{ Elem() types.Type }).Elem()
	}
	return t == nil || mayRefer(t)
}

// mayRefer reports whether a value of type t may have references in it.
func mayRefer(t types.Type) bool {
	if results, ok := t.(*types.Tuple); ok {
		for v := range results.Variables() {
			if mayRefer(v.Type()) {
				return true
			}
		}
		return false
	}
	n, part := partsOf(t)
	_, basic := t.Underlying().(*types.Basic)
	switch {
	case basic || isThread(t):
		return false
	case isArray(t):
		n = min(n, 1)
	case fieldsOf(t) == nil:
		return true
	}
	for i := range int(n) {
		if mayRefer(part(i)) {
			return true
		}
	}
	return false
}

// changed returns where a package variable may be written to, by functions other than those that inside tells.
func (g *globals) changed(s *source, v *types.Var, inside func(token.Pos) bool) (at token.Pos, found bool) {
	g.asked = true
	type state struct {
		v       *types.Var
		outside bool // the reference went through another function
	}
	seen := make(map[state]bool)
	var visit func(st state) (token.Pos, bool)
	visit = func(st state) (token.Pos, bool) {
		if seen[st] {
			return 0, false
		}
		seen[st] = true
		for _, u := range g.uses[st.v] {
			// A variable of a function has what it refers to from the call that is going on.
			outside := st.outside || packageVar(st.v) != nil && !inside(u.at)
			ends := u.to == nil
			if d := s.funcs[u.fn]; u.fn != nil && (d == nil || d.Body == nil) {
				ends = true
			}
			if ends && (outside || u.leaves && refers(v.Type()) && s.giveAway(inside)) {
				return u.at, true
			}
			if !ends {
				if _, bad := visit(state{u.to, outside}); bad {
					return u.at, true
				}
			}
		}
		return 0, false
	}
	if at, found := g.written[v]; found {
		return at, true
	}
	return visit(state{v: v})
}
