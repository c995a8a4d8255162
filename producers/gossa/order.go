package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// order numbers the functions that calls may call as they are sorted. Most are called from many places.
func (p *program) order(may callees) map[*ssa.Function]int {
	order, list := make(map[*ssa.Function]int), []*ssa.Function{}
	for _, called := range may {
		for _, f := range called {
			if _, seen := order[f]; !seen {
				order[f] = 0
				list = append(list, f)
			}
		}
	}
	p.sort(list)
	for i, f := range list {
		order[f] = i
	}
	return order
}

// name is functionName, which is made anew each time that it is asked for.
func (p *program) name(f *ssa.Function) string {
	name, ok := p.names[f]
	if !ok {
		name = functionName(f)
		p.names[f] = name
	}
	return name
}

// sort orders functions by name, then by where they stand, then by what else they are: it does not depend on how they were
// found.
func (p *program) sort(list []*ssa.Function) {
	type keyed struct {
		f             *ssa.Function
		name, at, key string
	}
	keys := make([]keyed, len(list))
	for i, f := range list {
		keys[i] = keyed{f: f, name: p.name(f), at: p.position(f)}
	}
	compare := func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.at, b.at), strings.Compare(a.key, b.key))
	}
	slices.SortFunc(keys, compare)
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && compare(keys[from], keys[to]) == 0 {
			to++
		}
		if to > from+1 { // few are, and keys are long
			for i := from; i < to; i++ {
				keys[i].key = p.key(keys[i].f)
			}
			slices.SortFunc(keys[from:to], compare)
		}
		from = to
	}
	for i, k := range keys {
		list[i] = k.f
	}
}

// use is an operand of a function, counted from its beginning.
type use struct {
	in *ssa.Function
	at int
}

// key tells functions of one name apart that stand in the same place: instances for types of functions, and what method values
// and expressions are, of which each place of the source has its own. Those are told apart by that place.
func (p *program) key(f *ssa.Function) string {
	if f.Parent() != nil {
		return p.key(f.Parent()) + ordinalWithin(f)
	}
	w := nameWriter{files: p.ssa.Fset}
	w.function(f)
	if u, is := p.wrappers()[f]; is {
		fmt.Fprintf(&w, " in %s %s %06d", p.key(u.in), p.position(u.in), u.at)
	}
	return w.String()
}

// wrappers finds where method values and expressions stand.
func (p *program) wrappers() map[*ssa.Function]use {
	if p.wrapped != nil {
		return p.wrapped
	}
	p.wrapped = make(map[*ssa.Function]use)
	var operands []*ssa.Value
	for in := range p.functions() {
		at := 0
		for _, b := range in.Blocks {
			for _, i := range b.Instrs {
				operands = i.Operands(operands[:0])
				for _, o := range operands {
					at++
					f, is := (*o).(*ssa.Function)
					if is && p.wrapped[f].in == nil && (isBound(f) || isThunk(f)) {
						p.wrapped[f] = use{in, at}
					}
				}
			}
		}
	}
	return p.wrapped
}

// position is where a function stands: the path of its package, the file's name, line and column. It is the same on every
// machine. Functions that the compiler makes stand nowhere.
func (p *program) position(f *ssa.Function) string {
	return string(p.at(nil, packageOf(f), f.Pos(), inPackage))
}
