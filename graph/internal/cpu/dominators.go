package cpu

import (
	"context"
	"fmt"
)

// Dominators writes the immediate dominator of every node that can be reached from the roots along arcs whose masks have a bit
// of the filter: the last node before it that is on every path. A node that no other one dominates gets itself, as a root
// does to which none of the others lead; None is for nodes that are not reached.
//
// It is semi-NCA (Georgiadis, "Linear-time algorithms for dominators and related problems", 2005, after Lengauer and Tarjan,
// 1979), with a node before all roots, on one core, in time close to that of a walk, at worst O(nodes²), and with some 60 bytes
// a node and 4 an arc.
//
// Errors: a root that is no node, or a slice of another length, before anything is written; a context that ends, after which
// what was written is worth nothing.
func (e *Engine) Dominators(ctx context.Context, roots []uint32, filter uint32, idom []uint32) (_ Stats, err error) {
	if err := e.mayStart(ctx, "dominators"); err != nil {
		return Stats{}, err
	}
	defer alone(&err)
	if err := e.check(roots, len(idom), e.g.nodes(), "dominators"); err != nil {
		return Stats{}, err
	}
	if uint64(e.g.nodes()) >= None-1 {
		return Stats{}, fmt.Errorf("graph: %d nodes, with one before the roots there is none to spare", e.g.nodes())
	}
	for v := range idom {
		idom[v] = None
	}
	d := dominators{Graph: e.g, filter: filter, number: idom}
	if err := d.walk(ctx, roots); err != nil {
		return Stats{}, err
	}
	if err := d.semidominators(ctx, roots); err != nil {
		return Stats{}, err
	}
	d.ancestors()
	return Stats{Reached: uint64(len(d.nodes) - 1)}, nil
}

// dominators is a search in progress. Nodes have numbers in the order in which a depth-first walk comes to them, from 1 on; 0
// is the node before the roots.
type dominators struct {
	Graph
	filter uint32
	number []uint32 // of each node; None if it is not reached
	nodes  []uint32 // by number
	tree   []uint32 // by number, from where the walk came
	semi   []uint32 // by number: the semidominator, as far as it is known, else the node itself
	idom   []uint32 // by number

	up, best []uint32 // by number: see least
	path     []uint32
}

// askedEvery is after how many nodes a context is asked.
const askedEvery = 1 << 14

// walk numbers what can be reached.
func (d *dominators) walk(ctx context.Context, roots []uint32) error {
	type step struct {
		node       uint32
		next, last uint64 // of its arcs
	}
	var stack []step
	d.nodes, d.tree = append(d.nodes, None), append(d.tree, 0)
	visit := func(v, from uint32) {
		d.number[v] = uint32(len(d.nodes))
		d.nodes, d.tree = append(d.nodes, v), append(d.tree, from)
		first, last := d.row(v)
		stack = append(stack, step{v, first, last})
	}
	for _, root := range roots {
		if d.number[root] != None {
			continue
		}
		visit(root, 0)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == top.last {
				stack = stack[:len(stack)-1]
				continue
			}
			k := top.next
			top.next++
			if v := d.Targets[k]; d.allowed(k, d.filter) && d.number[v] == None {
				if len(d.nodes)%askedEvery == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				visit(v, d.number[top.node])
			}
		}
	}
	return nil
}

// before is, by number, where the arcs to a node come from.
func (d *dominators) before() (offsets []uint64, sources []uint32) {
	offsets = make([]uint64, len(d.nodes)+1)
	each := func(do func(from, to uint32)) {
		for i, u := range d.nodes[1:] {
			for k, last := d.row(u); k < last; k++ {
				if d.allowed(k, d.filter) {
					do(uint32(i+1), d.number[d.Targets[k]])
				}
			}
		}
	}
	each(func(_, to uint32) { offsets[to+1]++ })
	for i := range d.nodes {
		offsets[i+1] += offsets[i]
	}
	sources = make([]uint32, offsets[len(d.nodes)])
	next := append([]uint64(nil), offsets...)
	each(func(from, to uint32) {
		sources[next[to]] = from
		next[to]++
	})
	return offsets, sources
}

// semidominators finds for each node the one of least number from which a path leads there over greater numbers only.
func (d *dominators) semidominators(ctx context.Context, roots []uint32) error {
	offsets, sources := d.before()
	n := len(d.nodes)
	d.semi, d.up, d.best, d.idom = make([]uint32, n), append([]uint32(nil), d.tree...), make([]uint32, n), append([]uint32(nil), d.tree...)
	for i := range d.semi {
		d.semi[i], d.best[i] = uint32(i), uint32(i)
	}
	root := make([]bool, n)
	for _, v := range roots {
		root[d.number[v]] = true
	}
	for i := uint32(n - 1); i > 0; i-- {
		if i%askedEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		least := d.tree[i]
		if root[i] {
			least = 0
		}
		for _, u := range sources[offsets[i]:offsets[i+1]] {
			least = min(least, d.semi[d.least(u, i+1)])
		}
		d.semi[i] = least
	}
	return nil
}

// least returns the node with the least semidominator among u and those above it in the tree of the walk that have a number
// from done on, which have theirs. What it goes along it makes shorter: up leads past nodes whose least is in best.
func (d *dominators) least(u, done uint32) uint32 {
	d.path = d.path[:0]
	for ; d.up[u] >= done; u = d.up[u] {
		d.path = append(d.path, u)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		v := d.path[i]
		if d.semi[d.best[u]] < d.semi[d.best[v]] {
			d.best[v] = d.best[u]
		}
		d.up[v] = d.up[u]
		u = v
	}
	return d.best[u]
}

// ancestors finds the immediate dominators, and puts them where the numbers were: the nearest above in the tree of dominators,
// as far as it is made, that has no greater number than the semidominator.
func (d *dominators) ancestors() {
	for i := 1; i < len(d.nodes); i++ {
		v := d.idom[i]
		for v > d.semi[i] {
			v = d.idom[v]
		}
		d.idom[i] = v
	}
	for i, v := range d.nodes[1:] {
		if over := d.idom[i+1]; over == 0 {
			d.number[v] = v
		} else {
			d.number[v] = d.nodes[over]
		}
	}
}
