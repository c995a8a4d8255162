package main

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// known is a function that a value is, whatever happens: one with a name, or a closure together with the functions that it
// has captured.
type known struct {
	f    *ssa.Function
	free []*known // of the closure's free variables; nil where a variable is no function, or which one is not known
}

// given lists what is known of parameters, by name.
func (c *calls) given(names []string, list []*known) string {
	var all []string
	for i, k := range list {
		if k != nil {
			text := names[i] + ": " + c.name(k.f)
			if captured := c.given(freeNames(k.f), k.free); captured != "" {
				text += "{" + captured + "}"
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

func freeNames(f *ssa.Function) (names []string) {
	for _, v := range f.FreeVars {
		names = append(names, v.Name())
	}
	return names
}

func parameterNames(f *ssa.Function) (names []string) {
	for _, v := range f.Params {
		names = append(names, v.Name())
	}
	return names
}

// mostCaptured is how many closures that capture one another are told apart.
const mostCaptured = 3

// knows returns which function a value of a copy is, or nil.
func (c *copied) knows(v ssa.Value) *known {
	switch v := v.(type) {
	case *ssa.Function:
		return &known{f: v}
	case *ssa.MakeClosure:
		k := &known{f: v.Fn.(*ssa.Function)}
		if len(c.making) == mostCaptured || slices.Contains(c.making, v) {
			return k // a function that calls itself has captured itself
		}
		c.making = append(c.making, v)
		for _, b := range v.Bindings {
			k.free = append(k.free, c.captured(b))
		}
		c.making = c.making[:len(c.making)-1]
		return k
	case *ssa.Parameter:
		return c.parameter(v)
	case *ssa.FreeVar:
		if isFunction(v.Type()) {
			return c.freeVar(v)
		}
	case *ssa.ChangeType:
		return c.knows(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL && isFunction(v.Type()) {
			return c.captured(v.X)
		}
	}
	return nil
}

// captured returns which function a variable is that closures share, if it is written once.
func (c *copied) captured(v ssa.Value) *known {
	switch v := v.(type) {
	case *ssa.Alloc:
		if stored := onlyStore(v); stored != nil {
			return c.knows(stored)
		}
	case *ssa.FreeVar:
		return c.freeVar(v)
	default:
		if isFunction(v.Type()) {
			return c.knows(v)
		}
	}
	return nil
}

func (c *copied) parameter(v *ssa.Parameter) *known {
	if i := slices.Index(c.f.Params, v); i >= 0 && i < len(c.bound) {
		return c.bound[i]
	}
	return nil
}

func (c *copied) freeVar(v *ssa.FreeVar) *known {
	if i := slices.Index(c.f.FreeVars, v); i >= 0 && i < len(c.free) {
		return c.free[i]
	}
	return nil
}

// onlyStore returns what a variable of functions holds if it is written once, there, and nobody else can write to it.
func onlyStore(v *ssa.Alloc) (stored ssa.Value) {
	if !isFunction(v.Type().Underlying().(*types.Pointer).Elem()) {
		return nil
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != v || stored != nil {
				return nil
			}
			stored = use.Val
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !readsOnly(use, v) {
				return nil
			}
		default:
			return nil
		}
	}
	return stored
}

// readsOnly reports whether a closure, and those it makes, only read a variable that they have captured.
func readsOnly(m *ssa.MakeClosure, v ssa.Value) bool {
	f := m.Fn.(*ssa.Function)
	for i, b := range m.Bindings {
		if b != v {
			continue
		}
		for _, use := range *f.FreeVars[i].Referrers() {
			switch use := use.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				if !readsOnly(use, f.FreeVars[i]) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

func isFunction(t types.Type) bool {
	_, is := t.Underlying().(*types.Signature)
	return is
}
