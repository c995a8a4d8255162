package main

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// agreedClasses are those that such a check is about: it lets through what is there. Of its characters it says nothing.
var agreedClasses = []string{"path", "zipslip"}

// agreed is about two values that are equal. If one comes from a record that is kept under a parameter, and the other from another
// parameter, the caller knows a secret of that record. So a check of that parameter takes place.
func (g *guards) agreed(x, y ssa.Value, said facts) {
	of, with := g.parameters(x), g.parameters(y)
	if len(of) == 0 || len(with) == 0 || slices.ContainsFunc(of, func(p *ssa.Parameter) bool { return slices.Contains(with, p) }) {
		return
	}
	for _, v := range []ssa.Value{x, y} {
		for _, from := range ingredients(v) {
			if !g.isKept(from, 0) {
				continue
			}
			for _, p := range g.parameters(from) {
				n := g.num.of(p)
				said.add(n, isAgreed)
				g.by[n] = g.f.Name()
			}
		}
	}
}

// madeFrom collects the values that a value is made of.
type madeFrom struct {
	seen map[ssa.Value]bool
	list []ssa.Value
}

// mostMadeFrom is how many of them are looked at.
const mostMadeFrom = 200

func ingredients(v ssa.Value) []ssa.Value {
	o := &madeFrom{seen: make(map[ssa.Value]bool)}
	o.add(v)
	return o.list
}

func (o *madeFrom) add(v ssa.Value) {
	if v == nil || o.seen[v] || len(o.list) == mostMadeFrom {
		return
	}
	o.seen[v] = true
	o.list = append(o.list, v)
	switch v := v.(type) {
	case *ssa.Alloc:
		o.put(v)
	case *ssa.MakeClosure:
	case ssa.Instruction:
		for _, from := range v.Operands(nil) {
			o.add(*from)
		}
	}
}

// put adds what is stored in a variable, or in a part of it, and what functions may put there that get its address.
func (o *madeFrom) put(by ssa.Value) {
	for _, use := range *by.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == by {
				o.add(use.Val)
			}
		case *ssa.Call:
			for _, from := range use.Operands(nil) {
				o.add(*from)
			}
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.Slice:
			o.put(use.(ssa.Value))
		}
	}
}

// parameters are those that a value is made of, but for the receiver.
func (g *guards) parameters(v ssa.Value) (list []*ssa.Parameter) {
	for _, from := range ingredients(v) {
		p, is := from.(*ssa.Parameter)
		if is && (p != g.f.Params[0] || g.f.Signature.Recv() == nil) {
			list = append(list, p)
		}
	}
	return list
}

// isKept reports whether a value comes from a record: an element of a map, or what a store returns. What is computed of a value alone, such
// as its hash, the caller knows as well.
func (g *guards) isKept(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Lookup:
		_, is := v.X.Type().Underlying().(*types.Map)
		return is
	case *ssa.Call:
		return g.asksStore(&v.Call, depth)
	}
	return false
}

// keeping are packages of the standard library that read what is kept.
var keeping = []string{"database/sql", "io/fs", "io/ioutil", "os"}

// asksStore reports whether a call may read from a store: functions of the program do if they call one that does.
func (g *guards) asksStore(c *ssa.CallCommon, depth int) bool {
	f, in := c.StaticCallee(), ""
	switch {
	case f != nil:
		in = names.Package(f)
	case c.IsInvoke() && c.Method.Pkg() != nil:
		in = c.Method.Pkg().Path()
	default:
		return false
	}
	switch {
	case g.p.standard[in]:
		return slices.Contains(keeping, in)
	case !g.p.own[in]:
		return !strings.Contains(in, "crypto") && !strings.Contains(in, "hash")
	case f == nil:
		return true
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if v, is := i.(ssa.Value); is && depth < deepest/2 && g.isKept(v, depth+1) {
				return true
			}
		}
	}
	return false
}
