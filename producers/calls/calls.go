package calls

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// Kinds of arcs beside graph.KindCall, which is a call that names its function.
const (
	Dynamic uint32 = 1 << (16 + iota) // a call of an interface's method, or of a function value
	Root                              // what no instruction calls
)

// rootName is the name of a root that is no function.
const rootName = "root"

// Graph is a call graph in compressed rows.
type Graph struct {
	*graph.CSR
	functions []*ssa.Function
	nodes     map[*ssa.Function]uint32
}

// Function returns the function of a node, which must be one; nil for a root that is none.
func (g *Graph) Function(node uint32) *ssa.Function { return g.functions[node] }

// Node returns the node of a function.
func (g *Graph) Node(f *ssa.Function) (node uint32, ok bool) {
	node, ok = g.nodes[f]
	return node, ok
}

// FromGraph makes rows of a call graph, and does not keep it.
//
// Errors: a call of a function that is not among the graph's nodes.
func FromGraph(cg *callgraph.Graph) (*Graph, error) {
	g := &Graph{nodes: make(map[*ssa.Function]uint32, len(cg.Nodes))}
	names, positions := g.number(cg)
	var block graph.Block
	for from, f := range g.functions {
		for _, e := range cg.Nodes[f].Out {
			to, ok := g.nodes[e.Callee.Func]
			if !ok {
				return nil, fmt.Errorf("calls: %v calls %v, which is not among the graph's nodes", f, e.Callee.Func)
			}
			block.From, block.To, block.Masks = append(block.From, uint32(from)), append(block.To, to), append(block.Masks, kind(e))
		}
	}
	csr, _, err := graph.FromBlocks(int64(len(g.functions)), []graph.Block{block}, graph.BuildOptions{Dedup: true})
	if err != nil {
		return nil, err
	}
	d := csr.Data()
	d.Names, d.Positions = graph.NewStrings(names), graph.NewStrings(positions)
	d.KindNames[16], d.KindNames[17] = "dynamic", "root"
	d.Provenance.Producer = "golang.org/x/tools/go/callgraph"
	g.CSR, err = csr.With(d)
	return g, err
}

// number puts functions in order.
func (g *Graph) number(cg *callgraph.Graph) (names, positions []string) {
	type named struct {
		f        *ssa.Function
		name, at string
	}
	list := make([]named, 0, len(cg.Nodes))
	for f := range cg.Nodes {
		n := named{f: f, name: rootName}
		if f != nil {
			n.name = f.RelString(nil)
			if at := f.Prog.Fset.Position(f.Pos()); at.IsValid() {
				n.at = at.String()
			}
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.at, b.at)) })
	for i, n := range list {
		g.functions, g.nodes[n.f] = append(g.functions, n.f), uint32(i)
		names, positions = append(names, n.name), append(positions, n.at)
	}
	return names, positions
}

func kind(e *callgraph.Edge) uint32 {
	switch {
	case e.Site == nil:
		return Root
	case e.Site.Common().StaticCallee() == nil:
		return Dynamic
	}
	return graph.KindCall
}
