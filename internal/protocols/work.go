package protocols

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
)

// Work is a graph with seeds and a filter, and the digest of what is reached.
type Work struct {
	Name   string // with the filter, if there is one
	Graph  *graph.CSR
	Digest [32]byte // of the graph
	Seeds  []uint32
	Filter uint32

	Want   [2]uint64 // the digest of the result
	Rounds uint64    // of a search in rounds; the last one finds nothing new
}

// seed makes the graphs that chance has a part in.
const seed = 1

// Name is what Parse reads: a generator of graphs and a filter.
type Name struct {
	generator generate.Generator
	filter    uint32
}

// Parse reads the name of a graph as generate.Parse does. A filter of kinds stands behind an @, as in skew:1048576@0x10,
// which is the one that skewed graphs have if none is given; without one all arcs of any other graph count.
func Parse(name string) (n Name, err error) {
	head, kinds, given := strings.Cut(name, "@")
	if n.generator, err = generate.Parse(head); err != nil {
		return n, err
	}
	skewed := strings.HasPrefix(head, "skew:")
	switch {
	case !given && skewed:
		n.filter = generate.SkewFacts
	case !given:
		n.filter = graph.AllKinds
	default:
		f, err := strconv.ParseUint(kinds, 0, 32)
		if n.filter = uint32(f); err != nil || f == 0 {
			return n, fmt.Errorf("graph %q: filter %q, want a mask of kinds such as 0x10", name, kinds)
		}
		if !skewed && !strings.HasPrefix(head, "icfg:") {
			return n, fmt.Errorf("graph %q: its arcs have no kinds to filter by; leave the filter out", name)
		}
	}
	return n, nil
}

// String returns the name, with the filter if there is one.
func (n Name) String() string {
	if n.filter == graph.AllKinds {
		return n.generator.String()
	}
	return fmt.Sprintf("%v@%#x", n.generator, n.filter)
}

// Load makes the graph, with seed 1, and searches it on one core. maxBytes bounds its arrays, if it is not 0.
func (n Name) Load(ctx context.Context, maxBytes int64) (*Work, error) {
	o := generate.Options{Seed: seed, MaxBytes: maxBytes}
	g, err := n.generator.Build(ctx, o)
	if err != nil {
		return nil, err
	}
	digest, err := g.Digest(ctx)
	if err != nil {
		return nil, err
	}
	w := &Work{Name: n.String(), Graph: g, Digest: digest, Seeds: n.generator.Seeds(o), Filter: n.filter}
	if g.Arcs() == 0 {
		return nil, fmt.Errorf("graph %s has no arcs: there is nothing to search", w.Name)
	}
	return w, w.search(ctx)
}

// search finds out what is reached.
func (w *Work) search(ctx context.Context) error {
	levels, err := graph.Levels(ctx, w.Graph, w.Seeds, w.Filter)
	if err != nil {
		return err
	}
	deepest := uint32(0)
	for _, level := range levels {
		if level != graph.None {
			deepest = max(deepest, level)
		}
	}
	w.Want, w.Rounds = graph.Fold(graph.Bitset(levels)), uint64(deepest)+1
	return nil
}
