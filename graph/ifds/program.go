package ifds

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/graph"
)

// NoSite is the site of an arc that stays in its procedure.
const NoSite = math.MaxUint32

// Program is an exploded graph with what is needed to match returns with calls.
type Program struct {
	Graph      *graph.CSR
	Procedures []uint32 // of each node, counted from 0
	Sites      []uint32 // of each arc, in the order of the graph's targets: the call site of calls and returns, NoSite of others
	Unbalanced bool     // what follows from a seed may return to all callers of its procedure
}

// Error says what is wrong with a program, and where.
type Error struct {
	Node, Arc int // the arc is -1 if it is about a node
	Msg       string
}

func (e *Error) Error() string {
	if e.Arc < 0 {
		return fmt.Sprintf("ifds: node %d: %s", e.Node, e.Msg)
	}
	return fmt.Sprintf("ifds: arc %d of node %d: %s", e.Arc, e.Node, e.Msg)
}

// check looks at every arc: where it leads says whether it is to have a site. O(arcs).
func (p Program) check(seeds []uint32) error {
	switch {
	case p.Graph == nil:
		return fmt.Errorf("ifds: no graph")
	case len(p.Procedures) != p.Graph.Nodes():
		return fmt.Errorf("ifds: procedures of %d nodes, the graph has %d", len(p.Procedures), p.Graph.Nodes())
	case len(p.Sites) != p.Graph.Arcs():
		return fmt.Errorf("ifds: sites of %d arcs, the graph has %d", len(p.Sites), p.Graph.Arcs())
	}
	for i, s := range seeds {
		if int64(s) >= int64(p.Graph.Nodes()) {
			return fmt.Errorf("ifds: seed %d is node %d, the graph has %d", i, s, p.Graph.Nodes())
		}
	}
	for u := range p.Graph.Nodes() {
		if int64(p.Procedures[u]) >= int64(p.Graph.Nodes()) {
			return &Error{u, -1, fmt.Sprintf("procedure %d; they count from 0, and there are no more than nodes", p.Procedures[u])}
		}
		targets, masks := p.Graph.Row(uint32(u))
		first := p.Graph.Offsets()[u]
		for k, v := range targets {
			if msg := p.wrong(uint32(u), v, mask(masks, k), p.Sites[first+uint32(k)]); msg != "" {
				return &Error{u, k, msg}
			}
		}
	}
	return nil
}

// wrong says what is wrong with an arc, or nothing. A procedure may call itself, so a call may stay inside.
func (p Program) wrong(u, v, mask, site uint32) string {
	crosses := mask&(graph.KindCall|graph.KindCallReturn) != 0
	switch {
	case mask&graph.KindCall != 0 && mask&graph.KindCallReturn != 0:
		return "it is a call and a return"
	case crosses && site == NoSite:
		return "it is a call or a return, and has no site"
	case !crosses && site != NoSite:
		return fmt.Sprintf("site %d, and it is neither a call nor a return", site)
	case !crosses && p.Procedures[u] != p.Procedures[v]:
		return fmt.Sprintf("it leads from procedure %d to %d, and is neither a call nor a return", p.Procedures[u], p.Procedures[v])
	}
	return ""
}

func mask(masks []uint32, k int) uint32 {
	if masks == nil {
		return 1
	}
	return masks[k]
}
