package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/govyre/vyre/graph"
)

// Dominators is which nodes have to be passed to come to others from some roots: a forest, in which a node stands below its
// immediate dominator, the last other node that is on every path to it. With one root it is a tree.
type Dominators struct {
	Run    Run
	Shares DominatorShares

	g     *graph.CSR
	kinds uint32
	idom  []uint32

	forest sync.Once // what follows is made when it is first needed
	order  []uint32  // of the forest: each node before those below it, which follow
	place  []uint32  // of a node in it
	last   []uint32  // of a node, the last place of those below it
}

// Dominators finds the dominators of all nodes that can be reached from the roots along arcs of the kinds allowed; 0 is all
// kinds. A path may begin at any root, so that with several of them a node may have no dominator but itself.
//
// A device takes the graph apart into procedures, such as functions of a control flow graph, and solves the equations of each,
// in rounds; Shares says how. There may be any number of roots, whatever Options.Seeds is. The first call prepares the
// analysis, which takes some 26 bytes a node, up to 512 more as far as the budget has them, at most 256 MiB, and the graph a
// second time if the session was not opened for levels; the first one for other kinds finds the procedures. The native engine
// finds all on one core of the host (see cpu.Engine.Dominators).
//
// Errors: a root that is no node; those of Components.
func (s *Session) Dominators(ctx context.Context, roots []uint32, kinds uint32) (_ *Dominators, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	for i, v := range roots {
		if int64(v) >= int64(s.resident.g.Nodes()) {
			return nil, s.resident.refuse(fmt.Sprintf("root %d is node %d, the graph has %d", i, v, s.resident.g.Nodes()), "nodes count from 0")
		}
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	d := &Dominators{g: set.g, kinds: set.kinds(Query{Kinds: kinds}), idom: make([]uint32, set.g.Nodes())}
	before := set.moved
	if d.Shares, d.Run, err = by.dominators(ctx, roots, d.kinds, d.idom); err != nil {
		return nil, err
	}
	set.moved.since(before, &d.Run)
	return d, nil
}

// laid puts the forest in order, nodes below the same one by their ids, unless it is.
func (d *Dominators) laid() { d.forest.Do(d.lay) }

func (d *Dominators) lay() {
	n := len(d.idom)
	first, below := make([]uint32, n+1), make([]uint32, 0, n)
	for v, u := range d.idom {
		if u != graph.None && u != uint32(v) {
			first[u+1]++
		}
	}
	for v := range n {
		first[v+1] += first[v]
	}
	below = below[:first[n]]
	next := slices.Clone(first)
	for v, u := range d.idom {
		if u != graph.None && u != uint32(v) {
			below[next[u]] = uint32(v)
			next[u]++
		}
	}
	d.place, d.last = make([]uint32, n), make([]uint32, n)
	copy(next, first)
	var stack []uint32
	for root, u := range d.idom {
		if u != uint32(root) {
			continue
		}
		for v := uint32(root); ; {
			d.place[v] = uint32(len(d.order))
			d.order, stack = append(d.order, v), append(stack, v)
			for len(stack) > 0 && next[stack[len(stack)-1]] == first[stack[len(stack)-1]+1] {
				d.last[stack[len(stack)-1]] = uint32(len(d.order) - 1)
				stack = stack[:len(stack)-1]
			}
			if len(stack) == 0 {
				break
			}
			top := stack[len(stack)-1]
			v = below[next[top]]
			next[top]++
		}
	}
}

// Immediate returns for each node its immediate dominator: itself if it has none, None if it is not reached. It must not be
// written.
func (d *Dominators) Immediate() []uint32 { return d.idom }

// Order returns the nodes that are reached, each before those that it dominates, which come next. It must not be written.
func (d *Dominators) Order() []uint32 {
	d.laid()
	return d.order
}

// Dominates reports whether every path to b goes through a; so it does if they are the same node that is reached.
func (d *Dominators) Dominates(a, b uint32) bool {
	if int64(max(a, b)) >= int64(len(d.idom)) || d.idom[a] == graph.None || d.idom[b] == graph.None {
		return false
	}
	d.laid()
	return d.place[a] <= d.place[b] && d.place[b] <= d.last[a]
}

// Size returns how many nodes a node dominates, itself among them; 0 if it is not reached.
func (d *Dominators) Size(node uint32) int {
	if int64(node) >= int64(len(d.idom)) || d.idom[node] == graph.None {
		return 0
	}
	d.laid()
	return int(d.last[node]-d.place[node]) + 1
}

// Chain returns the nodes that dominate a node, in the order in which every path comes to them, up to the node itself; none
// if it is not reached.
func (d *Dominators) Chain(node uint32) (list []uint32) {
	if int64(node) >= int64(len(d.idom)) || d.idom[node] == graph.None {
		return nil
	}
	for v := node; ; v = d.idom[v] {
		list = append(list, v)
		if d.idom[v] == v {
			slices.Reverse(list)
			return list
		}
	}
}

// Frontier returns the nodes at which what a node dominates ends: those to which an allowed arc leads from a node that it
// dominates, and that it does not dominate, or that are the node itself; ascending. It takes as long as there are arcs that
// leave what it dominates, and looks at the graph, which has to be open.
//
// Errors: those of CSR.Read.
func (d *Dominators) Frontier(node uint32) (list []uint32, err error) {
	if int64(node) >= int64(len(d.idom)) || d.idom[node] == graph.None {
		return nil, nil
	}
	d.laid()
	err = d.g.Read(func() error {
		list = d.frontier(node)
		return nil
	})
	return list, err
}

func (d *Dominators) frontier(node uint32) (list []uint32) {
	all := rowsOf(d.g)
	for _, u := range d.order[d.place[node] : d.last[node]+1] {
		targets, masks := all.of(u)
		for k, v := range targets {
			if maskAt(masks, k)&d.kinds != 0 && (v == node || !d.Dominates(node, v)) {
				list = append(list, v)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
