package gonum

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/govyre/vyre/graph"
	gonum "gonum.org/v1/gonum/graph"
)

// Graph is a graph of gonum's in compressed rows.
type Graph struct {
	*graph.CSR
	ids []int64
}

// ID returns gonum's id of a node, which must be one.
func (g *Graph) ID(node uint32) int64 { return g.ids[node] }

// Node returns the node that has an id of gonum's.
func (g *Graph) Node(id int64) (node uint32, ok bool) {
	at, ok := slices.BinarySearch(g.ids, id)
	return uint32(at), ok
}

// Ends is an edge or a line of gonum's. Options.Kinds may look at what it is beside that.
type Ends interface {
	From() gonum.Node
	To() gonum.Node
}

// Options say what is kept of a graph. The zero value is its nodes and arcs.
type Options struct {
	// Kinds returns the kinds of an edge as a mask, which must not be 0. An undirected edge is asked for twice, once from
	// either end.
	Kinds func(Ends) uint32
	// Weights keeps the weights of a graph that has some.
	Weights bool
}

// FromGraph makes rows of a graph: directed or not, weighted or not.
//
// Errors: more nodes or arcs than rows can have; an edge to a node that the graph does not list; a mask of 0; a weight that is
// no whole number of 32 bits; weights asked for of a graph without.
func FromGraph(ctx context.Context, g gonum.Graph, o Options) (*Graph, error) {
	weighted, ok := g.(gonum.Weighted)
	if o.Weights && !ok {
		return nil, unweighted(g)
	}
	b, err := listed(g.Nodes())
	if err != nil {
		return nil, err
	}
	return b.rows(ctx, g.From, func(u, v int64) error {
		a := arc{}
		if o.Kinds != nil {
			a.ends = g.Edge(u, v)
		}
		if o.Weights {
			a.weight, _ = weighted.Weight(u, v)
		}
		return b.add(a, o)
	}, o)
}

// FromMultigraph is FromGraph for a graph that may have several lines between two nodes.
func FromMultigraph(ctx context.Context, g gonum.Multigraph, o Options) (*Graph, error) {
	weighted, ok := g.(gonum.WeightedMultigraph)
	if o.Weights && !ok {
		return nil, unweighted(g)
	}
	b, err := listed(g.Nodes())
	if err != nil {
		return nil, err
	}
	return b.rows(ctx, g.From, func(u, v int64) error {
		if o.Weights {
			for lines := weighted.WeightedLines(u, v); lines.Next(); {
				line := lines.WeightedLine()
				if err := b.add(arc{ends: line, weight: line.Weight()}, o); err != nil {
					return err
				}
			}
			return nil
		}
		for lines := g.Lines(u, v); lines.Next(); {
			if err := b.add(arc{ends: lines.Line()}, o); err != nil {
				return err
			}
		}
		return nil
	}, o)
}

func unweighted(g any) error {
	return fmt.Errorf("gonum: weights are asked for, and a %T has none", g)
}

// building is the nodes of a graph, and its arcs so far. from and to are the arc that comes next.
type building struct {
	nodes    []gonum.Node
	ids      []int64
	block    graph.Block
	from, to uint32
}

// arc is what an arc has beside its ends.
type arc struct {
	ends   Ends // what Options.Kinds is asked about
	weight float64
}

// listed takes the nodes of a graph, by ascending id.
func listed(nodes gonum.Nodes) (*building, error) {
	b := &building{}
	for nodes.Next() {
		b.nodes = append(b.nodes, nodes.Node())
	}
	if uint64(len(b.nodes)) > graph.MaxNodes {
		return nil, fmt.Errorf("gonum: %d nodes, at most %d have numbers", len(b.nodes), uint64(graph.MaxNodes))
	}
	slices.SortFunc(b.nodes, func(x, y gonum.Node) int { return cmp.Compare(x.ID(), y.ID()) })
	for i, n := range b.nodes {
		if i > 0 && n.ID() == b.ids[i-1] {
			return nil, fmt.Errorf("gonum: the graph lists node %d twice", n.ID())
		}
		b.ids = append(b.ids, n.ID())
	}
	return b, nil
}

// eachLook is how many nodes are asked for their arcs between two looks at the context.
const eachLook = 1 << 8

// rows asks for the arcs of all nodes, and makes the graph.
func (b *building) rows(ctx context.Context, from func(int64) gonum.Nodes, arcs func(u, v int64) error, o Options) (*Graph, error) {
	for i, u := range b.ids {
		if i%eachLook == 0 && ctx.Err() != nil {
			break // FromBlocks returns its error
		}
		b.from = uint32(i)
		for to := from(u); to.Next(); {
			v := to.Node().ID()
			at, ok := slices.BinarySearch(b.ids, v)
			if !ok {
				return nil, fmt.Errorf("gonum: an edge from node %d to %d, and the graph does not list %[2]d", u, v)
			}
			b.to = uint32(at)
			if err := arcs(u, v); err != nil {
				return nil, err
			}
		}
	}
	g, _, err := graph.FromBlocks(ctx, int64(len(b.ids)), []graph.Block{b.block}, graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	d := g.Data()
	d.Names = b.names()
	if g, err = g.With(d); err != nil {
		return nil, err
	}
	return &Graph{CSR: g, ids: b.ids}, nil
}

// add takes the next arc.
func (b *building) add(a arc, o Options) error {
	k := &b.block
	k.From, k.To = append(k.From, b.from), append(k.To, b.to)
	if o.Kinds != nil {
		mask := o.Kinds(a.ends)
		if mask == 0 {
			return fmt.Errorf("gonum: the edge from node %d to %d has no kind: a mask of 0 can never be allowed", b.ids[b.from], b.ids[b.to])
		}
		k.Masks = append(k.Masks, mask)
	}
	if o.Weights {
		if !(a.weight >= 0 && a.weight <= math.MaxUint32 && a.weight == math.Trunc(a.weight)) {
			return fmt.Errorf("gonum: the edge from node %d to %d has weight %v; scale and round weights to whole numbers from 0 to %d", b.ids[b.from], b.ids[b.to], a.weight, uint64(math.MaxUint32))
		}
		k.Weights = append(k.Weights, uint32(a.weight))
	}
	return nil
}

// names are what nodes call themselves, or ids that are no numbers of nodes.
func (b *building) names() graph.Strings {
	names, any := make([]string, len(b.nodes)), false
	for i, n := range b.nodes {
		names[i] = strconv.FormatInt(n.ID(), 10)
		if named, ok := n.(interface{ DOTID() string }); ok && named.DOTID() != "" {
			names[i] = named.DOTID()
		}
		any = any || names[i] != strconv.Itoa(i)
	}
	if !any {
		return graph.Strings{}
	}
	return graph.NewStrings(names)
}
