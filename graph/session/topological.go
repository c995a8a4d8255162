package session

import (
	"context"
	"slices"

	"github.com/govyre/vyre/graph"
)

// Topological is an order of the nodes of a graph without cycles, or says why there is none.
type Topological struct {
	Run    Run
	levels []uint32
	stuck  int
	cycle  []uint32
}

// Levels returns for each node how many arcs the longest path to it has; None for nodes on cycles and behind them. It must not
// be written.
func (o *Topological) Levels() []uint32 { return o.levels }

// Stuck returns how many nodes are on a cycle or behind one.
func (o *Topological) Stuck() int { return o.stuck }

// Cycle returns the nodes of one cycle in the order of its arcs, the smallest first; none if there is no cycle.
func (o *Topological) Cycle() []uint32 { return o.cycle }

// TopologicalLevels returns for each node the length of the longest path to it along arcs of the kinds allowed. 0 is all
// kinds. The first call prepares the analysis, which takes 8 bytes a node.
//
// Errors: those of Components.
func (s *Session) TopologicalLevels(ctx context.Context, kinds uint32) (_ *Topological, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	filter := set.kinds(Query{Kinds: kinds})
	o, before := &Topological{}, set.moved
	if o.levels, o.Run, err = by.topological(ctx, filter); err != nil {
		return nil, err
	}
	set.moved.since(before, &o.Run)
	for _, level := range o.levels {
		if level == graph.None {
			o.stuck++
		}
	}
	if o.stuck > 0 {
		o.cycle = cycle(set.g, o.levels, filter)
	}
	return o, nil
}

// cycle finds one among the nodes without a level, each of which has another one before it: whoever goes back from one to
// the other comes to a node twice.
func cycle(g *graph.CSR, levels []uint32, filter uint32) []uint32 {
	all, before := rowsOf(g), make([]uint32, g.Nodes())
	for v := range before {
		before[v] = graph.None
	}
	at := uint32(graph.None)
	for u := range uint32(g.Nodes()) {
		if levels[u] != graph.None {
			continue
		}
		at = min(at, u)
		targets, masks := all.of(u)
		for k, v := range targets {
			if mask := maskAt(masks, k); mask&filter != 0 && before[v] == graph.None {
				before[v] = u
			}
		}
	}
	seen := make([]bool, g.Nodes())
	for ; !seen[at]; at = before[at] {
		seen[at] = true
	}
	list := []uint32{at}
	for v := before[at]; v != at; v = before[v] {
		list = append(list, v)
	}
	slices.Reverse(list)
	first := slices.Index(list, slices.Min(list))
	return slices.Concat(list[first:], list[:first])
}
