package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
)

// Step is a node of a path, and the mask of the arc that leads to it: 0 for the first.
type Step struct{ Node, Mask uint32 }

// Path is a shortest path to the nearest of some targets.
type Path struct {
	Run    Run    // that found the levels
	Steps  []Step // from a seed to the target; none if no target is reached
	levels []uint32
}

// Levels returns for each node how many arcs from the nearest seed it is; None if it is not reached. It must not be written.
func (p *Path) Levels() []uint32 { return p.levels }

// Path returns a shortest path of allowed arcs from a seed of the query to the nearest of some targets, and the levels of
// all nodes. Of several targets at the same level it takes the least, and so it does with what
// leads to each node: there is one answer. The levels are found on the device, the path in them on the host.
//
// Errors: those of Levels; a target that is no node.
func (s *Session) Path(ctx context.Context, q Query, targets []uint32) (*Path, error) {
	if err := made(s); err != nil {
		return nil, err
	}
	for i, v := range targets {
		if int64(v) >= int64(s.resident.g.Nodes()) {
			return nil, s.resident.refuse(fmt.Sprintf("target %d is node %d, the graph has %d", i, v, s.resident.g.Nodes()), "nodes count from 0")
		}
	}
	levels, run, err := levelsOf(ctx, s, q)
	if err != nil {
		return nil, err
	}
	p := &Path{Run: run, levels: levels}
	p.Run.Record.Rounds = deepest(levels)
	nearest := uint32(graph.None)
	for _, v := range targets {
		if levels[v] != graph.None && (nearest == graph.None || levels[v] < levels[nearest] || levels[v] == levels[nearest] && v < nearest) {
			nearest = v
		}
	}
	if nearest == graph.None {
		return p, nil
	}
	if p.Steps, err = s.resident.backtrack(levels, nearest, s.resident.kinds(q)); err != nil {
		return nil, err
	}
	return p, nil
}

// deepest is how many levels there are. Engines count rounds as they make them: some count one that finds nothing, too.
func deepest(levels []uint32) (n uint32) {
	for _, l := range levels {
		if l != graph.None {
			n = max(n, l+1)
		}
	}
	return n
}

// backtrack reads the session's graphs.
func (s *resident) backtrack(levels []uint32, node, filter uint32) (path []Step, err error) {
	err = s.g.Read(func() error {
		path = backtrack(s.g, s.back.g, levels, node, filter)
		return nil
	})
	return path, err
}

// backtrack goes from a node with a level to one of level 0: each time to the first entry of the row in the reverse graph
// that is one level above, and allowed. Rows ascend, so that it is the least.
func backtrack(g, reverse *graph.CSR, levels []uint32, node, filter uint32) []Step {
	path, back := []Step{{Node: node}}, rowsOf(reverse)
	for v := node; levels[v] > 0; {
		sources, masks := back.of(v)
		i := 0
		for levels[sources[i]] != levels[v]-1 || maskAt(masks, i)&filter == 0 {
			i++
		}
		u := sources[i]
		path[len(path)-1].Mask = firstAllowed(g, u, v, filter)
		path = append(path, Step{Node: u})
		v = u
	}
	slices.Reverse(path)
	return path
}

// firstAllowed is the mask of the first arc between two nodes that a filter allows.
func firstAllowed(g *graph.CSR, u, v, filter uint32) uint32 {
	all := rowsOf(g)
	targets, masks := all.of(u)
	i, _ := slices.BinarySearch(targets, v)
	for maskAt(masks, i)&filter == 0 {
		i++
	}
	return maskAt(masks, i)
}
