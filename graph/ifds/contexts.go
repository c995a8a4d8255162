package ifds

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// contexts is a graph in which every path stands for a realisable one of a program, so that any search of graphs minds contexts
// (Horwitz, Reps and Binkley, "Interprocedural slicing using dependence graphs", TOPLAS 1990: two phases and summary arcs).
// Node v of the program is there twice: 2v, from where values may return to any caller, and 2v+1, within a call that was
// made, from where they return by a summary only. A summary leads from a call past it to where its site goes on.
type contexts struct {
	p         *index
	summaries []summary
	known     map[summary]int // where they are in the list
	passes    [][]pass        // of each node, by where they lead, then by entry and exit
	cycle     []uint32        // of each procedure, a name for those that call it and that it calls, by way of others
	graph     *graph.CSR
	inside    map[int][]hop // of a summary, a path from its entry to its exit
	lengths   map[int]int   // of it, with those of summaries in it
}

// pass is a summary at one call.
type pass struct {
	to          uint32
	summary     int
	call, leave uint32 // masks of the call and of the return
}

// Masks of the graph of contexts: how an arc goes on. A pass is last, so that a path of arcs that there are is preferred.
const passed = 1 << (closed + 1)

func maskOf(w way) uint32 { return 1 << w }

// newContexts makes the graph of a solution with its summaries, for nodes that hold.
func newContexts(ctx context.Context, s *Solution) (*contexts, error) {
	n := s.x.Nodes()
	if 2*int64(n) > graph.MaxNodes {
		return nil, fmt.Errorf("ifds: %d nodes, with contexts each counts twice, and %d are possible", n, uint64(graph.MaxNodes))
	}
	c := &contexts{p: s.x, summaries: s.summaries, known: make(map[summary]int, len(s.summaries)), passes: make([][]pass, n), inside: make(map[int][]hop), lengths: make(map[int]int)}
	for k, of := range c.summaries {
		c.known[of] = k
	}
	var err error
	if c.cycle, err = s.x.cycles(ctx); err != nil {
		return nil, err
	}
	for _, call := range s.x.callers {
		if s.Holds(call.from) {
			c.pass(call)
		}
	}
	var b graph.Block
	add := func(from, to, mask uint32) {
		b.From, b.To, b.Masks = append(b.From, from), append(b.To, to), append(b.Masks, mask)
	}
	for u := range s.Nodes() {
		list := c.passes[u]
		slices.SortFunc(list, func(a, b pass) int {
			x, y := c.summaries[a.summary], c.summaries[b.summary]
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(x.entry, y.entry), cmp.Compare(x.exit, y.exit), cmp.Compare(a.call, b.call), cmp.Compare(a.leave, b.leave))
		})
		for i, p := range list {
			if i > 0 && list[i-1].to == p.to {
				continue
			}
			add(2*u, 2*p.to, passed)
			add(2*u+1, 2*p.to+1, passed)
		}
		targets := s.x.Row(u)
		for k, v := range targets {
			switch w := s.x.way(u, v, k); w {
			case inner:
				add(2*u, 2*v, maskOf(w))
				add(2*u+1, 2*v+1, maskOf(w))
			case calls:
				add(2*u, 2*v+1, maskOf(w))
				add(2*u+1, 2*v+1, maskOf(w))
			case returns:
				add(2*u, 2*v, maskOf(w))
			case shared:
				add(2*u, 2*v, maskOf(w))
				add(2*u+1, 2*v, maskOf(w))
			}
		}
	}
	c.graph, _, err = graph.FromBlocks(ctx, 2*int64(n), []graph.Block{b}, graph.BuildOptions{})
	return c, err
}

// pass puts down where a call can be passed by.
func (c *contexts) pass(call cross) {
	at := c.p.returnsTo(call)
	for _, r := range c.p.returns[at.from:at.to] {
		if k, ok := c.known[summary{call.to, r.from}]; ok {
			c.passes[call.from] = append(c.passes[call.from], pass{r.to, k, call.mask, r.mask})
		}
	}
}

// MaxSteps is how many steps a path may have before calls in it are passed by in one step, whose mask is 0. A program of n
// procedures, each of which calls the next one twice, has a path of 2ⁿ steps.
const MaxSteps = 1000

// path is one of the program, for one of the graph.
func (c *contexts) path(of []session.Step) []session.Step {
	if len(of) == 0 {
		return nil
	}
	list := []session.Step{{Node: of[0].Node / 2}}
	for i, s := range of[1:] {
		h := hop{from: of[i].Node / 2, to: s.Node / 2}
		if s.Mask == passed {
			h.pass = c.passBetween(h.from, h.to)
		} else {
			h.mask = c.arc(h.from, h.to, s.Mask)
		}
		list = c.append(list, h)
	}
	return list
}

// hop is an arc of the program, or a call that is passed by.
type hop struct {
	from, to, mask uint32
	pass           *pass
}

// append puts a hop at the end of a path, with what is inside of a call as far as there is room.
func (c *contexts) append(list []session.Step, h hop) []session.Step {
	if h.pass == nil || len(list)+c.length(h.pass.summary) > MaxSteps {
		return append(list, session.Step{Node: h.to, Mask: h.mask})
	}
	list = append(list, session.Step{Node: c.summaries[h.pass.summary].entry, Mask: h.pass.call})
	for _, in := range c.within(h.pass.summary) {
		list = c.append(list, in)
	}
	return append(list, session.Step{Node: h.to, Mask: h.pass.leave})
}

// length is how many steps passing by a call is, or MaxSteps if it is more.
func (c *contexts) length(k int) int {
	if n, ok := c.lengths[k]; ok {
		return n
	}
	n := 2
	for _, h := range c.within(k) {
		if n++; h.pass != nil {
			n += c.length(h.pass.summary) - 1
		}
		n = min(n, MaxSteps)
	}
	c.lengths[k] = n
	return n
}

// passBetween is the first summary between two nodes.
func (c *contexts) passBetween(u, v uint32) *pass {
	list := c.passes[u]
	i, _ := slices.BinarySearchFunc(list, v, func(p pass, v uint32) int { return cmp.Compare(p.to, v) })
	return &list[i]
}

// arc is the mask of the first arc between two nodes that goes on in a way.
func (c *contexts) arc(u, v, mask uint32) uint32 {
	targets := c.p.Row(u)
	k, _ := slices.BinarySearch(targets, v)
	for maskOf(c.p.way(u, v, k)) != mask {
		k++
	}
	return c.p.mask(u, k)
}

// within is a path of fewest hops from the entry of a summary to its exit. A path must not lead into itself. Calls of procedures
// that do not call back never do. Of others, only summaries that were known before this one count: it was found by these.
func (c *contexts) within(k int) []hop {
	if list, ok := c.inside[k]; ok {
		return list
	}
	ends := c.summaries[k]
	of := c.p.procedures[ends.entry]
	before := map[uint32]hop{ends.entry: {from: math.MaxUint32}}
	visit := func(queue []uint32, h hop) []uint32 {
		if _, seen := before[h.to]; seen {
			return queue
		}
		before[h.to] = h
		return append(queue, h.to)
	}
	for queue := []uint32{ends.entry}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if u == ends.exit {
			break
		}
		targets := c.p.Row(u)
		for i, v := range targets {
			if c.p.way(u, v, i) == inner {
				queue = visit(queue, hop{from: u, to: v, mask: c.p.mask(u, i)})
			}
		}
		for i := range c.passes[u] {
			p := &c.passes[u][i]
			if callee := c.summaries[p.summary].entry; p.summary < k || c.cycle[c.p.procedures[callee]] != c.cycle[of] {
				queue = visit(queue, hop{from: u, to: p.to, pass: p})
			}
		}
	}
	var list []hop
	for v := ends.exit; v != ends.entry; v = before[v].from {
		list = append(list, before[v])
	}
	slices.Reverse(list)
	c.inside[k] = list
	return list
}
