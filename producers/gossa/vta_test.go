package main

import (
	"go/token"
	"slices"
	"testing"

	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"
)

// TestVariableTypesAreThoseOfTheTools: calls of functions that run may call what golang.org/x/tools/go/callgraph/vta says, and
// nothing else. Generic functions do not run, but their instances do; vta takes what is in them for what happens as well. And it
// loses what is received from a channel by v, ok = <-c.
func TestVariableTypesAreThoseOfTheTools(t *testing.T) {
	p, err := load(t.Context(), unpackCorpus(t).dir, false, "", []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	v := must(p.variableTypes(t.Context()))
	got, want, runs := must(v.callees(t.Context(), p)), make(callees), namedWhereItRuns(p)
	if n := v.node(none); int(n) < len(v.component) {
		t.Errorf("a variable that nothing was known of is node %d, which is another's", n)
	}
	for _, n := range vta.CallGraph(p.names.Functions(), nil).Nodes {
		for _, e := range n.Out {
			if !isTemplate(n.Func) && e.Site != nil && e.Site.Common().StaticCallee() == nil && runs(e.Callee.Func) {
				want[e.Site] = append(want[e.Site], e.Callee.Func)
			}
		}
	}
	report := func(word string, list, other callees) {
		for site, called := range list {
			for _, f := range called {
				if !slices.Contains(other[site], f) && !(word == "gossa" && receivesAndAsks(site.Parent())) {
					t.Errorf("%v in %v may call %v, says only %s", site, site.Parent(), f, word)
				}
			}
		}
	}
	report("gossa", got, want)
	report("vta", want, got)
	if len(want) < 1000 {
		t.Errorf("only %d calls do not say what they call", len(want))
	}
}

// receivesAndAsks is true of a function that receives something and asks whether there was something.
func receivesAndAsks(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if u, is := i.(*ssa.UnOp); is && u.Op == token.ARROW && u.CommaOk {
				return true
			}
		}
	}
	return false
}

// namedWhereItRuns reports of functions without a receiver whether one that is not generic refers to them: instances for type
// parameters, and method values in generic functions, are only referred to by those.
func namedWhereItRuns(p *program) func(*ssa.Function) bool {
	named := make(map[*ssa.Function]bool)
	for f := range p.names.Functions() {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				for _, o := range i.Operands(nil) {
					if f, is := (*o).(*ssa.Function); is && !isTemplate(i.Parent()) {
						named[f] = true
					}
				}
			}
		}
	}
	return func(f *ssa.Function) bool { return f.Signature.Recv() != nil || named[f] }
}
