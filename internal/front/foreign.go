package front

import (
	"go/ast"
	"go/types"
)

// foreign refuses what a kernel, or a helper that it reaches, uses of packages without source. go/types gives such
// expressions no type and no finding, so nothing around them could be lowered.
func (l *lowering) foreign(reached map[*ast.FuncDecl]bool) bool {
	found := false
	for d := range reached {
		found = l.foreignIn(d) || found
	}
	return found
}

// foreignIn is foreign for one function or expression.
func (l *lowering) foreignIn(in ast.Node) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || l.src.info.Uses[n.Sel] != nil {
				return true
			}
			p, ok := l.src.info.Uses[id].(*types.PkgName)
			switch {
			case !ok:
				return true
			case p.Imported().Path() == "C":
				l.refuse(n.Pos(), noUnsafe, "cgo")
			default:
				l.refuse(n.Pos(), noForeign, p.Imported().Name()+"."+n.Sel.Name+" belongs to", adviceFor(p.Imported().Path()))
			}
			found = true
			return false
		case *ast.Ident:
			o := l.src.info.Uses[n]
			if o == nil || o.Pkg() == nil || o.Pkg() == types.Unsafe || o.Parent() != o.Pkg().Scope() {
				return true
			}
			if hasInvalid(o.Type(), nil) {
				l.refuse(n.Pos(), noForeign, o.Name()+" depends on", adviceFor(l.src.importOf(l.src.globals.init[packageVar(o)])))
				found = true
			}
		}
		return true
	})
	return found
}

// importOf returns the path of a package that an initialiser uses, "" if there is none.
func (s *source) importOf(init ast.Expr) (path string) {
	if init == nil {
		return ""
	}
	ast.Inspect(init, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if p, ok := s.info.Uses[id].(*types.PkgName); ok {
				path = p.Imported().Path()
			}
		}
		return path == ""
	})
	return path
}

// hasInvalid reports whether a part of t is a type that go/types could not find. above are the named types around t.
func hasInvalid(t types.Type, above []*types.Named) bool {
	part := func(t types.Type) bool { return hasInvalid(t, above) }
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Named:
		for _, n := range above {
			if n.Origin() == t.Origin() {
				return false
			}
		}
		for a := range t.TypeArgs().Types() {
			if part(a) {
				return true
			}
		}
		return hasInvalid(t.Underlying(), append(above, t))
	case *types.Struct:
		for f := range t.Fields() {
			if part(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return part(t.Elem())
	case *types.Slice:
		return part(t.Elem())
	case *types.Pointer:
		return part(t.Elem())
	case *types.Chan:
		return part(t.Elem())
	case *types.Map:
		return part(t.Key()) || part(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if part(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			if part(p.Constraint()) {
				return true
			}
		}
		return part(t.Params()) || part(t.Results())
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			if part(e) {
				return true
			}
		}
		for f := range t.ExplicitMethods() {
			if part(f.Type()) {
				return true
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if part(term.Type()) {
				return true
			}
		}
	}
	return false
}
