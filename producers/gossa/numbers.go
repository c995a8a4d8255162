package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// numbers gives values of a function that are equal wherever they are there the same number: two reads of a field that
// the function does not set, two calls of a library's function with equal arguments, and a value and its conversion.
type numbers struct {
	p      *program
	values map[ssa.Value]int
	keys   map[string]int
	stored map[string]bool // fields that the function sets, and variables that it sets more than once
	n      int
}

func newNumbers(p *program, f *ssa.Function) *numbers {
	n := &numbers{p: p, values: make(map[ssa.Value]int), keys: make(map[string]int), stored: make(map[string]bool)}
	once := make(map[ssa.Value]bool)
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			s, is := i.(*ssa.Store)
			if !is {
				continue
			}
			switch at := s.Addr.(type) {
			case *ssa.FieldAddr:
				n.stored[fieldOf(at)] = true
			case *ssa.IndexAddr:
				n.stored["[]"+at.Type().String()] = true
			default:
				if _, is := at.(*ssa.Alloc); !is || once[at] {
					n.stored[variableOf(at)] = true
				}
				once[at] = true
			}
		}
	}
	return n
}

func fieldOf(v *ssa.FieldAddr) string { return fmt.Sprint(v.X.Type(), " ", v.Field) }

func variableOf(v ssa.Value) string { return fmt.Sprintf("%p", v) }

// of is the number of a value.
func (n *numbers) of(v ssa.Value) int {
	if k, ok := n.values[v]; ok {
		return k
	}
	n.n++
	k := n.n
	n.values[v] = k // where it is a part of itself
	if same := n.same(v); same != nil {
		k = n.of(same)
	} else if key := n.key(v); key != "" {
		if old, ok := n.keys[key]; ok {
			k = old
		} else {
			n.keys[key] = k
		}
	}
	n.values[v] = k
	return k
}

// same is another value that a value is, or nil.
func (n *numbers) same(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return v.X
	case *ssa.Convert:
		if isText(v.Type()) && isText(v.X.Type()) {
			return v.X
		}
	case *ssa.UnOp:
		if at, is := v.X.(*ssa.Alloc); is && v.Op == token.MUL && !n.stored[variableOf(at)] {
			return storedOnce(at)
		}
	}
	return nil
}

// key is the same text for equal values; empty if nothing is known of a value.
func (n *numbers) key(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil {
			return fmt.Sprint("const ", v.Value.ExactString(), " ", v.Type())
		}
	case *ssa.FieldAddr:
		if !n.stored[fieldOf(v)] {
			return fmt.Sprint("field ", n.of(v.X), " ", v.Field)
		}
	case *ssa.Field:
		return fmt.Sprint("part ", n.of(v.X), " ", v.Field)
	case *ssa.IndexAddr:
		if !n.stored["[]"+v.Type().String()] {
			return fmt.Sprint("index ", n.of(v.X), " ", n.of(v.Index))
		}
	case *ssa.Lookup:
		if !v.CommaOk {
			return fmt.Sprint("lookup ", n.of(v.X), " ", n.of(v.Index))
		}
	case *ssa.Extract:
		return fmt.Sprint("result ", n.of(v.Tuple), " ", v.Index)
	case *ssa.UnOp:
		if v.Op == token.MUL && !n.stored[variableOf(v.X)] {
			return fmt.Sprint("read ", n.of(v.X))
		}
	case *ssa.Call:
		return n.call(&v.Call)
	}
	return ""
}

// storedOnce is what a variable has, if that is set once.
func storedOnce(at *ssa.Alloc) (v ssa.Value) {
	for _, use := range *at.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if v != nil || use.Addr != at {
				return nil
			}
			v = use.Val
		case *ssa.MakeClosure:
			if !readsOnly(use, at) {
				return nil
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return v
}

// call is the key of a call of a function that is not the program's own, and whose name does not say that it goes on.
func (n *numbers) call(c *ssa.CallCommon) string {
	name := ""
	if f := c.StaticCallee(); f != nil {
		if n.p.own[names.Package(f)] {
			return ""
		}
		name = ruleName(f)
	} else if c.IsInvoke() {
		name = methodName(c.Method) + fmt.Sprint(" ", n.of(c.Value))
	} else {
		return ""
	}
	for _, word := range []string{"Read", "Next", "Scan", "Now", "rand", "Recv", "Accept", "Decode", "New"} {
		if strings.Contains(name, word) {
			return ""
		}
	}
	for _, a := range c.Args {
		if list := variadic(a); list != nil {
			for _, v := range list {
				name += fmt.Sprint(" ", n.of(v))
			}
			continue
		}
		name += fmt.Sprint(" ", n.of(a))
	}
	return "call " + name
}

func isText(t types.Type) bool {
	b, is := t.Underlying().(*types.Basic)
	return is && b.Info()&types.IsString != 0
}

// text is a constant string.
func text(v ssa.Value) (string, bool) {
	if c, is := v.(*ssa.Const); is && c.Value != nil && c.Value.Kind() == constant.String {
		return constant.StringVal(c.Value), true
	}
	if c, is := v.(*ssa.Convert); is {
		if k, is := c.X.(*ssa.Const); is && k.Value != nil && k.Value.Kind() == constant.Int && isText(c.Type()) {
			r, _ := constant.Int64Val(k.Value)
			return string(rune(r)), true
		}
	}
	return "", false
}
