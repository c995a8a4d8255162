package ifds

import (
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
)

// What the kinds of arcs with a call site say: whether they lead into a procedure, or back from it.
const (
	into = graph.KindCall | graph.KindArgument
	back = graph.KindCallReturn | graph.KindReturn
)

// way is how an arc goes on.
type way uint8

const (
	inner   way = iota // in its procedure
	calls              // into one that is called
	returns            // from it to the caller
	shared             // to another one without a call, by way of something that all can reach: a global variable, a field
	closed             // it is not allowed
)

// program is a graph whose arcs are told apart.
type program struct {
	*graph.CSR
	rows                     columns // of it, since Row is asked for again and again
	masks, procedures, sites []uint32
	kinds                    uint32
}

// way returns how arc k of node u goes on, which leads to v.
func (p *program) way(u, v uint32, k int) way {
	m := p.mask(u, k)
	switch site := p.site(u, k); {
	case m&p.kinds == 0:
		return closed
	case site == graph.NoSite && p.procedures[u] == p.procedures[v]:
		return inner
	case site == graph.NoSite:
		return shared
	case m&into != 0:
		return calls
	}
	return returns
}

func (p *program) site(u uint32, k int) uint32 { return p.sites[p.First(u)+k] }

func (p *program) mask(u uint32, k int) uint32 {
	if p.masks == nil {
		return 1
	}
	return p.masks[p.First(u)+k]
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

// columns are those of a graph that is verified.
type columns struct {
	offsets []uint32
	wide    []uint64
	targets []uint32
}

// First returns the number of a node's first arc.
func (p *program) First(u uint32) int {
	switch a := &p.rows; {
	case a.wide != nil:
		return int(a.wide[u])
	case a.offsets != nil:
		return int(a.offsets[u])
	}
	return 0
}

// Row returns the targets of a node's arcs.
func (p *program) Row(u uint32) []uint32 { return p.rows.targets[p.First(u):p.First(u+1)] }

// newProgram looks at every arc that is allowed: where it leads says whether it is to have a site. O(arcs).
func newProgram(ctx context.Context, g *graph.CSR, o Options) (*program, error) {
	if g == nil {
		return nil, fmt.Errorf("ifds: no graph")
	}
	if err := g.Verify(ctx); err != nil {
		return nil, err
	}
	d := g.Data()
	// Solutions ask for procedures when the graph may be closed.
	p := &program{g, columns{g.Offsets(), g.WideOffsets(), g.Targets()}, g.Masks(), slices.Clone(d.Procedures), d.Sites, o.Kinds}
	if p.kinds == 0 {
		p.kinds = graph.AllKinds
	}
	if g.Nodes() > 0 && (d.Procedures == nil || g.Arcs() > 0 && d.Sites == nil) {
		return nil, fmt.Errorf("ifds: the graph does not say which procedures its nodes are in, and which calls its arcs: without them returns cannot be matched with calls. " +
			"A graph that was made of a program has them (graph.Data.Procedures and Sites), unless arcs back were added")
	}
	for u := range uint32(g.Nodes()) {
		if int64(p.procedures[u]) >= int64(g.Nodes()) {
			return nil, &Error{int(u), -1, fmt.Sprintf("procedure %d; they count from 0, and there are no more than nodes", p.procedures[u])}
		}
	}
	for u := range uint32(g.Nodes()) {
		targets := p.Row(u)
		for k, v := range targets {
			if msg := p.wrong(u, v, k, o.Unbalanced); msg != "" {
				return nil, &Error{int(u), k, msg}
			}
		}
	}
	return p, nil
}

// wrong says what is wrong with an arc, or nothing. A procedure may call itself, so a call may stay inside.
func (p *program) wrong(u, v uint32, k int, unbalanced bool) string {
	m, site := p.mask(u, k), p.site(u, k)
	switch {
	case m&p.kinds == 0:
	case site == graph.NoSite && m&(graph.KindCall|graph.KindCallReturn) != 0:
		return "it is a call or a return, and has no site"
	case site == graph.NoSite && p.procedures[u] != p.procedures[v] && !unbalanced:
		return fmt.Sprintf("it leads from procedure %d to %d, and is neither a call nor a return", p.procedures[u], p.procedures[v])
	case site == graph.NoSite:
	case m&into != 0 && m&back != 0:
		return fmt.Sprintf("it is a call of site %d, and a return", site)
	case m&(into|back) == 0:
		return fmt.Sprintf("site %d, and it is neither a call nor a return", site)
	}
	return ""
}
