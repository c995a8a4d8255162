package opt

import "github.com/govyre/vyre/egraph"

// Search finds a cheaper term that is equal to one of an e-graph, where rules have found none. Costs are those of heads. It
// adds the term to the graph, proves that it is equal, and returns its class with the proof's name. Unless ok, there is none.
type Search func(kernel string, g *egraph.Graph, t *egraph.Term, cost func(egraph.Head) uint64) (to egraph.Class, proof string, ok bool)

// finder is what the pass search asks. Package superopt, which only the command vyre links, sets it before anything is compiled.
var finder Search

// SetSearch gives the pass search what it asks, with compile.Bank beside it.
func SetSearch(f Search) { finder = f }

// superoptimise is equate with terms from elsewhere. What equal terms cost in their places is decided there. A choice that has
// the pass without a bank compile.Parse refuses.
func superoptimise(w *work) {
	if finder != nil {
		w.equate(finder)
	}
}

// search joins the roots with what is found for them.
func (p *equatedPart) search(w *work, find Search) {
	if p.term == nil {
		return
	}
	some := false
	for i, r := range p.roots {
		one := *p.term
		one.Roots = p.term.Roots[i : i+1]
		if to, proof, ok := find(w.Name, p.g, &one, p.cost); ok {
			if err := p.g.Union(p.class[r], to, proof); err != nil {
				panic("BUG: opt: " + err.Error())
			}
			some = true
		}
	}
	if !some {
		return
	}
	if err := p.g.Rebuild(); err != nil {
		panic("BUG: opt: " + err.Error())
	}
	p.term = p.extract(nil, p.roots...)
	w.visits += p.g.Rows()
}
