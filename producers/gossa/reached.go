package main

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// reached counts the functions of the program's own that are reached, and gives the others, in the order of their names.
func (c *calls) reached() (n int, others []*ssa.Function) {
	instances := make(map[*ssa.Function]bool)
	for f := range c.first {
		if origin := f.Origin(); origin != nil {
			instances[origin] = true
		}
	}
	for f := range c.p.names.Functions() {
		switch {
		case f.Blocks == nil || f.Synthetic != "" || f.Parent() != nil || f.Origin() != nil || !c.p.own[names.Package(f)]:
		case c.first[f] != nil || instances[f]:
			n++
		default:
			others = append(others, f)
		}
	}
	c.p.names.Sort(others)
	return n, others
}

// idle says which programs have nothing to look at: their main calls nothing, or reaches no function of their module though
// they import packages of it. A run that finds nothing in them would say nothing about the module.
func (c *calls) idle() (list []string, all bool) {
	programs := 0
	for _, f := range c.p.roots {
		if f.Name() != "main" || f.Pkg == nil || f.Pkg.Pkg.Name() != "main" || f.Parent() != nil || strings.HasSuffix(f.Pkg.Pkg.Path(), ".test") {
			continue
		}
		programs++
		at := f.Pkg.Pkg.Path()
		calls, own := c.from(f.Pkg)
		imports := slices.ContainsFunc(f.Pkg.Pkg.Imports(), func(p *types.Package) bool { return c.p.own[p.Path()] })
		switch i := slices.IndexFunc(c.p.left, func(l leftOut) bool { return l.Package == at }); {
		case f.Blocks == nil && i >= 0:
			list = append(list, at+": main does not type-check: "+c.p.left[i].Error)
		case calls == 0:
			list = append(list, at+": main calls nothing")
		case own == 0 && imports:
			list = append(list, at+": main reaches no function of its module; name the packages that it registers, or uses by reflection")
		}
	}
	return list, programs > 0 && len(list) == programs
}

// from counts, of what a program's main and init reach, calls in the program's own functions, and these functions but for main
// and its closures.
func (c *calls) from(of *ssa.Package) (calls, own int) {
	seen := make(map[*copied]bool)
	queue := []*copied{c.originals[of.Func("main")], c.originals[of.Func("init")]}
	for len(queue) > 0 {
		last := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if last == nil || seen[last] {
			continue
		}
		seen[last] = true
		if c.p.own[names.Package(last.f)] && last.f.Syntax() != nil {
			for range callsIn(last.f) {
				calls++
			}
			top := last.f
			for top.Parent() != nil {
				top = top.Parent()
			}
			if top != of.Func("main") {
				own++
			}
		}
		for _, list := range last.sites {
			queue = append(queue, list...)
		}
		queue = append(queue, last.backs...)
	}
	return calls, own
}

// spots are where functions are declared.
func (p *program) spots(list []*ssa.Function, w where) (spots []spot) {
	for _, f := range list {
		s := spotAt(string(p.at(nil, names.Package(f), f.Pos(), w)))
		s.Procedure = p.names.Of(f)
		spots = append(spots, s)
	}
	return spots
}

// idleError is that there is nothing to look at in any program.
func idleError(list []string) error {
	return nothingf("there is nothing to look at: %s", strings.Join(list, "\n"))
}
