package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// facts is what has to be known of a function before its first line is lowered: which variables are
// ever assigned again, and which arrays are indexed by computed values.
type facts struct {
	assigned map[types.Object]bool
	dynamic  map[types.Object]map[string]bool // paths of arrays inside a variable: ".f" a field, "[]" an element
	sliced   map[types.Object]bool            // variables of which a slice, or to which a pointer, exists, or which a literal changes
	captured map[types.Object]bool            // variables that a function literal inside uses
	given    map[types.Object][]ast.Expr      // what is assigned to a function variable
	writes   bool                             // memory that callers may read
	last     map[*ast.DeferStmt]bool          // of statements of the function, or of a literal in it, and of no block inside
	jumps    bool                             // there is a goto
	returns  map[*ast.BlockStmt]int           // of the function, and of each literal in it
}

func newFacts() *facts {
	return &facts{assigned: make(map[types.Object]bool), dynamic: make(map[types.Object]map[string]bool), sliced: make(map[types.Object]bool),
		captured: make(map[types.Object]bool), given: make(map[types.Object][]ast.Expr), returns: make(map[*ast.BlockStmt]int),
		last: make(map[*ast.DeferStmt]bool)}
}

// factsOf walks a function once and keeps the result.
func (s *source) factsOf(d *ast.FuncDecl) *facts {
	if f, ok := s.facts[d]; ok {
		return f
	}
	f := newFacts()
	s.facts[d] = f // recursion finds what is known so far, and is refused later
	if d.Body != nil {
		s.factsIn(f, d.Body)
	}
	f.share()
	return f
}

// initFrame is a frame in which the initialiser of a package variable is evaluated.
func (s *source) initFrame(v *types.Var) *frame {
	f := newFacts()
	if init := s.globals.init[v]; init != nil {
		s.factsIn(f, &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: init}}})
	}
	f.share()
	fn := types.NewFunc(v.Pos(), v.Pkg(), "initialiser of "+v.Name(), types.NewSignatureType(nil, nil, nil, nil, nil, false))
	return &frame{fn: fn, facts: f, vars: make(map[types.Object]*node)}
}

// share notes that whoever calls a literal may change what it assigns to.
func (f *facts) share() {
	for o := range f.captured {
		if f.assigned[o] {
			f.sliced[o] = true
		}
	}
}

// factsIn notes the facts of a body, and of the literals in it.
func (s *source) factsIn(f *facts, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			f.returns[body]++
		case *ast.DeferStmt:
			f.returns[body] += 2 // results are in variables, which the call may change
			if slices.Contains(body.List, ast.Stmt(n)) {
				f.last[n] = true
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO { // the return that stands last may be in a loop
				f.returns[body]++
				f.jumps = true
			}
		case *ast.FuncLit:
			for o := range s.freeIn(n) {
				f.captured[o] = true
			}
			s.factsIn(f, n.Body)
			return false
		}
		s.note(f, n)
		return true
	})
}

func (s *source) note(f *facts, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			s.noteTarget(f, e, n.Tok == token.DEFINE)
			if o, path := s.rootOf(e); o != nil && path == "" && isFunc(o.Type()) && len(n.Rhs) == len(n.Lhs) {
				f.given[o] = append(f.given[o], n.Rhs[i])
			}
		}
	case *ast.IncDecStmt:
		s.noteTarget(f, n.X, false)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.noteAddress(f, n.X)
		}
	case *ast.RangeStmt:
		define := n.Tok == token.DEFINE
		s.noteTarget(f, n.Key, define)
		s.noteTarget(f, n.Value, define)
		if n.Value != nil && !isBlank(n.Value) {
			s.noteDynamic(f, n.X, "")
		}
	case *ast.IndexExpr:
		if tv := s.info.Types[n.Index]; tv.IsValue() && tv.Value == nil {
			s.noteDynamic(f, n.X, "")
		}
	case *ast.SliceExpr:
		if t := s.info.TypeOf(n.X); t != nil && !isSlice(t) && !isText(t) { // what is written through the slice is the array
			s.noteDynamic(f, n.X, "")
			s.noteTarget(f, n.X, false)
			if o, _ := s.rootOf(n.X); o != nil {
				f.sliced[o] = true
			}
		}
	case *ast.CallExpr:
		fn, _ := s.callee(n)
		f.writes = f.writes || s.funcWrites(fn) || s.builtinWrites(n) || s.callsValue(n)
		s.noteCall(f, n)
	case *ast.SelectorExpr:
		if sel := s.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
			fn, _ := sel.Obj().(*types.Func)
			path := sel.Index()[:len(sel.Index())-1]
			if !isPointer(sel.Recv()) && addresses(fn, embeddedType(sel.Recv(), path)) {
				s.noteAddress(f, n.X)
			}
		}
	}
}

func (s *source) noteTarget(f *facts, e ast.Expr, define bool) {
	if e == nil {
		return
	}
	if id, ok := e.(*ast.Ident); ok && define && s.info.Defs[id] != nil {
		return
	}
	if o, _ := s.rootOf(e); o != nil {
		f.assigned[o] = true
	} else if !isBlank(e) {
		f.writes = true
	}
}

// noteAddress notes that a pointer to e exists: whoever has it may assign to e.
func (s *source) noteAddress(f *facts, e ast.Expr) {
	s.noteTarget(f, e, false)
	if o, _ := s.rootOf(e); o != nil {
		f.sliced[o] = true
	}
}

func (s *source) noteDynamic(f *facts, e ast.Expr, path string) {
	o, at := s.rootOf(e)
	if o == nil {
		return
	}
	if t := s.info.TypeOf(e); t != nil && path == "" && isSlice(t) {
		return
	}
	if f.dynamic[o] == nil {
		f.dynamic[o] = make(map[string]bool)
	}
	f.dynamic[o][at+path] = true
}

// noteCall passes on what the callee does with its parameters, so that an array is not
// copied into local memory at each call.
func (s *source) noteCall(f *facts, call *ast.CallExpr) {
	fn, recv := s.callee(call)
	if fn == nil {
		return
	}
	d := s.funcs[fn.Origin()]
	if d == nil {
		return
	}
	inner := s.factsOf(d)
	sig := fn.Origin().Signature()
	pass := func(param *types.Var, arg ast.Expr) {
		for path := range inner.dynamic[param] {
			s.noteDynamic(f, arg, path)
		}
	}
	if recv != nil && sig.Recv() != nil {
		at := s.embeddedAt(call)
		for path := range inner.dynamic[sig.Recv()] {
			s.noteDynamic(f, recv, at+path)
		}
	}
	named := sig.Params().Len()
	if sig.Variadic() && !call.Ellipsis.IsValid() {
		named--
	}
	for i, arg := range call.Args[:min(named, len(call.Args))] {
		pass(sig.Params().At(i), arg)
	}
}

// embeddedAt is the way from x to the embedded field that has the method which a call x.M() names.
func (s *source) embeddedAt(call *ast.CallExpr) (path string) {
	e, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || s.info.Selections[e] == nil {
		return ""
	}
	sel := s.info.Selections[e]
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if isPointer(t) {
			t = pointee(t)
		}
		st := fieldsOf(t)
		if st == nil {
			return path
		}
		path += "." + st.Field(i).Name()
		t = st.Field(i).Type()
	}
	return path
}

// callee returns the function that a call names, and the receiver of a method.
func (s *source) callee(call *ast.CallExpr) (fn *types.Func, recv ast.Expr) {
	f := ast.Unparen(call.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		f = ast.Unparen(x.X)
	}
	switch x := f.(type) {
	case *ast.Ident:
		fn, _ = s.info.Uses[x].(*types.Func)
	case *ast.SelectorExpr:
		fn, _ = s.info.Uses[x.Sel].(*types.Func)
		if sel := s.info.Selections[x]; sel != nil {
			if sel.Kind() == types.MethodExpr {
				return nil, nil
			}
			recv = x.X
		}
	}
	return fn, recv
}

// rootOf returns the variable that an operand is a part of, and the way there; nil if it goes
// through a slice or starts at anything else.
func (s *source) rootOf(e ast.Expr) (types.Object, string) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.rootOf(e.X)
	case *ast.Ident:
		o := s.info.Uses[e]
		if o == nil {
			o = s.info.Defs[e]
		}
		if v, ok := o.(*types.Var); ok {
			return v, ""
		}
	case *ast.SelectorExpr:
		sel := s.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			return nil, ""
		}
		o, path := s.rootOf(e.X)
		if o == nil {
			return nil, ""
		}
		t := sel.Recv()
		for _, i := range sel.Index() {
			st := fieldsOf(t)
			if st == nil {
				return nil, ""
			}
			path += "." + st.Field(i).Name()
			t = st.Field(i).Type()
		}
		return o, path
	case *ast.IndexExpr:
		t := s.info.TypeOf(e.X)
		if t == nil {
			return nil, ""
		}
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Pointer, *types.Basic, *types.Signature:
			return nil, ""
		}
		if o, path := s.rootOf(e.X); o != nil {
			return o, path + "[]"
		}
	}
	return nil, ""
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
