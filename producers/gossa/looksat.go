package main

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// onText are packages of the standard library whose functions say something of a text that they get, and ask nothing but that text.
var onText = []string{"bytes", "errors", "fmt", "mime", "net", "net/mail", "net/netip", "net/url", "path", "path/filepath", "regexp", "slices", "sort",
	"strconv", "strings", "unicode", "unicode/utf8"}

// looksAt reports whether what a function returns, or does, may depend on a parameter itself. A function that only hands it on to read a
// file, say, checks something else.
func (c *checker) looksAt(f *ssa.Function, param int) bool {
	of := validator{f: f, param: param}
	is, ok := c.looks[of]
	if !ok {
		c.looks[of] = false // where it calls itself
		is = param < len(f.Params) && c.isLookedAt(f.Params[param], make(map[ssa.Value]bool))
		c.looks[of] = is
	}
	return is
}

func (c *checker) isLookedAt(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool { return c.looksByUse(v, use, seen) })
}

func (c *checker) looksByUse(v ssa.Value, use ssa.Instruction, seen map[ssa.Value]bool) bool {
	switch use := use.(type) {
	case *ssa.DebugRef, *ssa.MapUpdate, *ssa.Defer, *ssa.Go:
		return false
	case *ssa.If:
		return true
	case *ssa.Return:
		return isBool(v.Type()) || isError(v.Type())
	case *ssa.Store:
		switch at := use.Addr.(type) {
		case *ssa.Alloc:
			return c.isLookedAt(at, seen)
		case *ssa.IndexAddr:
			return c.isLookedAt(at.X, seen)
		}
		return true
	case *ssa.Call:
		return c.looksByCall(v, use, seen)
	case ssa.Value:
		return c.isLookedAt(use, seen)
	}
	return true
}

func (c *checker) looksByCall(v ssa.Value, call *ssa.Call, seen map[ssa.Value]bool) bool {
	common := &call.Call
	if _, is := common.Value.(*ssa.Builtin); is {
		return c.isLookedAt(call, seen)
	}
	f := common.StaticCallee()
	switch {
	case f == nil && common.IsInvoke():
		return common.Method.Pkg() == nil || !c.p.own[common.Method.Pkg().Path()]
	case f == nil:
		return true
	case slices.Contains(onText, names.Package(f)):
		return c.isLookedAt(call, seen)
	case c.p.standard[names.Package(f)]:
		return false
	case !c.p.own[names.Package(f)] || f.Blocks == nil:
		return true
	case len(*call.Referrers()) == 0:
		return false
	}
	for k, a := range common.Args {
		if a == v && c.looksAt(f, k) {
			return true
		}
	}
	return false
}

func isBool(t types.Type) bool {
	b, is := t.Underlying().(*types.Basic)
	return is && b.Info()&types.IsBoolean != 0
}
