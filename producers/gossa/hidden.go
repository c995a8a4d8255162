package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// hides says of fields whether functions that are not followed cannot set them: those of the program's own structs that are not exported,
// where no method sets them that such a function may call.
func (f *flow) hides(c *calls) func(*types.Struct, int) bool {
	set := make(map[string]bool)
	seen := make(map[*copied]bool)
	var queue []*copied
	add := func(list ...*copied) {
		for _, q := range list {
			if !seen[q] && f.p.own[names.Package(q.f)] {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	for _, q := range c.byName {
		if q.f.Signature.Recv() != nil && ast.IsExported(q.f.Name()) {
			add(q)
		}
	}
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		add(q.callees()...)
		for _, inner := range q.f.AnonFuncs {
			add(c.first[inner])
		}
		fieldsSet(q.f, set)
	}
	return func(s *types.Struct, i int) bool {
		v := s.Field(i)
		return !v.Exported() && v.Pkg() != nil && f.p.own[v.Pkg().Path()] && !set[hiddenName(v)]
	}
}

// isCalled is true of a field of a struct from outside that is an interface with methods, as a server's handler is: functions that are
// not followed call what the program has put there, and do not look into it.
func (f *flow) isCalled(v *types.Var) bool {
	return v.Pkg() != nil && !f.p.own[v.Pkg().Path()] && hasMethods(v.Type())
}

// hiddenName is the same for the fields of one name in a package, whichever struct they are in.
func hiddenName(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }

// fieldsSet adds the fields that a function sets, or whose address it passes on, or in whose map or list it puts something.
func fieldsSet(f *ssa.Function, set map[string]bool) {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			at, is := i.(*ssa.FieldAddr)
			if !is {
				continue
			}
			v := at.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(at.Field)
			if v.Pkg() != nil && !v.Exported() && !isLoaded(at) {
				set[hiddenName(v)] = true
			}
		}
	}
}

// isLoaded reports whether a field is only read, and nothing is put into what it has.
func isLoaded(at *ssa.FieldAddr) bool {
	for _, use := range *at.Referrers() {
		load, is := use.(*ssa.UnOp)
		if !is || load.Op != token.MUL {
			if isDebug(use) {
				continue
			}
			return false
		}
		for _, of := range *load.Referrers() {
			switch of := of.(type) {
			case *ssa.MapUpdate, *ssa.IndexAddr:
				return false
			case *ssa.FieldAddr:
				if !isLoaded(of) {
					return false
				}
			}
		}
	}
	return true
}
