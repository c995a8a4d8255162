package cpu

import (
	"context"
	"fmt"
)

// StrongComponents writes a label for every node: the smallest node of its strong component, along arcs whose masks have a bit of
// the filter. It is Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972) without recursion, on one
// core: O(nodes + arcs), and 20 bytes a node.
//
// Errors: a slice of another length; a context that ends, after which the labels are worth nothing.
func (e *Engine) StrongComponents(ctx context.Context, filter uint32, label []uint32) (err error) {
	if err := e.mayStart(ctx, "strong components"); err != nil {
		return err
	}
	defer alone(&err)
	n := e.g.nodes()
	if len(label) != n {
		return fmt.Errorf("graph: %d labels for a graph of %d nodes", len(label), n)
	}
	t := tarjan{Graph: e.g, filter: filter, label: label, number: make([]uint32, n), next: make([]uint64, n)}
	for v := range label {
		label[v] = None
		t.next[v], _ = e.g.row(uint32(v))
	}
	for v := range uint32(n) {
		if v%askedEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.number[v] == 0 {
			if err := t.walk(ctx, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// tarjan is a walk in progress. A node's number, from 1 on, gets smaller as ways back are found; label is None until its
// component is known.
type tarjan struct {
	Graph
	filter        uint32
	label, number []uint32
	next          []uint64 // which of its arcs is looked at next
	path, open    []uint32 // from the root of the walk; whose components are not known
	count         uint32
}

func (t *tarjan) enter(v uint32) {
	t.count++
	t.number[v] = t.count
	t.path, t.open = append(t.path, v), append(t.open, v)
}

func (t *tarjan) walk(ctx context.Context, root uint32) error {
	first := make([]uint32, 0, 16) // of the nodes of the path, the numbers that they got
	t.enter(root)
	first = append(first, t.count)
	for len(t.path) > 0 {
		v := t.path[len(t.path)-1]
		_, last := t.row(v)
		if k := t.next[v]; k < last {
			t.next[v]++
			if to := t.Targets[k]; !t.allowed(k, t.filter) {
			} else if t.number[to] == 0 {
				if t.count%askedEvery == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				t.enter(to)
				first = append(first, t.count)
			} else if t.label[to] == None {
				t.number[v] = min(t.number[v], t.number[to])
			}
			continue
		}
		t.path = t.path[:len(t.path)-1]
		if t.number[v] == first[len(first)-1] {
			t.close(v)
		} else {
			over := t.path[len(t.path)-1]
			t.number[over] = min(t.number[over], t.number[v])
		}
		first = first[:len(first)-1]
	}
	return nil
}

// close labels the component of which v was found first.
func (t *tarjan) close(v uint32) {
	at, least := len(t.open), uint32(None)
	for at == len(t.open) || t.open[at] != v {
		at--
		least = min(least, t.open[at])
	}
	for _, u := range t.open[at:] {
		t.label[u] = least
	}
	t.open = t.open[:at]
}

// TopologicalLevels writes for every node how many arcs the longest path to it has, along arcs whose masks have a bit of the
// filter; None for nodes on cycles and behind them. It is Kahn's algorithm (Topological sorting of large networks, 1962), on
// one core: O(nodes + arcs), and 8 bytes a node.
//
// Errors: those of StrongComponents.
func (e *Engine) TopologicalLevels(ctx context.Context, filter uint32, level []uint32) (_ Stats, err error) {
	if err := e.mayStart(ctx, "topological levels"); err != nil {
		return Stats{}, err
	}
	defer alone(&err)
	n := e.g.nodes()
	if len(level) != n {
		return Stats{}, fmt.Errorf("graph: %d levels for a graph of %d nodes", len(level), n)
	}
	before := make([]uint32, n) // arcs that come from nodes without a level
	for k, v := range e.g.Targets {
		if e.g.allowed(uint64(k), filter) {
			before[v]++
		}
	}
	queue, s := make([]uint32, 0, n), Stats{}
	for v := range level {
		if level[v] = None; before[v] == 0 {
			level[v], queue = 0, append(queue, uint32(v))
		}
	}
	for end := 0; s.Reached < uint64(len(queue)); s.Reached++ {
		if int(s.Reached) == end {
			end = len(queue) // a round is nodes of one level
			s.Rounds++
		}
		if s.Reached%askedEvery == 0 && ctx.Err() != nil {
			return s, ctx.Err()
		}
		u := queue[s.Reached]
		for k, last := e.g.row(u); k < last; k++ {
			if !e.g.allowed(k, filter) {
				continue
			}
			v := e.g.Targets[k]
			if before[v]--; before[v] == 0 {
				// The queue is in the order of levels, so the last arc comes from the highest one.
				level[v], queue = level[u]+1, append(queue, v)
			}
		}
	}
	return s, nil
}
