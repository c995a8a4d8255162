package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// leftOut is what is not looked at of a package, because it does not type-check or calls C: functions of which only what they
// are declared as is taken. Like all that has no body in Go, they do what the default model says.
type leftOut struct {
	Package   string
	Error     string // the first one; empty if there is only C
	Functions int    // how many are left out
	Missing   bool   // the package is not there
}

func (l leftOut) String() string {
	why := l.Error
	if why == "" {
		why = "they call C"
	}
	switch {
	case l.Missing:
		return fmt.Sprintf("%s is missing: %s", l.Package, why)
	case l.Functions == 1:
		return fmt.Sprintf("%s: 1 function is left out: %s", l.Package, why)
	}
	return fmt.Sprintf("%s: %d functions are left out: %s", l.Package, l.Functions, why)
}

// leftOut lists what is left out of packages, but for those of the standard library that call C. Errors that only come from that
// C is not known are none.
func (b *builder) leftOut(all []*packages.Package, standard map[string]bool) (list []leftOut) {
	for _, p := range all {
		c := b.of[p]
		l := leftOut{Package: p.PkgPath, Functions: c.out, Missing: len(p.GoFiles) == 0 && p.PkgPath != "unsafe"}
		if c.callsC && standard[p.PkgPath] {
			continue
		}
		c.wrong = slices.DeleteFunc(c.wrong, func(err error) bool { return c.callsC && strings.Contains(err.Error(), "invalid type") })
		switch {
		case len(c.wrong) > 0:
			l.Error = firstLine(c.wrong[0])
		case len(p.Errors) > 0:
			l.Error = said(p.Errors[0])
		case c.out == 0:
			continue
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b leftOut) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Error, b.Error))
	})
	return slices.Compact(list) // a package is another one for tests
}

// firstOf is the first of several errors of one file.
func firstLine(err error) string {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Error()
	}
	return strings.TrimSpace(err.Error())
}

// unsure reports whether a package may have expressions whose types are not known: because something is wrong with it, because it
// calls C, or because what it imports has such types.
func (b *builder) unsure(c *checked) bool {
	for _, p := range c.types.Imports() {
		c.callsC = c.callsC || p.Path() == "C"
	}
	if len(c.wrong) > 0 || c.callsC {
		return true
	}
	for _, p := range c.Imports {
		if b.of[p].leaks {
			return true
		}
	}
	return false
}

// prune takes away what SSA cannot be made of: bodies of functions, and values of variables, with errors or with types that are
// not known. A whole package would often have the handlers as well, and later statements use what one declares, so it is functions
// that go. What was declared twice is declared once. Imports that were not found are no packages.
func (b *builder) prune(c *checked) {
	u := &unknown{info: &c.info, wrong: c.places(b.prog.Fset)}
	for _, file := range c.files {
		file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool { return !u.declared(d) })
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil && u.in(f) {
				f.Body = nil
				if !c.light { // of which none is looked at
					c.out++
				}
			}
		}
	}
	c.info.InitOrder = slices.DeleteFunc(c.info.InitOrder, func(i *types.Initializer) bool {
		return u.in(i.Rhs) || slices.ContainsFunc(i.Lhs, func(v *types.Var) bool {
			return u.isNot(v.Type()) || v.Name() != "_" && c.types.Scope().Lookup(v.Name()) != v
		})
	})
	found := slices.DeleteFunc(slices.Clone(c.types.Imports()), func(p *types.Package) bool {
		return p != types.Unsafe && !slices.ContainsFunc(b.imported(c), func(q *types.Package) bool { return p == q })
	})
	c.types.SetImports(found)
	c.leaks = u.visible(c.types)
}

func (b *builder) imported(c *checked) (list []*types.Package) {
	for _, p := range c.Imports {
		list = append(list, b.of[p].types)
	}
	return list
}

// places are where something is wrong. What the compiler refuses without harm, such as a variable that is not used, is not.
func (c *checked) places(files *token.FileSet) (list []token.Pos) {
	at := func(p token.Position) {
		for _, f := range c.files {
			if of := files.File(f.FileStart); of != nil && of.Name() == p.Filename && p.Offset <= of.Size() {
				list = append(list, of.Pos(p.Offset))
			}
		}
	}
	for _, err := range c.wrong {
		var list2 scanner.ErrorList
		var one types.Error
		switch {
		case errors.As(err, &list2):
			for _, e := range list2 {
				at(e.Pos)
			}
		case errors.As(err, &one) && !one.Soft:
			list = append(list, one.Pos)
		}
	}
	slices.Sort(list)
	return list
}

// unknown finds what the type checker does not know.
type unknown struct {
	info  *types.Info
	wrong []token.Pos // sorted
}

// declared reports whether something is declared by a declaration, and takes away names of which that does not hold.
func (u *unknown) declared(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f, is := u.info.Defs[d.Name].(*types.Func)
		return is && f.Type() != nil && (d.Recv == nil || f.Signature().Recv() != nil && !u.isNot(f.Signature().Recv().Type()))
	case *ast.GenDecl:
		d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
			switch s := s.(type) {
			case *ast.ValueSpec:
				s.Names = slices.DeleteFunc(s.Names, func(n *ast.Ident) bool { return u.info.Defs[n] == nil })
				return len(s.Names) == 0
			case *ast.TypeSpec:
				return u.info.Defs[s.Name] == nil
			}
			return false
		})
		return true
	}
	return false
}

// in reports whether there is an error, a name that nothing is known of, or an expression without a known type in a piece of
// source.
func (u *unknown) in(n ast.Node) (is bool) {
	if i, _ := slices.BinarySearch(u.wrong, n.Pos()); i < len(u.wrong) && u.wrong[i] <= n.End() {
		return true
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BadExpr, *ast.BadStmt, *ast.BadDecl:
			is = true
		case *ast.Ident:
			is = is || n.Name != "_" && u.nameless(n)
		}
		if e, isExpr := n.(ast.Expr); isExpr && !is {
			t, ok := u.info.Types[e]
			is = ok && !t.IsBuiltin() && u.isNot(t.Type)
		}
		return !is
	})
	return is
}

// nameless reports whether nothing is known of a name.
func (u *unknown) nameless(n *ast.Ident) bool {
	o, defined := u.info.Defs[n]
	if !defined {
		o = u.info.Uses[n]
		if o == nil {
			return true
		}
	}
	switch o := o.(type) {
	case *types.Var, *types.Func, *types.Const, *types.TypeName:
		return u.isNot(o.Type())
	}
	return false // a package, a label, nil, or the name of a type switch
}

// isNot reports whether a type is not known. That a part of a named type is not is no matter to what does not look at it.
func (u *unknown) isNot(t types.Type) bool {
	switch t := t.(type) {
	case nil:
		return true
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Alias:
		return u.isNot(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if u.isNot(arg) {
				return true
			}
		}
		b, is := t.Underlying().(*types.Basic)
		return is && b.Kind() == types.Invalid
	case *types.Tuple:
		for v := range t.Variables() {
			if u.isNot(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return u.isNot(t.Params()) || u.isNot(t.Results())
	case *types.Struct:
		for v := range t.Fields() {
			if u.isNot(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if u.isNot(m.Type()) {
				return true
			}
		}
	case *types.Map:
		return u.isNot(t.Key()) || u.isNot(t.Elem())
	case interface{ Elem() types.Type }: // pointers, arrays, slices and channels
		return u.isNot(t.Elem())
	}
	return false
}

// visible reports whether a package exports something with a type that is not known.
func (u *unknown) visible(p *types.Package) bool {
	seen := make(map[*types.Named]bool)
	var of func(t types.Type) bool
	of = func(t types.Type) bool {
		if u.isNot(t) {
			return true
		}
		for n := range namedIn(t) {
			if seen[n] || n.Obj().Pkg() != p {
				continue
			}
			seen[n] = true
			for m := range n.Methods() {
				if m.Exported() && of(m.Type()) {
					return true
				}
			}
			if of(n.Underlying()) {
				return true
			}
		}
		return false
	}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() && of(o.Type()) {
			return true
		}
	}
	return false
}

// namedIn gives the named types that a type is made of.
func namedIn(t types.Type) func(yield func(*types.Named) bool) {
	return func(yield func(*types.Named) bool) {
		var walk func(t types.Type) bool
		tuple := func(l *types.Tuple) bool {
			for v := range l.Variables() {
				if !walk(v.Type()) {
					return false
				}
			}
			return true
		}
		walk = func(t types.Type) bool {
			switch t := types.Unalias(t).(type) {
			case *types.Named:
				return yield(t)
			case *types.Signature:
				return tuple(t.Params()) && tuple(t.Results())
			case *types.Struct:
				for v := range t.Fields() {
					if !walk(v.Type()) {
						return false
					}
				}
			case *types.Interface:
				for m := range t.ExplicitMethods() {
					if !walk(m.Type()) {
						return false
					}
				}
			case *types.Map:
				return walk(t.Key()) && walk(t.Elem())
			case interface{ Elem() types.Type }:
				return walk(t.Elem())
			}
			return true
		}
		walk(t)
	}
}
