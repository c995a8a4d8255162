package generate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/limits"
	"github.com/govyre/vyre/graph/internal/mix"
)

// Graph makes the graph of a name: Parse and Build in one.
func Graph(ctx context.Context, name string, o Options) (*graph.CSR, error) {
	g, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return g.Build(ctx, o)
}

// Parse reads the name of a graph:
//
//	kron:S        2^S nodes, 16 arcs a node and as many back, few nodes with most of them (Graph500)
//	uniform:S     2^S nodes, 16 arcs a node and as many back, between nodes drawn evenly
//	grid:WxH      node y·W+x, with arcs to its neighbours left, right, above and below
//	road:WxH      a grid without three tenths of its horizontal and half of its vertical links
//	chain:N       0 → 1 → … → N−1
//	ladder:NxW    node i·W+j with arcs to (i+1)·W+j and (i+1)·W+(j+1) mod W, for i below N−1
//	star:N        arcs from 0 to every other node
//	complete:N    an arc from every node to every other
//	tree:N,K      N nodes, an arc from i to each of K·i+1 … K·i+K that there is
//	icfg:P,B,F    a program's interprocedural control flow with facts: P procedures of B places, F facts beside fact 0,
//	              exploded: node (p·B+b)·(F+1)+fact
//	skew:N        N a power of two, few nodes with a quarter of the arcs, with kinds
//
// Numbers are decimal. The size is checked, nothing is made.
func Parse(name string) (Generator, error) {
	head, rest, named := strings.Cut(name, ":")
	f := familyOf(head)
	switch {
	case f == nil:
		return Generator{}, fmt.Errorf("generate: no generator %q; there are %s", head, familyForms())
	case !named:
		return Generator{}, fmt.Errorf("generate: %q has no size; write %s", name, f.form())
	}
	words := strings.Split(rest, f.separator())
	if len(words) != len(f.params) {
		return Generator{}, fmt.Errorf("generate: %q has %d numbers, want %s", name, len(words), f.form())
	}
	g := Generator{family: f}
	for i, w := range words {
		v, err := f.params[i].parse(w)
		if err != nil {
			return Generator{}, fmt.Errorf("generate: %q: %w", name, err)
		}
		g.p[i] = v
	}
	if err := g.fits(); err != nil {
		return Generator{}, fmt.Errorf("generate: %q: %w", name, err)
	}
	return g, nil
}

// fits compares the size with what a graph can have.
func (g Generator) fits() error {
	if g.family.valid != nil {
		if err := g.family.valid(g.p); err != nil {
			return err
		}
	}
	nodes, arcs := g.family.size(g.p)
	switch {
	case nodes > graph.MaxNodes:
		return fmt.Errorf("more than %d nodes, which is the most", uint64(graph.MaxNodes))
	case arcs > graph.MaxArcs:
		return fmt.Errorf("%d nodes may have more than %d arcs, which is the most", nodes, uint64(graph.MaxArcs))
	}
	return nil
}

// String returns the name, without leading zeros.
func (g Generator) String() string {
	if g.family == nil {
		return "no generator"
	}
	var b strings.Builder
	b.WriteString(g.family.name)
	for i := range g.family.params {
		if i == 0 {
			b.WriteByte(':')
		} else {
			b.WriteString(g.family.separator())
		}
		b.WriteString(strconv.FormatUint(g.p[i], 10))
	}
	return b.String()
}

// Nodes returns how many nodes the graph has.
func (g Generator) Nodes() uint64 {
	if g.family == nil {
		return 0
	}
	nodes, _ := g.family.size(g.p)
	return nodes
}

// MaxBytes returns the most that the arrays of the graph can take.
func (g Generator) MaxBytes() uint64 {
	if g.family == nil {
		return 0
	}
	nodes, arcs := g.family.size(g.p)
	words := arcs
	if g.family.masked {
		words += arcs
	}
	if g.family.procedures != nil {
		words += arcs + nodes
	}
	width := uint64(4)
	if arcs > limits.NarrowArcs {
		width += 8 // they are made of degrees
	}
	return width*(nodes+1) + 4*words
}

// Build makes the graph, or ends soon after the context with its error.
func (g Generator) Build(ctx context.Context, o Options) (*graph.CSR, error) {
	if g.family == nil {
		return nil, fmt.Errorf("generate: a generator that Parse did not make")
	}
	limit := uint64(math.MaxInt)
	if o.MaxBytes > 0 {
		limit = min(limit, uint64(o.MaxBytes))
	}
	if need := g.MaxBytes(); need > limit {
		return nil, fmt.Errorf("generate: %q may take %d bytes, the limit is %d", g, need, limit)
	}
	nodes, arcs := g.family.size(g.p)
	built, err := graph.FromFunc(ctx, uint32(nodes), arcs, g.family.masked, g.family.arcs(g.p, o))
	if err != nil {
		return nil, fmt.Errorf("generate: %q: %w", g, err)
	}
	d := built.Data()
	if g.family.procedures != nil {
		d.Procedures, d.Sites = g.family.procedures(g.p, built)
	}
	if o.Weights != [2]uint32{} {
		if d.Weights, err = o.weights(ctx, built); err != nil {
			return nil, fmt.Errorf("generate: %q: %w", g, err)
		}
	}
	return built.With(d)
}

// weights are the same both ways.
func (o Options) weights(ctx context.Context, g *graph.CSR) ([]uint32, error) {
	least, span := o.Weights[0], uint64(o.Weights[1])-uint64(o.Weights[0])+1
	if o.Weights[1] < least {
		return nil, fmt.Errorf("weights from %d to %d", least, o.Weights[1])
	}
	weights := make([]uint32, 0, g.Arcs())
	for u := range uint32(g.Nodes()) {
		if u%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		targets, _ := g.Row(u)
		for _, v := range targets {
			weights = append(weights, least+uint32(mix.Draw(o.Seed+2, uint64(min(u, v))<<32+uint64(max(u, v)), 0)%span))
		}
	}
	return weights, nil
}

// Seeds returns the nodes from where the graph is usually searched: for skew a set of its own, for kron the node that
// is expected to have the most arcs, for all others node 0.
func (g Generator) Seeds(o Options) []uint32 {
	switch {
	case g.family == nil:
		return nil
	case g.family.seeds == nil:
		return []uint32{0}
	}
	return g.family.seeds(g.p, o)
}
