package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/producers/calls/names"
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
func FromGraph(ctx context.Context, cg *callgraph.Graph) (*Graph, error) {
	g := &Graph{nodes: make(map[*ssa.Function]uint32, len(cg.Nodes))}
	called, positions := g.number(cg)
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
	csr, _, err := graph.FromBlocks(ctx, int64(len(g.functions)), []graph.Block{block}, graph.BuildOptions{Dedup: true})
	if err != nil {
		return nil, err
	}
	d := csr.Data()
	d.Names, d.Positions = graph.NewStrings(called), graph.NewStrings(positions)
	d.KindNames[16], d.KindNames[17] = "dynamic", "root"
	d.Provenance.Producer = "golang.org/x/tools/go/callgraph"
	g.CSR, err = csr.With(d)
	return g, err
}

// number puts functions in order. Of several of one name all but the first get ' behind it: see package names.
func (g *Graph) number(cg *callgraph.Graph) (called, positions []string) {
	list := slices.Collect(maps.Keys(cg.Nodes))
	list = slices.DeleteFunc(list, func(f *ssa.Function) bool { return f == nil })
	if len(list) > 0 {
		program := names.New(list[0].Prog)
		program.Sort(list)
		for i, f := range list {
			name, at := program.Of(f), ""
			if p := f.Prog.Fset.Position(f.Pos()); p.IsValid() {
				at = p.String()
			}
			if i > 0 && name == program.Of(list[i-1]) {
				name = called[i-1] + "'"
			}
			called, positions = append(called, name), append(positions, at)
		}
	}
	if cg.Nodes[nil] != nil { // a root that is no function comes last
		list, called, positions = append(list, nil), append(called, rootName), append(positions, "")
	}
	for i, f := range list {
		g.nodes[f] = uint32(i)
	}
	g.functions = list
	return called, positions
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
