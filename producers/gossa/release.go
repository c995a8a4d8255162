package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// release lets go of the syntax of a package whose SSA is built, and of what the type checker has said of it. SSA would not:
// functions lead to their syntax, and a generic one leads to what is said of all its package. Of that it needs its own part,
// since instances may still be made of it.
func (c *checked) release(prog *ssa.Program) {
	said := types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	for _, file := range c.files {
		for _, d := range file.Decls {
			d, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			if f, is := c.info.Defs[d.Name].(*types.Func); is && isGeneric(f) {
				keep(&c.info, &said, d)
			} else if is {
				forget(prog.FuncValue(f))
			}
		}
	}
	if p := prog.Package(c.types); p != nil {
		forget(p.Func("init")) // with the closures of variables
	}
	c.info, c.files = said, nil
}

func isGeneric(f *types.Func) bool {
	s := f.Signature()
	return s.TypeParams().Len()+s.RecvTypeParams().Len() > 0
}

// forget takes the bodies away that a function and its closures were built from.
func forget(f *ssa.Function) {
	if f == nil {
		return
	}
	switch syntax := f.Syntax().(type) {
	case *ast.FuncDecl:
		syntax.Body = nil
	case *ast.FuncLit:
		syntax.Body = nil
	case *ast.RangeStmt:
		*syntax = ast.RangeStmt{For: syntax.For}
	}
	for _, closure := range f.AnonFuncs {
		forget(closure)
	}
}

// keep copies what is said of a declaration.
func keep(from, to *types.Info, d *ast.FuncDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		put(from.Implicits, to.Implicits, n)
		if e, is := n.(ast.Expr); is {
			put(from.Types, to.Types, e)
		}
		switch n := n.(type) {
		case *ast.Ident:
			put(from.Defs, to.Defs, n)
			put(from.Uses, to.Uses, n)
			put(from.Instances, to.Instances, n)
		case *ast.SelectorExpr:
			put(from.Selections, to.Selections, n)
		}
		return true
	})
}

func put[K comparable, V any](from, to map[K]V, k K) {
	if v, is := from[k]; is {
		to[k] = v
	}
}
