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
// There are none if the query had Count.
func (p *Path) Levels() []uint32 { return p.levels }

// Path returns a shortest path of allowed arcs from a seed of the query to the nearest of some targets, and the levels of
// all nodes. Of several targets at the same level it takes the least, and so it does with what
// leads to each node: there is one answer. The levels are found on the device, the path in them on the host. With Count no
// levels are kept, and rounds are those of the engine.
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
	p := &Path{}
	run, err := levelsOf(ctx, s, q, func(levels []uint32) (err error) {
		p.Steps, err = s.resident.toNearest(levels, targets, s.resident.kinds(q))
		if !q.Count {
			p.levels = levels
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.Run = run; !q.Count {
		p.Run.Record.Rounds = deepest(p.levels)
	}
	return p, nil
}

// toNearest is the path to the nearest of some targets; none if none is reached.
func (s *resident) toNearest(levels []uint32, targets []uint32, filter uint32) ([]Step, error) {
	nearest := uint32(graph.None)
	for _, v := range targets {
		if levels[v] != graph.None && (nearest == graph.None || levels[v] < levels[nearest] || levels[v] == levels[nearest] && v < nearest) {
			nearest = v
		}
	}
	if nearest == graph.None {
		return nil, nil
	}
	return s.backtrack(levels, nearest, filter)
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
